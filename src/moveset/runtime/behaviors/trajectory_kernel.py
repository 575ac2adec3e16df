"""Compiled: what a character on a trajectory is asked, one character after the other."""

# ruff: noqa: ANN202
from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def follow(
    positions, facings, age, grid, order, places, headings, share, reach, standing, offsets, turns, errors
) -> None:
    """Samples (K, 1 + T, ...) at `grid` (1 + T,) into offsets (K, T, 2), turns (K, T) and errors (K, 2).

    `order` sorts the grid. Samples given `age` (K,) ago are taken as they are now; they go on as they last went.
    `share` (T,) of an error, `reach` at most, is taken back until each time.
    """
    count, samples = positions.shape[:2]
    x, z, facing = np.empty(samples), np.empty(samples), np.empty(samples)
    for n in range(count):
        absent = math.isnan(facings[n, 0])
        for k in range(samples):
            x[k], z[k] = positions[n, order[k], 0], positions[n, order[k], 1]
            facing[k] = facings[n, order[k]]
        if absent:
            _face_along(x, z, grid, order, headings[n], standing, facing)
        now = _at(0.0, age[n], grid, order)
        here_x, here_z = _between(x, now), _between(z, now)
        error_x, error_z = here_x - places[n, 0], here_z - places[n, 1]
        errors[n, 0], errors[n, 1] = error_x, error_z
        held = min(1.0, reach / max(math.sqrt(error_x * error_x + error_z * error_z), 1e-9))
        sine, cosine = math.sin(headings[n]), math.cos(headings[n])
        for k in range(1, samples):
            then = _at(grid[k], age[n], grid, order)
            back = held * share[k - 1]
            dx = _between(x, then) - here_x + back * error_x
            dz = _between(z, then) - here_z + back * error_z
            offsets[n, k - 1, 0], offsets[n, k - 1, 1] = dx * cosine - dz * sine, dz * cosine + dx * sine
            turns[n, k - 1] = _wrap(_between(facing, then) - headings[n])


@njit(cache=True, inline="always")
def _at(time, age, grid, order):
    """Where among the sorted samples `time` + `age` lies: the sample before it, and how far towards the next."""
    at, last = time + age, len(order) - 1
    low = 0
    while low < last - 1 and grid[order[low + 1]] <= at:
        low += 1
    return low, (at - grid[order[low]]) / (grid[order[low + 1]] - grid[order[low]])


@njit(cache=True, inline="always")
def _between(samples, at):
    low, weight = at
    return samples[low] + weight * (samples[low + 1] - samples[low])


@njit(cache=True, inline="always")
def _wrap(angle):
    """`signal.wrap`."""
    return angle - 2 * math.pi * round(angle / (2 * math.pi))


@njit(cache=True)
def _face_along(x, z, grid, order, heading, standing, facing) -> None:
    """Directions of travel at the samples; where they stand still, the heading now."""
    last = len(x) - 1
    for k in range(last + 1):
        dx, dz = 0.0, 0.0
        for side in (max(k - 1, 0), min(k, last - 1)):  # the pieces before and after, the same at the ends
            seconds = grid[order[side + 1]] - grid[order[side]]
            dx += (x[side + 1] - x[side]) / seconds / 2
            dz += (z[side + 1] - z[side]) / seconds / 2
        moves = math.sqrt(dx * dx + dz * dz) > standing
        facing[k] = heading + (_wrap(math.atan2(dx, dz) - heading) if moves else 0.0)
