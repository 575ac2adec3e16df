# ruff: noqa: ANN202
"""A soft shadow on the floor: bodies projected along the light into a small map, and blurred."""

from __future__ import annotations

from math import ceil, floor
from typing import NamedTuple

import numpy as np
from numba import njit

from moveset.geometry.quaternion import Array

_CELL = 0.025
"""[m] Cell of the map; larger where a crowd would make the map wider than _MAP cells."""
_MAP = 512
_RIM = 8
"""Free cells around the map, into which the blur spreads."""


class Shadow(NamedTuple):
    """How dark the floor is, 0 to 1, in square cells."""

    map: np.ndarray
    """(rows along z, columns along x) float32"""
    origin: np.ndarray
    """(x, z) of the map's corner [m]."""
    cell: float
    """[m]"""


NO_SHADOW = Shadow(np.zeros((1, 1), dtype=np.float32), np.zeros(2), 1.0)


def cast_shadow(points: Array, triangles: np.ndarray, light: Array) -> Shadow:
    """The shadow of triangles (T, 3) over world points (V, 3); `light` (3,) points to the light."""
    fallen = np.empty((len(points), 2), dtype=np.float32)
    low_x, low_z, high_x, high_z = _fall(points, light[0] / light[1], light[2] / light[1], fallen)
    cell = max(_CELL, max(high_x - low_x, high_z - low_z) / (_MAP - 2 * _RIM))
    # whole cells, so that the map does not crawl under a moving character
    origin = np.array(((floor(low_x / cell) - _RIM) * cell, (floor(low_z / cell) - _RIM) * cell))
    columns = int((high_x - origin[0]) / cell) + 1 + _RIM
    rows = int((high_z - origin[1]) / cell) + 1 + _RIM
    shadow = np.zeros((rows, columns), dtype=np.float32)
    _cover(fallen, triangles, origin, 1 / cell, shadow)
    _blur(shadow, 1, 2, np.empty((columns, rows), dtype=np.float32))
    return Shadow(shadow, origin, cell)


@njit(cache=True, nogil=True, error_model="numpy")
def _fall(points, slope_x, slope_z, out):
    """Where points (V, 3) fall on the floor, (V, 2) as x and z, and the bounds of those places."""
    low_x = low_z = np.inf
    high_x = high_z = -np.inf
    for v in range(points.shape[0]):
        height = max(points[v, 1], np.float32(0))
        x, z = points[v, 0] - height * slope_x, points[v, 2] - height * slope_z
        out[v, 0], out[v, 1] = x, z
        low_x, high_x, low_z, high_z = min(low_x, x), max(high_x, x), min(low_z, z), max(high_z, z)
    return low_x, low_z, high_x, high_z


@njit(cache=True, nogil=True, error_model="numpy")
def _cover(fallen, triangles, origin, cells, out):
    """Set the cells of `out` whose middle lies in some triangle to 1; `fallen` turns into cells, `cells` a metre.

    Many triangles of a figure are smaller than a cell: with no middle in their box, they cost little.
    """
    rows, columns = out.shape
    shift_x, shift_z = np.float32(origin[0] * cells + 0.5), np.float32(origin[1] * cells + 0.5)
    scale = np.float32(cells)
    for v in range(fallen.shape[0]):
        fallen[v, 0], fallen[v, 1] = fallen[v, 0] * scale - shift_x, fallen[v, 1] * scale - shift_z
    for t in range(triangles.shape[0]):
        i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        xi, xj, xk = fallen[i, 0], fallen[j, 0], fallen[k, 0]
        zi, zj, zk = fallen[i, 1], fallen[j, 1], fallen[k, 1]
        first, last = max(ceil(min(xi, min(xj, xk))), 0), min(floor(max(xi, max(xj, xk))), columns - 1)
        top, bottom = max(ceil(min(zi, min(zj, zk))), 0), min(floor(max(zi, max(zj, zk))), rows - 1)
        if first > last or top > bottom:
            continue
        if (xj - xi) * (zk - zi) < (xk - xi) * (zj - zi):
            xj, zj, xk, zk = xk, zk, xj, zj
        for row in range(top, bottom + 1):
            for column in range(first, last + 1):
                if (
                    out[row, column] == 0
                    and (xj - column) * (zk - row) >= (xk - column) * (zj - row)
                    and (xk - column) * (zi - row) >= (xi - column) * (zk - row)
                    and (xi - column) * (zj - row) >= (xj - column) * (zi - row)
                ):
                    out[row, column] = 1


@njit(cache=True, nogil=True, error_model="numpy")
def _blur(image, radius, passes, spare):
    """Blur (R, C) in place by `passes` running means over 2 radius + 1 cells, along both axes; `spare` (C, R)."""
    for _ in range(passes):
        _run(image, spare, radius)
        _run(spare, image, radius)


@njit(cache=True, nogil=True, error_model="numpy")
def _run(image, turned, radius):
    """Running means along rows, written transposed, so that a second call runs along the other axis."""
    rows, columns = image.shape
    share = np.float32(1 / (2 * radius + 1))
    for row in range(rows):
        total = np.float32(0)
        for column in range(min(radius, columns)):
            total += image[row, column]
        for column in range(columns):
            if column + radius < columns:
                total += image[row, column + radius]
            if column - radius - 1 >= 0:
                total -= image[row, column - radius - 1]
            turned[column, row] = total * share
