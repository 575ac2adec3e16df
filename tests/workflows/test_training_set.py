"""Training sets: kinds, sides, shares, the same twice, whole or not at all."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from moveset.errors import MovesetError
from moveset.features.pose import PoseSpace
from moveset.geometry import quaternion
from moveset.library.split import HELD_OUT, TRAIN
from moveset.library.training_set import SetClip, open_set, write_set
from moveset.library.view import open_view
from moveset.motion import Clip, Skeleton
from moveset.motion.ground import ground_frame
from moveset.synthetic.corpus import synthesize
from moveset.workflows.training.sets import (
    ANY_MOTION,
    LOCOMOTION,
    widened_set,
    write_training_set,
)

SMALL = replace(LOCOMOTION, bends=1, idles=1, idle_seconds=3.0, stops=4, walks=3, walk_seconds=8.0)


@pytest.fixture(scope="module")
def clips():
    return [
        synthesize(name)
        for name in ("walk_100", "walk_120", "walk_140", "run_240", "run_280", "walk_curve_left_15")
    ]


@pytest.fixture(scope="module")
def written(clips, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sets") / "small"
    return write_training_set(folder, clips[:-1], clips[-1:], SMALL, seed=3)


@pytest.fixture(scope="module")
def said(written):
    return json.loads((written.folder / "set.json").read_text())


def test_every_kind_is_there_with_its_share(written, said):
    kinds = {"real", "mirrored", "bent", "aside", "retimed", "standing", "walk"}
    assert set(said["seconds"][TRAIN]) == kinds == set(said["shares"])
    assert sum(said["shares"].values()) == pytest.approx(1)
    assert said["shares"]["bent"] == pytest.approx(SMALL.bent / sum(SMALL.shares.values()))
    assert said["seconds"][TRAIN]["walk"] == pytest.approx(24, abs=0.1)
    assert said["license"] == "CC0-1.0" == written.license
    assert said["settings"]["seed"] == 3 and said["settings"]["bends"] == 1


def test_what_is_held_out_is_real_and_untouched(written, said, clips):
    view = open_view(written.folder)
    held = [k for k, split in enumerate(view.splits) if split == HELD_OUT]
    assert [said["clips"][k]["kind"] for k in held] == ["real"]
    assert said["clips"][held[0]]["name"] == clips[-1].name
    space = PoseSpace.from_json(said["space"])
    rows = view.features[view.starts[held[0]] : view.starts[held[0] + 1]]
    ground = ground_frame(clips[-1])
    back = space.clip(np.asarray(rows), view.fps, ground.positions[0], float(ground.headings[0]))
    np.testing.assert_allclose(back.world_positions, clips[-1].world_positions, atol=2e-3)


def test_clips_are_listed_as_in_the_view_and_add_up(written, said):
    view = open_view(written.folder)
    assert tuple(clip["id"] for clip in said["clips"]) == view.clips
    assert len(set(view.clips)) == len(view.clips)
    assert int(view.starts[-1]) == said["frames"] == written.frames
    assert np.isfinite(view.features).all()


def test_the_same_clips_and_seed_give_the_same_set(written, clips, tmp_path):
    again = write_training_set(tmp_path / "again", clips[:-1], clips[-1:], SMALL, seed=3)
    assert again.hash == written.hash
    other = write_training_set(tmp_path / "other", clips[:-1], clips[-1:], replace(SMALL, walks=1), seed=4)
    assert other.hash != written.hash


def test_a_motion_that_is_held_out_is_not_trained_on(clips, tmp_path):
    only_real = replace(ANY_MOTION, mirrored=0.0, retimed=0.0)
    made = widened_set([*clips, clips[0]], clips[:1], only_real)
    report = write_set(tmp_path / "set", made, only_real.shares)
    assert report.frames == sum(map(len, clips))
    assert report.seconds[HELD_OUT]["real"] == pytest.approx(len(clips[0]) / 30, abs=1e-3)


def test_blows_are_mirrored_and_retimed_and_no_more(tmp_path):
    blows = [synthesize(name) for name in ("one_handed_light_overhead", "hit_heavy_front")]
    report = write_training_set(tmp_path / "set", blows, (), ANY_MOTION)
    assert set(report.seconds[TRAIN]) == {"real", "mirrored", "retimed"}
    real, retimed = report.seconds[TRAIN]["real"], report.seconds[TRAIN]["retimed"]
    assert retimed == pytest.approx(2 * real, rel=0.2)  # with their mirror twins


def test_it_replaces_a_set_and_nothing_else(clips, tmp_path):
    folder = tmp_path / "set"
    only_real = replace(ANY_MOTION, mirrored=0.0, retimed=0.0)
    first = write_training_set(folder, clips[:1], (), only_real)
    second = write_training_set(folder, clips[:2], (), only_real)
    assert second.hash != first.hash and sorted(p.name for p in tmp_path.iterdir()) == ["set"]
    (tmp_path / "mine").mkdir()
    with pytest.raises(MovesetError, match="not a training set"):
        write_training_set(tmp_path / "mine", clips[:1], (), only_real)
    with pytest.raises(MovesetError, match="no clip to train on"):
        write_training_set(folder, (), clips[:1])


def test_a_set_that_fails_on_the_way_leaves_nothing(clips, tmp_path):
    def breaks(items, total, what):
        for k, item in enumerate(items):
            if k == 1 and what == "writing":
                raise RuntimeError("no more")
            yield item

    with pytest.raises(RuntimeError):
        write_training_set(tmp_path / "set", clips[:3], (), replace(ANY_MOTION, retimed=0.0), track=breaks)
    assert list(tmp_path.iterdir()) == []


def snake(seed: int, frames: int = 60) -> Clip:
    """A chain of joints without roles that winds ahead."""
    joints, time = 8, np.arange(frames) / 30
    rest = np.zeros((joints, 3))
    rest[1:, 2] = -0.2
    skeleton = Skeleton(
        tuple(f"part{k}" for k in range(joints)), np.arange(-1, joints - 1), np.tile([0.0, 0, 0, 1], (joints, 1)), rest
    )  # fmt: skip
    angles = np.zeros((frames, joints, 3))
    angles[..., 1] = 0.3 * np.sin(4 * time[:, None] - 0.7 * np.arange(joints) + seed)
    translations = np.tile(rest, (frames, 1, 1))
    translations[:, 0, 2] += 0.6 * time
    return Clip(skeleton, quaternion.from_rotation_vector(angles), translations, 30.0, f"snake {seed}")


def test_kinds_that_clips_cannot_serve_are_left_out_with_a_note_each(tmp_path):
    said: list[str] = []
    made = widened_set([snake(1), snake(2)], [], SMALL, say=said.append)
    assert {s.kind for s in made} == {"real", "mirrored"}
    missing = [line.split(" clips", 1)[0] for line in said]
    assert {"no bent", "no retimed", "no standing", "no walk"} <= {*missing} and len(missing) == len(
        {*missing}
    )
    assert write_set(tmp_path / "set", made, SMALL.shares).shares == {"real": 0.5, "mirrored": 0.5}


def test_a_walk_on_which_no_foot_stands_flat_has_no_standing(clips):
    said: list[str] = []
    tiptoe = replace(clips[0], translations=clips[0].translations + (0, 1.0, 0), contacts=None)
    made = widened_set([tiptoe.slice(0, 5)], [], SMALL, say=said.append)
    assert "standing" not in {s.kind for s in made}
    assert any("no standing clips in the training set: " in line for line in said)


def test_motion_that_is_not_finite_is_refused_by_name(clips, tmp_path):
    torn = replace(clips[0], translations=np.full_like(clips[0].translations, np.nan), name="torn")
    with pytest.raises(MovesetError, match="clip 'torn' \\(real\\) holds NaN or infinity"):
        write_set(tmp_path / "set", [SetClip(torn, "real")], {"real": 1.0})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("frames", [0, 1, 2])
def test_a_clip_of_hardly_any_frames_can_be_written(clips, tmp_path, frames):
    parts = [SetClip(clips[0], "real"), SetClip(clips[1].slice(0, frames), "real")]
    assert write_set(tmp_path / "set", parts, {"real": 1.0}).frames == len(clips[0]) + frames


def test_a_damaged_set_is_refused_by_name(clips, tmp_path):
    write_set(tmp_path / "set", [SetClip(clips[0], "real")], {"real": 1.0})
    said, features = tmp_path / "set" / "set.json", tmp_path / "set" / "features.npy"
    whole, rows = said.read_text(), features.read_bytes()
    for text, message in (
        ("[]", "version None"),
        (json.dumps({**json.loads(whole), "version": 9}), "version 9"),
        (json.dumps({**json.loads(whole), "clips": []}), "damaged"),
        ('{"version": 1}', "damaged"),
        ("torn", "no training set"),
    ):
        said.write_text(text)
        with pytest.raises(MovesetError, match=message):
            open_set(tmp_path / "set")
    said.write_text(whole)
    features.write_bytes(rows[: len(rows) // 2])
    with pytest.raises(MovesetError, match="damaged"):
        open_set(tmp_path / "set")
    features.write_bytes(rows)
    assert open_set(tmp_path / "set").frames == len(clips[0])
