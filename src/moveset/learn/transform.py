"""Torch twin of `geometry.transform`: affine transforms as 4 x 4 matrices, acting on column vectors."""

from __future__ import annotations

import torch
from torch import Tensor

from moveset.learn import quaternion
from moveset.learn.vector import length


def compose(translations: Tensor, rotations: Tensor, scales: Tensor | None = None) -> Tensor:
    """(..., 4, 4) that scale, then rotate, then translate: M = T R S, as a glTF node."""
    linear = quaternion.to_matrix(rotations)
    if scales is not None:
        linear = linear * scales[..., None, :]
    return from_linear(linear, translations)


def decompose(m: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Translations, rotations (w >= 0) and scales with M = T R S: the inverse of `compose`.

    A reflection is put into the sign of the first scale. Shear is lost: no T R S holds it.
    """
    linear = m[..., :3, :3]
    scales = length(linear.mT)[..., 0]
    flip = torch.where(torch.linalg.det(linear) < 0, -1, 1)[..., None]
    scales = torch.cat((scales[..., :1] * flip, scales[..., 1:]), dim=-1)
    axes = linear / torch.where(scales == 0, 1, scales)[..., None, :]
    return m[..., :3, 3], quaternion.from_matrix(axes), scales


def from_linear(linear: Tensor, translations: Tensor) -> Tensor:
    """(..., 4, 4) of a linear part (..., 3, 3) and translations (..., 3)."""
    leading = torch.broadcast_shapes(linear.shape[:-2], translations.shape[:-1])
    upper = torch.cat((linear.expand(*leading, 3, 3), translations[..., None].expand(*leading, 3, 1)), dim=-1)
    return torch.cat((upper, linear.new_tensor([0.0, 0.0, 0.0, 1.0]).expand(*leading, 1, 4)), dim=-2)


def inverse(m: Tensor) -> Tensor:
    """Inverse of affine transforms; scale and shear may be anything but zero."""
    linear = torch.linalg.inv(m[..., :3, :3])
    return from_linear(linear, -(linear @ m[..., :3, 3:])[..., 0])


def apply(m: Tensor, points: Tensor) -> Tensor:
    """Points (..., 3) moved by transforms (..., 4, 4)."""
    return apply_direction(m, points) + m[..., :3, 3]


def apply_direction(m: Tensor, directions: Tensor) -> Tensor:
    """Directions (..., 3) turned and scaled, not translated."""
    return (m[..., :3, :3] @ directions[..., None])[..., 0]
