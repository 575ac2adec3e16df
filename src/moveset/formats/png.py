"""Pixels as PNG."""

from __future__ import annotations

import io

import numpy as np


def encode_png(pixels: np.ndarray) -> bytes:
    """The bytes of a .png of (H, W, 4) uint8 pixels."""
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(np.asarray(pixels, dtype=np.uint8)).save(out, format="PNG")
    return out.getvalue()
