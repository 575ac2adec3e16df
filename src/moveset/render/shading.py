# ruff: noqa: ANN201, ANN202
"""From what is seen to colors: lights, textures, floor, and the average of each pixel's samples."""

from __future__ import annotations

from math import floor, sqrt
from typing import NamedTuple

import numpy as np
from numba import njit

from moveset.render.color import encoded
from moveset.render.raster import NOTHING, UNLIT, WIDTH, edge, texel

# Linear RGB. A large soft sky, a warm key light and a cool light from behind that draws the outline.
_SKY = (0.46, 0.50, 0.58)
_BOUNCE = (0.26, 0.24, 0.22)
_KEY = (0.92, 0.86, 0.78)
_RIM = (0.30, 0.36, 0.46)
_GLOSS = 0.10
_WRAP = 0.25
"""How far the key light reaches around a body, as skin and cloth have it."""
_LINE = 0.006
"""[m] Half the width of the lines on the floor, one on each whole metre."""

_STEPS = 4095
"""Entries of the sRGB table; dark colors need the most."""


_BYTES = np.round(255 * encoded(np.linspace(0, 1, _STEPS + 1))).astype(np.uint8)


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


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _byte(value):
    return _BYTES[int(min(max(value, 0.0), 1.0) * _STEPS + 0.5)]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _floor_row(row, ground, shadow, out):
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
        off_x, off_z = abs(x - floor(x + half)), abs(z - floor(z + half))
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


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _shade(
    t, x, y, triangles, attributes, materials, atlas, texels, screen, posed, lights, orthographic, samples, nearest
):  # fmt: skip
    """Linear RGB of triangle t at sample (x, y)."""
    i, j, k, material = triangles[t, 0], triangles[t, 1], triangles[t, 2], triangles[t, 3]
    a0, b0, c0 = edge(screen, j, k)
    a1, b1, c1 = edge(screen, k, i)
    a2, b2, c2 = edge(screen, i, j)
    e0, e1, e2 = a0 * x + b0 * y + c0, a1 * x + b1 * y + c1, a2 * x + b2 * y + c2
    # the mean of a pixel's samples can lie a hair outside of a thin triangle
    share = 1 / (e0 + e1 + e2)
    w0, w1 = min(max(e0 * share, 0.0), 1.0), min(max(e1 * share, 0.0), 1.0)
    w2 = max(1.0 - w0 - w1, 0.0)
    r = w0 * attributes[i, 0] + w1 * attributes[j, 0] + w2 * attributes[k, 0]
    g = w0 * attributes[i, 1] + w1 * attributes[j, 1] + w2 * attributes[k, 1]
    b = w0 * attributes[i, 2] + w1 * attributes[j, 2] + w2 * attributes[k, 2]
    if materials[material, WIDTH] > 0:
        u = w0 * attributes[i, 4] + w1 * attributes[j, 4] + w2 * attributes[k, 4]
        v = w0 * attributes[i, 5] + w1 * attributes[j, 5] + w2 * attributes[k, 5]
        det = abs(screen[i, 0] * a0 + screen[i, 1] * b0 + screen[i, 2] * c0)
        per_pixel = texels[t] * (screen[i, 2] * screen[j, 2] * screen[k, 2] * samples * samples) / det
        tr, tg, tb = texel(materials, atlas, material, per_pixel, u, v, nearest)
        r, g, b = r * tr, g * tg, b * tb
    if materials[material, UNLIT]:
        return r, g, b
    nx = w0 * posed[i, 3] + w1 * posed[j, 3] + w2 * posed[k, 3]
    ny = w0 * posed[i, 4] + w1 * posed[j, 4] + w2 * posed[k, 4]
    nz = w0 * posed[i, 5] + w1 * posed[j, 5] + w2 * posed[k, 5]
    vx, vy, vz = lights[2, 0], lights[2, 1], lights[2, 2]
    if not orthographic:
        vx -= w0 * posed[i, 0] + w1 * posed[j, 0] + w2 * posed[k, 0]
        vy -= w0 * posed[i, 1] + w1 * posed[j, 1] + w2 * posed[k, 1]
        vz -= w0 * posed[i, 2] + w1 * posed[j, 2] + w2 * posed[k, 2]
    n = 1 / sqrt(max(nx * nx + ny * ny + nz * nz, 1e-30))
    s = 1 / sqrt(max(vx * vx + vy * vy + vz * vz, 1e-30))
    nx, ny, nz, vx, vy, vz = nx * n, ny * n, nz * n, vx * s, vy * s, vz * s
    facing = nx * vx + ny * vy + nz * vz
    if (
        facing < -0.3
    ):  # the back of a double-sided surface; slight negatives are smooth normals at the outline
        nx, ny, nz, facing = -nx, -ny, -nz, -facing
    up = 0.5 + 0.5 * ny
    lit = max((nx * lights[0, 0] + ny * lights[0, 1] + nz * lights[0, 2] + _WRAP) / (1.0 + _WRAP), 0.0)
    outline = 1.0 - min(max(facing, 0.0), 1.0)
    outline = (
        outline
        * outline
        * outline
        * max(nx * lights[1, 0] + ny * lights[1, 1] + nz * lights[1, 2] + 0.4, 0.0)
    )
    hx, hy, hz = lights[0, 0] + vx, lights[0, 1] + vy, lights[0, 2] + vz
    gloss = max(nx * hx + ny * hy + nz * hz, 0.0) / sqrt(max(hx * hx + hy * hy + hz * hz, 1e-30))
    gloss *= gloss
    gloss *= gloss
    gloss *= gloss
    gloss *= gloss * lit * _GLOSS
    return (
        r * (_BOUNCE[0] + (_SKY[0] - _BOUNCE[0]) * up + _KEY[0] * lit) + _RIM[0] * outline + gloss,
        g * (_BOUNCE[1] + (_SKY[1] - _BOUNCE[1]) * up + _KEY[1] * lit) + _RIM[1] * outline + gloss,
        b * (_BOUNCE[2] + (_SKY[2] - _BOUNCE[2]) * up + _KEY[2] * lit) + _RIM[2] * outline + gloss,
    )


