"""Reference poses: the T-pose of any humanoid, the stand of any quadruped, whatever the rest pose is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from moveset.conventions import DEFAULT_FPS
from moveset.errors import MovesetError
from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Clip, Finding, Skeleton
from moveset.motion.detached import carry_detached
from moveset.motion.kinematics import forward_kinematics
from moveset.motion.roles import BODY, QUADRUPED_BODY, kind_of
from moveset.rigs.stance import Stance, find_stance, stands

__all__ = ["Reference", "reference_pose", "stands", "t_pose"]

_LIMBS = {
    "UpperArm": ("LowerArm", (1.0, 0.0, 0.0)),
    "LowerArm": ("Hand", (1.0, 0.0, 0.0)),
    "Hand": ("MiddleProximal", (1.0, 0.0, 0.0)),
    "UpperLeg": ("LowerLeg", (0.0, -1.0, 0.0)),
    "LowerLeg": ("Foot", (0.0, -1.0, 0.0)),
}
"""Part, the part that its bone points to, and where it points on the left side of a T-pose."""
_UNEVEN = np.radians(15)
"""Feet whose soles differ by more than this stand in a step, not side by side."""
_USUAL_HEIGHT = {"humanoid": (0.8, 2.6), "quadruped": (0.15, 2.6)}
"""Bodies outside of this [m] are worth a word: another unit, or a giant."""


@dataclass(frozen=True, eq=False)
class Reference:
    """A body in the pose in which all bodies of its kind are compared."""

    kind: str
    """`humanoid` (T-pose) or `quadruped` (standing)."""
    pose: Clip
    """One frame, upright, facing +Z."""
    height: float
    """From the lowest to the highest joint or tip of the body [m]."""
    notes: tuple[str, ...]
    """A sentence for each thing that was assumed."""

    def findings(self, name: str = "") -> list[Finding]:
        """What was assumed, for a person to read."""
        return [Finding("reference_pose", "info", name, note) for note in self.notes]


def reference_pose(skeleton: Skeleton, clip: Clip | None = None) -> Reference:
    """The reference pose of a humanoid or a quadruped; `clip` helps where the rest pose does not stand.

    Raises MovesetError where roles are missing or nothing stands.
    """
    kind = kind_of(skeleton.by_role)
    if kind == "partial":
        raise MovesetError(
            f"not a humanoid: no joint plays {', '.join(skeleton.missing_roles)}",
            do="give the joints roles, or use another rig",
        )
    stance = find_stance(skeleton, clip)
    pose = _t_pose(skeleton, stance) if kind == "humanoid" else _stand(skeleton, stance)
    height = _height(pose)
    low, high = _USUAL_HEIGHT[kind]
    notes = stance.notes if low <= height <= high else (*stance.notes, f"the body stands {height:.3g} m high")
    return Reference(kind, pose, height, notes)


def t_pose(skeleton: Skeleton, clip: Clip | None = None) -> Clip:
    """One frame: limbs turned to a T-pose (arms along +-X, legs down, toes ahead), upright, facing +Z.

    It starts from the rest pose where that stands like a person, along whatever axis; else (rigs whose rest folds
    every bone onto one axis) from the frame of `clip` that stands most at ease. Each limb turns by the shortest arc,
    which takes palms at the thighs to palms down. Trunk and shoulders keep their shape. Raises MovesetError when
    neither stands.
    """
    if skeleton.missing_roles:
        raise MovesetError(
            f"not a humanoid: no joint plays {', '.join(skeleton.missing_roles)}",
            do="give the joints roles, or use another rig",
        )
    return _t_pose(skeleton, find_stance(skeleton, clip))


def _t_pose(skeleton: Skeleton, stance: Stance) -> Clip:
    started = forward_kinematics(stance.rotations, stance.translations, skeleton.parents)
    rotations, translations = stance.rotations[None], stance.translations[None]
    slope = _sole_slope(skeleton, started[1])
    for role, joint in skeleton.by_role.items():
        end = _end(skeleton, role)
        if end is not None:
            rotations = _turn(skeleton, rotations[0], translations[0], role, joint, end, slope)[None]
            rotations, translations = carry_detached(skeleton, started, rotations, translations)
    return Clip(skeleton, rotations, translations, fps=DEFAULT_FPS, name="T-pose")


def _stand(skeleton: Skeleton, stance: Stance) -> Clip:
    """A quadruped on its legs: each foot under the top of its leg, soles as they were."""
    started = forward_kinematics(stance.rotations, stance.translations, skeleton.parents)
    rotations, translations = stance.rotations, stance.translations
    for top in ("leftFrontUpperLeg", "rightFrontUpperLeg", "leftUpperLeg", "rightUpperLeg"):
        upper, foot = skeleton.joint(top), skeleton.joint(top.replace("UpperLeg", "Foot"))
        world, positions = forward_kinematics(rotations, translations, skeleton.parents)
        turn = quaternion.between(positions[foot] - positions[upper], np.array((0.0, -1.0, 0.0)))
        rotations = _set_world(skeleton, rotations, upper, quaternion.multiply(turn, world[upper]), world)
        if upper in skeleton.lineage(foot):
            turned = forward_kinematics(rotations, translations, skeleton.parents)[0]
            rotations = _set_world(skeleton, rotations, foot, world[foot], turned)
    rotations, translations = carry_detached(skeleton, started, rotations[None], translations[None])
    return Clip(skeleton, rotations, translations, fps=DEFAULT_FPS, name="stand")


def _height(pose: Clip) -> float:
    """From the lowest to the highest joint or tip of trunk and limbs [m]."""
    skeleton, body = pose.skeleton, {*BODY, *QUADRUPED_BODY}
    joints = np.array([joint for role, joint in skeleton.by_role.items() if role in body])
    heights = pose.world_positions[0][joints, 1]
    if skeleton.tips is not None:
        ends = quaternion.rotate(pose.world_rotations[0][joints], skeleton.tips[joints])[:, 1] + heights
        heights = np.concatenate((heights, ends[np.isfinite(ends)]))
    return float(np.ptp(heights))


def _end(skeleton: Skeleton, role: str) -> int | None:
    """The joint that the bone of a limb part points to; None for what a T-pose does not turn."""
    side = "left" if role.startswith("left") else "right"
    part = role.removeprefix(side)
    end = "Toes" if part == "Foot" else _LIMBS[part][0] if part in _LIMBS else None
    return skeleton.by_role.get(f"{side}{end}")


def _sole_slope(skeleton: Skeleton, positions: Array) -> float | None:
    """How steeply ankle to toes falls on the flatter foot [rad], where a stance in mid-step sets them differently."""
    slopes = []
    for side in ("left", "right"):
        if side + "Toes" in skeleton.by_role:
            bone = positions[skeleton.joint(side + "Toes")] - positions[skeleton.joint(side + "Foot")]
            slopes.append(float(np.arctan2(bone[1], np.hypot(bone[0], bone[2]))))
    return max(slopes) if len(slopes) == 2 and abs(slopes[0] - slopes[1]) > _UNEVEN else None


def _turn(
    skeleton: Skeleton,
    rotations: Array,
    translations: Array,
    role: str,
    joint: int,
    end: int,
    slope: float | None,
) -> Array:
    """Local rotations with one limb part turned to its T-pose direction; children follow."""
    side = "left" if role.startswith("left") else "right"
    part = role.removeprefix(side)
    world_rotations, positions = forward_kinematics(rotations, translations, skeleton.parents)
    bone = positions[end] - positions[joint]
    if part == "Foot":
        fall = np.arctan2(bone[1], np.hypot(bone[0], bone[2])) if slope is None else slope
        direction = np.array([0.0, np.sin(fall), np.cos(fall)])  # the sole stays as it was
    else:
        direction = np.array(_LIMBS[part][1]) * ((1 if side == "left" else -1), 1, 1)
    if np.linalg.norm(bone) < 1e-6:
        return rotations
    turned = quaternion.multiply(quaternion.between(bone, direction), world_rotations[joint])
    return _set_world(skeleton, rotations, joint, turned, world_rotations)


def _set_world(skeleton: Skeleton, rotations: Array, joint: int, turned: Array, world: Array) -> Array:
    """Local rotations in which `joint` has the world rotation `turned`; the others keep theirs."""
    parent = int(skeleton.parents[joint])
    rotations = np.array(rotations)
    rotations[joint] = turned if parent < 0 else quaternion.inverse_multiply(world[parent], turned)
    return rotations
