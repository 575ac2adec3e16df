# ruff: noqa: ANN201, ANN202
"""The z-buffer: which triangle is seen at each sample of a picture.

Triangles are scanned in homogeneous coordinates (Olano and Greer, Triangle Scan Conversion using 2D Homogeneous
Coordinates, 1997): the edge functions of a triangle that reaches behind the camera are right as they are, so
the near plane clips by a depth test, and barycentric weights are correct in perspective. Neighbours share the
two products of their common edge with opposite signs, exactly, and a tie rule gives a sample on it to one of
them: no gap, no double hit.
"""

from __future__ import annotations

import numpy as np
from numba import njit

OPAQUE, MASK, BLEND = 0, 1, 2
"""Alpha modes of a material, as numbers for the kernels."""

NOTHING = -1
"""Triangle number of a sample where the background shows."""

# Thresholds of ordered (Bayer) dithering: a translucent surface covers that share of the samples.
_BAYER = (
    np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]], dtype=np.float32) + 0.5
) / 16


@njit(cache=True, nogil=True, error_model="numpy")
def to_screen(points, matrix, out):
    """Homogeneous screen coordinates (V, 4) of world points (V, 3); `matrix` from Camera.matrix."""
    for v in range(points.shape[0]):
        x, y, z = points[v, 0], points[v, 1], points[v, 2]
        for k in range(4):
            out[v, k] = matrix[k, 0] * x + matrix[k, 1] * y + matrix[k, 2] * z + matrix[k, 3]


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def edges(a, b, c):
    """Edge functions of a triangle of screen coordinates: e_i(x, y) = m[i, 0] x + m[i, 1] y + m[i, 2], and det.

    e_i / det is the barycentric weight of corner i over its distance W, for any sign of det.
    """
    a0, b0, c0 = b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]
    a1, b1, c1 = c[1] * a[2] - c[2] * a[1], c[2] * a[0] - c[0] * a[2], c[0] * a[1] - c[1] * a[0]
    a2, b2, c2 = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    return a0, b0, c0, a1, b1, c1, a2, b2, c2, a[0] * a0 + a[1] * b0 + a[2] * c0


@njit(cache=True, nogil=True, error_model="numpy")
def _bounds(a, b, c, near, width, height):
    """Columns and rows [x0, x1), [y0, y1) that the part of a triangle beyond the near plane can touch."""
    low_x = low_y = np.inf
    high_x = high_y = -np.inf
    for k in range(3):
        p, q = (a, b) if k == 0 else ((b, c) if k == 1 else (c, a))
        if p[2] >= near:
            x, y = p[0] / p[2], p[1] / p[2]
            low_x, high_x, low_y, high_y = min(low_x, x), max(high_x, x), min(low_y, y), max(high_y, y)
        if (p[2] >= near) != (q[2] >= near):
            t = (near - p[2]) / (q[2] - p[2])
            x, y = (p[0] + t * (q[0] - p[0])) / near, (p[1] + t * (q[1] - p[1])) / near
            low_x, high_x, low_y, high_y = min(low_x, x), max(high_x, x), min(low_y, y), max(high_y, y)
    if not (low_x < width and high_x > 0 and low_y < height and high_y > 0):
        return 0, 0, 0, 0
    # a sample lies in the middle of its cell
    x0, x1 = int(np.ceil(max(low_x, 0.0) - 0.5)), int(np.floor(min(high_x, width * 1.0) - 0.5)) + 1
    y0, y1 = int(np.ceil(max(low_y, 0.0) - 0.5)), int(np.floor(min(high_y, height * 1.0) - 0.5)) + 1
    return x0, min(x1, width), y0, min(y1, height)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def texel(atlas, texture, u, v, nearest):
    """Linear RGBA at texture coordinates (u, v), repeating; `texture` is (offset, width, height)."""
    offset, width, height = texture[0], texture[1], texture[2]
    x, y = (u - np.floor(u)) * width, (v - np.floor(v)) * height
    if nearest:
        row, column = min(int(y), height - 1), min(int(x), width - 1)
        t = atlas[offset + row * width + column]
        return t[0], t[1], t[2], t[3]
    x, y = x - 0.5, y - 0.5
    fx, fy = np.floor(x), np.floor(y)
    x0, y0 = int(fx) % width, int(fy) % height
    x1, y1 = (x0 + 1) % width, (y0 + 1) % height
    s, t = np.float32(x - fx), np.float32(y - fy)
    one = np.float32(1)
    w00, w10, w01, w11 = (one - s) * (one - t), s * (one - t), (one - s) * t, s * t
    p, q = atlas[offset + y0 * width + x0], atlas[offset + y0 * width + x1]
    r, z = atlas[offset + y1 * width + x0], atlas[offset + y1 * width + x1]
    return (
        p[0] * w00 + q[0] * w10 + r[0] * w01 + z[0] * w11,
        p[1] * w00 + q[1] * w10 + r[1] * w01 + z[1] * w11,
        p[2] * w00 + q[2] * w10 + r[2] * w01 + z[2] * w11,
        p[3] * w00 + q[3] * w10 + r[3] * w01 + z[3] * w11,
    )


