# ruff: noqa: ANN201, ANN202
"""From what is seen to colors: lights, textures, floor, and the average of each pixel's samples."""

from __future__ import annotations

import numpy as np
from numba import njit

from moveset.render.raster import NOTHING, edges, texel

# Linear RGB. A large soft sky, a warm key light and a cool light from behind that draws the outline.
_SKY = (0.46, 0.50, 0.58)
_FLOOR_BOUNCE = (0.26, 0.24, 0.22)
_KEY = (0.92, 0.86, 0.78)
_RIM = (0.30, 0.36, 0.46)
_GLOSS = 0.10
_WRAP = 0.25
"""How far the key light reaches around a body, as skin and cloth have it."""

_STEPS = 4095
_ENCODE = np.clip(
    np.round(
        255
        * np.where(
            np.linspace(0, 1, _STEPS + 1) <= 0.0031308,
            12.92 * np.linspace(0, 1, _STEPS + 1),
            1.055 * np.linspace(0, 1, _STEPS + 1) ** (1 / 2.4) - 0.055,
        )
    ),
    0,
    255,
).astype(np.uint8)
"""sRGB bytes of linear values 0 to 1."""


def linear(srgb: np.ndarray) -> np.ndarray:
    """Linear values of sRGB ones, both 0 to 1."""
    srgb = np.asarray(srgb, dtype=np.float64)
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _encode(value):
    return _ENCODE[int(min(max(value, 0.0), 1.0) * _STEPS + 0.5)]


@njit(cache=True, nogil=True, error_model="numpy")
def _floor(x, y, rays, shadow, origin, cell, middle, reach, background, floor, line, strength):
    """Linear RGB of the floor (or of the background above the horizon) through sample (x, y)."""
    o, d = rays[0], rays[1]
    dx = d[0, 0] * x + d[0, 1] * y + d[0, 2]
    dy = d[1, 0] * x + d[1, 1] * y + d[1, 2]
    dz = d[2, 0] * x + d[2, 1] * y + d[2, 2]
    ox = o[0, 0] * x + o[0, 1] * y + o[0, 2]
    oy = o[1, 0] * x + o[1, 1] * y + o[1, 2]
    oz = o[2, 0] * x + o[2, 1] * y + o[2, 2]
    if dy >= -1e-9 or oy <= 0:
        return background[0], background[1], background[2]
    t = -oy / dy
    px, pz = ox + t * dx, oz + t * dz
    # how far the floor point moves from pixel to pixel: width of the anti-aliased lines
    step_x = abs(t * d[0, 0] + o[0, 0] - dx / dy * (t * d[1, 0] + o[1, 0])) + abs(
        t * d[0, 1] + o[0, 1] - dx / dy * (t * d[1, 1] + o[1, 1])
    )
    step_z = abs(t * d[2, 0] + o[2, 0] - dz / dy * (t * d[1, 0] + o[1, 0])) + abs(
        t * d[2, 1] + o[2, 1] - dz / dy * (t * d[1, 1] + o[1, 1])
    )
    ink = 1.0 - (1.0 - _line(px, step_x)) * (1.0 - _line(pz, step_z))
    far = min(np.hypot(px - middle[0], pz - middle[1]) / reach, 1.0)
    fade = 1.0 - far * far * (3.0 - 2.0 * far)
    ink *= fade
    dark = 1.0
    u, v = (px - origin[0]) / cell - 0.5, (pz - origin[1]) / cell - 0.5
    rows, columns = shadow.shape
    if 0 <= u < columns - 1 and 0 <= v < rows - 1:
        i, j = int(v), int(u)
        s, w = u - j, v - i
        dark = 1.0 - strength * (
            (shadow[i, j] * (1 - s) + shadow[i, j + 1] * s) * (1 - w)
            + (shadow[i + 1, j] * (1 - s) + shadow[i + 1, j + 1] * s) * w
        )
    r = background[0] + (floor[0] - background[0]) * fade
    g = background[1] + (floor[1] - background[1]) * fade
    b = background[2] + (floor[2] - background[2]) * fade
    return (
        (r + (line[0] - r) * ink) * dark,
        (g + (line[1] - g) * ink) * dark,
        (b + (line[2] - b) * ink) * dark,
    )


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _line(p, step):
    """Share of a pixel of size `step` [m] around p that a line of 1.2 cm on each whole metre covers."""
    half = 0.006
    nearest = abs(p - np.round(p))
    step = max(step, 1e-6)
    covered = (min(nearest + step / 2, half) - max(nearest - step / 2, -half)) / step
    return min(max(covered, 0.0), 1.0)


