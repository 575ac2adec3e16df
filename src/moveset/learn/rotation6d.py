"""Torch twin of `geometry.rotation6d`."""

from __future__ import annotations

import torch
from torch import Tensor

from moveset.learn import quaternion
from moveset.learn.vector import unit


def from_quaternion(q: Tensor) -> Tensor:
    """(..., 4) -> (..., 6): where the x axis goes, then where the y axis goes."""
    return from_matrix(quaternion.to_matrix(q))


def to_quaternion(r: Tensor) -> Tensor:
    """(..., 6) -> (..., 4), w >= 0."""
    return quaternion.from_matrix(to_matrix(r))


def from_matrix(m: Tensor) -> Tensor:
    """(..., 3, 3) -> (..., 6)."""
    return torch.cat((m[..., :, 0], m[..., :, 1]), dim=-1)


def to_matrix(r: Tensor) -> Tensor:
    """(..., 6) -> (..., 3, 3) by Gram-Schmidt: any six numbers with independent halves give a rotation."""
    x = unit(r[..., :3])
    y = r[..., 3:]
    y = unit(y - (x * y).sum(dim=-1, keepdim=True) * x)
    return torch.stack((x, y, torch.linalg.cross(x, y)), dim=-1)
