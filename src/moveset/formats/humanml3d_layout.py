"""The 263 numbers a frame of HumanML3D (Guo et al. 2022, "Generating Diverse and Natural 3D Human Motions from Text").

Of 22 joint positions (F + 1, 22, 3) at 20 frames a second, F rows of
  0      turn of the facing direction to the next frame about Y, as the sine of its half, in arcsine: half the angle
  1-2    root velocity to the next frame, x and z, in the facing of the next frame [m a frame]
  3      root height [m]
  4-66   21 joints relative to the root's place on the floor, in the facing direction [m]
  67-192 21 rotations, 6D: the shortest turn of each bone from a fixed direction, relative to the bone before it
  193-258 22 joint velocities to the next frame, in the facing direction [m a frame]
  259-262 whether left ankle, left toes, right ankle, right toes move less than a threshold
Positions are first put on the floor, their first root over the origin, facing +Z.

The rotations are no pose: nothing turns about a bone's own axis, each is stored with the joint at the bone's far end,
and every chain begins with the inverse of how a body faces. They are written because networks expect them, and
never read: `moveset.motion.from_positions` finds rotations in the positions.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from moveset.conventions import FORWARD, UP
from moveset.geometry import quaternion, rotation6d
from moveset.geometry.quaternion import Array
from moveset.geometry.vector import unit

FPS = 20.0
WIDTH = 263
JOINTS = 22
FEET = (7, 10, 8, 11)
"""Left ankle, left toes, right ankle, right toes."""
ROOT, PLACES, TURNS, SPEEDS, CONTACTS = (
    slice(0, 4), slice(4, 67), slice(67, 193), slice(193, 259), slice(259, 263)
)  # fmt: skip

_STILL = 0.002
"""Squared distance from frame to frame [m2] below which a foot joint bears."""
_HIPS, _SHOULDERS = (2, 1), (17, 16)
"""Right and left."""
_CHAINS = ((0, 2, 5, 8, 11), (0, 1, 4, 7, 10), (0, 3, 6, 9, 12, 15), (9, 14, 17, 19, 21), (9, 13, 16, 18, 20))
_DIRECTIONS = np.array(
    [
        (0, 0, 0), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, -1, 0), (0, 1, 0), (0, -1, 0), (0, -1, 0), (0, 1, 0),
        (0, 0, 1), (0, 0, 1), (0, 1, 0), (1, 0, 0), (-1, 0, 0), (0, 0, 1), (0, -1, 0), (0, -1, 0), (0, -1, 0), (0, -1, 0),
        (0, -1, 0), (0, -1, 0),
    ],
    dtype=float,
)  # fmt: skip
"""Of the bone that ends in each joint, where its rotation is nothing."""
_SMOOTH = 20.0
"""Standard deviation [frames] of the facing direction behind the rotations."""


def encode(positions: Array) -> Array:
    """(F, 263) of joints (F + 1, 22, 3) [m], Y up."""
    positions = placed(np.asarray(positions, dtype=np.float64))
    # the smoothed facing carries root, places and velocities; the first frame faces +Z by decree
    facing = quaternion.between(_smoothed(forward(positions)), FORWARD)
    facing[0] = quaternion.IDENTITY
    turn = quaternion.multiply(facing[1:], quaternion.conjugate(facing[:-1]))
    moved = positions[1:] - positions[:-1]
    step = quaternion.rotate(facing[1:], moved[:, 0])
    level = positions - positions[:, :1] * (1, 0, 1)
    places = quaternion.rotate(facing[:, None], level)
    rows = np.empty((len(positions) - 1, WIDTH))
    rows[:, 0] = np.arcsin(turn[:, 1])
    rows[:, 1:3] = step[:, [0, 2]]
    rows[:, 3] = positions[:-1, 0, 1]
    rows[:, PLACES] = places[:-1, 1:].reshape(len(rows), -1)
    rows[:, TURNS] = rotation6d.from_quaternion(_turns(positions, facing))[:-1].reshape(len(rows), -1)
    rows[:, SPEEDS] = quaternion.rotate(facing[:-1, None], moved).reshape(len(rows), -1)
    rows[:, CONTACTS] = np.sum(moved[:, FEET] ** 2, axis=-1) < _STILL
    return rows


def decode(rows: Array) -> Array:
    """Joint positions (F, 22, 3) [m] of rows (F, 263): root velocities summed up, the other joints placed around."""
    half = np.concatenate(([0.0], np.cumsum(rows[:-1, 0])))
    facing = quaternion.from_axis_angle(UP, 2 * half)
    step = np.zeros((len(rows), 3))
    step[1:, [0, 2]] = rows[:-1, 1:3]
    root = np.cumsum(quaternion.inverse_rotate(facing, step), axis=0)
    positions = np.empty((len(rows), JOINTS, 3))
    places = rows[:, PLACES].reshape(len(rows), JOINTS - 1, 3)
    positions[:, 1:] = quaternion.inverse_rotate(facing[:, None], places) + root[:, None]
    positions[:, 0] = root
    positions[:, 0, 1] = rows[:, 3]
    return positions


def placed(positions: Array) -> Array:
    """Joints (F, 22, 3) on the floor, the first root over the origin, facing +Z."""
    lowest = positions[..., 1].min()
    shift = positions[0, 0] * (1, 0, 1) + lowest * UP
    turn = quaternion.between(forward(positions[:1])[0], FORWARD)
    return quaternion.rotate(turn, positions - shift)


def forward(positions: Array) -> Array:
    """(F, 3) level directions in which bodies face: across hips and shoulders, turned a quarter.

    Shorter than 1 where a body leans sideways, which gives it less weight in the smoothing.
    """
    hips, shoulders = (positions[:, right] - positions[:, left] for right, left in (_HIPS, _SHOULDERS))
    return quaternion.cross(UP, unit(hips + shoulders))


def _smoothed(directions: Array) -> Array:
    radius = int(4 * _SMOOTH)
    taps = np.exp(-0.5 * (np.arange(-radius, radius + 1) / _SMOOTH) ** 2)
    padded = np.pad(directions, ((radius, radius), (0, 0)), mode="edge")
    return unit(sliding_window_view(padded, 2 * radius + 1, axis=0) @ (taps / taps.sum()))


def _turns(positions: Array, facing: Array) -> Array:
    """(F, 21, 4) of the definition."""
    out = np.empty((len(positions), JOINTS, 4))
    for chain in _CHAINS:
        above = facing
        for start, end in pairwise(chain):
            bone = quaternion.between(_DIRECTIONS[end], unit(positions[:, end] - positions[:, start]))
            out[:, end] = quaternion.multiply(quaternion.conjugate(above), bone)
            above = bone
    return out[:, 1:]
