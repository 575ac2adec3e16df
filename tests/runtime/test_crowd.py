from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from moveset.errors import MovesetError
from moveset.motion import measure
from moveset.motion.measure import ground_poses
from moveset.runtime.control import uncontrolled, velocity_follow
from moveset.runtime.crowd import Crowd, CrowdConfig
from moveset.runtime.path import PathFollower, circle

DT = 1 / 30


def run(crowd, frames, follower=None):
    for frame in range(frames):
        if follower is not None:
            crowd.control(follower.control(frame * DT, crowd.controller.times))
        crowd.step(DT)


def test_one_character_moves_as_it_does_among_many(matching):
    alone, among = Crowd(matching, 1, seed=11), Crowd(matching, 17, seed=11)
    follower = PathFollower(circle(2), 1.2, np.zeros(1))
    many = PathFollower(circle(2), 1.2, np.arange(17) * 0.4)
    alone.place(*follower.place())
    among.place(*many.place())
    for frame in range(240):
        if frame < 120:  # then both wander
            alone.control(follower.control(frame * DT, matching.times))
            among.control(many.control(frame * DT, matching.times))
        alone.step(DT)
        among.step(DT)
    np.testing.assert_allclose(alone.positions[0], among.positions[0], atol=1e-6)
    np.testing.assert_allclose(alone.poses.rotations[0], among.poses.rotations[0], atol=1e-6)


@pytest.mark.parametrize("wandering", [True, False])
def test_replay_from_a_snapshot_is_bit_exact(matching, wandering):
    crowd = Crowd(matching, 4, seed=2)
    follower = None if wandering else PathFollower(circle(2), 1.2, np.arange(4.0))
    run(crowd, 40, follower)
    snapshot = crowd.snapshot()
    run(crowd, 100, follower)
    after = crowd.snapshot(), crowd.poses.rotations.copy()
    run(crowd, 13)
    crowd.restore(snapshot)
    run(crowd, 100, follower)
    for name, array in crowd.snapshot().items():
        assert np.array_equal(array, after[0][name], equal_nan=array.dtype.kind == "f"), name
    assert np.array_equal(crowd.poses.rotations, after[1])


def test_a_snapshot_survives_a_file_and_another_crowd(matching, tmp_path):
    crowd = Crowd(matching, 2, seed=2)
    run(crowd, 50)
    np.savez(tmp_path / "crowd.npz", **crowd.snapshot())
    run(crowd, 50)
    other = Crowd(matching, 2, seed=99)
    with np.load(tmp_path / "crowd.npz") as stored:
        other.restore(dict(stored))
    run(other, 50)
    assert np.array_equal(crowd.positions, other.positions)


def test_a_snapshot_of_another_size_is_refused(matching):
    with pytest.raises(MovesetError, match="not of a crowd of 3"):
        Crowd(matching, 3).restore(Crowd(matching, 2).snapshot())


def test_seeds_differ_and_repeat(matching):
    first, again, other = (Crowd(matching, 2, seed=s) for s in (1, 1, 2))
    for crowd in (first, again, other):
        run(crowd, 60)
    assert np.array_equal(first.positions, again.positions)
    assert not np.allclose(first.positions, other.positions)
    assert not np.allclose(first.positions[0], first.positions[1])


@pytest.mark.parametrize("goal", [(0.0, 1.2), (0.9, 0.9), (0.0, 2.5)])
def test_velocity_follow_reaches_the_asked_velocity(matching, goal):
    crowd = Crowd(matching, 2, seed=5)
    reached = []
    for frame in range(240):
        crowd.control(velocity_follow(goal))
        crowd.step(DT)
        if frame >= 120:
            reached.append(crowd.velocities.copy())
    np.testing.assert_allclose(np.mean(reached, axis=0), np.tile(goal, (2, 1)), atol=0.15)


def test_velocity_follow_may_stand(matching):
    crowd = Crowd(matching, 2, seed=5)
    for _ in range(150):
        crowd.control(velocity_follow((0.0, 0.0)))
        crowd.step(DT)
    assert np.linalg.norm(crowd.velocities, axis=1).max() < 0.1


