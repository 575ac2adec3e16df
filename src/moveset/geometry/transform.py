"""Affine transforms as 4 x 4 matrices over any leading axes, acting on column vectors."""

from __future__ import annotations

import numpy as np

from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array


def compose(translations: Array, rotations: Array, scales: Array | None = None) -> Array:
    """(..., 4, 4) that scale, then rotate, then translate: M = T R S, as a glTF node."""
    linear = quaternion.to_matrix(np.asarray(rotations))
    if scales is not None:
        linear = linear * np.asarray(scales)[..., None, :]
    return from_linear(linear, np.asarray(translations))


def decompose(m: Array) -> tuple[Array, Array, Array]:
    """Translations, rotations (w >= 0) and scales with M = T R S: the inverse of `compose`.

    A reflection is put into the sign of the first scale. Shear is lost: no T R S holds it.
    """
    linear = m[..., :3, :3]
    scales = np.sqrt(np.einsum("...ij,...ij->...j", linear, linear))
    flip = np.where(np.linalg.det(linear) < 0, -1.0, 1.0).astype(m.dtype)
    scales = np.concatenate((scales[..., :1] * flip[..., None], scales[..., 1:]), axis=-1)
    axes = linear / np.where(scales == 0, 1, scales)[..., None, :]
    return m[..., :3, 3], quaternion.from_matrix(axes), scales


def from_linear(linear: Array, translations: Array) -> Array:
    """(..., 4, 4) of a linear part (..., 3, 3) and translations (..., 3)."""
    leading = np.broadcast_shapes(linear.shape[:-2], translations.shape[:-1])
    out = np.zeros((*leading, 4, 4), dtype=np.result_type(linear, translations))
    out[..., :3, :3] = linear
    out[..., :3, 3] = translations
    out[..., 3, 3] = 1
    return out


def inverse(m: Array) -> Array:
    """Inverse of affine transforms; scale and shear may be anything but zero."""
    linear = np.linalg.inv(m[..., :3, :3])
    return from_linear(linear, -np.einsum("...ij,...j->...i", linear, m[..., :3, 3]))


def apply(m: Array, points: Array) -> Array:
    """Points (..., 3) moved by transforms (..., 4, 4)."""
    return apply_direction(m, points) + m[..., :3, 3]


def apply_direction(m: Array, directions: Array) -> Array:
    """Directions (..., 3) turned and scaled, not translated."""
    return np.einsum("...ij,...j->...i", m[..., :3, :3], directions)
