"""Compiled kinematics, one thread: the operations of motion/kinematics.py in the same order, none fused, so results
equal NumPy's bit by bit and a library does not depend on which of the two computed it.

Import this module only where its start-up (numba: more than half a second) pays.
"""

# ruff: noqa: ANN202, D103
from __future__ import annotations

from functools import partial

import numba
import numpy as np
from numba import types

_SIGNATURES = [
    types.void(
        *[types.Array(number, 3, "A", readonly=True)] * 2,  # any strides: broadcast views need no copy
        types.Array(types.int64, 1, "C", readonly=True),
        *[types.Array(number, 3, "C")] * 2,
    )
    for number in (types.float32, types.float64)
]
_BLOCK = 32
"""Frames that go down the tree together, one component beside the other, so that one instruction serves several."""

_compile = partial(numba.njit, cache=True, nogil=True, error_model="numpy")


@_compile()
def _multiply(ax, ay, az, aw, bx, by, bz, bw):
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


@_compile()
def _rotate(x, y, z, w, a, b, c):
    tx, ty, tz = y * c - z * b, z * a - x * c, x * b - y * a
    tx, ty, tz = tx + tx, ty + ty, tz + tz
    return a + w * tx + (y * tz - z * ty), b + w * ty + (z * tx - x * tz), c + w * tz + (x * ty - y * tx)


@_compile()
def _store(rotations, positions, n, j, x, y, z, w, a, b, c) -> None:
    rotations[n, j, 0], rotations[n, j, 1], rotations[n, j, 2], rotations[n, j, 3] = x, y, z, w
    positions[n, j, 0], positions[n, j, 1], positions[n, j, 2] = a, b, c


@_compile(_SIGNATURES)
def forward(rotations, translations, parents, world_rotations, world_positions) -> None:
    frames, joints = rotations.shape[0], parents.shape[0]
    local = np.empty((7, _BLOCK), rotations.dtype)  # x y z w of the rotation, then the translation
    world = np.empty((joints, 7, _BLOCK), rotations.dtype)
    for start in range(0, frames, _BLOCK):
        count = min(_BLOCK, frames - start)
        for j in range(joints):
            p = parents[j]
            into = local if p >= 0 else world[j]
            for n in range(count):
                for k in range(4):
                    into[k, n] = rotations[start + n, j, k]
                for k in range(3):
                    into[4 + k, n] = translations[start + n, j, k]
            if p >= 0:
                above, here = world[p], world[j]
                for n in range(count):
                    x, y, z, w = above[0, n], above[1, n], above[2, n], above[3, n]
                    here[0, n], here[1, n], here[2, n], here[3, n] = _multiply(
                        x, y, z, w, local[0, n], local[1, n], local[2, n], local[3, n]
                    )
                    a, b, c = _rotate(x, y, z, w, local[4, n], local[5, n], local[6, n])
                    here[4, n], here[5, n], here[6, n] = above[4, n] + a, above[5, n] + b, above[6, n] + c
            for n in range(count):
                for k in range(4):
                    world_rotations[start + n, j, k] = world[j, k, n]
                for k in range(3):
                    world_positions[start + n, j, k] = world[j, 4 + k, n]


@_compile(_SIGNATURES)
def inverse(world_rotations, world_positions, parents, rotations, translations) -> None:
    for n in range(world_rotations.shape[0]):
        for j in range(parents.shape[0]):
            p = parents[j]
            x, y = world_rotations[n, j, 0], world_rotations[n, j, 1]
            z, w = world_rotations[n, j, 2], world_rotations[n, j, 3]
            a, b, c = world_positions[n, j, 0], world_positions[n, j, 1], world_positions[n, j, 2]
            if p >= 0:
                ax, ay = -world_rotations[n, p, 0], -world_rotations[n, p, 1]
                az, aw = -world_rotations[n, p, 2], world_rotations[n, p, 3]
                x, y, z, w = _multiply(ax, ay, az, aw, x, y, z, w)
                a, b, c = (
                    a - world_positions[n, p, 0],
                    b - world_positions[n, p, 1],
                    c - world_positions[n, p, 2],
                )
                a, b, c = _rotate(ax, ay, az, aw, a, b, c)
            _store(rotations, translations, n, j, x, y, z, w, a, b, c)
