"""Compiled two-bone IK on thigh and shank, one leg of one frame at a time; foot lock and clean-up share it.

Import this module only where its start-up (numba: more than half a second) pays.
"""

# ruff: noqa: ANN201, ANN202
from __future__ import annotations

import math

import numpy as np
from numba import njit

from moveset.geometry.kernels import (
    add,
    between,
    conjugate,
    cross,
    dot,
    length,
    multiply,
    rotate,
    scale,
    subtract,
)

STRAIGHTEST = 0.999
"""The longest that a corrected leg gets, as a share of thigh and shank; a clip's own straighter leg is kept."""
_STRAIGHT = 0.03
"""A knee that stands out less than this share of the thigh does not say which way it bends."""
_STILL = (0.0, 0.0, 0.0, 1.0)


@njit(cache=True, inline="always")
def point(array, i):
    """Row i of (N, 3) as a tuple."""
    return (array[i, 0], array[i, 1], array[i, 2])


@njit(cache=True, inline="always")
def turn_of(array, i):
    """Row i of (N, 4) as a tuple."""
    return (array[i, 0], array[i, 1], array[i, 2], array[i, 3])


@njit(cache=True)
def chain_to_world(rotations, translations, chain, root, place, world_rotations, world_positions) -> None:
    """Forward kinematics of the joints `chain` (L,) of one pose, below a frame `root` at `place`."""
    turn, at = root, place
    for i in range(len(chain)):
        at = add(at, rotate(turn, point(translations, chain[i])))
        turn = multiply(turn, turn_of(rotations, chain[i]))
        for d in range(3):
            world_positions[i, d] = at[d]
        for d in range(4):
            world_rotations[i, d] = turn[d]


@njit(cache=True, inline="always")
def leg_reach(hip, knee, ankle):
    """How far from the hip an ankle may be put."""
    straight = STRAIGHTEST * (length(subtract(knee, hip)) + length(subtract(ankle, knee)))
    return max(straight, length(subtract(ankle, hip)))


@njit(cache=True)
def ankle_in_reach(hip, ankle, toe, reach):
    """The place within `reach` of the hip for the ankle of a foot that stands on `toe`, and whether there is one.

    Too far, it moves to the nearest point of the circle in which the spheres about hip (reach) and toe (length of
    the foot) meet.
    """
    to_ankle = subtract(ankle, hip)
    distance = length(to_ankle)
    if distance <= reach:
        return ankle, True
    pulled = add(hip, scale(to_ankle, reach / distance))
    foot = length(subtract(ankle, toe))
    axis = subtract(toe, hip)
    apart = length(axis)
    if foot < 1e-6 or apart > reach + foot or apart < 1e-6:
        return pulled, False
    along = (apart * apart + reach * reach - foot * foot) / (2 * apart)
    radius_squared = reach * reach - along * along
    if radius_squared <= 0:
        return pulled, False
    axis = scale(axis, 1 / apart)
    center = add(hip, scale(axis, along))
    out = subtract(ankle, center)
    out = subtract(out, scale(axis, dot(out, axis)))
    size = length(out)
    if size < 1e-9:
        return pulled, False
    return add(center, scale(out, math.sqrt(radius_squared) / size)), True


