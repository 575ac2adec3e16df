"""Arms: hanging and swinging by joint angles, or reaching for a place with a weapon in the hand."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.synthetic.figure import ArmTrack, Figure, Trunk, about_x, about_y, about_z, two_bone

_SIGN = {"left": 1.0, "right": -1.0}


def hanging(
    side: str, flexion: Array, abduction: Array, elbow: Array, twist: Array, wrist: Array
) -> ArmTrack:
    """An arm by its angles [rad], each (F,): upper arm forward and out from hanging, elbow, turn inwards, wrist."""
    s = _SIGN[side]
    # T-pose arms point sideways: down by a quarter turn less the abduction, then swung about the body's X axis
    down = about_z(-s * (np.pi / 2 - abduction))
    swing = quaternion.multiply(about_x(-flexion), down)
    upper = quaternion.multiply(swing, about_x(-twist))
    lower = about_y(-s * elbow)
    hand = about_y(-s * wrist)
    raise_share = np.clip((np.abs(flexion) + abduction - np.radians(40)) / np.radians(140), 0, 1)
    shoulder = about_z(s * (0.30 * raise_share - 0.05))
    return ArmTrack(shoulder, quaternion.multiply(quaternion.conjugate(shoulder), upper), lower, hand)


def chest_place(figure: Figure, trunk: Trunk) -> Array:
    """(F, 3) the middle between the shoulder joints in the world: where reaching arms measure from."""
    middle = figure.offset["leftShoulder"] + figure.offset["leftUpperArm"]
    return figure.upper_chest(trunk) + quaternion.rotate(trunk.chest, middle * (0, 1, 1))


def reaching(figure: Figure, trunk: Trunk, side: str, wrist: Array, aim: Array, elbow: Array) -> ArmTrack:
    """An arm whose wrist is at `wrist` (F, 3) and whose thumb side points along `aim` (F, 3), both in the world.

    `elbow` (F, 3): world direction in which the elbow falls. The collar follows the reach a little.
    """
    s = _SIGN[side]
    collar = figure.upper_chest(trunk) + quaternion.rotate(trunk.chest, figure.offset[f"{side}Shoulder"])
    towards = quaternion.inverse_rotate(trunk.chest, wrist - collar)
    rest = figure.offset[f"{side}UpperArm"]
    full = quaternion.to_rotation_vector(quaternion.between(np.broadcast_to(rest, towards.shape), towards))
    shoulder = quaternion.from_rotation_vector(0.16 * full * (0.3, 1.0, 1.0))
    collar_world = quaternion.multiply(trunk.chest, shoulder)
    origin = collar + quaternion.rotate(collar_world, rest)
    reach = wrist - origin
    # the hinge is square to the plane of shoulder, elbow and wrist
    axis = s * quaternion.cross(elbow, reach)
    hinge = np.array([0.0, -s, 0.0])
    upper, lower = two_bone(
        reach, figure.offset[f"{side}LowerArm"], figure.offset[f"{side}Hand"], hinge, s * axis
    )
    forearm = quaternion.multiply(upper, lower)
    along = quaternion.rotate(forearm, np.array([s, 0.0, 0.0]))
    hand = grip_rotation(along, aim, s)
    return ArmTrack(
        shoulder,
        quaternion.inverse_multiply(collar_world, upper),
        lower,
        quaternion.inverse_multiply(forearm, hand),
    )


def grip_rotation(along: Array, aim: Array, sign: float) -> Array:
    """World rotation of a hand with its thumb side (Z) along `aim`, its fingers as near `along` as that allows."""
    z = aim / np.linalg.norm(aim, axis=-1, keepdims=True)
    x = sign * (along - np.einsum("...i,...i->...", along, z)[..., None] * z)
    x = x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-9)
    return quaternion.from_matrix(np.stack((x, quaternion.cross(z, x), z), axis=-1))


def both(arm: Mapping[str, ArmTrack], other: Mapping[str, ArmTrack], share: Array) -> dict[str, ArmTrack]:
    """Arms between two sets: `share` (F,) of `other`."""
    return {
        side: ArmTrack(
            *(
                quaternion.slerp(getattr(arm[side], part), getattr(other[side], part), share)
                for part in ("shoulder", "upper", "lower", "hand")
            )
        )
        for side in arm
    }
