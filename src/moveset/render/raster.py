# ruff: noqa: ANN201, ANN202
"""The z-buffer: which triangle is seen at each sample of a picture.

Triangles are scanned in homogeneous coordinates (Olano and Greer, Triangle Scan Conversion using 2D Homogeneous
Coordinates, 1997): the edge functions of a triangle that reaches behind the camera are right as they are, so
the near plane clips by a depth test, and barycentric weights are correct in perspective. Neighbours share the
two products of their common edge with opposite signs, exactly, and a tie rule gives a sample on it to one of
them: no gap, no double hit. (So these kernels are compiled without fast-math.)

Triangles come nearest first, and the farthest depth of each tile tells which of them lie behind what is there
already (Greene, Kass and Miller, Hierarchical Z-Buffer Visibility, 1993, with one level): the inside and the far
side of a body cost next to nothing.
"""

from __future__ import annotations

from math import ceil, floor, inf
from typing import NamedTuple

import numpy as np
from numba import njit

from moveset.render import texture
from moveset.render.texture import DOUBLE_SIDED, MODE, WIDTH

OPAQUE, MASK, BLEND = 0, 1, 2
"""Alpha modes of a material, as numbers for the kernels."""

NOTHING = -1
"""Triangle number of a sample where the background shows."""

SCREEN = 7
"""Columns of screen coordinates: homogeneous X, Y, W, Q, then X / W, Y / W, Q / W."""

_TILE = 8
_LANES = 16
"""Samples of a row that an opaque triangle is tried on at once: a fixed number without branches makes vectors."""
_BUCKETS = 256
_SURE = 1e-300
"""What an edge function must reach where the edge is not the triangle's own: anything above zero."""

# Thresholds of ordered (Bayer) dithering: a translucent surface covers that share of the samples.
_BAYER = (
    np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]], dtype=np.float32) + 0.5
) / 16


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
    """Screen coordinates (V, 7) of the first three columns of `points`; `matrix` from Camera.matrix."""
    for v in range(points.shape[0]):
        x, y, z = points[v, 0], points[v, 1], points[v, 2]
        for k in range(4):
            out[v, k] = matrix[k, 0] * x + matrix[k, 1] * y + matrix[k, 2] * z + matrix[k, 3]
        out[v, 4], out[v, 5], out[v, 6] = out[v, 0] / out[v, 2], out[v, 1] / out[v, 2], out[v, 3] / out[v, 2]


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
            x, y = screen[p, 4], screen[p, 5]
            low_x, high_x, low_y, high_y = min(low_x, x), max(high_x, x), min(low_y, y), max(high_y, y)
        if (wp >= near) != (wq >= near):
            t = (near - wp) / (wq - wp)
            x = (screen[p, 0] + t * (screen[q, 0] - screen[p, 0])) / near
            y = (screen[p, 1] + t * (screen[q, 1] - screen[p, 1])) / near
            low_x, high_x, low_y, high_y = min(low_x, x), max(high_x, x), min(low_y, y), max(high_y, y)
    return low_x, high_x, low_y, high_y


@njit(cache=True, nogil=True, error_model="numpy")
def _alpha(surface, screen, t, e0, e1, e2, det, nearest):
    """Alpha of triangle t where its edge functions are e0, e1, e2."""
    i, j, k, material = surface.triangles[t]
    share = 1 / (e0 + e1 + e2)
    w0, w1, w2 = e0 * share, e1 * share, e2 * share
    attributes = surface.attributes
    alpha = w0 * attributes[i, 3] + w1 * attributes[j, 3] + w2 * attributes[k, 3]
    if surface.materials[material, WIDTH] > 0:
        u = w0 * attributes[i, 4] + w1 * attributes[j, 4] + w2 * attributes[k, 4]
        v = w0 * attributes[i, 5] + w1 * attributes[j, 5] + w2 * attributes[k, 5]
        per_pixel = surface.texels[t] * (screen[i, 2] * screen[j, 2] * screen[k, 2]) / det
        offset, width, height = texture.level(surface.materials, material, per_pixel)
        alpha *= texture.alpha(surface.atlas, offset, width, height, u, v, nearest)
    return alpha


