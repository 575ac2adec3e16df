"""Poses of many characters read from a database, with jumps between clips faded out.

At a jump the difference between the pose shown and the new clip's pose, and that of their velocities, becomes an
offset that a critically damped spring brings to zero; only one clip is ever sampled (Bollo, Inertialization,
GDC 2018; Holden 2021 for the springs by half-life). Rotations differ by rotation vectors.
"""

# ruff: noqa: ANN202
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit

from moveset.geometry.kernels import conjugate, exponential, logarithm, multiply
from moveset.geometry.quaternion import Array
from moveset.runtime.database import MotionDatabase


@dataclass(eq=False)
class Offsets:
    """What is left of past jumps, and how fast it changes."""

    rotations: Array
    """(N, J, 2, 3) rotation vectors [rad] and their rates."""
    translations: Array
    """(N, M, 2, 3) [m] and rates."""
    steps: Array
    """(N, 2, 3) of the root velocity, and rates."""

    def decay(self, half_life: float, dt: float) -> None:
        """Let `dt` pass: `spring.decay` on all of them."""
        rate = 2 * math.log(2) / half_life
        for offset in (self.rotations, self.translations, self.steps):
            _decay(offset.reshape(-1, 2, 3), rate, dt)


def no_offsets(database: MotionDatabase, count: int) -> Offsets:
    """Offsets of characters that have not jumped."""
    return Offsets(
        np.zeros((count, len(database.skeleton), 2, 3)),
        np.zeros((count, len(database.moving), 2, 3)),
        np.zeros((count, 2, 3)),
    )


def jump(
    database: MotionDatabase,
    offsets: Offsets,
    who: np.ndarray,
    rows: np.ndarray,
    fractions: Array,
    targets: np.ndarray,
) -> None:
    """Characters `who` (K,) at `rows` + `fractions` (K,) go on at rows `targets` (K,): take up the difference."""
    _jump(
        database.rotations, database.moving_translations, database.steps, database.stops, database.fps,
        offsets.rotations, offsets.translations, offsets.steps, who, rows, fractions, targets,
    )  # fmt: skip


def write_poses(
    database: MotionDatabase,
    offsets: Offsets,
    rows: np.ndarray,
    fractions: Array,
    rotations: Array,
    translations: Array,
) -> None:
    """Poses at `rows` + `fractions` (N,) with their offsets into (N, J, 4) and (N, J, 3)."""
    _write_poses(
        database.rotations, database.moving, database.moving_translations, database.stops,
        offsets.rotations, offsets.translations, rows, fractions, rotations, translations,
    )  # fmt: skip


@njit(cache=True, inline="always")
def _rotation(poses, row, stop, fraction, joint):
    """A joint's rotation between two rows, and the rotation vector from the one to the other."""
    a = (
        np.float64(poses[row, joint, 0]),
        np.float64(poses[row, joint, 1]),
        np.float64(poses[row, joint, 2]),
        np.float64(poses[row, joint, 3]),
    )
    following = min(row + 1, stop)
    b = (
        np.float64(poses[following, joint, 0]),
        np.float64(poses[following, joint, 1]),
        np.float64(poses[following, joint, 2]),
        np.float64(poses[following, joint, 3]),
    )
    turn = logarithm(multiply(b, conjugate(a)))
    part = exponential((turn[0] * fraction, turn[1] * fraction, turn[2] * fraction))
    return multiply(part, a), turn


@njit(cache=True, nogil=True)
def _decay(offsets, rate, dt) -> None:
    fade = math.exp(-rate * dt)
    for n in range(len(offsets)):
        for d in range(3):
            slope = offsets[n, 1, d] + offsets[n, 0, d] * rate
            offsets[n, 0, d] = fade * (offsets[n, 0, d] + slope * dt)
            offsets[n, 1, d] = fade * (offsets[n, 1, d] - slope * rate * dt)


@njit(cache=True, nogil=True)
def _jump(
    poses, places, steps, stops, fps, rotations, translations, step_offsets, who, rows, fractions, targets
) -> None:
    for i in range(len(who)):
        n, row, fraction, target = who[i], rows[i], fractions[i], targets[i]
        for j in range(poses.shape[1]):
            old, old_turn = _rotation(poses, row, stops[row], fraction, j)
            new, new_turn = _rotation(poses, target, stops[target], 0.0, j)
            shown = multiply(
                exponential((rotations[n, j, 0, 0], rotations[n, j, 0, 1], rotations[n, j, 0, 2])), old
            )
            gap = logarithm(multiply(shown, conjugate(new)))
            for d in range(3):
                rotations[n, j, 0, d] = gap[d]
                rotations[n, j, 1, d] += (old_turn[d] - new_turn[d]) * fps
        after, later = min(row + 1, stops[row]), min(target + 1, stops[target])
        for m in range(places.shape[1]):
            for d in range(3):
                old_rate = np.float64(places[after, m, d]) - places[row, m, d]
                new_rate = np.float64(places[later, m, d]) - places[target, m, d]
                translations[n, m, 0, d] += places[row, m, d] + old_rate * fraction - places[target, m, d]
                translations[n, m, 1, d] += (old_rate - new_rate) * fps
        for d in range(3):
            step_offsets[n, 0, d] += steps[row, d] - steps[target, d]


@njit(cache=True, nogil=True)
def _write_poses(
    poses,
    moving,
    places,
    stops,
    rotation_offsets,
    translation_offsets,
    rows,
    fractions,
    rotations,
    translations,
) -> None:
    for n in range(len(rows)):
        row, fraction = rows[n], fractions[n]
        following = min(row + 1, stops[row])
        for j in range(poses.shape[1]):
            pose, _ = _rotation(poses, row, stops[row], fraction, j)
            offset = rotation_offsets[n, j, 0]
            shown = multiply(exponential((offset[0], offset[1], offset[2])), pose)
            for d in range(4):
                rotations[n, j, d] = shown[d]
        for m in range(len(moving)):
            for d in range(3):
                here, there = np.float64(places[row, m, d]), np.float64(places[following, m, d])
                translations[n, moving[m], d] = (
                    here + fraction * (there - here) + translation_offsets[n, m, 0, d]
                )
