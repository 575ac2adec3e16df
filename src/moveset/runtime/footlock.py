"""Causal foot lock: a toe that bears stays where it landed, by analytic two-bone IK on thigh and shank.

When a toe's contact begins, its place on the floor is kept; until it ends, the foot is carried back there each
frame. Afterwards the correction fades by half-life, starting from the toe at rest. The leg never stretches past
what its bones allow: where the held toe draws the ankle out of reach the heel lifts about the toe, as at the end of a
real step; where even that is not enough the toe is let go.
"""

# ruff: noqa: ANN202
from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
from numba import njit

from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Skeleton
from moveset.motion.roles import FEET
from moveset.runtime.controller import Poses
from moveset.runtime.kernels import (
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

HALF_LIFE = 0.08
"""In which a released foot goes back to its clip [s]."""
MAX_OFFSET = 0.15
"""A toe that its clip carries further away than this [m] is let go."""
STRAIGHTEST = 0.999
"""The longest that a corrected leg gets, as a share of thigh and shank; a clip's own straighter leg is kept."""
_STRAIGHT = 0.03
"""A knee that stands out less than this share of the thigh does not say which way it bends."""
_STILL = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Legs:
    """Where the two legs are on a skeleton."""

    chains: tuple[np.ndarray, ...]
    """Left and right: (L,) joints from a root of the skeleton to the toes (or the foot of a rig without toes)."""
    marks: np.ndarray
    """(2, 4) places in the chain of upper leg, lower leg, foot, toes."""
    hinges: Array
    """(2, 3) the axis about which the knee bends, in the frame of the upper leg."""
    flags: np.ndarray
    """(2,) which of FEET says that the end of the chain bears."""


@dataclass(eq=False)
class FootLockState:
    """Of N characters and their two feet."""

    held: np.ndarray
    """(N, 2) bool."""
    places: Array
    """(N, 2, 2) x z of the held toes in the world [m]."""
    offsets: Array
    """(N, 2, 2) x z from the clip's toe to the shown one [m]."""
    rates: Array
    """(N, 2, 2) how fast that changes [m/s]: a released toe starts from rest."""
    refused: np.ndarray
    """(N, 2) in how many frames a bearing toe was let go: out of reach, or further off than `max_offset`."""


class FootLock:
    """Foot lock for one skeleton; its state is apart, as a controller's is."""

    def __init__(
        self,
        skeleton: Skeleton,
        rotations: Array,
        half_life: float = HALF_LIFE,
        max_offset: float = MAX_OFFSET,
    ) -> None:
        """`rotations` (F, J, 4): poses from which the knees' hinges are seen."""
        self.legs = find_legs(skeleton, rotations)
        self.half_life, self.max_offset = half_life, max_offset

    def start(self, count: int) -> FootLockState:
        """No foot held."""
        return FootLockState(
            np.zeros((count, 2), dtype=bool),
            np.zeros((count, 2, 2)),
            np.zeros((count, 2, 2)),
            np.zeros((count, 2, 2)),
            np.zeros((count, 2), dtype=np.int64),
        )

    def apply(self, state: FootLockState, poses: Poses, positions: Array, headings: Array, dt: float) -> None:
        """Correct the legs of `poses` in place; `positions` (N, 2) and `headings` (N,) place them in the world."""
        rate = 2 * math.log(2) / self.half_life
        for side in range(2):
            _lock(
                poses.rotations, poses.translations, poses.contacts, positions, headings,
                self.legs.chains[side], self.legs.marks[side], self.legs.hinges[side], self.legs.flags[side],
                side, state.held, state.places, state.offsets, state.rates, state.refused, rate, dt, self.max_offset,
            )  # fmt: skip

    def snapshot(self, state: FootLockState) -> dict[str, np.ndarray]:
        """Copies of the state's arrays."""
        return {f.name: getattr(state, f.name).copy() for f in fields(state)}

    def restore(self, state: FootLockState, arrays: Mapping[str, np.ndarray]) -> None:
        """Back to a snapshot."""
        for f in fields(state):
            getattr(state, f.name)[:] = arrays[f.name]


def find_legs(skeleton: Skeleton, rotations: Array) -> Legs:
    """Chains by role, hinges from how the knees bend in local `rotations` (F, J, 4)."""
    chains, marks, hinges, flags = [], [], [], []
    for side in ("left", "right"):
        foot = skeleton.joint(f"{side}Foot")
        end = skeleton.by_role.get(f"{side}Toes", foot)
        chain = skeleton.lineage(end)[::-1]
        upper, lower = skeleton.joint(f"{side}UpperLeg"), skeleton.joint(f"{side}LowerLeg")
        chains.append(np.array(chain))
        marks.append([chain.index(joint) for joint in (upper, lower, foot, end)])
        below = chain[chain.index(upper) + 1 : chain.index(foot) + 1]
        hinges.append(_hinge(skeleton, rotations, below, lower))
        flags.append(FEET.index(f"{side}Foot") if end == foot else FEET.index(f"{side}Toes"))
    return Legs(tuple(chains), np.array(marks), np.array(hinges), np.array(flags))


def _hinge(skeleton: Skeleton, rotations: Array, below: list[int], lower: int) -> Array:
    """Unit axis, in the frame of the upper leg, about which a straight leg turns to bend as the clips bend it."""
    turn = quaternion.identity((len(rotations),))
    thigh = np.zeros((len(rotations), 3))
    shank = np.zeros((len(rotations), 3))
    for joint in below:
        step = quaternion.rotate(turn, np.broadcast_to(skeleton.rest_translations[joint], thigh.shape))
        if joint <= lower:
            thigh += step
        else:
            shank += step
        turn = quaternion.multiply(turn, rotations[:, joint].astype(np.float64))
    bend = quaternion.cross(thigh, shank).sum(axis=0)
    return bend / max(np.linalg.norm(bend), 1e-12)


@njit(cache=True, nogil=True)
def _lock(
    rotations, translations, contacts, positions, headings, chain, marks, hinge, flag, side,
    held, places, offsets, rates, refused, rate, dt, max_offset,
) -> None:  # fmt: skip
    links = len(chain)
    world_rotations = np.empty((links, 4))
    world_positions = np.empty((links, 3))
    upper, lower, foot, end = marks
    for n in range(len(rotations)):
        root = (0.0, math.sin(headings[n] / 2), 0.0, math.cos(headings[n] / 2))
        place = (positions[n, 0], 0.0, positions[n, 1])
        _chain_to_world(rotations[n], translations[n], chain, root, place, world_rotations, world_positions)
        hip, knee = _point(world_positions, upper), _point(world_positions, lower)
        ankle, toe = _point(world_positions, foot), _point(world_positions, end)
        bears = contacts[n, flag]
        # where the toe would be if nothing held it: a critically damped spring brings it back to the clip's
        x, rate_x = _fade(offsets[n, side, 0], rates[n, side, 0], rate, dt)
        z, rate_z = _fade(offsets[n, side, 1], rates[n, side, 1], rate, dt)
        if bears:
            if not held[n, side]:
                places[n, side, 0], places[n, side, 1] = toe[0] + x, toe[2] + z
            x, z = places[n, side, 0] - toe[0], places[n, side, 1] - toe[2]
            rate_x, rate_z = (x - offsets[n, side, 0]) / dt, (z - offsets[n, side, 1]) / dt
        held[n, side] = bears
        size = math.sqrt(x * x + z * z)
        if size > max_offset:
            x, z = x * max_offset / size, z * max_offset / size
        if x * x + z * z < 1e-14:
            offsets[n, side], rates[n, side] = 0.0, 0.0
            continue
        target_toe = (toe[0] + x, toe[1], toe[2] + z)
        reach = max(
            STRAIGHTEST * (length(subtract(knee, hip)) + length(subtract(ankle, knee))),
            length(subtract(ankle, hip)),
        )
        target, reached = _ankle(hip, add(ankle, (x, 0.0, z)), target_toe, reach)
        if not reached:
            target_toe = add(target, subtract(toe, ankle))
        x, z = target_toe[0] - toe[0], target_toe[2] - toe[2]
        offsets[n, side, 0], offsets[n, side, 1] = x, z
        rates[n, side, 0], rates[n, side, 1] = rate_x, rate_z
        if bears and (size > max_offset or not reached):
            places[n, side, 0], places[n, side, 1] = target_toe[0], target_toe[2]
            refused[n, side] += 1
        _bend(
            rotations[n], chain, world_rotations, upper, lower, foot, end,
            hip, knee, ankle, toe, target, target_toe, hinge,
        )  # fmt: skip


@njit(cache=True, inline="always")
def _fade(x, velocity, rate, dt):
    """`decay` of geometry/spring.py."""
    slope, fade = velocity + rate * x, math.exp(-rate * dt)
    return fade * (x + slope * dt), fade * (velocity - slope * rate * dt)


@njit(cache=True, inline="always")
def _point(array, i):
    return (array[i, 0], array[i, 1], array[i, 2])


@njit(cache=True, inline="always")
def _turn(array, i):
    return (array[i, 0], array[i, 1], array[i, 2], array[i, 3])


@njit(cache=True)
def _chain_to_world(rotations, translations, chain, root, place, world_rotations, world_positions) -> None:
    turn, at = root, place
    for i in range(len(chain)):
        at = add(at, rotate(turn, _point(translations, chain[i])))
        turn = multiply(turn, _turn(rotations, chain[i]))
        for d in range(3):
            world_positions[i, d] = at[d]
        for d in range(4):
            world_rotations[i, d] = turn[d]


@njit(cache=True)
def _ankle(hip, ankle, toe, reach):
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
def _bend(
    rotations, chain, world_rotations, upper, lower, foot, end,
    hip, knee, ankle, toe, target, target_toe, hinge,
) -> None:  # fmt: skip
    """Turn thigh, shank, foot and toes so that the ankle comes to `target` and the toe to `target_toe`."""
    thigh, shank = length(subtract(knee, hip)), length(subtract(ankle, knee))
    to_target = subtract(target, hip)
    distance = length(to_target)
    swing = between(subtract(ankle, hip), to_target)
    forward = scale(to_target, 1 / distance)
    hinge_axis = rotate(_turn(world_rotations, upper), (hinge[0], hinge[1], hinge[2]))
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
    foot_turn = between(subtract(toe, ankle), subtract(target_toe, target))
    _set_world(rotations, chain, world_rotations, upper, thigh_turn, _STILL)
    _set_world(rotations, chain, world_rotations, lower, shank_turn, thigh_turn)
    _set_world(rotations, chain, world_rotations, foot, foot_turn, shank_turn)
    if end != foot:
        _set_world(rotations, chain, world_rotations, end, _STILL, foot_turn)


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
        parent = multiply(parent_turn, _turn(world_rotations, link - 1))
    else:
        parent = parent_turn
    local = multiply(conjugate(parent), multiply(turn, _turn(world_rotations, link)))
    for d in range(4):
        rotations[chain[link], d] = local[d]
