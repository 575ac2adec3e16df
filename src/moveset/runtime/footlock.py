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

from moveset.geometry.kernels import add, length, subtract
from moveset.geometry.quaternion import Array
from moveset.motion import Skeleton
from moveset.motion.leg_kernels import ankle_in_reach, bend_leg, chain_to_world, leg_reach, point
from moveset.motion.legs import find_legs
from moveset.runtime.controller import Poses

HALF_LIFE = 0.08
"""In which a released foot goes back to its clip [s]."""
MAX_OFFSET = 0.15
"""A toe that its clip carries further away than this [m] is let go."""
_STRETCHED = 0.98
"""Share of leg and foot in one line from which a held toe is dragged along."""
_NO_SPIN = (0.0, 0.0, 0.0, 1.0)


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
    """(N, 2) in how many frames a bearing toe was let go: out of reach, or further off than MAX_OFFSET."""


class FootLock:
    """Foot lock for one skeleton; its state is apart, as a controller's is."""

    def __init__(self, skeleton: Skeleton, rotations: Array) -> None:
        """`rotations` (F, J, 4): poses from which the knees' hinges are seen."""
        self.legs = find_legs(skeleton, rotations)

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
        rate = 2 * math.log(2) / HALF_LIFE
        for side in range(2):
            _lock(
                poses.rotations, poses.translations, poses.contacts, positions, headings,
                self.legs.chains[side], self.legs.marks[side], self.legs.hinges[side], self.legs.flags[side],
                side, state.held, state.places, state.offsets, state.rates, state.refused, rate, dt, MAX_OFFSET,
            )  # fmt: skip

    def snapshot(self, state: FootLockState) -> dict[str, np.ndarray]:
        """Copies of the state's arrays."""
        return {f.name: getattr(state, f.name).copy() for f in fields(state)}

    def restore(self, state: FootLockState, arrays: Mapping[str, np.ndarray]) -> None:
        """Back to a snapshot."""
        for f in fields(state):
            getattr(state, f.name)[:] = arrays[f.name]


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
        chain_to_world(rotations[n], translations[n], chain, root, place, world_rotations, world_positions)
        hip, knee = point(world_positions, upper), point(world_positions, lower)
        ankle, toe = point(world_positions, foot), point(world_positions, end)
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
        reach = leg_reach(hip, knee, ankle)
        target_toe, dragged = _within(
            hip, (toe[0] + x, toe[1], toe[2] + z), reach + length(subtract(ankle, toe))
        )
        x, z = target_toe[0] - toe[0], target_toe[2] - toe[2]
        target, reached = ankle_in_reach(hip, add(ankle, (x, 0.0, z)), target_toe, reach)
        if not reached:
            target_toe = add(target, subtract(toe, ankle))
        x, z = target_toe[0] - toe[0], target_toe[2] - toe[2]
        offsets[n, side, 0], offsets[n, side, 1] = x, z
        rates[n, side, 0], rates[n, side, 1] = rate_x, rate_z
        if bears and (size > max_offset or dragged or not reached):
            places[n, side, 0], places[n, side, 1] = target_toe[0], target_toe[2]
            refused[n, side] += 1
        bend_leg(
            rotations[n], chain, world_rotations, world_positions, marks, hinge, target, target_toe, _NO_SPIN
        )


@njit(cache=True, inline="always")
def _within(hip, toe, longest):
    """The toe, dragged along the floor to where leg and foot together reach it, and whether it had to be."""
    x, z, high = toe[0] - hip[0], toe[2] - hip[2], hip[1] - toe[1]
    widest = math.sqrt(max((_STRETCHED * longest) ** 2 - high * high, 0.0))
    away = math.sqrt(x * x + z * z)
    if away <= widest:
        return toe, False
    return (hip[0] + x * widest / away, toe[1], hip[2] + z * widest / away), True


@njit(cache=True, inline="always")
def _fade(x, velocity, rate, dt):
    """`decay` of geometry/spring.py."""
    slope, fade = velocity + rate * x, math.exp(-rate * dt)
    return fade * (x + slope * dt), fade * (velocity - slope * rate * dt)