@njit(cache=True, nogil=True, error_model="numpy")
def _candidates(triangles, screen, near, height, width):
    """Triangles that may reach samples of the picture: numbers (N,), boxes (N, 4), largest Q / W (N,).

    A box is first and end column, first and end row.
    """
    numbers = np.empty(triangles.shape[0], dtype=np.int32)
    boxes = np.empty((triangles.shape[0], 4), dtype=np.int32)
    nearest = np.empty(triangles.shape[0], dtype=np.float32)
    kept = 0
    for t in range(triangles.shape[0]):
        i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        if screen[i, 2] >= near and screen[j, 2] >= near and screen[k, 2] >= near:
            xi, xj, xk = screen[i, 4], screen[j, 4], screen[k, 4]
            yi, yj, yk = screen[i, 5], screen[j, 5], screen[k, 5]
            low_x, high_x = min(xi, min(xj, xk)), max(xi, max(xj, xk))
            low_y, high_y = min(yi, min(yj, yk)), max(yi, max(yj, yk))
            q = max(screen[i, 6], max(screen[j, 6], screen[k, 6]))
        else:
            low_x, high_x, low_y, high_y = _clipped(screen, i, j, k, near)
            q = np.float32(inf)
        if not (low_x < width and high_x > 0 and low_y < height and high_y > 0):
            continue
        # a sample lies in the middle of its cell
        x0, x1 = ceil(max(low_x, 0.0) - 0.5), floor(min(high_x, width - 0.5) - 0.5) + 1
        y0, y1 = ceil(max(low_y, 0.0) - 0.5), floor(min(high_y, height - 0.5) - 0.5) + 1
        if x0 < x1 and y0 < y1:
            numbers[kept], nearest[kept] = t, q
            boxes[kept, 0], boxes[kept, 1], boxes[kept, 2], boxes[kept, 3] = x0, x1, y0, y1
            kept += 1
    return numbers[:kept], boxes, nearest[:kept]


@njit(cache=True, nogil=True, error_model="numpy")
def _largest_first(values):
    """(N,) indices that put values roughly from the largest to the smallest, equal ones as they come."""
    low, high = np.float32(inf), np.float32(-inf)
    for value in values:
        if abs(value) < inf:
            low, high = min(low, value), max(high, value)
    scale = (_BUCKETS - 1) / (high - low) if high > low else 0.0
    bucket = np.empty(len(values), dtype=np.int32)
    start = np.zeros(_BUCKETS + 1, dtype=np.int64)
    for n in range(len(values)):
        steps = (high - values[n]) * scale
        bucket[n] = int(min(steps, _BUCKETS - 1.0)) if steps > 0 else 0
        start[bucket[n] + 1] += 1
    for b in range(_BUCKETS):
        start[b + 1] += start[b]
    order = np.empty(len(values), dtype=np.int32)
    for n in range(len(values)):
        order[start[bucket[n]]] = n
        start[bucket[n]] += 1
    return order


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"nnan", "nsz"})
def _farthest(depth, tiles):
    """Write the smallest depth of each tile of _TILE x _TILE samples."""
    height, width = depth.shape
    line = np.empty(width, dtype=np.float32)
    for row in range(tiles.shape[0]):
        line[:] = depth[row * _TILE]
        for y in range(row * _TILE + 1, min((row + 1) * _TILE, height)):
            for x in range(width):
                line[x] = min(line[x], depth[y, x])
        for column in range(tiles.shape[1]):
            low = line[column * _TILE]
            for x in range(column * _TILE + 1, min((column + 1) * _TILE, width)):
                low = min(low, line[x])
            tiles[row, column] = low