@njit(cache=True, nogil=True, error_model="numpy")
def scan(
    screen, triangles, surfaces, flips, double_sided, modes, cutoffs, uvs, colors, textures, atlas, nearest,
    near, seen, depth,
):  # fmt: skip
    """Fill `seen` (H, W) with the number of the nearest triangle at each sample and `depth` with its Q / W.

    screen (V, 4); triangles (T, 3); surfaces (T,) material of each triangle; flips (T,) bool, whether a
    mirrored joint turned its winding; the rest by material or by vertex. `near` is the nearest W drawn.
    """
    height, width = seen.shape
    seen[:] = NOTHING
    depth[:] = -np.inf
    for t in range(triangles.shape[0]):
        i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        a, b, c = screen[i], screen[j], screen[k]
        a0, b0, c0, a1, b1, c1, a2, b2, c2, det = edges(a, b, c)
        surface = surfaces[t]
        front = (det < 0) != flips[t]  # counter-clockwise is negative where y points down
        if not (front or double_sided[surface]) or not abs(det) > 0:
            continue
        x0, x1, y0, y1 = _bounds(a, b, c, near, width, height)
        if x0 >= x1 or y0 >= y1:
            continue
        if det < 0:
            a0, b0, c0, a1, b1, c1, a2, b2, c2, det = -a0, -b0, -c0, -a1, -b1, -c1, -a2, -b2, -c2, -det
        tie0 = a0 > 0 or (a0 == 0 and b0 > 0)
        tie1 = a1 > 0 or (a1 == 0 and b1 > 0)
        tie2 = a2 > 0 or (a2 == 0 and b2 > 0)
        q0, q1, q2 = a[3] / det, b[3] / det, c[3] / det
        mode = modes[surface]
        for row in range(y0, y1):
            y = row + 0.5
            r0, r1, r2 = b0 * y + c0, b1 * y + c1, b2 * y + c2
            for column in range(x0, x1):
                x = column + 0.5
                e0, e1, e2 = a0 * x + r0, a1 * x + r1, a2 * x + r2
                if not (
                    (e0 > 0 or (e0 == 0 and tie0))
                    and (e1 > 0 or (e1 == 0 and tie1))
                    and (e2 > 0 or (e2 == 0 and tie2))
                ):
                    continue
                q = e0 * q0 + e1 * q1 + e2 * q2
                if q <= depth[row, column] or (e0 + e1 + e2) * near > det:
                    continue
                if mode != OPAQUE:
                    total = e0 + e1 + e2
                    w0, w1, w2 = e0 / total, e1 / total, e2 / total
                    alpha = w0 * colors[i, 3] + w1 * colors[j, 3] + w2 * colors[k, 3]
                    if textures[surface, 1] > 0:
                        u = w0 * uvs[i, 0] + w1 * uvs[j, 0] + w2 * uvs[k, 0]
                        v = w0 * uvs[i, 1] + w1 * uvs[j, 1] + w2 * uvs[k, 1]
                        alpha *= texel(atlas, textures[surface], u, v, nearest)[3]
                    if alpha < (cutoffs[surface] if mode == MASK else _BAYER[row & 3, column & 3]):
                        continue
                depth[row, column] = q
                seen[row, column] = t


