"""Walks that face aside: the way and the places of the feet stay, the body turns, nothing slides."""

from __future__ import annotations

import numpy as np
import pytest

from moveset.cleanup.feet import plant_feet
from moveset.edit.aside import ANGLES, aside, aside_copies, looking_about, turning_aside
from moveset.motion import measure
from moveset.motion.ground import ground_frame
from moveset.synthetic.corpus import synthesize


@pytest.fixture(scope="module")
def walk():
    return synthesize("walk_120")


@pytest.mark.parametrize("angle", [0.6, -0.4])
def test_the_body_turns_and_its_way_stays(walk, angle):
    before, after = ground_frame(walk), ground_frame(aside(walk, angle))
    np.testing.assert_allclose(after.positions, before.positions, atol=1e-9)
    np.testing.assert_allclose(after.headings - before.headings, angle, atol=1e-6)
    steps = after.displacements[1:]
    travel = np.arctan2(steps[:, 0].mean(), steps[:, 1].mean())
    assert travel == pytest.approx(-angle, abs=0.05)


def test_arms_and_trunk_keep_their_pose_and_bones_their_length(walk):
    turned = aside(walk, 0.5)
    legs = {
        joint
        for side in ("left", "right")
        for role in ("UpperLeg", "LowerLeg", "Foot", "Toes")
        for joint in [walk.skeleton.joint(f"{side}{role}")]
    }
    rest = [j for j in range(1, len(walk.skeleton)) if j not in legs]
    assert np.array_equal(turned.rotations[:, rest], walk.rotations[:, rest])
    np.testing.assert_allclose(turned.translations[:, 1:], walk.translations[:, 1:], atol=1e-12)


def test_feet_stay_where_they_stood_and_do_not_slide(walk):
    turned = plant_feet(aside(walk, 0.6))
    toes = walk.skeleton.joints(("leftToes", "rightToes"))
    flags = walk.contacts.flags[:, [walk.contacts.roles.index(f"{side}Toes") for side in ("left", "right")]]
    moved = np.linalg.norm(turned.world_positions[:, toes] - walk.world_positions[:, toes], axis=-1)
    assert moved[flags].max() < 0.02
    assert measure.planted_speed(turned) < measure.planted_speed(walk) + 0.01
    assert measure.foot_skate(turned) < measure.foot_skate(walk) + 0.01
    assert measure.jerk(turned) < 1.3 * measure.jerk(walk)


def test_an_angle_may_come_go_and_swing(walk):
    coming, going = turning_aside(walk, 0.5, 0.5), turning_aside(walk, 0.5, -0.5)
    assert coming[0] == going[-1] == 0 and coming[-1] == going[0] == 0.5
    np.testing.assert_allclose(coming + going, 0.5, atol=1e-12)
    swing = looking_about(walk, 0.5)
    assert np.abs(np.diff(swing)).max() * walk.fps < 0.7 and swing.min() < -0.4 < 0.4 < swing.max()
    turned = plant_feet(aside(walk, coming))
    assert np.ptp(ground_frame(turned).headings) == pytest.approx(0.5, abs=0.05)
    assert measure.planted_speed(turned) < measure.planted_speed(walk) + 0.02


def test_walks_are_turned_to_both_sides_and_runs_are_not():
    names = ("walk_100", "run_280", "walk_120", "idle_relaxed", "walk_140", "walk_curve_left_15")
    copies = aside_copies([synthesize(name) for name in names])
    assert [copy.name.split("_aside")[0] for copy in copies] == [names[k] for k in (0, 2, 4, 5)]
    angles = [float(copy.name.split("_aside")[1]) for copy in copies]
    assert np.sign(angles).tolist() == [1, -1, 1, -1]
    assert all(np.degrees(ANGLES[0]) - 1 < abs(angle) < np.degrees(ANGLES[1]) + 1 for angle in angles)