@njit(cache=True, nogil=True, error_model="numpy")
def _hidden(tiles, x0, x1, y0, y1, q):
    """Whether all tiles under a box are filled by what is no farther than q."""
    for row in range(y0 // _TILE, (y1 - 1) // _TILE + 1):
        for column in range(x0 // _TILE, (x1 - 1) // _TILE + 1):
            if q > tiles[row, column]:
                return False
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def scan(surface, screen, mirrored, near, nearest, seen, depth):
    """Fill `seen` (H, W) with the number of the nearest triangle at each sample and `depth` with its Q / W.

    `screen` (V, 7) from `to_screen`; `mirrored` (T,) bool says which triangles a mirrored joint turned inside
    out; nothing with W < `near` is drawn.
    """
    height, width = seen.shape
    triangles, materials, cutoffs = surface.triangles, surface.materials, surface.cutoffs
    seen[:] = NOTHING
    depth[:] = -inf
    tiles = np.full(((height + _TILE - 1) // _TILE, (width + _TILE - 1) // _TILE), np.float32(-inf))
    numbers, boxes, nearest_q = _candidates(triangles, screen, near, height, width)
    depths, numbers_seen = depth.reshape(-1), seen.reshape(-1)
    fresh = 0
    for n in _largest_first(nearest_q):
        x0, x1, y0, y1 = boxes[n, 0], boxes[n, 1], boxes[n, 2], boxes[n, 3]
        if _hidden(tiles, x0, x1, y0, y1, nearest_q[n]):
            continue
        t = numbers[n]
        i, j, k, material = triangles[t, 0], triangles[t, 1], triangles[t, 2], triangles[t, 3]
        a0, b0, c0 = edge(screen, j, k)
        det = screen[i, 0] * a0 + screen[i, 1] * b0 + screen[i, 2] * c0
        # counter-clockwise is negative where y points down
        if not ((det < 0) != mirrored[t] or materials[material, DOUBLE_SIDED]) or not abs(det) > 0:
            continue
        a1, b1, c1 = edge(screen, k, i)
        a2, b2, c2 = edge(screen, i, j)
        if det < 0:
            a0, b0, c0, a1, b1, c1, a2, b2, c2, det = -a0, -b0, -c0, -a1, -b1, -c1, -a2, -b2, -c2, -det
        sure0 = 0.0 if a0 > 0 or (a0 == 0 and b0 > 0) else _SURE
        sure1 = 0.0 if a1 > 0 or (a1 == 0 and b1 > 0) else _SURE
        sure2 = 0.0 if a2 > 0 or (a2 == 0 and b2 > 0) else _SURE
        share = 1 / det
        q0, q1, q2 = screen[i, 3] * share, screen[j, 3] * share, screen[k, 3] * share
        crosses, farthest = nearest_q[n] == inf, det / near
        mode = materials[material, MODE]
        plain = mode == OPAQUE and not crosses and width >= _LANES
        wide = x1 - x0 > 12
        s0 = s1 = s2 = 0.0
        if wide:
            s0, s1, s2 = -1 / a0, -1 / a1, -1 / a2
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
            if plain:
                for block in range(first, end, _LANES):
                    start = min(block, width - _LANES)
                    x, at = start + 0.5, np.uint64(row * width + start)
                    for lane in range(_LANES):
                        m = at + np.uint64(lane)
                        e0, e1, e2 = a0 * (x + lane) + r0, a1 * (x + lane) + r1, a2 * (x + lane) + r2
                        q = np.float32(e0 * q0 + e1 * q1 + e2 * q2)
                        old, before = depths[m], numbers_seen[m]
                        shown = (e0 >= sure0) & (e1 >= sure1) & (e2 >= sure2) & (q > old)
                        depths[m] = q if shown else old
                        numbers_seen[m] = t if shown else before
                continue
            for column in range(first, end):
                x = column + 0.5
                e0, e1, e2 = a0 * x + r0, a1 * x + r1, a2 * x + r2
                if not (e0 >= sure0 and e1 >= sure1 and e2 >= sure2):
                    continue
                q = np.float32(e0 * q0 + e1 * q1 + e2 * q2)
                if q <= depth[row, column] or (crosses and e0 + e1 + e2 > farthest):
                    continue
                if mode != OPAQUE:
                    alpha = _alpha(surface, screen, t, e0, e1, e2, det, nearest)
                    if alpha < (cutoffs[material] if mode == MASK else _BAYER[row & 3, column & 3]):
                        continue
                depth[row, column] = q
                seen[row, column] = t
        fresh += (x1 - x0) * (y1 - y0)
        if fresh * 4 > height * width:
            _farthest(depth, tiles)
            fresh = 0