@njit(cache=True, nogil=True, error_model="numpy")
def resolve(
    seen, samples, surface, screen, posed, lights, orthographic, nearest, ground, shadow, transparent, out
):
    """Write `out` (H, W, 4) uint8 sRGB, straight alpha, from `seen` (H samples, W samples).

    `posed` (V, 6) holds places and normals of the vertices, `lights` (3, 3) unit directions to the key light and
    the rim light and the place of the eye (the direction to it when `orthographic`). Each triangle seen within a
    pixel is shaded once, at the mean of its samples there.
    """
    triangles, attributes, materials = surface.triangles, surface.attributes, surface.materials
    atlas, texels = surface.atlas, surface.texels
    height, width = out.shape[:2]
    every = samples * samples
    unique = np.empty(every, dtype=np.int32)
    count = np.empty(every, dtype=np.int32)
    sum_x, sum_y = np.empty(every), np.empty(every)
    behind = np.zeros((3, width), dtype=np.float32)
    for row in range(height):
        if not transparent:
            _floor_row(row, ground, shadow, behind)
        for column in range(width):
            kinds, covered = 0, 0
            for y in range(row * samples, (row + 1) * samples):
                for x in range(column * samples, (column + 1) * samples):
                    t = seen[y, x]
                    if t == NOTHING:
                        continue
                    covered += 1
                    at = 0
                    while at < kinds and unique[at] != t:
                        at += 1
                    if at == kinds:
                        unique[at], count[at], sum_x[at], sum_y[at] = t, 0, 0.0, 0.0
                        kinds += 1
                    count[at] += 1
                    sum_x[at] += x + 0.5
                    sum_y[at] += y + 0.5
            if covered == 0:
                out[row, column, 0] = _byte(behind[0, column])
                out[row, column, 1] = _byte(behind[1, column])
                out[row, column, 2] = _byte(behind[2, column])
                out[row, column, 3] = 0 if transparent else 255
                continue
            r = g = b = 0.0
            for at in range(kinds):
                n = count[at]
                sr, sg, sb = _shade(
                    unique[at], sum_x[at] / n, sum_y[at] / n, triangles, attributes, materials, atlas, texels,
                    screen, posed, lights, orthographic, samples, nearest,
                )  # fmt: skip
                r, g, b = r + n * sr, g + n * sg, b + n * sb
            if (
                transparent
            ):  # color of what covers the pixel, not mixed with anything: no halo on any background
                share = 1 / covered
                out[row, column, 3] = (255 * covered + every // 2) // every
            else:
                share, rest = 1 / every, every - covered
                r, g, b = (
                    r + rest * behind[0, column],
                    g + rest * behind[1, column],
                    b + rest * behind[2, column],
                )
                out[row, column, 3] = 255
            out[row, column, 0] = _byte(r * share)
            out[row, column, 1] = _byte(g * share)
            out[row, column, 2] = _byte(b * share)
