"""`moveset train`: a training set to a bundle, refusals before any time is spent, one sentence when stopped."""

from __future__ import annotations

import json

import numpy as np
import pytest

from moveset.geometry import quaternion
from moveset.library.split import HELD_OUT
from moveset.library.training_set import SetClip, write_set
from moveset.motion import Clip, Tags
from moveset.motion.canonical import canonical_skeleton
from moveset.workflows import train as workflow
from moveset.workflows.training import sources as training_sources


def swing(frames: int, seed: int) -> Clip:
    """All joints swing, each in its own way."""
    skeleton = canonical_skeleton()
    rng = np.random.default_rng(seed)
    times = np.arange(frames)[:, None, None] / 30
    angles = 0.3 * np.sin(times * rng.uniform(1, 4, (len(skeleton), 3)))
    angles += 0.1 * rng.standard_normal(angles.shape)  # as many directions as an autoencoder has latents
    translations = np.tile(skeleton.rest_translations, (frames, 1, 1))
    translations[:, 0, 2] += times[:, 0, 0]
    translations[:, 0, 1] += 0.03 * np.sin(5 * times[:, 0, 0])
    return Clip(skeleton, quaternion.from_rotation_vector(angles), translations, 30.0, f"swing {seed}", tags=Tags(license="CC0-1.0"))  # fmt: skip


@pytest.fixture(scope="module")
def training_set(tmp_path_factory):
    folder = tmp_path_factory.mktemp("train") / "swings.set"
    clips = [
        SetClip(swing(80, 1), "real"),
        SetClip(swing(60, 2), "real"),
        SetClip(swing(40, 3), "real", HELD_OUT),
    ]
    write_set(folder, clips, {"real": 1.0})
    return folder


def test_a_training_set_becomes_an_autoencoder(moveset, training_set, tmp_path):
    out = tmp_path / "swings.autoencoder"
    asked = ("train", "autoencoder", training_set, "-o", out, "--preset", "tiny", "--steps", 12)
    told = moveset(*asked)
    assert told.code == 0, told.err
    assert "autoencoder: " in told.out and "3 clips, 180 frames (real 6 s)" in told.out
    assert "strictest license: CC0-1.0" in told.out and "step 12 of 12: total " in told.out
    assert (out / "bundle.json").is_file() and (
        tmp_path / "swings.autoencoder.training" / "losses.png"
    ).is_file()

    again = moveset(*asked)
    assert again.code == 2
    assert again.err == (
        f"moveset: {tmp_path}/swings.autoencoder.training: holds a training already "
        "-- go on with --resume, or name another output\n"
    )
    other = moveset(*asked, "--resume", "--seed", 1)
    assert other.code == 2 and "belongs to another training: config.seed was 0, is 1" in other.err
    resumed = moveset(*asked, "--resume", "--json")
    said = json.loads(resumed.out)
    assert (
        said["kind"] == "autoencoder"
        and said["hash"] == json.loads((out / "bundle.json").read_text())["hash"]
    )
    assert said["license"] == "CC0-1.0"


def test_who_stops_it_reads_one_sentence(moveset, training_set, tmp_path, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt("out: stopped at step 3 of 9; go on with --resume")

    monkeypatch.setattr(workflow, "train_autoencoder", stopped)
    told = moveset("train", "autoencoder", training_set, "-o", tmp_path / "out")
    assert (told.code, told.err) == (130, "moveset: out: stopped at step 3 of 9; go on with --resume\n")


@pytest.mark.parametrize(
    "module, name", [(training_sources, "training_set_of"), (workflow, "train_controller")]
)
def test_who_stops_it_between_trainings_reads_how_to_go_on(
    moveset, training_set, tmp_path, monkeypatch, module, name
):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, name, stopped)
    told = moveset("train", "controller", training_set, "-o", tmp_path / "out")
    assert (told.code, told.err) == (130, f"moveset: {tmp_path}/out: stopped; go on with --resume\n")


def test_notes_do_not_stand_in_the_json_and_are_not_lost(moveset, training_set, tmp_path):
    told = moveset(
        "train",
        "autoencoder",
        training_set,
        "-o",
        tmp_path / "out",
        "--preset",
        "tiny",
        "--steps",
        2,
        "--json",
    )
    assert json.loads(told.out)["path"] == str(tmp_path / "out")
    assert "strictest license: CC0-1.0" in told.err and "step 2 of 2: total " in told.err


def test_other_processes_under_torchrun_say_nothing(moveset, training_set, tmp_path, monkeypatch):
    def speaks(*_, say, **__):
        say("something")

    monkeypatch.setattr(workflow, "train_autoencoder", speaks)
    monkeypatch.setenv("RANK", "1")
    assert moveset("train", "autoencoder", training_set, "-o", tmp_path / "out").out == ""
    monkeypatch.setenv("RANK", "0")
    assert moveset("train", "autoencoder", training_set, "-o", tmp_path / "out").out == "something\n"


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        (
            ["autoencoder", "-o", "out"],
            "moveset: nothing to train on -- name a library, clips, or a training set\n",
        ),
        (["autoencoder", "nowhere.library", "-o", "out"], "moveset: nowhere.library: is not a library -- "),
        (["autoencoder", "SET", "-o", "out", "--device", "cuda:99"], "cannot use device 'cuda:99'"),
        (
            ["autoencoder", "SET", "-o", "out", "--steps", "0"],
            "steps of the training is 0 -- give at least 1",
        ),
        (["controller", "SET", "-o", "out", "--autoencoder", "nowhere"], "nowhere"),
    ],
)
def test_refusals(moveset, training_set, tmp_path, monkeypatch, asked, text):
    monkeypatch.chdir(tmp_path)
    told = moveset("train", *(training_set if word == "SET" else word for word in asked))
    assert told.code == 2 and text in told.err and told.err.count("\n") == 1
