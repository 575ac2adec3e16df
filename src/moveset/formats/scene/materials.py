"""Materials whose base color textures are decoded when first looked at."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from moveset.errors import MovesetError
from moveset.motion import Material

MOST_PIXELS = 1 << 26
"""8192 x 8192: a larger texture is refused before its pixels take memory."""


class _DecodedWhenRead:
    """The `texture` field of a material: holds a function until someone looks, then its pixels."""

    def __get__(self, material: Any, owner: type | None = None) -> Any:
        held = None if material is None else material.__dict__.get("texture")
        if callable(held):
            held = material.__dict__["texture"] = held()
        return held

    def __set__(self, material: Any, value: object) -> None:
        material.__dict__["texture"] = value


class FileMaterial(Material):
    """A material of a file: its texture costs nothing until it is used."""

    texture = _DecodedWhenRead()  # type: ignore[assignment]


def decode_image(encoded: bytes, path: str, where: str) -> np.ndarray:
    """(H, W, 4) uint8 of a PNG, JPEG or WebP."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(encoded)) as image:
            if image.width * image.height > MOST_PIXELS:
                raise MovesetError(
                    f"the image has {image.width} x {image.height} pixels; the limit is {MOST_PIXELS:,}",
                    file=path,
                    where=where,
                    do="use a smaller texture",
                )
            return np.asarray(image.convert("RGBA"))
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        raise MovesetError(
            f"the image cannot be decoded ({str(error)[:80]})",
            file=path,
            where=where,
            do="save it again as PNG or JPEG",
        ) from None
