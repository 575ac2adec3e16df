"""Numbers to the rows of a BVH file: fixed decimals, rounded half to even, no negative zero."""

from __future__ import annotations

import sys

import numpy as np

from moveset.errors import MovesetError
from moveset.geometry.quaternion import Array

COMPILED_FROM = 1 << 17
"""Numbers; below, the first import of numba would take longer than the formatting."""
_LARGEST = 1e12
"""Larger magnitudes would leave the integers that the kernel prints."""


def number_block(values: Array, decimals: int, path: str = "") -> bytes:
    """Rows of `values` (F, C), blanks between the columns, a line feed after each row."""
    if values.size and not np.abs(values).max() < _LARGEST:
        raise MovesetError(
            "the clip holds values that are NaN, infinite or astronomically large",
            file=path,
            do="audit and mend it first",
        )
    scaled = np.rint(values * 10.0**decimals).astype(np.int64)
    if "numba" in sys.modules or scaled.size >= COMPILED_FROM:
        from moveset.formats.bvh.kernels import print_decimals

        out = np.empty(scaled.size * (decimals + 15), dtype=np.uint8)  # sign, 12 digits, point, separator
        return out[: print_decimals(scaled, decimals, out)].tobytes()
    row = " ".join([f"%.{decimals}f"] * values.shape[1]) + "\n"
    exact = scaled / 10.0**decimals
    return "".join(row % tuple(frame) for frame in exact.tolist()).encode()
