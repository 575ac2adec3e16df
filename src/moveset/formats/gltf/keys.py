"""Key values of all tracks of one path, end to end, made ready for interpolation at once."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from moveset.conventions import UNIT_NORM_TOLERANCE
from moveset.formats.gltf.tracks import CUBIC, ROTATION, SCALE, Tracks
from moveset.formats.scene.signs import make_continuous
from moveset.geometry import quaternion

SCALE_TOLERANCE = 1e-4
"""Scales this close to those at rest are export noise."""


@dataclass(frozen=True, eq=False)
class Keys:
    """Values of the tracks `rows`, with what was noticed about each."""

    rows: np.ndarray
    """(K,) rows of the track table."""
    values: np.ndarray
    """(all keys, width) float32, as files have them; a cubic track has three rows a key: in-tangent, value, out-tangent."""
    first: np.ndarray
    """(K,) where each track begins in `values`."""
    still: np.ndarray
    """(K,) whether a track holds its first key all along."""
    finite: np.ndarray
    """(K,) whether all its numbers are finite."""
    flips: np.ndarray
    """(K,) neighbouring rotations that had opposite signs."""
    off_norm: np.ndarray
    """(K,) rotations that were not of unit length."""


def read_keys(tracks: Tracks, rows: np.ndarray, path: int, rest: np.ndarray) -> Keys:
    """Keys of `rows`, all of one path, whose nodes have `rest` (K, width) at rest.

    Rotations become unit, in one hemisphere along each track, starting in that of the rest. Scales that differ from
    the rest by no more than noise hold still.
    """
    if not len(rows):
        none = np.zeros(0, dtype=np.int64)
        return Keys(
            rows,
            np.zeros((0, 4 if path == ROTATION else 3), np.float32),
            none,
            none > 0,
            none > 0,
            none,
            none,
        )
    accessors = tracks.document.accessors
    counts = accessors.count[tracks.output[rows]]
    stored = accessors.concatenate(tracks.output[rows])
    first = np.cumsum(counts) - counts
    changes = np.zeros(len(stored) + 1, dtype=np.int64)
    np.cumsum(functools.reduce(np.bitwise_or, (stored[1:] != stored[:-1]).T), out=changes[1:-1])
    still = changes[first + counts - 1] == changes[first]
    values = stored.astype(np.float32, copy=False)
    cubic = tracks.interpolation[rows] == CUBIC
    still &= ~(cubic & (counts > 3))
    finite = np.ones(len(rows), dtype=bool)
    with np.errstate(invalid="ignore", over="ignore"):
        total = values.sum(dtype=np.float64)
    if not np.isfinite(total):
        finite = np.minimum.reduceat(np.isfinite(values).all(axis=1), first)
        values = np.where(np.isfinite(values), values, 0)
    flips = off_norm = np.zeros(len(rows), dtype=np.int64)
    if path == ROTATION:
        values, flips, off_norm = _unit_and_continuous(values, first, counts, cubic, rest)
    elif path == SCALE:
        off = np.abs(values / np.repeat(rest, counts, axis=0) - 1).max(axis=1)
        still |= np.maximum.reduceat(off, first) <= SCALE_TOLERANCE
    return Keys(rows, values, first, still, finite, flips, off_norm)


def _unit_and_continuous(
    values: np.ndarray, first: np.ndarray, counts: np.ndarray, cubic: np.ndarray, near: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Unit rotations with continuous signs, and how many of each track were not so."""
    squares = np.einsum("ki,ki->k", values, values)
    off = np.abs(squares - 1) > 2 * UNIT_NORM_TOLERANCE
    if not cubic.any():
        off_norm = np.add.reduceat(off, first, dtype=np.int64)
        unit = quaternion.normalize(values) if off_norm.any() else values / np.sqrt(squares)[:, None]
    else:  # tangents are no rotations, and a key must keep the length and sign that its tangents belong to
        of_cubic = np.repeat(cubic, counts)
        within = np.arange(len(values)) - np.repeat(first, counts)
        off_norm = np.add.reduceat(off & (~of_cubic | (within % 3 == 1)), first, dtype=np.int64)
        unit = np.where(of_cubic[:, None], values, quaternion.normalize(values))
    kept = np.repeat(cubic, counts) if cubic.any() else None
    return unit, make_continuous(unit, first, counts, near, kept), off_norm
