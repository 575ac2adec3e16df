"""A pose that stands, found in a rest pose or in motion: the start of every reference pose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from moveset.conventions import UP
from moveset.errors import MovesetError
from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Clip, Skeleton
from moveset.motion.kinematics import forward_kinematics, inverse_kinematics
from moveset.motion.roles import REQUIRED, ROOT, kind_of

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
_LEGS = ("leftFrontUpperLeg", "rightFrontUpperLeg", "leftUpperLeg", "rightUpperLeg")
_DOWN = 0.5
"""A leg stands if its foot lies this share of the leg's length below its top."""
_AXES = ("+X", "+Y", "+Z", "-X", "-Y", "-Z")


@dataclass(frozen=True, eq=False)
class Stance:
    """A local pose that stands upright, facing +Z, and what was done to get it."""

    rotations: Array
    """(J, 4)."""
    translations: Array
    """(J, 3) [m]."""
    notes: tuple[str, ...]
    """A sentence for each thing that was assumed."""


def find_stance(skeleton: Skeleton, clip: Clip | None = None) -> Stance:
    """The rest pose where it stands, along whatever axis; else the frame of `clip` that stands most at ease."""
    notes: list[str] = []
    rotations, translations = skeleton.rest_rotations, skeleton.rest_translations
    if not _stands_along(skeleton, UP):
        up = _own_up(skeleton)
        if up is not None and _stands_along(skeleton, up):
            turn = quaternion.between(up, UP)
            rotations, translations = _turned(skeleton, rotations, translations, turn)
            notes.append(f"the rest pose stands along {_axis(up)}; it was turned upright")
        elif clip is None or not len(clip):
            raise MovesetError(
                "the rest pose does not stand like a person"
                if kind_of(skeleton.by_role) == "humanoid"
                else "the rest pose does not stand on its legs",
                do="pass a clip of the same skeleton",
            )
        else:
            frame = _frame_at_ease(clip)
            rotations, translations = _pose_at_ease(clip, frame)
            notes.append(
                f"the rest pose does not stand; frame {frame} of {clip.name or 'the clip'} was taken"
            )
    turn = _heading(skeleton, rotations, translations)
    angle = float(np.degrees(2 * np.arctan2(turn[1], turn[3])))
    if abs(angle) > 20:
        faces = quaternion.inverse_rotate(turn, np.array((0.0, 0.0, 1.0)))
        notes.append(f"the body faces {_axis(faces)}; it was turned by {angle:.0f} degrees to face +Z")
    return Stance(*_placed(skeleton, rotations, translations, turn), tuple(notes))


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


def _stands_along(skeleton: Skeleton, up: Array) -> bool:
    """Whether the rest pose stands if `up` is up."""
    turn = quaternion.between(np.asarray(up, dtype=float), UP)
    pose = _turned(skeleton, skeleton.rest_rotations, skeleton.rest_translations, turn)
    positions = forward_kinematics(*pose, skeleton.parents)[1]
    tops = [top for top in _LEGS if top in skeleton.by_role]
    on_legs = all(_drop(skeleton, positions, top)[1] > _DOWN for top in tops)
    if kind_of(skeleton.by_role) == "humanoid":
        return on_legs and stands(skeleton, *pose)
    trunk = _trunk(skeleton, positions)
    return on_legs and abs(float(trunk[1])) < 0.8 * float(np.linalg.norm(trunk))


def _drop(skeleton: Skeleton, positions: Array, top: str) -> tuple[Array, float]:
    """From the top of a leg to its foot, and how far down that is as a share of the leg's length."""
    joints = skeleton.joints((top, top.replace("Upper", "Lower"), top.replace("UpperLeg", "Foot")))
    leg = positions[joints[2]] - positions[joints[0]]
    length = float(np.linalg.norm(np.diff(positions[joints], axis=0), axis=1).sum())
    return leg, float(-leg[1]) / max(length, 1e-9)


