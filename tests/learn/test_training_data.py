"""Training sets as the workflow writes them: facts, windows within clips, shares."""

from __future__ import annotations

import json

import numpy as np
import pytest

from moveset.errors import MovesetError
from moveset.geometry import quaternion
from moveset.learn.data import open_training_set
from moveset.library.split import HELD_OUT, TRAIN
from moveset.library.training_set import SetClip, write_set
from moveset.motion import Clip, Tags
from moveset.motion.canonical import canonical_skeleton

FRAMES = {"real": (40, 9), "bent": (25,), "mirrored": (5,)}
"""Of each training clip."""


def swing(frames: int, seed: int, speed: float = 1.1) -> Clip:
    """All joints swing, each in its own way, on a body that moves at `speed` [m/s]."""
    skeleton = canonical_skeleton()
    rng = np.random.default_rng(seed)
    times = np.arange(frames)[:, None, None] / 30
    angles = 0.3 * np.sin(times * rng.uniform(1, 4, (len(skeleton), 3)))
    translations = np.tile(skeleton.rest_translations, (frames, 1, 1))
    translations[:, 0, 2] += speed * times[:, 0, 0]
    return Clip(skeleton, quaternion.from_rotation_vector(angles), translations, 30.0, f"swing {seed}", tags=Tags(license="CC0-1.0"))  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    clips = [SetClip(swing(frames, seed), kind) for kind, lengths in FRAMES.items() for seed, frames in enumerate(lengths, len(kind))]  # fmt: skip
    clips.append(SetClip(swing(30, 99), "real", HELD_OUT))
    folder = tmp_path_factory.mktemp("set") / "walks"
    write_set(folder, clips, {"real": 0.5, "bent": 0.3, "mirrored": 0.2})
    return folder


def test_the_facts_of_a_set(folder):
    data = open_training_set(folder)
    assert data.facts.clips == 5 and data.facts.frames == 109 and data.facts.license == "CC0-1.0"
    assert data.facts.seconds == pytest.approx(
        {"real": 79 / 30, "bent": 25 / 30, "mirrored": 5 / 30}, abs=1e-3
    )
    assert data.facts.hash == json.loads((folder / "set.json").read_text())["hash"]
    assert data.fps == 30 and data.kinds == ("real", "real", "bent", "mirrored", "real")
    assert data.space.layout.width == data.view.features.shape[1]


def test_vectors_are_those_of_the_clips_and_stay_on_disk(folder):
    data = open_training_set(folder)
    features = data.tensor()
    np.testing.assert_array_equal(
        features[49:74].numpy(), data.space.vectors(swing(25, 4)).astype(np.float32)
    )
    features[0] = 7  # whoever writes, writes for himself
    assert (open_training_set(folder).view.features[0] != 7).any()


@pytest.mark.parametrize("length", [1, 6, 9, 26, 40])
def test_windows_are_all_stretches_within_clips(folder, length):
    data = open_training_set(folder)
    expected = [
        start + first
        for frames, start in zip((40, 9, 25, 5), (0, 40, 49, 74))
        for first in range(frames - length + 1)
    ]
    assert sorted(data.windows(length)) == expected


def test_held_out_windows_are_apart(folder):
    data = open_training_set(folder)
    assert data.windows(30, HELD_OUT).tolist() == [79]
    assert data.draw(np.random.default_rng(0), 5, 30, HELD_OUT).tolist() == [79] * 5


@pytest.mark.parametrize(("length", "shares"), [(5, (0.5, 0.3, 0.2)), (6, (0.625, 0.375, 0))])
def test_kinds_are_drawn_by_their_shares_and_windows_alike(folder, length, shares):
    """Kinds without a window of the length leave their share to the others."""
    data = open_training_set(folder)
    rows = data.draw(np.random.default_rng(1), 40_000, length)
    assert set(rows) == set(data.windows(length))
    kinds = np.searchsorted([49, 74], rows, side="right")  # real, bent, mirrored
    np.testing.assert_allclose(np.bincount(kinds, minlength=3) / len(rows), shares, atol=0.01)
    real = np.bincount(rows[kinds == 0])
    real = real[real > 0] * len(np.unique(rows[kinds == 0])) / (kinds == 0).sum()
    assert real.min() > 0.8 and real.max() < 1.2


def test_rare_paces_are_drawn_by_the_root_of_their_number(tmp_path):
    """16 times as many windows of a slow clip as of a fast one are drawn 4 times as often."""
    clips = [SetClip(swing(80 + 4, 0), "real"), SetClip(swing(5 + 4, 1, speed=2.2), "real")]
    write_set(tmp_path / "set", clips, {"real": 1.0})
    rows = open_training_set(tmp_path / "set").draw(np.random.default_rng(1), 40_000, 5)
    assert (rows < 84).sum() / (rows >= 84).sum() == pytest.approx(4, rel=0.05)


def test_draws_are_a_function_of_the_generator(folder):
    data = open_training_set(folder)
    draws = [data.draw(np.random.default_rng(seed), 50, 8).tolist() for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]


def test_a_window_longer_than_all_clips_is_told(folder):
    with pytest.raises(MovesetError, match=f"holds no {TRAIN} clip of 41 frames -- give longer clips"):
        open_training_set(folder).draw(np.random.default_rng(0), 1, 41)


def test_what_is_no_set_is_told(tmp_path, folder):
    with pytest.raises(MovesetError, match="is no training set"):
        open_training_set(tmp_path)
    said = json.loads((folder / "set.json").read_text()) | {"version": 99}
    (tmp_path / "set.json").write_text(json.dumps(said))
    with pytest.raises(
        MovesetError, match="is a training set of version 99, this one reads 1 -- make it anew"
    ):
        open_training_set(tmp_path)
