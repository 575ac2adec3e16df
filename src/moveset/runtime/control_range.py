"""How much a model may be asked: what its data held."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

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
        lengths = np.sqrt(np.einsum("ntd,ntd->nt", offsets, offsets))
        far = lengths > self.reach
        wide = (turns < self.turns[:, 0]) | (turns > self.turns[:, 1])
        beyond = (far | wide).any(axis=1)
        if beyond.any():
            offsets *= np.where(far, self.reach / np.maximum(lengths, 1e-9), 1.0)[..., None]
            np.clip(turns, self.turns[:, 0], self.turns[:, 1], out=turns)
        return beyond

    @classmethod
    def from_json(cls, said: Mapping, times: int) -> ControlRange:
        """From a bundle's manifest: lowest and highest offsets (T, 2) and turns (T,)."""
        offsets = np.array([said["offsets"]["low"], said["offsets"]["high"]]).reshape(2, times, 2)
        turns = np.array([said["turns"]["low"], said["turns"]["high"]]).reshape(2, times)
        return cls(np.linalg.norm(np.abs(offsets).max(axis=0), axis=-1), turns.T.copy())