@njit(cache=True, nogil=True, error_model="numpy")
def cast(points, triangles, light, origin, cell, out):
    """Shadow on the floor: add 1 to the cells of `out` (M, M) that some triangle keeps from the light.

    `light` (3,) points to the light; the map starts at `origin` (x, z) [m] and has square cells of `cell` [m].
    """
    rows, columns = out.shape
    for t in range(triangles.shape[0]):
        low_x = low_z = np.inf
        high_x = high_z = -np.inf
        x = (0.0, 0.0, 0.0)
        z = (0.0, 0.0, 0.0)
        i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        hi, hj, hk = max(points[i, 1], 0.0), max(points[j, 1], 0.0), max(points[k, 1], 0.0)
        sx, sz = light[0] / light[1], light[2] / light[1]
        x = (
            (points[i, 0] - hi * sx - origin[0]) / cell,
            (points[j, 0] - hj * sx - origin[0]) / cell,
            (points[k, 0] - hk * sx - origin[0]) / cell,
        )
        z = (
            (points[i, 2] - hi * sz - origin[1]) / cell,
            (points[j, 2] - hj * sz - origin[1]) / cell,
            (points[k, 2] - hk * sz - origin[1]) / cell,
        )
        low_x, high_x = min(x[0], x[1], x[2]), max(x[0], x[1], x[2])
        low_z, high_z = min(z[0], z[1], z[2]), max(z[0], z[1], z[2])
        if not (low_x < columns and high_x > 0 and low_z < rows and high_z > 0):
            continue
        area = (x[1] - x[0]) * (z[2] - z[0]) - (x[2] - x[0]) * (z[1] - z[0])
        sign = 1.0 if area > 0 else -1.0
        for row in range(max(int(low_z), 0), min(int(high_z) + 1, rows)):
            pz = row + 0.5
            for column in range(max(int(low_x), 0), min(int(high_x) + 1, columns)):
                px = column + 0.5
                e0 = ((x[1] - px) * (z[2] - pz) - (x[2] - px) * (z[1] - pz)) * sign
                e1 = ((x[2] - px) * (z[0] - pz) - (x[0] - px) * (z[2] - pz)) * sign
                e2 = ((x[0] - px) * (z[1] - pz) - (x[1] - px) * (z[0] - pz)) * sign
                if e0 >= 0 and e1 >= 0 and e2 >= 0:
                    out[row, column] = 1


@njit(cache=True, nogil=True, error_model="numpy")
def blur(image, radius, passes, spare):
    """Blur `image` (M, M) in place: `passes` running means of 2 radius + 1 cells along both axes."""
    rows, columns = image.shape
    share = np.float32(1.0 / (2 * radius + 1))
    for _ in range(passes):
        for row in range(rows):
            total = np.float32(0)
            for column in range(min(radius, columns)):
                total += image[row, column]
            for column in range(columns):
                if column + radius < columns:
                    total += image[row, column + radius]
                if column - radius - 1 >= 0:
                    total -= image[row, column - radius - 1]
                spare[column, row] = total * share  # transposed: the second round runs along the other axis
        for row in range(columns):
            total = np.float32(0)
            for column in range(min(radius, rows)):
                total += spare[row, column]
            for column in range(rows):
                if column + radius < rows:
                    total += spare[row, column + radius]
                if column - radius - 1 >= 0:
                    total -= spare[row, column - radius - 1]
                image[column, row] = total * share
