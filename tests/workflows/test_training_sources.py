"""What a user names becomes a training set: by the split of a library, or every eighth clip; made once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import moveset
from moveset import Asset
from moveset.edit.retime import time_scaled
from moveset.errors import MovesetError
from moveset.geometry import quaternion
from moveset.learn.data import open_training_set
from moveset.library.split import HELD_OUT, TRAIN
from moveset.motion import Clip
from moveset.motion.canonical import canonical_skeleton
from moveset.workflows.build import build_library
from moveset.workflows.locomotion import on_one_body
from moveset.workflows.split import held_out_of, split_of
from moveset.workflows.training.sets import Widening
from moveset.workflows.training.sources import training_set_of

PLAIN = Widening(real=0.6, mirrored=0.4, bent=0, aside=0, retimed=0, standing=0, walk=0)


def stride(seed: int, frames: int = 60) -> Clip:
    """All joints swing, each in its own way, on the way ahead."""
    skeleton = canonical_skeleton()
    rng = np.random.default_rng(seed)
    times = np.arange(frames)[:, None, None] / 30
    angles = 0.3 * np.sin(times * rng.uniform(1, 4, (len(skeleton), 3)))
    translations = np.tile(skeleton.rest_translations, (frames, 1, 1))
    translations[:, 0, 2] += times[:, 0, 0]
    return Clip(skeleton, quaternion.from_rotation_vector(angles), translations, 30.0, f"walk {seed}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Nine walks, one as long as another, and a blow."""
    folder = tmp_path_factory.mktemp("sources") / "clips"
    for seed in range(9):
        moveset.write(Asset(clips=(stride(seed),)), folder / f"walk{seed}.bvh")
    moveset.write(Asset(clips=(stride(9),)), folder / "punch.bvh")
    return folder


def names(clips):
    return [clip.name for clip in clips]


def test_every_eighth_file_is_held_out_and_blows_are_left_out(folder):
    sides = split_of([str(folder)])
    assert names(sides.held_out) == ["walk0", "walk8"]
    assert names(sides.train) == [f"walk{k}" for k in range(1, 8)]
    assert any("not taken" in note for note in sides.notes)
    assert names(split_of([str(folder)], everything=True).held_out) == ["punch", "walk7"]


def test_a_library_keeps_its_split(folder, tmp_path):
    built = build_library(tmp_path / "walks.library", [folder], thumbnails=False, view=False)
    split = {row.name: row.split for row in built.clips}
    sides = split_of([str(tmp_path / "walks.library")], everything=True)
    assert {
        **dict.fromkeys(names(sides.train), TRAIN),
        **dict.fromkeys(names(sides.held_out), HELD_OUT),
    } == split
    some = split_of([str(tmp_path / "walks.library")], where="name IN ('walk1', 'punch')")
    assert set(names((*some.train, *some.held_out))) == {"walk1", "punch"}


def test_a_set_is_made_once_and_anew_when_something_changed(folder, tmp_path):
    said = []

    def made(**changed):
        said.clear()
        asked = {"widening": PLAIN, "seed": 1} | changed
        return training_set_of([str(folder)], tmp_path / "walks.set", say=said.append, **asked)

    assert made() == tmp_path / "walks.set" and said[-1].startswith("wrote the training set")
    first = open_training_set(tmp_path / "walks.set")
    assert first.facts.clips == 7 * 2 + 2 and sorted({*first.kinds}) == ["mirrored", "real"]
    assert made() and said[-1].startswith("takes the training set")
    assert made(seed=2) and said[-1].startswith("wrote the training set")
    assert made(seed=2, everything=True) and said[-1].startswith("wrote the training set")
    assert open_training_set(tmp_path / "walks.set").facts.clips == 8 * 2 + 2


def test_a_training_set_is_taken_as_it_is(folder, tmp_path):
    made = training_set_of([str(folder)], tmp_path / "walks.set", widening=PLAIN)
    assert training_set_of([str(made)], tmp_path / "other.set") == made
    assert not (tmp_path / "other.set").exists()


def test_takes_of_one_motion_are_held_out_together():
    takes = [stride(seed) for seed in (0, 1, 1, 2, 3, 4, 5, 6, 7, 7, 8)]
    takes[2] = time_scaled(takes[2], 1.1)  # kin by motion, not by name
    assert held_out_of(takes) == {0, 10}
    assert held_out_of(takes[:7]) == set()
    assert held_out_of([stride(0)] * 12 + takes[1:4]) == {12, 13}
    assert held_out_of([stride(1)] * 9) == set()


def test_clips_without_motion_are_left_out_by_name(tmp_path):
    walk = stride(1)
    odd = {
        "additive": replace(walk, additive=True, name="additive"),
        "torn": replace(walk, translations=np.full_like(walk.translations, np.nan), name="torn"),
        "short": replace(walk.slice(0, 1), name="short"),
    }
    kept, origins, notes = on_one_body([odd["short"], odd["torn"], walk, odd["additive"]])
    assert origins == [2] and names(kept) == ["walk 1"]
    assert notes == (
        "short: left out, it has 1 frame",
        "torn: left out, it holds NaN or infinity",
        "additive: left out, it is additive",
    )
    with pytest.raises(MovesetError, match="no clip has motion: short: left out, it has 1 frame"):
        on_one_body([odd["short"]])


@pytest.mark.parametrize(
    ("file", "text", "license"),
    [
        ("LICENSE", "Creative Commons Attribution-NonCommercial 4.0 International", "CC-BY-NC-4.0"),
        ("clips.csv", "path,license\na.bvh,CC-BY-4.0\n", ""),
        ("clips.csv", "path,license,noncommercial\na.bvh,Own,1\nb.bvh,CC0-1.0,0\n", "Own (noncommercial)"),
    ],
)
def test_files_have_the_license_that_is_told_beside_them(tmp_path, file, text, license):
    clips = tmp_path / "clips"
    for seed, name in enumerate("ab"):
        moveset.write(Asset(clips=(stride(seed),)), clips / f"{name}.bvh")
    said: list[str] = []

    def made() -> str:
        said.clear()
        made = training_set_of([str(clips)], tmp_path / "a.set", widening=PLAIN, say=said.append)
        return open_training_set(made).facts.license

    assert made() == "" and any("license unknown of 2 of 2 clips" in line for line in said)
    (clips / file).write_text(text)
    assert made() == license
    assert any("license unknown of 1 of 2" in line for line in said) == (license == "")


def test_nothing_is_told():
    with pytest.raises(MovesetError, match="nothing to train on"):
        training_set_of([], "walks.set")
    with pytest.raises(MovesetError):
        split_of(["nowhere.bvh"])
