# ruff: noqa: ANN201, ANN202
"""From what is seen to colors: lights, textures, floor, and the average of each pixel's samples.

A row of pixels is drawn in steps: which triangles show in which pixel, color and normal and view at those places,
light, mean, bytes. The first two follow indices about memory; the others are plain loops over flat rows of single
precision, which the compiler turns into vectors.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from moveset.render import texture
from moveset.render.color import encoded
from moveset.render.floor import floor_row
from moveset.render.raster import NOTHING, edge
from moveset.render.texture import UNLIT, WIDTH

_F = np.float32


def _rgb(r: float, g: float, b: float) -> tuple[np.float32, np.float32, np.float32]:
    return _F(r), _F(g), _F(b)


# Linear RGB. A large soft sky, a warm key light and a cool light from behind that draws the outline.
_SKY = _rgb(0.46, 0.50, 0.58)
_BOUNCE = _rgb(0.26, 0.24, 0.22)
_KEY = _rgb(0.92, 0.86, 0.78)
_RIM = _rgb(0.30, 0.36, 0.46)
_GLOSS = _F(0.10)
_WRAP = _F(0.25)
"""How far the key light reaches around a body, as skin and cloth have it."""
_BACK = _F(-0.3)
"""A normal that looks further away than this is that of a back; less are smooth normals at the outline."""

_LANES = 16
"""Fragments lie in blocks of so many, one quantity after the other, which suits the vectors of processors."""
_BLOCK = 10 * _LANES

_STEPS = 4095
"""Entries of the sRGB table; dark colors need the most."""

_BYTES = np.round(255 * encoded(np.linspace(0, 1, _STEPS + 1))).astype(np.uint8)


@njit(cache=True, nogil=True, error_model="numpy")
def _fragments(seen, row, samples, which, column_of, weight, place):
    """What a row of pixels shows, N fragments: a triangle, its pixel, its samples there, their mean place (2, N)."""
    n = 0
    for column in range(seen.shape[1] // samples):
        start = n
        for y in range(row * samples, (row + 1) * samples):
            for x in range(column * samples, (column + 1) * samples):
                t = seen[y, x]
                if t == NOTHING:
                    continue
                at = start
                while at < n and which[at] != t:
                    at += 1
                if at == n:
                    which[n], column_of[n], weight[n], place[0, n], place[1, n] = t, column, 0, 0.0, 0.0
                    n += 1
                weight[at] += 1
                place[0, at] += x + 0.5
                place[1, at] += y + 0.5
    for at in range(n):
        place[0, at] /= weight[at]
        place[1, at] /= weight[at]
    return n


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _interpolate(count, which, place, surface, screen, posed, lights, orthographic, samples, nearest, out):
    """Write linear color, normal, direction to the eye, and 1 where no light falls, of `count` fragments."""
    triangles, attributes, materials = surface.triangles, surface.attributes, surface.materials
    texels, atlas = surface.texels, surface.atlas
    one, nil = np.float32(1), np.float32(0)
    ex, ey, ez = np.float32(lights[2, 0]), np.float32(lights[2, 1]), np.float32(lights[2, 2])
    from_eye = nil if orthographic else one
    last = -1
    i = j = k = 0
    a0 = b0 = c0 = a1 = b1 = c1 = a2 = b2 = c2 = 0.0
    offset = width = height = 0
    unlit = nil
    for n in range(count):
        at = n // _LANES * _BLOCK + n % _LANES
        t = which[n]
        if t != last:
            last = t
            i, j, k, material = triangles[t, 0], triangles[t, 1], triangles[t, 2], triangles[t, 3]
            a0, b0, c0 = edge(screen, j, k)
            a1, b1, c1 = edge(screen, k, i)
            a2, b2, c2 = edge(screen, i, j)
            unlit = np.float32(materials[material, UNLIT])
            width = 0
            if materials[material, WIDTH] > 0:
                det = abs(screen[i, 0] * a0 + screen[i, 1] * b0 + screen[i, 2] * c0)
                depths = screen[i, 2] * screen[j, 2] * screen[k, 2]
                per_pixel = texels[t] * depths * samples * samples / det
                offset, width, height = texture.level(materials, material, per_pixel)
        x, y = place[0, n], place[1, n]
        e0, e1, e2 = a0 * x + b0 * y + c0, a1 * x + b1 * y + c1, a2 * x + b2 * y + c2
        share = 1 / (e0 + e1 + e2)
        # the mean of a pixel's samples can lie a hair outside of a thin triangle
        w0, w1 = np.float32(min(max(e0 * share, 0.0), 1.0)), np.float32(min(max(e1 * share, 0.0), 1.0))
        w2 = max(one - w0 - w1, nil)
        r = w0 * attributes[i, 0] + w1 * attributes[j, 0] + w2 * attributes[k, 0]
        g = w0 * attributes[i, 1] + w1 * attributes[j, 1] + w2 * attributes[k, 1]
        b = w0 * attributes[i, 2] + w1 * attributes[j, 2] + w2 * attributes[k, 2]
        if width > 0:
            u = w0 * attributes[i, 4] + w1 * attributes[j, 4] + w2 * attributes[k, 4]
            v = w0 * attributes[i, 5] + w1 * attributes[j, 5] + w2 * attributes[k, 5]
            tr, tg, tb = texture.color(atlas, offset, width, height, u, v, nearest)
            r, g, b = r * tr, g * tg, b * tb
        out[at], out[at + 1 * _LANES], out[at + 2 * _LANES] = r, g, b
        out[at + 3 * _LANES] = w0 * posed[i, 3] + w1 * posed[j, 3] + w2 * posed[k, 3]
        out[at + 4 * _LANES] = w0 * posed[i, 4] + w1 * posed[j, 4] + w2 * posed[k, 4]
        out[at + 5 * _LANES] = w0 * posed[i, 5] + w1 * posed[j, 5] + w2 * posed[k, 5]
        out[at + 6 * _LANES] = ex - from_eye * (w0 * posed[i, 0] + w1 * posed[j, 0] + w2 * posed[k, 0])
        out[at + 7 * _LANES] = ey - from_eye * (w0 * posed[i, 1] + w1 * posed[j, 1] + w2 * posed[k, 1])
        out[at + 8 * _LANES] = ez - from_eye * (w0 * posed[i, 2] + w1 * posed[j, 2] + w2 * posed[k, 2])
        out[at + 9 * _LANES] = unlit


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _light(values, blocks, lights):
    """Light fragments from `_interpolate` in place, whole blocks of _LANES."""
    f = np.float32
    nil, one, half, tiny = f(0), f(1), f(0.5), f(1e-30)
    kx, ky, kz = f(lights[0, 0]), f(lights[0, 1]), f(lights[0, 2])
    rx, ry, rz = f(lights[1, 0]), f(lights[1, 1]), f(lights[1, 2])
    unwrap, behind = one / (one + _WRAP), f(0.4)
    for block in range(blocks):
        start = block * _BLOCK
        for lane in range(_LANES):
            at = start + lane
            nx, ny, nz = values[at + 3 * _LANES], values[at + 4 * _LANES], values[at + 5 * _LANES]
            vx, vy, vz = values[at + 6 * _LANES], values[at + 7 * _LANES], values[at + 8 * _LANES]
            s = one / np.sqrt(max(vx * vx + vy * vy + vz * vz, tiny))
            vx, vy, vz = vx * s, vy * s, vz * s
            s = one / np.sqrt(max(nx * nx + ny * ny + nz * nz, tiny))
            s = -s if (nx * vx + ny * vy + nz * vz) * s < _BACK else s
            nx, ny, nz = nx * s, ny * s, nz * s
            up = half + half * ny
            lit = max((nx * kx + ny * ky + nz * kz + _WRAP) * unwrap, nil)
            outline = one - min(max(nx * vx + ny * vy + nz * vz, nil), one)
            outline *= outline * outline * max(nx * rx + ny * ry + nz * rz + behind, nil)
            hx, hy, hz = kx + vx, ky + vy, kz + vz
            gloss = max(nx * hx + ny * hy + nz * hz, nil) / np.sqrt(max(hx * hx + hy * hy + hz * hz, tiny))
            gloss *= gloss
            gloss *= gloss
            gloss *= gloss
            gloss *= gloss * lit * _GLOSS
            plain = values[at + 9 * _LANES]
            shine = one - plain
            for c in range(3):
                light = _BOUNCE[c] + (_SKY[c] - _BOUNCE[c]) * up + _KEY[c] * lit
                color = values[at + c * _LANES] * (plain + shine * light)
                values[at + c * _LANES] = color + shine * (_RIM[c] * outline + gloss)


@njit(cache=True, nogil=True, error_model="numpy")
def _mean(count, values, column_of, weight, every, transparent, behind, covered):
    """Lay `count` fragments over `behind` (3, W) by their share of `every` sample of a pixel."""
    covered[:] = 0
    for n in range(count):
        covered[column_of[n]] += weight[n]
    one = np.float32(1)
    for column in range(len(covered)):
        free = one - covered[column] / np.float32(every)
        for c in range(3):
            behind[c, column] *= free
    for n in range(count):
        at = n // _LANES * _BLOCK + n % _LANES
        column = column_of[n]
        # in a transparent picture, the color of what covers the pixel, mixed with nothing: no halo anywhere
        share = np.float32(weight[n]) / np.float32(covered[column] if transparent else every)
        for c in range(3):
            behind[c, column] += share * values[at + c * _LANES]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _steps(values, out):
    """Entries (3, W) of the sRGB table for linear colors (3, W)."""
    nil, one, steps, half = np.float32(0), np.float32(1), np.float32(_STEPS), np.float32(0.5)
    for c in range(3):
        for column in range(values.shape[1]):
            out[c, column] = np.int32(min(max(values[c, column], nil), one) * steps + half)


@njit(cache=True, nogil=True, error_model="numpy")
def resolve(
    seen, samples, surface, screen, posed, lights, orthographic, nearest, ground, shadow, transparent, out
):
    """Write `out` (H, W, 4) uint8 sRGB, straight alpha, from `seen` (H samples, W samples).

    `posed` (V, 6) holds places and normals of the vertices, `lights` (3, 3) unit directions to the key light and
    the rim light and the place of the eye (the direction to it when `orthographic`). Each triangle seen within a
    pixel is shaded once, at the mean of its samples there.
    """
    height, width = out.shape[:2]
    every = samples * samples
    which, column_of = np.empty(width * every, dtype=np.int32), np.empty(width * every, dtype=np.int32)
    weight, place = np.empty(width * every, dtype=np.int32), np.empty((2, width * every))
    values = np.zeros((width * every // _LANES + 1) * _BLOCK, dtype=np.float32)
    behind = np.zeros((3, width), dtype=np.float32)
    covered, steps = np.empty(width, dtype=np.int32), np.empty((3, width), dtype=np.int32)
    for row in range(height):
        if transparent:
            behind[:] = 0
        else:
            floor_row(row, ground, shadow, behind)
        n = _fragments(seen, row, samples, which, column_of, weight, place)
        _interpolate(n, which, place, surface, screen, posed, lights, orthographic, samples, nearest, values)
        _light(values, (n + _LANES - 1) // _LANES, lights)
        _mean(n, values, column_of, weight, every, transparent, behind, covered)
        _steps(behind, steps)
        for column in range(width):
            out[row, column, 0] = _BYTES[steps[0, column]]
            out[row, column, 1] = _BYTES[steps[1, column]]
            out[row, column, 2] = _BYTES[steps[2, column]]
            out[row, column, 3] = (255 * covered[column] + every // 2) // every if transparent else 255
