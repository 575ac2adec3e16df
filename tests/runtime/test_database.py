from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from moveset.errors import MovesetError
from moveset.motion.canonical import Body
from moveset.motion.ground import ground_frame
from moveset.runtime.database import build_database, unroll_loop
from moveset.synthetic.corpus import synthesize


@pytest.fixture(scope="module")
def walk():
    return synthesize("walk_120")


def test_playing_all_steps_of_a_clip_goes_its_way(walk):
    database = build_database([walk])
    ground = ground_frame(walk)
    at, heading = ground.positions[0, [0, 2]], ground.headings[0]
    for side, forward, turn in database.steps[:-1] / database.fps:
        at = at + (
            side * np.cos(heading) + forward * np.sin(heading),
            forward * np.cos(heading) - side * np.sin(heading),
        )
        heading = heading + turn
    np.testing.assert_allclose(at, ground.positions[-1, [0, 2]], atol=1e-9)


def test_rows_of_a_clip_end_before_the_horizon(walk):
    database = build_database([walk, synthesize("run_280")])
    assert len(database.rotations) == len(database.stops) == 2 * len(walk)
    assert (database.stops[database.searchable] - database.searchable >= 30).all()
    assert database.names == ("walk_120", "run_280")


def test_a_loop_is_unrolled_and_its_travel_carried_on():
    steps = 48
    clip = synthesize("walk_120").slice(20, 20 + steps)
    unrolled = unroll_loop(replace(clip, loop=True), 100)
    assert len(unrolled) == 4 * steps and not unrolled.loop
    ground, first = ground_frame(unrolled), ground_frame(clip)
    speed = np.linalg.norm(np.diff(first.positions, axis=0), axis=1).mean()
    assert np.linalg.norm(ground.positions[-1] - ground.positions[0]) == pytest.approx(
        speed * (4 * steps - 1), rel=0.03
    )
    idle = synthesize("idle_relaxed")
    hips = unroll_loop(idle, 100).world_positions[:, 0]
    assert np.linalg.norm(np.ptp(hips, axis=0)) < 0.1


def test_clips_that_cannot_be_used_are_named(walk):
    bad = replace(walk, rotations=np.full_like(walk.rotations, np.nan), name="broken")
    database = build_database(
        [
            walk,
            replace(walk, additive=True, name="added"),
            bad,
            walk.slice(0, 20),
            synthesize("walk_120", Body(leg=1.2)),
        ]
    )
    said = " | ".join(database.left_out)
    for words in (
        "added: is additive",
        "broken: has values that are not finite",
        "lasts 0.63 s",
        "another skeleton",
    ):
        assert words in said
    with pytest.raises(MovesetError, match="no clip can be used for motion matching: broken"):
        build_database([bad])


def test_an_actor_who_differs_by_less_than_a_millimetre_is_the_same(walk):
    s = walk.skeleton
    offsets = s.rest_translations + np.r_[[(0.3, 0.1, 0.0)], np.full((len(s) - 1, 3), 4e-4)]
    near = replace(walk, skeleton=replace(s, rest_translations=offsets), name="near")
    assert near.skeleton.signature != s.signature
    assert build_database([walk, near]).names == ("walk_120", "near")
    far = replace(walk, skeleton=replace(s, rest_translations=offsets * 1.02), name="far")
    assert build_database([walk, far]).left_out == ("far: is on another skeleton than the clips before it",)


def test_another_frame_rate_is_resampled(walk):
    fast = synthesize("walk_120", fps=60.0)
    database = build_database([fast], fps=30.0)
    assert abs(len(database.rotations) - len(walk)) <= 1
