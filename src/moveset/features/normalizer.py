"""Mean and scale of feature vectors. One scale a block: scaling each number would blow up quiet ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from moveset.features.layout import Layout
from moveset.geometry.quaternion import Array

SMALLEST_SCALE = 1e-3
"""A block that never moves (a rig without that motion) keeps a finite scale instead of a zero one [its unit]."""


@dataclass(frozen=True, eq=False)
class Normalizer:
    """normalized = (value - mean) / scale."""

    mean: Array
    """(D,)"""
    scale: Array
    """(D,) > 0"""

    def normalize(self, vectors: Array) -> Array:
        """(..., D) with zero mean and unit deviation a block."""
        return (vectors - self.mean) / self.scale

    def denormalize(self, vectors: Array) -> Array:
        """The inverse of `normalize`."""
        return vectors * self.scale + self.mean


def fit_normalizer(vectors: Array, layout: Layout) -> Normalizer:
    """Mean of each number and root mean square deviation of each block over vectors (F, D)."""
    mean = vectors.mean(axis=0)
    variance = vectors.var(axis=0)
    scale = np.empty(layout.width)
    for block in layout.slices.values():
        scale[block] = max(np.sqrt(variance[block].mean()), SMALLEST_SCALE)
    return Normalizer(mean, scale)
