"""Vectors on the floor, x and z in the last axis, and headings: angles about +Y, 0 faces +Z, positive towards +X."""

from __future__ import annotations

import numpy as np

from moveset.geometry.quaternion import Array


def ground_from_world(vectors: Array, headings: Array) -> Array:
    """World floor vectors (..., 2) turned into a ground frame that faces `headings` (...) [rad]."""
    return world_from_ground(vectors, -np.asarray(headings))


def world_from_ground(vectors: Array, headings: Array) -> Array:
    """The inverse of `ground_from_world`."""
    sine, cosine = np.sin(headings), np.cos(headings)
    x, z = vectors[..., 0], vectors[..., 1]
    return np.stack((x * cosine + z * sine, z * cosine - x * sine), axis=-1)


def directions(headings: Array) -> Array:
    """Unit floor vectors (..., 2) that face `headings` (...) [rad]."""
    return np.stack((np.sin(headings), np.cos(headings)), axis=-1)


def points_in_world(points: Array) -> Array:
    """Floor points (..., 2) as world points (..., 3) with y = 0."""
    return np.stack((points[..., 0], np.zeros(points.shape[:-1]), points[..., 1]), axis=-1)
