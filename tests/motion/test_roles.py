"""Role names: which there are, what they are for, what a body must have."""

from __future__ import annotations

import pytest

from moveset.motion.canonical import canonical_skeleton
from moveset.motion.contacts import feet
from moveset.motion.roles import (
    FEET,
    FRONT_FEET,
    FRONT_FROM_ARM,
    HUMANOID,
    LEFT_ARM,
    PARENT,
    QUADRUPED_BODY,
    REQUIRED,
    REQUIRED_QUADRUPED,
    is_auxiliary,
    is_role,
    kind_of,
    mirrored,
)  # fmt: skip
from moveset.motion.skeleton import Skeleton


@pytest.mark.parametrize("role", [*HUMANOID, *QUADRUPED_BODY, "tail1", "tail12", "leftWing3", "rightEar1",
                                  "leftUpperArmTwist2", "rightFootIk", "leftFrontFootIk", "leftElbowPole", "helper9",
                                  "rightHelper41", "headProp"])  # fmt: skip
def test_roles(role):
    assert is_role(role)
    assert is_role(mirrored(role)) and mirrored(mirrored(role)) == role


@pytest.mark.parametrize("word", ["", "Hips", "pelvis", "tail", "tail0", "leftTail1", "leftHand ", "wing1", "helper",
                                  "leftSpineTwist1", "none"])  # fmt: skip
def test_other_words(word):
    assert not is_role(word)


def test_what_serves_others_is_no_part_of_a_body():
    assert all(
        map(is_auxiliary, ("leftUpperArmTwist1", "leftFootIk", "rightKneePole", "helper3", "leftHelper12"))
    )
    assert not any(map(is_auxiliary, (*HUMANOID, *QUADRUPED_BODY, "tail1", "leftWing1", None)))


def test_a_dog_is_no_person_and_a_person_no_dog():
    assert kind_of(REQUIRED) == "humanoid" and kind_of(REQUIRED_QUADRUPED) == "quadruped"
    assert kind_of(REQUIRED[1:]) == kind_of(REQUIRED_QUADRUPED[:-1]) == "partial"
    assert not any(role.endswith(("Arm", "Hand")) for role in QUADRUPED_BODY)


def test_front_legs_hang_like_the_arms_that_they_are_by_anatomy():
    for front, arm in FRONT_FROM_ARM.items():
        above = PARENT[arm]
        assert PARENT[front] == next((f for f, a in FRONT_FROM_ARM.items() if a == above), above)
    assert set(LEFT_ARM) <= set(FRONT_FROM_ARM.values())


def test_all_four_feet_of_a_quadruped_bear():
    body = canonical_skeleton()
    fronts = {arm: front for front, arm in FRONT_FROM_ARM.items()} | {
        "leftProp": "leftFrontToes",
        "rightProp": "rightFrontToes",
    }
    roles = tuple(fronts.get(role, role) if role else None for role in body.roles)
    dog = Skeleton(body.names, body.parents, body.rest_rotations, body.rest_translations, roles)
    assert feet(dog) == (*FEET, *FRONT_FEET) and feet(body) == FEET
