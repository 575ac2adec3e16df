"""The canonical skeleton: 22 body roles and two weapon sockets, T-pose rest, identity rotations.

Models train on it; any rig goes to it and back. Joint names equal roles. Segment shares of the stature follow
Winter, Biomechanics and Motor Control of Human Movement (2009), table 4.1, rounded to the joints we keep.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from moveset.geometry import quaternion
from moveset.motion.roles import BODY, PARENT, SOCKETS
from moveset.motion.skeleton import Skeleton


@dataclass(frozen=True)
class Body:
    """Proportions of a humanoid. Factors are relative to the average adult."""

    height: float = 1.75
    """Stature [m] of the body before the factors below are applied."""
    leg: float = 1.0
    """Factor on thigh and shank."""
    arm: float = 1.0
    """Factor on upper arm and forearm."""
    shoulder: float = 1.0
    """Factor on the shoulder width."""


# Offsets from the parent joint for a stature of 1 m, left side; x to the left, y up, z forward.
_OFFSETS = {
    "spine": (0.0, 0.058, -0.004),
    "chest": (0.0, 0.070, 0.002),
    "upperChest": (0.0, 0.070, -0.004),
    "neck": (0.0, 0.084, -0.004),
    "head": (0.0, 0.048, 0.010),
    "leftShoulder": (0.022, 0.058, 0.004),
    "leftUpperArm": (0.086, 0.000, -0.010),
    "leftLowerArm": (0.160, 0.0, 0.0),
    "leftHand": (0.146, 0.0, 0.0),
    "leftProp": (0.052, -0.010, 0.012),
    "leftUpperLeg": (0.052, -0.030, 0.0),
    "leftLowerLeg": (0.0, -0.240, 0.0),
    "leftFoot": (0.0, -0.235, -0.010),
    "leftToes": (0.0, -0.030, 0.078),
}
_HIPS_HEIGHT = 0.030 + 0.240 + 0.235 + 0.045
"""Hips to sole for a stature of 1 m: the ankle stands 4.5 % of the stature above the floor."""
_TIPS = {"head": (0.0, 0.118, 0.0), "leftToes": (0.0, 0.0, 0.040), "leftProp": (0.0, 0.0, 0.0)}

ROLES = (*BODY, *SOCKETS)


def canonical_skeleton(body: Body | None = None) -> Skeleton:
    """The canonical skeleton with the proportions of `body`; soles at y = 0 in rest, facing +Z."""
    body = body or Body()
    factors = {
        "LowerLeg": body.leg, "Foot": body.leg, "LowerArm": body.arm, "Hand": body.arm, "UpperArm": body.shoulder,
    }  # fmt: skip

    def offset(role: str) -> np.ndarray:
        mirror = role.startswith("right")
        base = np.array(_OFFSETS["left" + role[5:] if mirror else role]) * body.height
        if mirror:
            base[0] = -base[0]
        return base * factors.get(role.removeprefix("left").removeprefix("right"), 1.0)

    translations = np.zeros((len(ROLES), 3))
    parents = np.full(len(ROLES), -1)
    for j, role in enumerate(ROLES):
        if role != "hips":
            translations[j] = offset(role)
            parents[j] = ROLES.index(PARENT[role])
    shank_and_thigh = 0.475 * body.height
    translations[0] = (0.0, _HIPS_HEIGHT * body.height + (body.leg - 1) * shank_and_thigh, 0.0)

    tips = np.full((len(ROLES), 3), np.nan)
    for role, tip in _TIPS.items():
        tips[ROLES.index(role)] = np.array(tip) * body.height
        if role.startswith("left"):
            tips[ROLES.index("right" + role[4:])] = np.array(tip) * body.height * (-1, 1, 1)
    return Skeleton(ROLES, parents, quaternion.identity((len(ROLES),)), translations, ROLES, tips)
