"""How much a model may be asked: what its data held."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit

from moveset.bundle import AskedRange
from moveset.geometry.quaternion import Array


@dataclass(frozen=True, eq=False)
class ControlRange:
    """The furthest that a character of the data got in each of T looked-ahead times."""

    reach: Array
    """(T,) [m]"""
    turns: Array
    """(T, 2) lowest and highest turn [rad]."""

    def clamp(self, offsets: Array, turns: Array) -> np.ndarray:
        """Shorten offsets (N, T, 2) and limit turns (N, T) in place; (N,) bool: whose wish went beyond."""
        beyond = np.zeros(len(turns), dtype=bool)
        _clamp(offsets, turns, self.reach, self.turns, beyond)
        return beyond

    @classmethod
    def of(cls, asked: AskedRange) -> ControlRange:
        """From what a controller was asked in training."""
        offsets, turns = (
            np.array([span.low, span.high], dtype=float) for span in (asked.offsets, asked.turns)
        )
        return cls(np.linalg.norm(np.abs(offsets).max(axis=0), axis=-1), turns.T.copy())


@njit(cache=True, nogil=True, error_model="numpy")
def _clamp(offsets, turns, reach, ranges, beyond) -> None:
    for n in range(len(offsets)):
        for t in range(len(reach)):
            far = math.sqrt(offsets[n, t, 0] ** 2 + offsets[n, t, 1] ** 2) / reach[t]
            if far > 1:
                offsets[n, t, 0] /= far
                offsets[n, t, 1] /= far
                beyond[n] = True
            turn = min(max(turns[n, t], ranges[t, 0]), ranges[t, 1])
            if turn != turns[n, t]:
                turns[n, t] = turn
                beyond[n] = True
