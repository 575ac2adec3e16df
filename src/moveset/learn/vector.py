"""Torch twin of `geometry.vector`: lengths whose gradient is finite where they are zero."""

from __future__ import annotations

import torch
from torch import Tensor


def length(v: Tensor) -> Tensor:
    """(..., 1) of vectors (..., C); the gradient of a zero length is taken to be zero."""
    squared = (v * v).sum(dim=-1, keepdim=True)
    some = squared > 0
    return torch.where(some, torch.where(some, squared, 1).sqrt(), 0)


def unit(v: Tensor) -> Tensor:
    """Directions (..., 3) of vectors (..., 3); a vector without length stays as it is."""
    return v / length(v).clamp(min=1e-12)
