# ruff: noqa: ANN201, ANN202
"""Background and floor behind the bodies, one row of pixels at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

_LINE = 0.006
"""[m] Half the width of the lines on the floor, one on each whole metre."""


class Ground(NamedTuple):
    """Background and floor."""

    rays: np.ndarray
    """(2, 3, 3) from Camera.rays, in pixels."""
    middle: np.ndarray
    """(x, z) around which the floor fades into the background [m]."""
    reach: float
    """[m] from there to where it has faded."""
    background: np.ndarray
    """(3,) linear RGB"""
    floor: np.ndarray
    lines: np.ndarray
    strength: float
    """Of the shadow, 0 to 1."""


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def floor_row(row, ground, shadow, out):
    """Linear RGB (3, W) of the floor and the background along one row of pixels.

    A camera does not roll, so a row of pixels meets the floor at one distance along its rays: the place on the
    floor is linear in the column.
    """
    o, d = ground.rays[0], ground.rays[1]
    columns = out.shape[1]
    y = row + 0.5
    down, height = d[1, 1] * y + d[1, 2], o[1, 1] * y + o[1, 2]
    if down >= -1e-9 or height <= 0:
        for c in range(3):
            out[c] = ground.background[c]
        return
    t = -height / down
    slope_x, slope_z = o[0, 0] + t * d[0, 0], o[2, 0] + t * d[2, 0]
    start_x = o[0, 1] * y + o[0, 2] + t * (d[0, 1] * y + d[0, 2]) + 0.5 * slope_x
    start_z = o[2, 1] * y + o[2, 2] + t * (d[2, 1] * y + d[2, 2]) + 0.5 * slope_z
    # from this row to the next the floor point also moves along the ray: by so much in the middle of the row
    half = 0.5 * columns
    along = -(o[1, 1] + t * d[1, 1]) / down
    next_x = o[0, 1] + t * d[0, 1] + along * (d[0, 0] * half + d[0, 1] * y + d[0, 2])
    next_z = o[2, 1] + t * d[2, 1] + along * (d[2, 0] * half + d[2, 1] * y + d[2, 2])
    wide_x, wide_z = abs(slope_x) + abs(next_x) + 1e-6, abs(slope_z) + abs(next_z) + 1e-6
    _lines(start_x, slope_x, wide_x, start_z, slope_z, wide_z, ground, out)
    _darken(start_x, slope_x, start_z, slope_z, ground.strength, shadow, out)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _lines(start_x, slope_x, wide_x, start_z, slope_z, wide_z, ground, out):
    """A row of floor with its grid; single precision and no branches, which the compiler turns into vectors."""
    f = np.float32
    zero, one, half = f(0), f(1), f(0.5)
    x0, dx, px, hx = f(start_x), f(slope_x), f(1 / wide_x), f(0.5 * wide_x)
    z0, dz, pz, hz = f(start_z), f(slope_z), f(1 / wide_z), f(0.5 * wide_z)
    line, mx, mz = f(_LINE), f(ground.middle[0]), f(ground.middle[1])
    fades = f(1 / (ground.reach * ground.reach))
    b0, b1, b2 = f(ground.background[0]), f(ground.background[1]), f(ground.background[2])
    f0, f1, f2 = f(ground.floor[0]) - b0, f(ground.floor[1]) - b1, f(ground.floor[2]) - b2
    l0, l1, l2 = f(ground.lines[0]), f(ground.lines[1]), f(ground.lines[2])
    for column in range(out.shape[1]):
        at = f(column)
        x, z = x0 + dx * at, z0 + dz * at
        off_x, off_z = abs(x - np.floor(x + half)), abs(z - np.floor(z + half))
        # share of the pixel that lines do not cover
        free_x = one - min(max((min(off_x + hx, line) - max(off_x - hx, -line)) * px, zero), one)
        free_z = one - min(max((min(off_z + hz, line) - max(off_z - hz, -line)) * pz, zero), one)
        near = max(one - ((x - mx) * (x - mx) + (z - mz) * (z - mz)) * fades, zero)
        near *= near
        ink = (one - free_x * free_z) * near
        v0, v1, v2 = b0 + f0 * near, b1 + f1 * near, b2 + f2 * near
        out[0, column] = v0 + (l0 - v0) * ink
        out[1, column] = v1 + (l1 - v1) * ink
        out[2, column] = v2 + (l2 - v2) * ink


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _darken(start_x, slope_x, start_z, slope_z, strength, shadow, out):
    """Multiply the row by the shadow where it crosses the map."""
    rows, columns = shadow.map.shape
    u0, du = (start_x - shadow.origin[0]) / shadow.cell - 0.5, slope_x / shadow.cell
    v0, dv = (start_z - shadow.origin[1]) / shadow.cell - 0.5, slope_z / shadow.cell
    first, last = 0.0, out.shape[1] - 1.0
    for at, step, end in ((u0, du, columns - 1.001), (v0, dv, rows - 1.001)):
        if abs(step) < 1e-9:
            if not 0 <= at <= end:
                return
        else:
            one, other = -at / step, (end - at) / step
            first, last = max(first, min(one, other)), min(last, max(one, other))
    for column in range(int(first + 0.999), int(last) + 1 if last >= first else 0):
        u, v = u0 + du * column, v0 + dv * column
        j, i = int(u), int(v)
        s, w = u - j, v - i
        dark = 1.0 - strength * (
            (shadow.map[i, j] * (1 - s) + shadow.map[i, j + 1] * s) * (1 - w)
            + (shadow.map[i + 1, j] * (1 - s) + shadow.map[i + 1, j + 1] * s) * w
        )
        out[0, column] *= dark
        out[1, column] *= dark
        out[2, column] *= dark
