from __future__ import annotations

import numpy as np
import pytest

from moveset.edit.bend import bend, bent_copies, switched_on
from moveset.motion.ground import ground_frame
from moveset.synthetic.corpus import synthesize


@pytest.fixture(scope="module")
def run():
    return synthesize("run_280")


@pytest.mark.parametrize("rate", [0.5, -1.2])
def test_a_bent_clip_turns_by_the_rate_and_keeps_its_speed(run, rate):
    before, after = ground_frame(run), ground_frame(bend(run, rate))
    turned = (after.headings - before.headings)[-1]
    assert turned == pytest.approx(rate * run.seconds, abs=0.02)
    speed = [np.linalg.norm(np.diff(g.positions, axis=0), axis=1).mean() for g in (before, after)]
    assert speed[1] == pytest.approx(speed[0], rel=0.03)


def test_bending_leaves_the_pose_as_it_is(run):
    bent = bend(run, 0.8)
    assert np.array_equal(bent.translations[:, 1:], run.translations[:, 1:])
    np.testing.assert_allclose(
        np.abs(np.sum(bent.rotations[:, 1:] * run.rotations[:, 1:], axis=-1)), 1, atol=1e-12
    )
    np.testing.assert_allclose(bent.world_positions[..., 1], run.world_positions[..., 1], atol=1e-9)


def test_bending_back_gives_the_clip(run):
    again = bend(bend(run, 0.8), -0.8)
    np.testing.assert_allclose(again.world_positions, run.world_positions, atol=0.1)


def test_a_curve_may_begin_on_the_way(run):
    rates = switched_on(run, 1.0, 0.5)
    before, after = ground_frame(run), ground_frame(bend(run, rates))
    turned = after.headings - before.headings
    assert turned[-1] == pytest.approx(run.seconds / 2, abs=0.05)
    assert abs(turned[len(run) // 4]) < 0.05


def test_every_third_curve_begins_on_the_way():
    clips = [synthesize(f"run_{speed}") for speed in (240, 280, 320)]
    turned = []
    for clip, copy in zip(clips, bent_copies(clips, copies=1)):
        added = np.abs(ground_frame(copy).headings - ground_frame(clip).headings)
        turned.append(added[len(clip) // 4] / added[-1])
    assert min(turned[:2]) > 0.2 and turned[2] < 0.05


def test_only_straight_moving_clips_are_copied_with_rates_in_turn():
    names = ("idle_relaxed", "walk_120", "run_280", "walk_curve_left_15")
    copies = bent_copies([synthesize(name) for name in names], copies=2)
    assert [c.name for c in copies] == [
        "walk_120_bent+0.20", "walk_120_bent-0.57", "run_280_bent+0.30", "run_280_bent-0.95",
    ]  # fmt: skip
    assert all(c.contacts is not None for c in copies)
