"""Triangle meshes: what can be computed from positions and triangles alone."""

from __future__ import annotations

import numpy as np

from moveset.geometry.quaternion import Array


def smooth_normals(positions: Array, triangles: np.ndarray) -> Array:
    """(V, 3) unit normals: area-weighted means over triangles, shared by vertices that lie at one place.

    Vertices that no triangle with an area touches get a zero normal.
    """
    positions = np.asarray(positions, dtype=float)
    triangles = np.asarray(triangles).reshape(-1, 3)
    if len(positions) == 0:
        return np.zeros((0, 3))
    _, place = np.unique(np.round(positions * 1e5), axis=0, return_inverse=True)
    place = place.reshape(-1)
    a, b, c = (positions[triangles[:, k]] for k in range(3))
    face = np.cross(b - a, c - a)
    total = np.zeros((place.max() + 1, 3))
    for k in range(3):
        np.add.at(total, place[triangles[:, k]], face)
    length = np.linalg.norm(total, axis=1, keepdims=True)
    return (total / np.where(length > 0, length, 1))[place]
