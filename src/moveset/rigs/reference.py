"""Reference poses: the T-pose of any humanoid skeleton, whatever its rest pose is."""

from __future__ import annotations

import numpy as np

from moveset.conventions import DEFAULT_FPS, UP
from moveset.errors import MovesetError
from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Clip, Skeleton
from moveset.motion.detached import carry_detached
from moveset.motion.kinematics import forward_kinematics, inverse_kinematics
from moveset.motion.roles import REQUIRED, ROOT

_LIMBS = {
    "UpperArm": ("LowerArm", (1.0, 0.0, 0.0)),
    "LowerArm": ("Hand", (1.0, 0.0, 0.0)),
    "Hand": ("MiddleProximal", (1.0, 0.0, 0.0)),
    "UpperLeg": ("LowerLeg", (0.0, -1.0, 0.0)),
    "LowerLeg": ("Foot", (0.0, -1.0, 0.0)),
}
"""Part, the part that its bone points to, and where it points on the left side of a T-pose."""

_NEUTRAL = {
    ("hips", "head"): (0.0, 1.0, 0.0),
    **{
        (side + a, side + b): (0.0, -1.0, 0.0)
        for side in ("left", "right")
        for a, b in (
            ("UpperArm", "LowerArm"),
            ("LowerArm", "Hand"),
            ("UpperLeg", "LowerLeg"),
            ("LowerLeg", "Foot"),
        )
    },
}
"""Directions of a person who stands at ease."""


def t_pose(skeleton: Skeleton, clip: Clip | None = None) -> Clip:
    """One frame: limbs turned to a T-pose (arms along +-X, legs down, toes ahead), upright, facing +Z.

    It starts from the rest pose where that stands like a person; else (rigs whose rest folds every bone onto one
    axis) from the frame of `clip` that stands most at ease. Each limb turns by the shortest arc, which takes palms
    at the thighs to palms down. Trunk and shoulders keep their shape. Raises MovesetError when neither stands.
    """
    if skeleton.missing_roles:
        raise MovesetError(
            f"not a humanoid: no joint plays {', '.join(skeleton.missing_roles)}",
            do="give the joints roles, or use another rig",
        )
    rest = np.asarray(skeleton.rest_rotations), np.asarray(skeleton.rest_translations)
    if stands(skeleton, *rest):
        rotations, translations = rest
    else:
        if clip is None:
            raise MovesetError(
                "the rest pose does not stand like a person, and there is no clip to take a stance from",
                do="pass a clip of the same skeleton",
            )
        rotations, translations = _at_ease(clip)
    rotations, translations = _upright(skeleton, rotations, translations)
    started = forward_kinematics(rotations, translations, skeleton.parents)
    rotations, translations = rotations[None], translations[None]
    for role, joint in skeleton.by_role.items():
        if _end(skeleton, role) is not None:
            rotations = _turn(skeleton, rotations[0], translations[0], role, joint)[None]
            rotations, translations = carry_detached(skeleton, started, rotations, translations)
    return Clip(skeleton, rotations, translations, fps=DEFAULT_FPS, name="T-pose")


def stands(skeleton: Skeleton, rotations: Array, translations: Array) -> bool:
    """Whether a local pose (J, 4), (J, 3) has its head above and its feet well below the hips, left on the left."""
    _, positions = forward_kinematics(rotations, translations, skeleton.parents)
    at = {role: positions[skeleton.joint(role)] for role in REQUIRED}
    feet = (at["leftFoot"] + at["rightFoot"]) / 2
    up, down = at["head"] - at["hips"], at["hips"] - feet
    lateral = at["leftUpperLeg"] - at["rightUpperLeg"]
    return bool(
        up[1] > 0.7 * np.linalg.norm(up)
        and down[1] > 0.7 * np.linalg.norm(down)
        and abs(lateral[1]) < 0.5 * np.linalg.norm(lateral)
    )


def _at_ease(clip: Clip) -> tuple[Array, Array]:
    """A stance from motion: the frame whose trunk and limbs hang most nearly straight down, the head held as usual.

    Neck and head take their average over the clip, since the best frame may happen to look aside.
    """
    positions, skeleton = clip.world_positions, clip.skeleton
    score = np.zeros(len(clip))
    for (start, end), wanted in _NEUTRAL.items():
        bone = positions[:, skeleton.joint(end)] - positions[:, skeleton.joint(start)]
        score += bone @ np.array(wanted) / np.maximum(np.linalg.norm(bone, axis=-1), 1e-9)
    frame = int(np.argmax(score))
    rotations = np.array(clip.rotations[frame])
    for role in ("neck", "head"):
        if role in skeleton.by_role:
            joint = skeleton.joint(role)
            rotations[joint] = quaternion.mean(clip.rotations[:, joint])
    return rotations, np.array(clip.translations[frame])


def _upright(skeleton: Skeleton, rotations: Array, translations: Array) -> tuple[Array, Array]:
    """The pose turned about +Y until it faces +Z, hips (and a root above them) over the origin."""
    world_rotations, positions = forward_kinematics(rotations, translations, skeleton.parents)
    lateral = positions[skeleton.joint("leftUpperLeg")] - positions[skeleton.joint("rightUpperLeg")]
    turn = quaternion.from_axis_angle(UP, np.arctan2(lateral[2], lateral[0]))
    positions = quaternion.rotate(turn, positions - positions[skeleton.joint("hips")] * (1, 0, 1))
    if ROOT in skeleton.by_role:
        positions[skeleton.joint(ROOT), ::2] = 0
    return inverse_kinematics(quaternion.multiply(turn, world_rotations), positions, skeleton.parents)


def _end(skeleton: Skeleton, role: str) -> int | None:
    """The joint that the bone of a limb part points to; None for what a T-pose does not turn."""
    side = "left" if role.startswith("left") else "right"
    part = role.removeprefix(side)
    end = "Toes" if part == "Foot" else _LIMBS[part][0] if part in _LIMBS else None
    return skeleton.by_role.get(f"{side}{end}")


def _turn(skeleton: Skeleton, rotations: Array, translations: Array, role: str, joint: int) -> Array:
    """Local rotations with one limb part turned to its T-pose direction; children follow."""
    side = "left" if role.startswith("left") else "right"
    part = role.removeprefix(side)
    world_rotations, positions = forward_kinematics(rotations, translations, skeleton.parents)
    bone = positions[_end(skeleton, role)] - positions[joint]
    if part == "Foot":
        direction = np.array([0.0, bone[1], np.hypot(bone[0], bone[2])])  # yaw only: the sole stays as it was
    else:
        direction = np.array(_LIMBS[part][1]) * ((1 if side == "left" else -1), 1, 1)
    if np.linalg.norm(bone) < 1e-6:
        return rotations
    turned = quaternion.multiply(quaternion.between(bone, direction), world_rotations[joint])
    parent = int(skeleton.parents[joint])
    rotations = rotations.copy()
    rotations[joint] = turned if parent < 0 else quaternion.inverse_multiply(world_rotations[parent], turned)
    return rotations