@njit(cache=True)
def bend_leg(
    rotations, chain, world_rotations, world_positions, marks, hinge, target, target_toe, spin
) -> None:
    """Turn thigh, shank, foot and toes of one pose so that ankle and toe come to their targets.

    `spin` is a world rotation that the foot makes on the way.
    """
    upper, lower, foot, end = marks
    hip, knee = point(world_positions, upper), point(world_positions, lower)
    ankle, toe = point(world_positions, foot), point(world_positions, end)
    thigh, shank = length(subtract(knee, hip)), length(subtract(ankle, knee))
    to_target = subtract(target, hip)
    distance = length(to_target)
    swing = between(subtract(ankle, hip), to_target)
    forward = scale(to_target, 1 / distance)
    hinge_axis = rotate(turn_of(world_rotations, upper), (hinge[0], hinge[1], hinge[2]))
    pole = rotate(swing, _pole(subtract(knee, hip), subtract(ankle, hip), hinge_axis))
    pole = subtract(pole, scale(forward, dot(pole, forward)))
    pole = scale(pole, 1 / max(length(pole), 1e-12))
    # the triangle of thigh, shank and distance, in the plane of the pole
    along = (distance * distance + thigh * thigh - shank * shank) / (2 * distance)
    out = math.sqrt(max(thigh * thigh - along * along, 0.0))
    new_knee = add(scale(forward, along), scale(pole, out))
    thigh_turn = multiply(between(rotate(swing, subtract(knee, hip)), new_knee), swing)
    new_shank = subtract(to_target, new_knee)
    shank_turn = multiply(between(rotate(thigh_turn, subtract(ankle, knee)), new_shank), thigh_turn)
    sole = rotate(spin, subtract(toe, ankle))
    foot_turn = multiply(between(sole, subtract(target_toe, target)), spin)
    _set_world(rotations, chain, world_rotations, upper, thigh_turn, _STILL)
    _set_world(rotations, chain, world_rotations, lower, shank_turn, thigh_turn)
    _set_world(rotations, chain, world_rotations, foot, foot_turn, shank_turn)
    if end != foot:
        _set_world(rotations, chain, world_rotations, end, spin, foot_turn)


@njit(cache=True, inline="always")
def _pole(knee, ankle, hinge):
    """Which way the knee points off the line from hip (origin) to ankle; a straight leg asks its hinge."""
    line = scale(ankle, 1 / length(ankle))
    bulge = subtract(knee, scale(line, dot(knee, line)))
    straightness = max(0.0, 1 - length(bulge) / (_STRAIGHT * length(knee)))
    return add(bulge, scale(cross(line, hinge), straightness * _STRAIGHT * length(knee)))


@njit(cache=True, inline="always")
def _set_world(rotations, chain, world_rotations, link, turn, parent_turn) -> None:
    """Give the joint the local rotation with which its old world rotation is turned by `turn`.

    Its parent's world rotation has been turned by `parent_turn`.
    """
    if link > 0:
        parent = multiply(parent_turn, turn_of(world_rotations, link - 1))
    else:
        parent = parent_turn
    local = multiply(conjugate(parent), multiply(turn, turn_of(world_rotations, link)))
    for d in range(4):
        rotations[chain[link], d] = local[d]


@njit(cache=True, nogil=True)
def move_foot(rotations, translations, chain, marks, hinge, offsets, spins) -> None:
    """Carry the foot of one leg by `offsets` (F, 3) [m] of its toe and turn it in the world by `spins` (F, 4).

    Local `rotations` (F, J, 4) are written to. A toe that the leg cannot reach comes as near as it can.
    """
    world_rotations = np.empty((len(chain), 4))
    world_positions = np.empty((len(chain), 3))
    upper, lower, foot, end = marks
    for f in range(len(rotations)):
        offset, spin = point(offsets, f), turn_of(spins, f)
        if dot(offset, offset) + spin[0] ** 2 + spin[1] ** 2 + spin[2] ** 2 < 1e-14:
            continue
        chain_to_world(
            rotations[f], translations[f], chain, _STILL, (0.0, 0.0, 0.0), world_rotations, world_positions
        )
        hip, knee = point(world_positions, upper), point(world_positions, lower)
        ankle, toe = point(world_positions, foot), point(world_positions, end)
        target_toe = add(toe, offset)
        sole = rotate(spin, subtract(toe, ankle))
        target, reached = ankle_in_reach(
            hip, subtract(target_toe, sole), target_toe, leg_reach(hip, knee, ankle)
        )
        if not reached:
            target_toe = add(target, sole)
        bend_leg(
            rotations[f], chain, world_rotations, world_positions, marks, hinge, target, target_toe, spin
        )
