"""Steps that stand alone in time: what tells a tear in the data from fast motion.

A kick or a strike takes several frames to gain its speed and several to lose it, so its quickest step has quick
neighbours. A tear is one step (the joint stays at its new place) or two (it comes back) among slow ones.
"""

from __future__ import annotations

import numpy as np

from moveset.geometry.quaternion import Array

_STILL = 1e-4
"""Steps below this [m or rad] count as none when a step is divided by its neighbours."""


def lone(steps: Array) -> tuple[Array, Array]:
    """How far each step (S, K) exceeds its neighbours, in the unit of the steps, and how many times.

    Entry s is about the frame after step s: one step against the steps on both sides, or a pair of steps
    (out and back) against the steps on both sides of the pair. Beyond the ends of the clip the motion is
    taken to go on speeding up or slowing down as it does inside.
    """
    if len(steps) < 3:
        return np.zeros_like(steps), np.ones_like(steps)
    first, last = 2 * steps[1] - steps[2], 2 * steps[-2] - steps[-3]
    before = np.concatenate((first[None], steps[:-1]))
    after = np.concatenate((steps[1:], last[None]))
    sides = np.maximum(before, after)
    pair = np.minimum(steps[1:-1], steps[2:])
    ends = np.maximum(steps[:-2], np.concatenate((steps[3:], last[None])))

    excess, times = steps - sides, steps / np.maximum(sides, _STILL)
    excess[1:-1] = np.maximum(excess[1:-1], pair - ends)
    times[1:-1] = np.maximum(times[1:-1], pair / np.maximum(ends, _STILL))
    return excess, times


def peaks(values: Array, apart: int = 2) -> np.ndarray:
    """Indices of positive `values` (S,) that are the largest within `apart` neighbours on each side."""
    padded = np.pad(values, apart, constant_values=-np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * apart + 1)
    return np.flatnonzero((values > 0) & (values >= windows.max(axis=1)))
