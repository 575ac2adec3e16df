"""Arms: hanging and swinging by joint angles, or reaching for a place with a weapon in the hand."""

from __future__ import annotations

import numpy as np

from moveset.geometry import quaternion, signal
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
    upper = quaternion.multiply(swing, about_x(twist))
    lower = about_y(-s * elbow)
    hand = about_y(-s * wrist)
    raise_share = np.clip((np.abs(flexion) + abduction - np.radians(40)) / np.radians(140), 0, 1)
    shoulder = about_z(s * (0.30 * raise_share - 0.05))
    return ArmTrack(shoulder, quaternion.multiply(quaternion.conjugate(shoulder), upper), lower, hand)


def chest_place(figure: Figure, trunk: Trunk) -> Array:
    """(F, 3) the middle between the shoulder joints in the world: where reaching arms measure from."""
    middle = figure.offset["leftShoulder"] + figure.offset["leftUpperArm"]
    return figure.upper_chest(trunk) + quaternion.rotate(trunk.chest, middle * (0, 1, 1))


def shoulder_place(figure: Figure, trunk: Trunk, side: str) -> Array:
    """(F, 3) world position of a shoulder joint whose collar is at rest."""
    offset = figure.offset[f"{side}Shoulder"] + figure.offset[f"{side}UpperArm"]
    return figure.upper_chest(trunk) + quaternion.rotate(trunk.chest, offset)


def reach(
    figure: Figure, trunk: Trunk, side: str, wrist: Array, elbow: Array, lag: float
) -> tuple[Array, Array, Array, Array]:
    """Local collar, world upper arm, world forearm and local elbow rotations (F, 4) that put the wrist in place.

    `elbow` (F, 3): world direction in which the elbow falls; its plane is smoothed over `lag` samples. The collar
    follows the reach a little.
    """
    s = _SIGN[side]
    collar = figure.upper_chest(trunk) + quaternion.rotate(trunk.chest, figure.offset[f"{side}Shoulder"])
    towards = quaternion.inverse_rotate(trunk.chest, wrist - collar)
    rest = figure.offset[f"{side}UpperArm"]
    full = quaternion.to_rotation_vector(quaternion.between(np.broadcast_to(rest, towards.shape), towards))
    shoulder = quaternion.from_rotation_vector(full * _COLLAR)
    origin = collar + quaternion.rotate(quaternion.multiply(trunk.chest, shoulder), rest)
    line = wrist - origin
    upper, lower = two_bone(
        line,
        figure.offset[f"{side}LowerArm"],
        figure.offset[f"{side}Hand"],
        np.array([0.0, -s, 0.0]),
        # where the reach passes the elbow's direction its plane is uncertain: its neighbours in time decide
        signal.gaussian(quaternion.cross(elbow, line), lag),
    )
    return shoulder, upper, quaternion.multiply(upper, lower), lower


_COLLAR = np.array([0.05, 0.16, 0.16])
"""Share of a reach that the collar takes about each axis of the chest."""


def reaching(
    figure: Figure, trunk: Trunk, side: str, wrist: Array, hand: Array, elbow: Array, lag: float
) -> ArmTrack:
    """An arm with its wrist at `wrist` (F, 3), its hand turned to `hand` (F, 4), both in the world."""
    shoulder, upper, forearm, lower = reach(figure, trunk, side, wrist, elbow, lag)
    collar = quaternion.multiply(trunk.chest, shoulder)
    return ArmTrack(
        shoulder,
        quaternion.inverse_multiply(collar, upper),
        lower,
        quaternion.inverse_multiply(forearm, hand),
    )


_GRIP = 0.45
"""Sine of the least angle between forearm and weapon: the wrist bends no further."""


def _held(aim: Array, along: Array, trunk: Trunk) -> Array:
    """The nearest direction to `aim` that a wrist allows on a forearm that points `along`.

    Where the two align, the weapon leans to the side on which the thumb lies when that arm is lifted: up over a
    forearm held forward, back over one held up. It passes to the other side only around, never through the forearm.
    """
    aim = aim / np.linalg.norm(aim, axis=-1, keepdims=True)
    across = quaternion.rotate(trunk.chest, np.array([1.0, 0.0, 0.0]))
    up = quaternion.rotate(trunk.chest, np.array([0.0, 1.0, 0.0]))
    thumb = quaternion.cross(along, across) + 0.6 * _dot(along, across) ** 2 * (up - _dot(up, along) * along)
    thumb = thumb / np.maximum(np.linalg.norm(thumb, axis=-1, keepdims=True), 1e-6)
    side = quaternion.cross(thumb, along)
    ahead, sideways, upwards = _dot(aim, along), _dot(aim, side), _dot(aim, thumb)
    lean = np.abs(sideways) / _GRIP
    least = _GRIP * np.sqrt(np.maximum(1 - lean**2, 0)) - 1.2 * np.maximum(lean - 0.9, 0)
    upwards = np.maximum(upwards, least)
    rest = np.sqrt(np.maximum(1 - sideways**2 - upwards**2, 0)) * np.where(ahead < 0, -1, 1)
    return rest * along + sideways * side + upwards * thumb


def _dot(a: Array, b: Array) -> Array:
    return np.einsum("...i,...i->...", a, b)[..., None]


def grip_rotation(along: Array, aim: Array, sign: float, trunk: Trunk, lag: float) -> Array:
    """World rotation of a hand on a forearm that points `along`, its thumb side (Z) as near `aim` as a wrist allows.

    Samples are a moment apart; `lag` of them is how long a forearm takes to roll over.
    """
    held = _held(aim, along, trunk)
    fingers = sign * (along - _dot(along, held) * held)
    fingers = fingers / np.maximum(np.linalg.norm(fingers, axis=-1, keepdims=True), 1e-9)
    z, x = signal.gaussian(held, lag), signal.gaussian(fingers, 1.5 * lag)
    z = z / np.linalg.norm(z, axis=-1, keepdims=True)
    x = x - _dot(x, z) * z
    x = x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-9)
    return quaternion.from_matrix(np.stack((x, quaternion.cross(z, x), z), axis=-1))
