"""What several checks ask of a body: its size, its upright axis, whether it stands in a T."""

from __future__ import annotations

import numpy as np

from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.geometry.vector import unit
from moveset.motion import Clip, Skeleton
from moveset.motion.roles import BODY, FACE, FINGERS, REQUIRED

ADULT = 1.75
"""Stature [m] for which thresholds in metres are stated; they shrink and grow with the body."""

_BONES = (
    ("head", "neck", "upperChest", "chest", "spine", "hips"),
    ("leftFoot", "leftLowerLeg", "leftUpperLeg", "hips"),
)
_SHARE = 0.866
"""Head to hips and hips to ankle along the bones, over the stature (motion/canonical.py, after Winter 2009)."""

_ARM_TOLERANCE, _LEG_TOLERANCE = np.deg2rad(25), np.deg2rad(30)
"""A T-pose seen in the wild: arms sag a little, the legs of ASF skeletons spread 20 degrees."""


_FEW = 8
"""Joints below the root from which a body is unlikely to pass through its rest pose by chance."""


def humanoid(skeleton: Skeleton) -> bool:
    """Whether every role that a humanoid must have is known."""
    return not skeleton.missing_roles


def hips(skeleton: Skeleton) -> int:
    """The joint that carries the body: the hips, or the first root of a creature without roles."""
    return skeleton.by_role.get("hips", 0)


def body_joints(skeleton: Skeleton) -> np.ndarray:
    """Joints that bear the body. Where roles are known, helpers such as IK targets and poles are left out."""
    if not humanoid(skeleton):
        return np.arange(len(skeleton))
    bearing = {*BODY, *FINGERS, *FACE}
    return np.array([j for j, role in enumerate(skeleton.roles) if role in bearing])


def limb_joints(skeleton: Skeleton) -> np.ndarray:
    """`body_joints` without fingers and face, whose tracking is too noisy to judge a clip by."""
    small = {*FINGERS, *FACE}
    return np.array([j for j in body_joints(skeleton) if skeleton.roles[j] not in small])


def stature(clip: Clip) -> float:
    """Height [m] by bone lengths, which no pose changes; 0 when the skeleton has no size.

    A creature without roles counts as tall as its joints reach apart in the first frame.
    """
    skeleton = clip.skeleton
    if not humanoid(skeleton):
        positions = clip.world_positions[0] if len(clip) else skeleton.rest_world[1]
        return float(np.linalg.norm(np.ptp(positions, axis=0)))
    positions = clip.world_positions[len(clip) // 2] if len(clip) else skeleton.rest_world[1]
    length = 0.0
    for chain in _BONES:
        joints = [skeleton.by_role[role] for role in chain if role in skeleton.by_role]
        length += float(np.linalg.norm(np.diff(positions[joints], axis=0), axis=-1).sum())
    return length / _SHARE


def scale(clip: Clip) -> float:
    """Stature over that of an adult: the factor on thresholds in metres."""
    return max(stature(clip), 1e-3) / ADULT


def size_factor(clip: Clip) -> float:
    """`scale`, but 1 for small bodies: gravity, and so what accelerations a body can have, is the same for them."""
    return max(scale(clip), 1.0)


def upright(positions: Array, skeleton: Skeleton) -> Array:
    """(..., 3) unit direction from the feet to the head of a humanoid, whatever axis is up."""
    feet = positions[..., skeleton.joints(("leftFoot", "rightFoot")), :].mean(axis=-2)
    return unit(positions[..., skeleton.joint("head"), :] - feet)


def stands(positions: Array, skeleton: Skeleton) -> bool:
    """Whether a humanoid (J, 3) stands: upright along Y on a leg that is nearly straight."""
    if upright(positions, skeleton)[1] < np.cos(np.deg2rad(30)):
        return False
    straight = []
    for side in ("left", "right"):
        hip, knee, ankle = positions[
            skeleton.joints(side + part for part in ("UpperLeg", "LowerLeg", "Foot"))
        ]
        leg = np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee)
        straight.append(np.linalg.norm(ankle - hip) / max(leg, 1e-9))
    return max(straight) > 0.9


def in_t_pose(positions: Array, skeleton: Skeleton) -> np.ndarray:
    """(...) bool: arms straight out to the sides, legs straight down, measured in the body's own axes."""
    at = {role: positions[..., skeleton.joint(role), :] for role in REQUIRED}
    up = unit(at["head"] - at["hips"])
    right_to_left = at["leftUpperArm"] - at["rightUpperArm"]
    left = unit(right_to_left - np.sum(right_to_left * up, axis=-1, keepdims=True) * up)
    out = np.ones(positions.shape[:-2], dtype=bool)
    for side, lateral in (("left", left), ("right", -left)):
        for start, end, direction, tolerance in (
            ("UpperArm", "LowerArm", lateral, _ARM_TOLERANCE),
            ("LowerArm", "Hand", lateral, _ARM_TOLERANCE),
            ("UpperLeg", "LowerLeg", -up, _LEG_TOLERANCE),
            ("LowerLeg", "Foot", -up, _LEG_TOLERANCE),
        ):
            bone = unit(at[side + end] - at[side + start])
            out &= np.sum(bone * direction, axis=-1) > np.cos(tolerance)
    return out


def at_rest(clip: Clip, tolerance: float = np.deg2rad(2)) -> np.ndarray:
    """(F,) bool: every joint below the root within `tolerance` [rad] of its rest rotation."""
    below = np.flatnonzero(clip.skeleton.parents >= 0)
    if len(below) < _FEW:
        return np.zeros(len(clip), dtype=bool)
    rest = clip.skeleton.rest_rotations[below]
    return np.all(quaternion.angle_between(rest, clip.rotations[:, below]) < tolerance, axis=1)


def reference_frames(clip: Clip) -> np.ndarray:
    """(F,) bool: frames in a T-pose, or in the rest pose of the file."""
    resting = at_rest(clip)
    if not humanoid(clip.skeleton):
        return resting
    return np.logical_or(resting, in_t_pose(clip.world_positions, clip.skeleton))


_LEAP_ANGLE, _LEAP = 0.5, 0.3
"""Steps [rad; m, adult] that nobody makes out of a standing T-pose in one frame of 1/24 s or less."""


def start_of_motion(clip: Clip) -> int:
    """1 when frame 0 is a T-pose or the rest pose and the motion starts with a jump out of it, else 0."""
    if len(clip) < 3 or not reference_frames(clip.slice(0, 1))[0]:
        return 0
    joints = limb_joints(clip.skeleton)
    turned = quaternion.angle_between(clip.rotations[1:3, joints], clip.rotations[:2, joints]).max(axis=1)
    moved = np.linalg.norm(np.diff(clip.world_positions[:3, joints], axis=0), axis=-1).max(axis=1)
    leap = _LEAP * scale(clip)
    small = turned[0] < _LEAP_ANGLE / 2 and moved[0] < leap / 2
    sudden = turned[0] > 3 * turned[1] or moved[0] > 3 * moved[1]
    return int(turned[0] > _LEAP_ANGLE or moved[0] > leap or (sudden and not small))
