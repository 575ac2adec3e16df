"""Steps that stand alone in time: what tells a tear in the data from fast motion.

A kick or a strike gains its speed and loses it over several frames, so its quickest step has quick neighbours that
go the same way. A tear is one step (the joint stays at its new place) or two (it comes back) among slow ones.
"""

from __future__ import annotations

import numpy as np

from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array

_STILL = 1e-4
"""Steps below this [m or rad] count as none when a step is divided by its neighbours."""
_SAME_WAY = 0.6
"""Cosine from which two steps go the same way."""
_SURGE = 3.0
"""How much longer than neighbours that go the same way a step of real motion gets: animators let a strike
happen in one frame, with wind-up and follow-through beside it."""


def lone(steps: Array) -> tuple[Array, Array]:
    """How far each step (S, K, 3) exceeds its neighbours, in the unit of the steps, and how many times: (S, K).

    Entry s is about the frame after step s: one step against the steps on both sides, or a pair of steps
    (out and back) against the steps on both sides of the pair. Beyond the ends of the clip the motion is
    taken to go on speeding up or slowing down as it does inside.
    """
    size = np.sqrt(np.einsum("ski,ski->sk", steps, steps))
    if len(steps) < 3:
        return np.zeros_like(size), np.ones_like(size)
    dots = np.einsum("ski,ski->sk", steps[1:], steps[:-1])
    cosine = dots / np.maximum(size[1:] * size[:-1], _STILL**2)
    first, last = 2 * size[1] - size[2], 2 * size[-2] - size[-3]
    before = np.concatenate((first[None], size[:-1]))
    after = np.concatenate((size[1:], last[None]))

    sides = np.maximum(before, after)
    sides[1:-1] *= np.where((cosine[:-1] > _SAME_WAY) & (cosine[1:] > _SAME_WAY), _SURGE, 1)
    excess, times = size - sides, size / np.maximum(sides, _STILL)

    pair = np.where(cosine < 0, np.minimum(size[:-1], size[1:]), 0)
    none = np.zeros_like(size[:1])
    ends = np.maximum(np.concatenate((none, size[:-2])), np.concatenate((size[2:], none)))
    excess[:-1] = np.maximum(excess[:-1], pair - ends)
    times[:-1] = np.maximum(times[:-1], pair / np.maximum(ends, _STILL))
    return excess, times


def turns(rotations: Array) -> Array:
    """(F - 1, K, 3) rotation vectors [rad] from each frame to the next of local rotations (F, K, 4)."""
    between = quaternion.multiply(rotations[1:], quaternion.conjugate(rotations[:-1]))
    return quaternion.to_rotation_vector(between)


def peaks(values: Array, apart: int = 2) -> np.ndarray:
    """Indices of positive `values` (S,) that are the largest within `apart` neighbours on each side."""
    padded = np.pad(values, apart, constant_values=-np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * apart + 1)
    return np.flatnonzero((values > 0) & (values >= windows.max(axis=1)))
