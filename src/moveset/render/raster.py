# ruff: noqa: ANN201, ANN202
"""The z-buffer: which triangle is seen at each sample of a picture.

Triangles are scanned in homogeneous coordinates (Olano and Greer, Triangle Scan Conversion using 2D Homogeneous
Coordinates, 1997): the edge functions of a triangle that reaches behind the camera are right as they are, so
the near plane clips by a depth test, and barycentric weights are correct in perspective. Neighbours share the
two products of their common edge with opposite signs, exactly, and a tie rule gives a sample on it to one of
them: no gap, no double hit. (So these kernels are compiled without fast-math.)
"""

from __future__ import annotations

from math import ceil, floor, inf
from typing import NamedTuple

import numpy as np
from numba import njit

from moveset.render.color import linear

OPAQUE, MASK, BLEND = 0, 1, 2
"""Alpha modes of a material, as numbers for the kernels."""

NOTHING = -1
"""Triangle number of a sample where the background shows."""

# Thresholds of ordered (Bayer) dithering: a translucent surface covers that share of the samples.
_BAYER = (
    np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]], dtype=np.float32) + 0.5
) / 16

_LINEAR = linear(np.arange(256) / 255).astype(np.float32)


OFFSET, WIDTH, HEIGHT, LEVELS, MODE, DOUBLE_SIDED, UNLIT = range(7)
"""Columns of Surface.materials."""


class Surface(NamedTuple):
    """T triangles over V vertices in S materials: what does not move. Kernels take it apart before they loop."""

    triangles: np.ndarray
    """(T, 4) int32: three vertices, counter-clockwise seen from outside, and the material."""
    attributes: np.ndarray
    """(V, 6) float32: linear RGBA, base color of the material included, and u, v from the top left."""
    materials: np.ndarray
    """(S, 7) int64: first texel in the atlas, width (0: no texture), height, levels; alpha mode; two flags."""
    cutoffs: np.ndarray
    """(S,) float32: alpha under which a MASK surface is not there."""
    atlas: np.ndarray
    """(N, 4) uint8 sRGB texels; each texture is followed by its halves (mip levels)."""
    texels: np.ndarray
    """(T,) float32: twice the area of each triangle in texels of its texture."""


@njit(cache=True, nogil=True, error_model="numpy")
def to_screen(points, matrix, out):
    """Homogeneous screen coordinates (V, 4) of the first three columns of `points`; `matrix` from Camera.matrix."""
    for v in range(points.shape[0]):
        x, y, z = points[v, 0], points[v, 1], points[v, 2]
        for k in range(4):
            out[v, k] = matrix[k, 0] * x + matrix[k, 1] * y + matrix[k, 2] * z + matrix[k, 3]


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def edge(screen, j, k):
    """Coefficients (a, b, c) of a x + b y + c, positive on one side of the line through vertices j and k."""
    xj, yj, wj = np.float64(screen[j, 0]), np.float64(screen[j, 1]), np.float64(screen[j, 2])
    xk, yk, wk = np.float64(screen[k, 0]), np.float64(screen[k, 1]), np.float64(screen[k, 2])
    return yj * wk - wj * yk, wj * xk - xj * wk, xj * yk - yj * xk


@njit(cache=True, nogil=True, error_model="numpy")
def _clipped(screen, i, j, k, near):
    """Lowest and highest x, lowest and highest y on the screen of the part of a triangle beyond `near`."""
    low_x = low_y = inf
    high_x = high_y = -inf
    for p, q in ((i, j), (j, k), (k, i)):
        wp, wq = screen[p, 2], screen[q, 2]
        if wp >= near:
            x, y = screen[p, 0] / wp, screen[p, 1] / wp
            low_x, high_x, low_y, high_y = min(low_x, x), max(high_x, x), min(low_y, y), max(high_y, y)
        if (wp >= near) != (wq >= near):
            t = (near - wp) / (wq - wp)
            x = (screen[p, 0] + t * (screen[q, 0] - screen[p, 0])) / near
            y = (screen[p, 1] + t * (screen[q, 1] - screen[p, 1])) / near
            low_x, high_x, low_y, high_y = min(low_x, x), max(high_x, x), min(low_y, y), max(high_y, y)
    return low_x, high_x, low_y, high_y


