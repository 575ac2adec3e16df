"""Signs of quaternions along time."""

from __future__ import annotations

import numpy as np


def make_continuous(
    rotations: np.ndarray,
    first: np.ndarray,
    counts: np.ndarray,
    near: np.ndarray,
    kept: np.ndarray | None = None,
) -> np.ndarray:
    """Change signs in place so that each run of `rotations` (N, 4) stays in one hemisphere along time, starting in that
    of `near` (K, 4), but for rows that are `kept` (N,). Returns how many neighbours of each run had opposite signs.
    """
    turned = np.empty(len(rotations), dtype=bool)
    turned[1:] = np.einsum("ki,ki->k", rotations[1:], rotations[:-1]) < 0
    turned[first] = False
    if kept is not None:
        turned &= ~kept
    flips = np.add.reduceat(turned, first, dtype=np.int64)
    turned[first] = np.einsum("ki,ki->k", rotations[first], near) < 0
    if kept is not None:
        turned[first] &= ~kept[first]
    if turned.any():
        parity = np.cumsum(turned)
        parity -= np.repeat(parity[first] - turned[first], counts)
        rotations[parity % 2 == 1] *= -1
    return flips
