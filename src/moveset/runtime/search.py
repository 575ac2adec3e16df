"""Exact nearest-row search, many queries in one call.

Rows lie in the order of their clips, so neighbours are alike and their bounding boxes tight: a tree of boxes,
16 children a node, refuses most rows unseen (Holden et al., Learned Motion Matching, 2020, use two such levels).
Each node keeps its 16 children side by side, one cache line a dimension, so that a processor compares all 16 at
once. Distances are summed in float32 in the order of the dimensions, boxes likewise; rounding is monotone, so a
box never claims more than a row in it, and the answer is that of the plain loop, bit for bit, first row on ties.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from moveset.geometry.quaternion import Array

LANES = 16
_LOOKS = 8  # groups that are looked at first
_FAR = 1e17  # padding: squared and summed it stays finite in float32


@dataclass(frozen=True, eq=False)
class SearchTree:
    """Rows (S, D) under two levels of boxes. Read-only; any number of crowds may share it."""

    rows: int
    """S."""
    leaves: Array
    """(B, D, 16) float32: B blocks of 16 rows."""
    boxes: tuple[Array, Array]
    """Lower and upper corners (G, D, 16) of the blocks, 16 blocks a group."""
    groups: tuple[Array, Array]
    """Lower and upper corners (H, D, 16) of the groups."""

    def nearest(self, queries: Array, bounds: Array | None = None) -> tuple[np.ndarray, Array]:
        """Row (Q,) and squared distance (Q,) nearest to each query (Q, D).

        With `bounds` (Q,) only rows nearer than that are of interest: row -1 says that there is none.
        """
        queries = np.ascontiguousarray(queries, dtype=np.float32)
        costs = (
            np.full(len(queries), np.inf, dtype=np.float32)
            if bounds is None
            else np.array(bounds, dtype=np.float32)
        )
        found = np.full(len(queries), -1, dtype=np.int64)
        _nearest(queries, self.leaves, *self.boxes, *self.groups, found, costs)
        return found, costs


def build_tree(vectors: Array) -> SearchTree:
    """The tree over vectors (S, D)."""
    leaves = _lanes(np.asarray(vectors, dtype=np.float32), _FAR)
    boxes = _corners(leaves)
    groups = (_corners(boxes[0])[0], _corners(boxes[1])[1])
    return SearchTree(len(vectors), leaves, boxes, groups)


def _lanes(vectors: Array, padding: float) -> Array:
    """(S, D) as (ceil(S / 16), D, 16)."""
    count, width = vectors.shape
    blocks = -(-count // LANES)
    padded = np.full((blocks * LANES, width), padding, dtype=np.float32)
    padded[:count] = vectors
    return np.ascontiguousarray(padded.reshape(blocks, LANES, width).transpose(0, 2, 1))


def _corners(nodes: Array) -> tuple[Array, Array]:
    """Lower and upper corners of nodes (B, D, 16), themselves packed 16 a node; padding lies far away."""
    return _lanes(nodes.min(axis=2), _FAR), _lanes(nodes.max(axis=2), _FAR)


@njit(cache=True, nogil=True)
def _nearest(queries, leaves, low, high, group_low, group_high, found, costs) -> None:
    group_bounds = np.empty((len(group_low), LANES), np.float32)
    box_bounds = np.empty(LANES, np.float32)
    distances = np.empty(LANES, np.float32)
    for n in range(len(queries)):
        query, best = queries[n], costs[n]
        for h in range(len(group_low)):
            _box_distances(query, group_low[h], group_high[h], group_bounds[h])
        # the groups that look nearest give a bound that refuses most of the others; it is put a hair above what
        # they hold, so that the walk in order still meets the first of equal rows itself
        looked_at = group_bounds.copy().ravel()
        close = best
        for _ in range(_LOOKS):
            group = np.argmin(looked_at)
            if looked_at[group] >= close:
                break
            looked_at[group] = np.inf
            _box_distances(query, low[group], high[group], box_bounds)
            for b in range(LANES):
                if box_bounds[b] < close:
                    _row_distances(query, leaves[group * LANES + b], distances)
                    close = min(close, distances.min())
        if close < best:
            best = np.nextafter(close, np.float32(np.inf))
        for h in range(len(group_low)):
            for g in range(LANES):
                if group_bounds[h, g] >= best:
                    continue
                group = h * LANES + g
                _box_distances(query, low[group], high[group], box_bounds)
                for b in range(LANES):
                    if box_bounds[b] >= best:
                        continue
                    block = group * LANES + b
                    _row_distances(query, leaves[block], distances)
                    for k in range(LANES):
                        if distances[k] < best:
                            best = distances[k]
                            found[n] = block * LANES + k
        if found[n] >= 0:
            costs[n] = best


# Loops over `len(out)`, not over the constant: LLVM would unroll a known count and then miss the vector form.


@njit(cache=True, nogil=True, error_model="numpy")
def _row_distances(query, leaf, out) -> None:
    for k in range(len(out)):
        out[k] = 0
    for d in range(len(query)):
        here, rows = query[d], leaf[d]
        for k in range(len(out)):
            gap = here - rows[k]
            out[k] += gap * gap


@njit(cache=True, nogil=True, error_model="numpy")
def _box_distances(query, low, high, out) -> None:
    for k in range(len(out)):
        out[k] = 0
    for d in range(len(query)):
        here, lows, highs = query[d], low[d], high[d]
        for k in range(len(out)):
            below, above = lows[k] - here, here - highs[k]
            gap = below if below > above else above
            gap = gap if gap > 0 else np.float32(0)
            out[k] += gap * gap
