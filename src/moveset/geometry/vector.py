"""Vectors over any leading axes."""

from __future__ import annotations

import numpy as np

from moveset.geometry.quaternion import Array


def unit(v: Array) -> Array:
    """Directions (..., 3) of vectors (..., 3); a vector without length stays as it is."""
    length = np.sqrt(np.einsum("...i,...i->...", v, v))[..., None]
    return v / np.maximum(length, np.asarray(1e-12, dtype=v.dtype))