@njit(cache=True, nogil=True, error_model="numpy")
def taps(materials, material, per_pixel, u, v, nearest):
    """Four texels of the atlas around (u, v) and their weights; one of them has all the weight if `nearest`.

    Textures repeat. `per_pixel` is how many texels would fall on a pixel: the level of half size is taken whose
    texels are about as large as pixels.
    """
    offset, width, height = (
        materials[material, OFFSET],
        materials[material, WIDTH],
        materials[material, HEIGHT],
    )
    level = 1
    while per_pixel > 2.5 and level < materials[material, LEVELS]:
        offset += width * height
        width, height = max(width // 2, 1), max(height // 2, 1)
        per_pixel *= 0.25
        level += 1
    x, y = (u - floor(u)) * width, (v - floor(v)) * height
    one, none = np.float32(1), np.float32(0)
    if nearest:
        at = offset + min(int(y), height - 1) * width + min(int(x), width - 1)
        return at, at, at, at, one, none, none, none
    x, y = x - 0.5, y - 0.5
    fx, fy = floor(x), floor(y)
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
def texel(materials, atlas, material, per_pixel, u, v, nearest):
    """Linear RGB of a material's texture at (u, v); see `taps`."""
    p, q, r, z, wp, wq, wr, wz = taps(materials, material, per_pixel, u, v, nearest)
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
def _alpha(attributes, materials, atlas, material, per_pixel, i, j, k, w0, w1, w2, nearest):
    alpha = w0 * attributes[i, 3] + w1 * attributes[j, 3] + w2 * attributes[k, 3]
    if materials[material, WIDTH] > 0:
        u = w0 * attributes[i, 4] + w1 * attributes[j, 4] + w2 * attributes[k, 4]
        v = w0 * attributes[i, 5] + w1 * attributes[j, 5] + w2 * attributes[k, 5]
        p, q, r, z, wp, wq, wr, wz = taps(materials, material, per_pixel, u, v, nearest)
        alpha *= (atlas[p, 3] * wp + atlas[q, 3] * wq + atlas[r, 3] * wr + atlas[z, 3] * wz) / 255
    return alpha


@njit(cache=True, nogil=True, error_model="numpy")
def scan(surface, screen, mirrored, near, nearest, seen, depth):
    """Fill `seen` (H, W) with the number of the nearest triangle at each sample and `depth` with its Q / W.

    `screen` (V, 4) from `to_screen`; `mirrored` (T,) bool says which triangles a mirrored joint turned inside
    out; nothing with W < `near` is drawn.
    """
    height, width = seen.shape
    triangles, attributes, materials = surface.triangles, surface.attributes, surface.materials
    cutoffs, atlas, texels = surface.cutoffs, surface.atlas, surface.texels
    seen[:] = NOTHING
    depth[:] = -inf
    for t in range(triangles.shape[0]):
        i, j, k, material = triangles[t, 0], triangles[t, 1], triangles[t, 2], triangles[t, 3]
        a0, b0, c0 = edge(screen, j, k)
        det = screen[i, 0] * a0 + screen[i, 1] * b0 + screen[i, 2] * c0
        # counter-clockwise is negative where y points down
        if not ((det < 0) != mirrored[t] or materials[material, DOUBLE_SIDED]) or not abs(det) > 0:
            continue
        wi, wj, wk = screen[i, 2], screen[j, 2], screen[k, 2]
        if wi >= near and wj >= near and wk >= near:
            xi, xj, xk = screen[i, 0] / wi, screen[j, 0] / wj, screen[k, 0] / wk
            yi, yj, yk = screen[i, 1] / wi, screen[j, 1] / wj, screen[k, 1] / wk
            low_x, high_x = min(xi, min(xj, xk)), max(xi, max(xj, xk))
            low_y, high_y = min(yi, min(yj, yk)), max(yi, max(yj, yk))
        else:
            low_x, high_x, low_y, high_y = _clipped(screen, i, j, k, near)
        if not (low_x < width and high_x > 0 and low_y < height and high_y > 0):
            continue
        # a sample lies in the middle of its cell
        x0, x1 = ceil(max(low_x, 0.0) - 0.5), floor(min(high_x, width - 0.5) - 0.5) + 1
        y0, y1 = ceil(max(low_y, 0.0) - 0.5), floor(min(high_y, height - 0.5) - 0.5) + 1
        if x0 >= x1 or y0 >= y1:
            continue
        a1, b1, c1 = edge(screen, k, i)
        a2, b2, c2 = edge(screen, i, j)
        if det < 0:
            a0, b0, c0, a1, b1, c1, a2, b2, c2, det = -a0, -b0, -c0, -a1, -b1, -c1, -a2, -b2, -c2, -det
        tie0 = a0 > 0 or (a0 == 0 and b0 > 0)
        tie1 = a1 > 0 or (a1 == 0 and b1 > 0)
        tie2 = a2 > 0 or (a2 == 0 and b2 > 0)
        q0, q1, q2 = screen[i, 3] / det, screen[j, 3] / det, screen[k, 3] / det
        farthest = det / near
        wide = x1 - x0 > 3
        s0, s1, s2 = -1 / a0, -1 / a1, -1 / a2
        mode = materials[material, MODE]
        for row in range(y0, y1):
            y = row + 0.5
            r0, r1, r2 = b0 * y + c0, b1 * y + c1, b2 * y + c2
            first, end = x0, x1
            if wide:  # leave out most of what lies beside the triangle; the exact test below decides
                left, right = x0 + 0.0, x1 + 0.0
                for a, cross in ((a0, r0 * s0), (a1, r1 * s1), (a2, r2 * s2)):
                    if a > 0:
                        left = max(left, cross)
                    elif a < 0:
                        right = min(right, cross)
                first, end = max(x0, int(left - 0.5)), min(x1, int(right + 1.5))
            for column in range(first, end):
                x = column + 0.5
                e0, e1, e2 = a0 * x + r0, a1 * x + r1, a2 * x + r2
                if e0 < 0 or e1 < 0 or e2 < 0:
                    continue
                if (e0 == 0 and not tie0) or (e1 == 0 and not tie1) or (e2 == 0 and not tie2):
                    continue
                q = e0 * q0 + e1 * q1 + e2 * q2
                if q <= depth[row, column] or e0 + e1 + e2 > farthest:
                    continue
                if mode != OPAQUE:
                    share = 1 / (e0 + e1 + e2)
                    alpha = _alpha(
                        attributes, materials, atlas, material, texels[t] * (wi * wj * wk) / det, i, j, k,
                        e0 * share, e1 * share, e2 * share, nearest,
                    )  # fmt: skip
                    if alpha < (cutoffs[material] if mode == MASK else _BAYER[row & 3, column & 3]):
                        continue
                depth[row, column] = q
                seen[row, column] = t
