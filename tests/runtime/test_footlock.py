from __future__ import annotations

import numpy as np
import pytest

from moveset.motion.kinematics import forward_kinematics
from moveset.motion.legs import find_legs
from moveset.runtime.controller import Poses
from moveset.runtime.course import follow
from moveset.runtime.crowd import Crowd, CrowdConfig
from moveset.runtime.footlock import MAX_OFFSET, FootLock
from moveset.runtime.path import PathFollower, circle, eight

SIDES = ("left", "right")


def toes_of(clip):
    return clip.world_positions[:, clip.skeleton.joints(["leftToes", "rightToes"])]


def knee_angles(clip):
    """(F, 2) how far each knee is bent [rad], 0 when straight."""
    out = []
    for side in SIDES:
        hip, knee, ankle = (
            clip.world_positions[:, clip.skeleton.joint(side + part)]
            for part in ("UpperLeg", "LowerLeg", "Foot")
        )
        a, b = knee - hip, ankle - knee
        cosine = np.sum(a * b, axis=-1) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1)
        out.append(np.arccos(np.clip(cosine, -1, 1)))
    return np.stack(out, axis=-1)


@pytest.fixture(scope="module")
def runs(matching):
    return {
        lock: follow(matching, path, speed, 12.0, 2, 1, CrowdConfig(foot_lock=lock))[0]
        for path, speed in ((circle(2), 1.2),)
        for lock in (True, False)
    }


def test_planted_toes_stay_within_a_millimetre(runs):
    moved = []
    for clip in runs[True].clips:
        toes, flags = toes_of(clip)[..., ::2], clip.contacts.flags[:, [1, 3]]
        steps = np.linalg.norm(np.diff(toes, axis=0), axis=-1)
        moved.append(steps[flags[1:] & flags[:-1]])
    slid = np.concatenate(moved) > 1e-3
    assert slid.sum() <= runs[True].report.let_go < 0.03 * len(slid)


def test_without_the_lock_they_slide(runs):
    clip = runs[False].clips[0]
    flags = clip.contacts.flags[:, [1, 3]]
    steps = np.linalg.norm(np.diff(toes_of(clip)[..., ::2], axis=0), axis=-1)
    assert steps[flags[1:] & flags[:-1]].mean() > 1e-3


def test_bones_keep_their_length_and_knees_never_stretch_past_straight(runs):
    for with_lock, without in zip(runs[True].clips, runs[False].clips):
        assert np.array_equal(with_lock.translations[:, 1:], without.translations[:, 1:])
        straightest = min(np.arccos(0.999) * 0.9, knee_angles(without).min())
        assert knee_angles(with_lock).min() > straightest - 1e-3


def test_everything_but_the_legs_is_left_alone(runs):
    legs = {s + part for s in SIDES for part in ("UpperLeg", "LowerLeg", "Foot", "Toes")}
    others = [j for j, role in enumerate(runs[True].clips[0].skeleton.roles) if role not in legs]
    with_lock, without = runs[True].clips[0], runs[False].clips[0]
    assert np.array_equal(with_lock.rotations[:, others], without.rotations[:, others])
    assert not np.array_equal(with_lock.rotations, without.rotations)


def test_a_body_that_is_carried_off_lets_go_and_does_not_tear(matching):
    """The ground frame slides at 1.5 m/s under a pose that claims to stand."""
    database = matching.database
    lock = FootLock(matching.skeleton, database.rotations)
    state = lock.start(1)
    row = int(np.flatnonzero(database.contacts[:, 1] & database.contacts[:, 3])[0])
    translations = database.translations[None].copy()
    translations[0, database.moving] = database.moving_translations[row]
    for frame in range(40):
        poses = Poses(
            database.rotations[row : row + 1].astype(float),
            translations.copy(),
            np.ones((1, 4), bool),
            np.zeros((1, 3)),
        )
        lock.apply(state, poses, np.array([[0.0, frame * 0.05]]), np.zeros(1), 1 / 30)
        assert np.isfinite(poses.rotations).all()
        assert np.linalg.norm(state.offsets, axis=-1).max() < MAX_OFFSET + 1e-9
    assert state.refused.sum() > 0
    _, positions = forward_kinematics(poses.rotations, poses.translations, matching.skeleton.parents)
    for side in SIDES:
        hip, ankle = (positions[0, matching.skeleton.joint(side + part)] for part in ("UpperLeg", "Foot"))
        bones = matching.skeleton.rest_translations[
            matching.skeleton.joints([side + "LowerLeg", side + "Foot"])
        ]
        assert np.linalg.norm(hip - ankle) <= np.linalg.norm(bones, axis=1).sum() + 1e-9


def test_a_released_foot_goes_back_without_a_jump(runs):
    """Largest toe acceleration, locked against unlocked: the lock adds no pops."""

    def worst(clip):
        return np.percentile(np.linalg.norm(np.diff(toes_of(clip), 2, axis=0), axis=-1), 99) * 30**2

    for with_lock, without in zip(runs[True].clips, runs[False].clips):
        assert worst(with_lock) < 1.3 * worst(without)


@pytest.mark.parametrize("rate", [60, 120])
def test_fine_steps_show_no_pop(matching, rate):
    """Of all toes and ankles, the largest acceleration with the lock beside the one without it; a toe that comes out of
    reach, as one does in this run, is dragged along and does not jump."""
    worst = {}
    for lock in (True, False):
        crowd = Crowd(matching, 2, 1, CrowdConfig(foot_lock=lock))
        follower = PathFollower(circle(2), 1.2, np.array([0.0, 2.0]))
        crowd.place(*follower.place())
        crowd.record()
        for step in range(12 * rate):
            crowd.control(follower.control(step / rate, matching.times))
            crowd.step(1 / rate)
        feet = [side + part for side in SIDES for part in ("Toes", "Foot")]
        places = [clip.world_positions[:, clip.skeleton.joints(feet)] for clip in crowd.clips(rate)]
        worst[lock] = np.linalg.norm(np.diff(places, 2, axis=1), axis=-1).max() * rate**2
    assert worst[True] < 1.2 * worst[False]


def test_legs_are_found_with_their_hinge(matching):
    legs = find_legs(matching.skeleton, matching.database.rotations)
    names = [[matching.skeleton.names[j] for j in chain] for chain in legs.chains]
    assert names[0][-4:] == ["leftUpperLeg", "leftLowerLeg", "leftFoot", "leftToes"]
    # knees of the canonical skeleton bend about +X: the shank goes back
    np.testing.assert_allclose(legs.hinges, [[1, 0, 0], [1, 0, 0]], atol=0.1)


def test_a_run_is_held_too(matching):
    run, _ = follow(matching, eight(3), 2.5, 8.0, 1, 0)
    toes, flags = toes_of(run.clips[0])[..., ::2], run.clips[0].contacts.flags[:, [1, 3]]
    steps = np.linalg.norm(np.diff(toes, axis=0), axis=-1)[flags[1:] & flags[:-1]]
    assert np.sum(steps > 1e-3) <= run.report.let_go < 0.1 * len(steps)
