"""Roles without names: from how a skeleton branches, how long its bones are and how it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from moveset.geometry.quaternion import Array
from moveset.motion.clip import Clip
from moveset.motion.kinematics import forward_kinematics
from moveset.motion.skeleton import Skeleton
from moveset.rigs.shape.facing import Parts, sides
from moveset.rigs.shape.limbs import arm_parts, beast_parts, leg_parts
from moveset.rigs.shape.plan import Plan, best_plan, loose_foot
from moveset.rigs.shape.tree import Tree, speaks, used_joints
from moveset.rigs.shape.trunk import tail, trunk_roles

_LEAST_JOINTS, _MOST_JOINTS = 5, 500
"""Bodies have so many joints; the largest control rig of the pack has 242."""
_POSES = 12
"""Frames of a clip that are looked at besides the rest pose."""


@dataclass(frozen=True)
class Shape:
    """What the shape of a skeleton says."""

    kind: str = "partial"
    roles: dict[str, int] = field(default_factory=dict)
    confidence: dict[str, float] = field(default_factory=dict)
    """0 to 1 by role."""
    why: str = "no two pairs of limbs on a trunk were found"


def find_by_shape(skeleton: Skeleton, clips: Sequence[Clip] = (), weights: Array | None = None) -> Shape:
    """Roles of a body from topology and geometry alone; `weights` (J,) tells which joints move vertices."""
    if not _LEAST_JOINTS <= len(skeleton) <= _MOST_JOINTS:
        return Shape()
    used = used_joints(skeleton, weights)
    tree = Tree(skeleton, used, weights if speaks(weights) else None)
    poses = _poses(skeleton, clips)
    plan = best_plan(tree, poses)
    if plan is None:
        return Shape()
    if plan.positions is not poses[0]:
        poses = poses[1:]  # a rest pose that folds bones onto one line is no pose
    beast = plan.kind == "quadruped"
    legs, sure_legs = beast_parts(tree, plan, front=False) if beast else leg_parts(tree, plan, poses)
    arms, sure_arms = beast_parts(tree, plan, front=True) if beast else arm_parts(tree, plan, poses)
    if not legs or not arms:
        return Shape()
    _add_loose_feet(tree, plan, legs)
    if beast:
        _add_loose_feet(tree, plan, arms, "Front")
    trunk, sure_head = trunk_roles(tree, plan)
    legs_left, arms_left, sure_side, why = sides(plan, legs, arms, poses)
    roles, confidence, sure = {}, {}, float(np.sqrt(plan.score))
    for role, joint in trunk.items():
        roles[role] = joint
        confidence[role] = sure * (sure_head if role in ("head", "neck") else 1.0)
    for number, joint in enumerate(tail(tree, plan, trunk)):
        roles[f"tail{number + 1}"] = joint
        confidence[f"tail{number + 1}"] = sure
    for parts, left_first, clear in ((legs, legs_left, sure_legs), (arms, arms_left, sure_arms)):
        for part, (a, b) in parts.items():
            for side, joint in (("left", a), ("right", b)) if left_first else (("left", b), ("right", a)):
                if joint not in roles.values():
                    roles[side + part] = joint
                    confidence[side + part] = float(sure * np.sqrt(clear) * sure_side)
    return Shape(plan.kind, roles, confidence, f"{plan.kind} by its limbs ({sure:.2f}); sides: {why}")


def _add_loose_feet(tree: Tree, plan: Plan, limb: Parts, prefix: str = "") -> None:
    """Where a leg ends at the shank, or an animal's at the hock: feet that are joints elsewhere."""
    missing = next((p for p in ("Foot", "Toes") if prefix + p not in limb), None)
    last = limb.get(prefix + "Foot", limb.get(prefix + "LowerLeg"))
    if missing is None or last is None:
        return
    floor = float(plan.heights[tree.joints].min())
    feet = tuple(loose_foot(tree, joint, plan.heights, floor, plan.positions) for joint in last)
    if None not in feet and feet[0] != feet[1]:
        limb[prefix + missing] = feet  # pyright: ignore[reportArgumentType]


def _poses(skeleton: Skeleton, clips: Sequence[Clip]) -> list[Array]:
    """The rest pose and poses spread over the clips, world positions (J, 3) each."""
    poses = [skeleton.rest_world[1]]
    for clip in clips[:3]:
        if not len(clip) or not clip.is_finite:
            continue
        frames = np.unique(np.linspace(0, len(clip) - 1, _POSES).round().astype(int))
        poses += list(_world(clip, frames))
    return poses


def _world(clip: Clip, frames: np.ndarray) -> Array:
    scales = None if clip.scales is None else clip.scales[frames]
    return forward_kinematics(
        clip.rotations[frames], clip.translations[frames], clip.skeleton.parents, scales
    )[1]
