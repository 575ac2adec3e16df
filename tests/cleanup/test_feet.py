"""Planted feet, against synthetic clips whose contacts are exact."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moveset.cleanup.feet import HIGHEST, LOWEST, plant_feet
from moveset.edit.bend import bend
from moveset.edit.level import raised
from moveset.geometry import quaternion, signal
from moveset.motion import Clip, Contacts, measure
from moveset.motion.contacts import standing_heights
from moveset.synthetic.corpus import synthesize

LEGS = {side + part for side in ("left", "right") for part in ("UpperLeg", "LowerLeg", "Foot", "Toes")}


@pytest.fixture(scope="module")
def bent() -> Clip:
    return bend(synthesize("run_280"), 0.8)


@pytest.fixture(scope="module")
def planted(bent: Clip) -> Clip:
    return plant_feet(bent)


def toes_of(clip: Clip) -> np.ndarray:
    return clip.world_positions[:, clip.skeleton.joints(("leftToes", "rightToes"))]


def flags_of(clip: Clip, *roles: str) -> np.ndarray:
    assert clip.contacts
    return np.asarray(clip.contacts.flags)[:, [clip.contacts.roles.index(role) for role in roles]]


def bearing(clip: Clip) -> np.ndarray:
    return flags_of(clip, "leftToes", "rightToes")


def steps_while_bearing(clip: Clip) -> np.ndarray:
    flags = bearing(clip)
    steps = np.linalg.norm(np.diff(toes_of(clip)[..., ::2], axis=0), axis=-1)
    return steps[flags[1:] & flags[:-1]]


def test_bent_feet_slide_and_planted_ones_stand(bent, planted):
    assert steps_while_bearing(bent).mean() > 2e-3
    assert steps_while_bearing(planted).max() < 1e-6
    assert measure.foot_skate(planted) < measure.foot_skate(bent)


@settings(max_examples=6, deadline=None)
@given(rate=st.floats(-1.3, 1.3), name=st.sampled_from(("run_280", "walk_120", "walk_080")))
def test_supports_stand_at_any_rate(rate, name):
    assert steps_while_bearing(plant_feet(bend(synthesize(name), rate))).max() < 1e-6


@pytest.mark.parametrize("name", ["walk_120", "run_280", "idle_relaxed", "walk_curve_left_15"])
def test_feet_that_stand_are_left_where_they_are(name):
    clip = synthesize(name)
    np.testing.assert_allclose(plant_feet(clip).world_positions, clip.world_positions, atol=1e-4)


def test_only_legs_turn_and_no_bone_changes_its_length(bent, planted):
    others = [j for j, role in enumerate(bent.skeleton.roles) if role not in LEGS]
    assert np.array_equal(planted.rotations[:, others], bent.rotations[:, others])
    assert np.array_equal(planted.translations, bent.translations)
    assert not np.array_equal(planted.rotations, bent.rotations)
    np.testing.assert_allclose(np.linalg.norm(planted.rotations, axis=-1), 1, atol=1e-9)


def test_the_body_stays_as_smooth(bent, planted):
    assert measure.jerk(planted) < 1.1 * measure.jerk(bent)


def test_a_flat_foot_keeps_its_heading():
    """Bending turns it by a third of a radian a second and more."""

    def turned(clip: Clip) -> float:
        foot, toe = clip.skeleton.joints(("leftFoot", "leftToes"))
        sole = clip.world_positions[:, toe] - clip.world_positions[:, foot]
        heading = np.unwrap(np.arctan2(sole[:, 0], sole[:, 2]))
        flat = np.asarray(flags_of(clip, "leftFoot", "leftToes").all(axis=1))
        return max(float(np.ptp(heading[a:b])) for a, b in signal.runs(flat) if b - a > 2)

    walk = bend(synthesize("walk_120"), 0.8)
    assert turned(walk) > 0.1
    assert turned(plant_feet(walk)) < 0.01


def test_turning_and_moving_the_clip_commutes(bent, planted):
    turn = quaternion.from_axis_angle((0.0, 1.0, 0.0), 1.1)
    rotations, translations = bent.rotations.copy(), bent.translations.copy()
    rotations[:, 0] = quaternion.multiply(turn, rotations[:, 0])
    translations[:, 0] = quaternion.rotate(turn, translations[:, 0]) + (3.0, 0.0, -2.0)
    moved = plant_feet(replace(bent, rotations=rotations, translations=translations))
    expected = quaternion.rotate(turn, planted.world_positions) + (3.0, 0.0, -2.0)
    np.testing.assert_allclose(moved.world_positions, expected, atol=1e-9)


def test_cutting_the_clip_commutes_where_whole_supports_are_left(bent, planted):
    flags = bearing(bent)
    start, stop = 7, len(bent) - 9
    cut = plant_feet(bent.slice(start, stop))
    for foot in range(2):
        inner = [(a, b) for a, b in signal.runs(flags[:, foot]) if a > start and b < stop]
        span = slice(inner[0][0], inner[-1][1])
        own = toes_of(cut)[span.start - start : span.stop - start, foot]
        np.testing.assert_allclose(own, toes_of(planted)[span, foot], atol=1e-3)


def test_feet_that_sink_or_float_come_back_to_the_floor():
    clip = synthesize("walk_120")
    standing = standing_heights(clip)
    for height in (-0.05, 0.06):
        off = plant_feet(raised(clip, height), standing=standing)
        toes = toes_of(off)[..., 1] - standing[[1, 3]]
        flags = bearing(off)
        assert toes[flags].min() > LOWEST - 0.005 and toes[flags].max() < HIGHEST + 0.005


def test_a_rig_without_toes_has_its_feet_pinned(bent):
    roles = {
        role: bent.skeleton.names[j] for role, j in bent.skeleton.by_role.items() if not role.endswith("Toes")
    }
    bare = replace(
        bent,
        skeleton=bent.skeleton.with_roles(roles),
        contacts=Contacts(("leftFoot", "rightFoot"), flags_of(bent, "leftFoot", "rightFoot")),
    )
    planted = plant_feet(bare)
    feet = planted.world_positions[:, planted.skeleton.joints(("leftFoot", "rightFoot"))][..., ::2]
    steps = np.linalg.norm(np.diff(feet, axis=0), axis=-1)
    flags = flags_of(planted, "leftFoot", "rightFoot")
    assert steps[flags[1:] & flags[:-1]].max() < 1e-6


def test_a_loop_stays_a_loop():
    clip = synthesize("walk_120")
    contacts = clip.contacts
    loop = plant_feet(replace(clip, loop=True))
    assert loop.loop and loop.contacts is contacts
    assert plant_feet(clip.slice(0, 0)).rotations.shape[0] == 0