def _own_up(skeleton: Skeleton) -> Array | None:
    """Where up is on the rest pose, by the body alone: the axis of the file that legs point away from."""
    positions = skeleton.rest_world[1]
    tops = [top for top in _LEGS if top in skeleton.by_role]
    legs = np.sum([_drop(skeleton, positions, top)[0] for top in tops], axis=0)
    if np.linalg.norm(legs) < 1e-9:
        return None
    axis = int(np.argmax(np.abs(legs)))
    up = np.zeros(3)
    up[axis] = -np.sign(legs[axis])
    return up


def _frame_at_ease(clip: Clip) -> int:
    """The frame that stands most at ease: a person's limbs hang down, an animal's legs stand and its trunk is level."""
    positions, skeleton = clip.world_positions, clip.skeleton
    score = np.zeros(len(clip))
    if kind_of(skeleton.by_role) == "humanoid":
        for (start, end), wanted in _NEUTRAL.items():
            bone = positions[:, skeleton.joint(end)] - positions[:, skeleton.joint(start)]
            score += bone @ np.array(wanted) / np.maximum(np.linalg.norm(bone, axis=-1), 1e-9)
    else:
        for top in _LEGS:
            score += [_drop(skeleton, pose, top)[1] for pose in positions]
    return int(np.argmax(score))


def _pose_at_ease(clip: Clip, frame: int) -> tuple[Array, Array]:
    """A frame of a clip; neck and head as they are held over the clip, since the frame may happen to look aside."""
    rotations = np.array(clip.rotations[frame])
    for role in ("neck", "head"):
        if role in clip.skeleton.by_role:
            joint = clip.skeleton.joint(role)
            rotations[joint] = quaternion.mean(clip.rotations[:, joint])
    return rotations, np.array(clip.translations[frame])


def _heading(skeleton: Skeleton, rotations: Array, translations: Array) -> Array:
    """The turn about +Y after which the body faces +Z: left hip to +X, a trunk that lies along +Z."""
    positions = forward_kinematics(rotations, translations, skeleton.parents)[1]
    if kind_of(skeleton.by_role) == "quadruped":
        ahead = _trunk(skeleton, positions)
        return quaternion.from_axis_angle(UP, -np.arctan2(ahead[0], ahead[2]))
    lateral = positions[skeleton.joint("leftUpperLeg")] - positions[skeleton.joint("rightUpperLeg")]
    return quaternion.from_axis_angle(UP, np.arctan2(lateral[2], lateral[0]))


def _trunk(skeleton: Skeleton, positions: Array) -> Array:
    """From between an animal's hind legs to between its front legs."""
    front, hind = (positions[skeleton.joints(legs)].mean(axis=0) for legs in (_LEGS[:2], _LEGS[2:]))
    return front - hind


def _turned(skeleton: Skeleton, rotations: Array, translations: Array, turn: Array) -> tuple[Array, Array]:
    """A local pose turned as a whole about the origin."""
    world, positions = forward_kinematics(rotations, translations, skeleton.parents)
    return inverse_kinematics(
        quaternion.multiply(turn, world), quaternion.rotate(turn, positions), skeleton.parents
    )


def _placed(skeleton: Skeleton, rotations: Array, translations: Array, turn: Array) -> tuple[Array, Array]:
    """The pose turned about +Y, hips (and a root above them) over the origin."""
    world, positions = forward_kinematics(rotations, translations, skeleton.parents)
    positions = quaternion.rotate(turn, positions - positions[skeleton.joint("hips")] * (1, 0, 1))
    if ROOT in skeleton.by_role:
        positions[skeleton.joint(ROOT), ::2] = 0
    return inverse_kinematics(quaternion.multiply(turn, world), positions, skeleton.parents)


def _axis(direction: Array) -> str:
    """The nearest axis of the file, e.g. -Z."""
    values = np.concatenate((direction, -np.asarray(direction)))
    return _AXES[int(np.argmax(values))]
