"""The continuous 6D representation of rotations: the first two columns of the matrix, one after the other.

Zhou et al. 2019, "On the Continuity of Rotation Representations in Neural Networks".
"""

from __future__ import annotations

import numpy as np

from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.geometry.vector import unit


def from_quaternion(q: Array) -> Array:
    """(..., 4) -> (..., 6): where the x axis goes, then where the y axis goes."""
    return from_matrix(quaternion.to_matrix(q))


def to_quaternion(r: Array) -> Array:
    """(..., 6) -> (..., 4), w >= 0."""
    return quaternion.from_matrix(to_matrix(r))


def from_matrix(m: Array) -> Array:
    """(..., 3, 3) -> (..., 6)."""
    return np.concatenate((m[..., :, 0], m[..., :, 1]), axis=-1)


def to_matrix(r: Array) -> Array:
    """(..., 6) -> (..., 3, 3) by Gram-Schmidt: any six numbers with independent halves give a rotation."""
    x = unit(r[..., :3])
    y = r[..., 3:]
    y = unit(y - np.einsum("...i,...i->...", x, y)[..., None] * x)
    return np.stack((x, y, quaternion.cross(x, y)), axis=-1)