@njit(cache=True, nogil=True, error_model="numpy")
def _surface(
    t, x, y, screen, triangles, surfaces, unlit, points, normals, uvs, colors, textures, atlas, nearest,
    eye, orthographic, key, rim,
):  # fmt: skip
    """Linear RGB of triangle t at sample (x, y)."""
    i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    a0, b0, c0, a1, b1, c1, a2, b2, c2, _ = edges(screen[i], screen[j], screen[k])
    e0, e1, e2 = a0 * x + b0 * y + c0, a1 * x + b1 * y + c1, a2 * x + b2 * y + c2
    total = e0 + e1 + e2
    # a pixel's mean sample can lie a hair outside of a thin triangle
    w0, w1 = min(max(e0 / total, 0.0), 1.0), min(max(e1 / total, 0.0), 1.0)
    w2 = min(max(1.0 - w0 - w1, 0.0), 1.0)
    surface = surfaces[t]
    r = w0 * colors[i, 0] + w1 * colors[j, 0] + w2 * colors[k, 0]
    g = w0 * colors[i, 1] + w1 * colors[j, 1] + w2 * colors[k, 1]
    b = w0 * colors[i, 2] + w1 * colors[j, 2] + w2 * colors[k, 2]
    if textures[surface, 1] > 0:
        u = w0 * uvs[i, 0] + w1 * uvs[j, 0] + w2 * uvs[k, 0]
        v = w0 * uvs[i, 1] + w1 * uvs[j, 1] + w2 * uvs[k, 1]
        tr, tg, tb, _ = texel(atlas, textures[surface], u, v, nearest)
        r, g, b = r * tr, g * tg, b * tb
    if unlit[surface]:
        return r, g, b
    nx = w0 * normals[i, 0] + w1 * normals[j, 0] + w2 * normals[k, 0]
    ny = w0 * normals[i, 1] + w1 * normals[j, 1] + w2 * normals[k, 1]
    nz = w0 * normals[i, 2] + w1 * normals[j, 2] + w2 * normals[k, 2]
    if orthographic:
        vx, vy, vz = eye[0], eye[1], eye[2]
    else:
        vx = eye[0] - (w0 * points[i, 0] + w1 * points[j, 0] + w2 * points[k, 0])
        vy = eye[1] - (w0 * points[i, 1] + w1 * points[j, 1] + w2 * points[k, 1])
        vz = eye[2] - (w0 * points[i, 2] + w1 * points[j, 2] + w2 * points[k, 2])
    n, v = nx * nx + ny * ny + nz * nz, vx * vx + vy * vy + vz * vz
    n, v = 1.0 / np.sqrt(max(n, 1e-30)), 1.0 / np.sqrt(max(v, 1e-30))
    nx, ny, nz, vx, vy, vz = nx * n, ny * n, nz * n, vx * v, vy * v, vz * v
    facing = nx * vx + ny * vy + nz * vz
    if (
        facing < -0.3
    ):  # the back of a double-sided surface; slight negatives are smooth normals at the outline
        nx, ny, nz, facing = -nx, -ny, -nz, -facing
    up = 0.5 + 0.5 * ny
    lit = max((nx * key[0] + ny * key[1] + nz * key[2] + _WRAP) / (1.0 + _WRAP), 0.0)
    edge = 1.0 - min(max(facing, 0.0), 1.0)
    outline = edge * edge * edge * max(nx * rim[0] + ny * rim[1] + nz * rim[2] + 0.4, 0.0)
    hx, hy, hz = key[0] + vx, key[1] + vy, key[2] + vz
    h = 1.0 / np.sqrt(max(hx * hx + hy * hy + hz * hz, 1e-30))
    shine = max((nx * hx + ny * hy + nz * hz) * h, 0.0)
    shine = shine * shine
    shine = shine * shine
    shine = shine * shine
    shine = shine * shine * _GLOSS
    return (
        r * (_FLOOR_BOUNCE[0] + (_SKY[0] - _FLOOR_BOUNCE[0]) * up + _KEY[0] * lit)
        + _RIM[0] * outline + shine * lit,
        g * (_FLOOR_BOUNCE[1] + (_SKY[1] - _FLOOR_BOUNCE[1]) * up + _KEY[1] * lit)
        + _RIM[1] * outline + shine * lit,
        b * (_FLOOR_BOUNCE[2] + (_SKY[2] - _FLOOR_BOUNCE[2]) * up + _KEY[2] * lit)
        + _RIM[2] * outline + shine * lit,
    )  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def resolve(
    seen, samples, screen, triangles, surfaces, unlit, points, normals, uvs, colors, textures, atlas, nearest,
    eye, orthographic, key, rim, rays, shadow, origin, cell, middle, reach, background, floor, line, strength,
    transparent, ground, out,
):  # fmt: skip
    """Write `out` (H, W, 4) uint8 sRGB, straight alpha, from `seen` (H samples, W samples).

    Each triangle seen within a pixel is shaded once, at the mean of its samples there.
    """
    height, width = out.shape[:2]
    every = samples * samples
    unique = np.empty(every, dtype=np.int32)
    count = np.empty(every, dtype=np.int32)
    sum_x, sum_y = np.empty(every), np.empty(every)
    for row in range(height):
        for column in range(width):
            kinds, covered = 0, 0
            for i in range(samples):
                for j in range(samples):
                    y, x = row * samples + i, column * samples + j
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
            r = g = b = 0.0
            for at in range(kinds):
                n = count[at]
                sr, sg, sb = _surface(
                    unique[at], sum_x[at] / n, sum_y[at] / n, screen, triangles, surfaces, unlit, points,
                    normals, uvs, colors, textures, atlas, nearest, eye, orthographic, key, rim,
                )  # fmt: skip
                r += n * sr
                g += n * sg
                b += n * sb
            if transparent:
                if covered == 0:
                    out[row, column] = 0
                    continue
                out[row, column, 0] = _encode(r / covered)
                out[row, column, 1] = _encode(g / covered)
                out[row, column, 2] = _encode(b / covered)
                out[row, column, 3] = (255 * covered + every // 2) // every
                continue
            if covered < every:
                rest = every - covered
                if ground:
                    br, bg, bb = _floor(
                        column + 0.5, row + 0.5, rays, shadow, origin, cell, middle, reach, background,
                        floor, line, strength,
                    )  # fmt: skip
                else:
                    br, bg, bb = background[0], background[1], background[2]
                r += rest * br
                g += rest * bg
                b += rest * bb
            out[row, column, 0] = _encode(r / every)
            out[row, column, 1] = _encode(g / every)
            out[row, column, 2] = _encode(b / every)
            out[row, column, 3] = 255
