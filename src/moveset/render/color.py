"""The sRGB transfer curve: files and screens hold encoded colors, light adds up in linear ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from moveset.geometry.quaternion import Array


def linear(encoded: ArrayLike) -> Array:
    """Linear values of sRGB ones, both 0 to 1."""
    s = np.asarray(encoded, dtype=np.float64)
    return np.where(s <= 0.04045, s / 12.92, ((s + 0.055) / 1.055) ** 2.4)


def encoded(linear: ArrayLike) -> Array:
    """sRGB values of linear ones, both 0 to 1: the inverse of `linear`."""
    x = np.asarray(linear, dtype=np.float64)
    return np.where(x <= 0.0031308, 12.92 * x, 1.055 * x ** (1 / 2.4) - 0.055)
