# ruff: noqa: ANN201
"""Texture lookup: which halving of a texture suits a triangle, and its texels around a point."""

from __future__ import annotations

import numpy as np
from numba import njit

from moveset.render.color import linear

OFFSET, WIDTH, HEIGHT, LEVELS, MODE, DOUBLE_SIDED, UNLIT = range(7)
"""Columns of a table of materials."""

_LINEAR = linear(np.arange(256) / 255).astype(np.float32)


@njit(cache=True, nogil=True, error_model="numpy")
def level(materials, material, per_pixel):
    """First texel, width and height of the halving whose texels are about as large as pixels.

    `per_pixel` is how many texels of the full texture fall on a pixel.
    """
    offset, width, height = (
        materials[material, OFFSET],
        materials[material, WIDTH],
        materials[material, HEIGHT],
    )
    left = materials[material, LEVELS]
    while per_pixel > 2.5 and left > 1:
        offset += width * height
        width, height = max(width // 2, 1), max(height // 2, 1)
        per_pixel *= 0.25
        left -= 1
    return offset, width, height


@njit(cache=True, nogil=True, error_model="numpy")
def taps(offset, width, height, u, v, nearest):
    """Four texels around (u, v) and their weights; one of them has all the weight if `nearest`. Textures repeat."""
    x, y = (u - np.floor(u)) * width, (v - np.floor(v)) * height
    one, none = np.float32(1), np.float32(0)
    if nearest:
        at = offset + min(int(y), height - 1) * width + min(int(x), width - 1)
        return at, at, at, at, one, none, none, none
    x, y = x - 0.5, y - 0.5
    fx, fy = np.floor(x), np.floor(y)
    x0, y0 = int(fx), int(fy)
    s, t = np.float32(x - fx), np.float32(y - fy)
    x0, y0 = (x0 if x0 >= 0 else width - 1), (y0 if y0 >= 0 else height - 1)
    x1, y1 = (x0 + 1 if x0 + 1 < width else 0), (y0 + 1 if y0 + 1 < height else 0)
    above, below = offset + y0 * width, offset + y1 * width
    return (
        above + x0, above + x1, below + x0, below + x1,
        (one - s) * (one - t), s * (one - t), (one - s) * t, s * t,
    )  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def color(atlas, offset, width, height, u, v, nearest):
    """Linear RGB at (u, v)."""
    p, q, r, z, wp, wq, wr, wz = taps(offset, width, height, u, v, nearest)
    return (
        _LINEAR[atlas[p, 0]] * wp
        + _LINEAR[atlas[q, 0]] * wq
        + _LINEAR[atlas[r, 0]] * wr
        + _LINEAR[atlas[z, 0]] * wz,
        _LINEAR[atlas[p, 1]] * wp
        + _LINEAR[atlas[q, 1]] * wq
        + _LINEAR[atlas[r, 1]] * wr
        + _LINEAR[atlas[z, 1]] * wz,
        _LINEAR[atlas[p, 2]] * wp
        + _LINEAR[atlas[q, 2]] * wq
        + _LINEAR[atlas[r, 2]] * wr
        + _LINEAR[atlas[z, 2]] * wz,
    )


@njit(cache=True, nogil=True, error_model="numpy")
def alpha(atlas, offset, width, height, u, v, nearest):
    """Alpha at (u, v), 0 to 1."""
    p, q, r, z, wp, wq, wr, wz = taps(offset, width, height, u, v, nearest)
    return (atlas[p, 3] * wp + atlas[q, 3] * wq + atlas[r, 3] * wr + atlas[z, 3] * wz) / 255
