"""Compiled forward kinematics, one thread. Same operations in the same order as motion/kinematics.py: equal bits.

Import this module only where its start-up (numba: a quarter of a second) pays.
"""

# ruff: noqa: D103
from __future__ import annotations

from typing import Any

import numba
from numba import types


def _signatures(inputs: int) -> list[Any]:
    """Inputs of any strides, so that broadcast views need no copy; outputs contiguous; both precisions."""
    parents = types.Array(types.int64, 1, "C", readonly=True)
    return [
        types.void(
            *[types.Array(number, 3, "A", readonly=True)] * inputs,
            parents,
            *[types.Array(number, 3, "C")] * 2,
        )
        for number in (types.float32, types.float64)
    ]


@numba.njit(_signatures(2), cache=True, nogil=True, error_model="numpy")
def forward(rotations, translations, parents, world_rotations, world_positions) -> None:
    for n in range(rotations.shape[0]):
        for j in range(parents.shape[0]):
            p = parents[j]
            bx, by, bz, bw = rotations[n, j, 0], rotations[n, j, 1], rotations[n, j, 2], rotations[n, j, 3]
            x, y, z = translations[n, j, 0], translations[n, j, 1], translations[n, j, 2]
            if p >= 0:
                ax, ay = world_rotations[n, p, 0], world_rotations[n, p, 1]
                az, aw = world_rotations[n, p, 2], world_rotations[n, p, 3]
                bx, by, bz, bw = (
                    aw * bx + ax * bw + ay * bz - az * by,
                    aw * by - ax * bz + ay * bw + az * bx,
                    aw * bz + ax * by - ay * bx + az * bw,
                    aw * bw - ax * bx - ay * by - az * bz,
                )
                tx, ty, tz = ay * z - az * y, az * x - ax * z, ax * y - ay * x
                tx, ty, tz = tx + tx, ty + ty, tz + tz
                x, y, z = (
                    world_positions[n, p, 0] + (x + aw * tx + (ay * tz - az * ty)),
                    world_positions[n, p, 1] + (y + aw * ty + (az * tx - ax * tz)),
                    world_positions[n, p, 2] + (z + aw * tz + (ax * ty - ay * tx)),
                )
            world_rotations[n, j, 0], world_rotations[n, j, 1] = bx, by
            world_rotations[n, j, 2], world_rotations[n, j, 3] = bz, bw
            world_positions[n, j, 0], world_positions[n, j, 1], world_positions[n, j, 2] = x, y, z
