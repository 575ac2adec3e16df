from dataclasses import replace

import numpy as np
import pytest

from moveset.geometry import quaternion
from moveset.motion.canonical import Body, canonical_skeleton
from moveset.motion.contacts import (
    detect_contacts,
    feet,
    rest_standing_heights,
    standing_heights,
    without_flickers,
)
from moveset.motion.roles import FEET


def step(frames=60, lift=slice(20, 40), height=0.12, speed=1.5, fps=30.0):
    """A foot that stands, swings forward in the air for `lift`, and stands again."""
    foot = np.zeros((frames, 3))
    count = lift.stop - lift.start
    phase = (np.arange(count) + 0.5) / count
    foot[lift, 1] = height * np.sin(np.pi * phase) ** 0.5
    foot[lift, 2] = np.cumsum(np.full(count, speed / fps))
    foot[lift.stop :, 2] = foot[lift.stop - 1, 2]
    return foot


def test_roles_of_the_feet_in_order(standing_clip):
    skeleton = canonical_skeleton()
    assert feet(skeleton) == FEET
    toeless = replace(skeleton, roles=tuple(None if r and "Toes" in r else r for r in skeleton.roles))
    assert feet(toeless) == ("leftFoot", "rightFoot")
    contacts = detect_contacts(standing_clip(toeless))
    assert contacts.roles == ("leftFoot", "rightFoot") and contacts.flags.all()


def test_a_step(leg_clip):
    contacts = detect_contacts(leg_clip(step()))
    expected = np.ones(60, dtype=bool)
    expected[20:40] = False
    toes = contacts.flags[:, contacts.roles.index("leftToes")]
    assert np.flatnonzero(toes != expected).size <= 2  # the frames around lift-off and landing
    assert contacts.flags[:, contacts.roles.index("rightToes")].all()


def test_low_but_fast_is_no_contact(leg_clip):
    foot = np.zeros((30, 3))
    foot[:, 2] = np.arange(30) * 0.6 / 30
    assert not detect_contacts(leg_clip(foot)).flags[:, 0].any()
    foot[:, 2] = np.arange(30) * 0.2 / 30
    assert detect_contacts(leg_clip(foot)).flags[:, 0].all()


def test_still_but_high_is_no_contact(leg_clip):
    foot = np.zeros((60, 3))
    foot[20:40, 1] = 0.3
    flags = detect_contacts(leg_clip(foot)).flags
    assert not flags[21:39, 0].any() and flags[:18, 0].all() and flags[:, 2].all()


@pytest.mark.parametrize("height", [1.2, 1.75, 2.1])
def test_standing_heights_of_a_body_that_stands(standing_clip, height):
    skeleton = canonical_skeleton(Body(height=height))
    expected = skeleton.rest_world[1][skeleton.joints(FEET), 1]
    np.testing.assert_allclose(standing_heights(standing_clip(skeleton)), expected, atol=1e-12)
    np.testing.assert_allclose(rest_standing_heights(skeleton), expected, atol=1e-12)


def test_a_foot_that_never_lands_is_judged_by_the_other(leg_clip):
    foot = np.zeros((60, 3))
    foot[:, 1] = 0.4
    clip = leg_clip(foot)
    np.testing.assert_allclose(standing_heights(clip), [0.1, 0.02, 0.1, 0.02], atol=1e-12)
    assert not detect_contacts(clip).flags[:, :2].any()


def test_standing_heights_are_not_fooled_by_one_bad_frame(leg_clip):
    foot = np.zeros((60, 3))
    foot[30, 1] = -0.5
    np.testing.assert_allclose(standing_heights(leg_clip(foot))[1], 0.02, atol=1e-12)


def test_standing_heights_are_not_fooled_by_a_short_dip(leg_clip):
    foot = np.zeros((120, 3))
    foot[50:54, 1] = -0.015
    np.testing.assert_allclose(standing_heights(leg_clip(foot))[1], 0.02, atol=1e-12)


def test_a_rest_pose_around_the_hips_has_its_floor_at_the_soles():
    skeleton = canonical_skeleton()
    lowered = skeleton.rest_translations.copy()
    lowered[0] = 0
    heights = rest_standing_heights(replace(skeleton, rest_translations=lowered))
    lowest = min(skeleton.rest_world[1][:, 1])
    np.testing.assert_allclose(heights, skeleton.rest_world[1][skeleton.joints(FEET), 1] - lowest)


def test_scale_of_nothing():
    clip_skeleton = canonical_skeleton()
    from moveset.motion import Clip

    empty = Clip(clip_skeleton, quaternion.identity((0, 24)), np.zeros((0, 24, 3)), 30)
    assert detect_contacts(empty).flags.shape == (0, 4)
    assert standing_heights(empty).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    "flags, expected, loop",
    [
        ("0001000", "0000000", False), ("1101111", "1111111", False), ("0011100", "0011100", False),
        ("0110000", "0110000", False), ("1000000", "1000000", False), ("1000000", "0000000", True),
        ("1000001", "1000001", True), ("01", "01", False),
    ],
)  # fmt: skip
def test_flickers(flags, expected, loop):
    clean = without_flickers(np.array([c == "1" for c in flags]), loop)
    assert "".join("01"[int(c)] for c in clean) == expected