def test_uncontrolled_stays_on_the_data_for_a_minute(matching, clips):
    crowd = Crowd(matching, 3, seed=8)
    crowd.record()
    for _ in range(1800):
        crowd.control(uncontrolled())
        crowd.step(DT)
    index = measure.PoseIndex(*map(np.concatenate, zip(*(ground_poses(clip) for clip in clips))))
    moved = crowd.clips(30.0)
    distances = np.concatenate([index.distances(*ground_poses(clip)) for clip in moved])
    assert np.median(distances) < 0.02 and np.percentile(distances, 99) < 0.15
    jerks = np.mean([measure.jerk(clip) for clip in clips])
    assert max(measure.jerk(clip) for clip in moved) < 2.5 * jerks
    assert (crowd._state.jumps > 10).all()
    assert np.linalg.norm(crowd.positions, axis=1).max() < 60 * 4


def test_any_step_size_moves_alike(matching):
    places = []
    for dt in (1 / 30, 1 / 60, 1 / 15, 1 / 144):
        crowd = Crowd(matching, 1, seed=3)
        for _ in range(round(6 / dt)):
            crowd.control(velocity_follow((0.0, 1.2)))
            crowd.step(dt)
        assert np.isfinite(crowd.poses.rotations).all()
        places.append(crowd.positions[0].copy())
    np.testing.assert_allclose(places, np.tile((0.0, 7.0), (4, 1)), atol=0.8)


@pytest.mark.parametrize("dt", [0.0, -1.0, np.nan, np.inf])
def test_a_step_of_no_time_is_refused(matching, dt):
    with pytest.raises(MovesetError, match="step of"):
        Crowd(matching).step(dt)


def test_recorded_clips_are_the_poses_in_the_world(matching):
    crowd = Crowd(matching, 2, seed=6)
    crowd.place(np.array([[1.0, 2.0], [-3.0, 0.5]]), np.array([0.3, 2.0]))
    crowd.record()
    run(crowd, 20)
    rotations, translations = crowd.world_poses()
    for n, clip in enumerate(crowd.clips(30.0, "walker")):
        assert len(clip) == 20 and clip.name == f"walker-{n + 1:02d}"
        # half a millimetre: recordings are float32
        np.testing.assert_allclose(clip.translations[-1], translations[n], atol=5e-4)
        assert np.abs(np.abs(np.sum(clip.rotations[-1] * rotations[n], axis=-1)) - 1).max() < 1e-6
        hips = clip.world_positions[-1, clip.skeleton.joint("hips"), [0, 2]]
        assert np.linalg.norm(hips - crowd.positions[n]) < 0.2


def test_a_place_must_be_finite(matching):
    with pytest.raises(MovesetError, match="not finite"):
        Crowd(matching).place((np.nan, 0.0), 0.0)


def test_stepping_does_not_pile_up_memory(matching):
    crowd = Crowd(matching, 8, seed=1)
    run(crowd, 60)
    tracemalloc.start()
    run(crowd, 30)
    before = tracemalloc.get_traced_memory()[0]
    run(crowd, 200)
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert after - before < 20_000


def test_recording_must_have_begun(matching):
    crowd = Crowd(matching)
    with pytest.raises(MovesetError, match="nothing was recorded"):
        crowd.clips(30.0)
    with pytest.raises(MovesetError, match="has not moved"):
        _ = crowd.poses


def test_nudges_are_counted_and_shorten_the_way_back(matching):
    follower = PathFollower(circle(2), 1.2, np.zeros(1))
    off = []
    for nudge in (0.0, 0.1):
        crowd = Crowd(matching, 1, seed=1, config=CrowdConfig(nudge=nudge))
        crowd.place(*follower.place())
        gaps = []
        for frame in range(300):
            crowd.control(follower.control(frame * DT, matching.times))
            crowd.step(DT)
            gaps.append(np.linalg.norm(follower.asked((frame + 1) * DT) - crowd.positions))
        off.append(np.mean(gaps))
        assert (crowd.report.nudged > 0) == (nudge > 0)
    assert off[1] < off[0]
