"""Contact sheets: many small pictures with labels on one page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from moveset.errors import MovesetError
from moveset.render.model import Color, Picture

_INK: Color = (52, 58, 66)


def contact_sheet(
    pictures: Sequence[Picture],
    columns: int | None = None,
    labels: Sequence[str] | None = None,
    *,
    title: str = "",
    gap: int = 4,
    background: Color = (250, 250, 251),
) -> Picture:
    """(H, W, 4) page with the pictures (each (h, w, 4)) row by row and a label under each."""
    if len(pictures) == 0:
        raise MovesetError("a contact sheet needs at least one picture")
    if labels is not None and len(labels) != len(pictures):
        raise MovesetError(f"{len(labels)} labels for {len(pictures)} pictures")
    columns = columns or min(len(pictures), max(1, int(np.ceil(np.sqrt(len(pictures) * 1.6)))))
    rows = -(-len(pictures) // columns)
    height, width = max(p.shape[0] for p in pictures), max(p.shape[1] for p in pictures)
    text = int(np.clip(width / 14, 10, 22))
    font, head = ImageFont.load_default(text), ImageFont.load_default(int(text * 1.5))
    strip = text + 8 if labels is not None else 0
    top = int(text * 1.5) + 14 if title else 0
    page = Image.new(
        "RGBA",
        (gap + columns * (width + gap), top + gap + rows * (height + strip + gap)),
        (*background, 255),
    )
    pen = ImageDraw.Draw(page)
    if title:
        pen.text((gap + 4, 6), title, fill=_INK, font=head)
    for n, picture in enumerate(pictures):
        x, y = gap + n % columns * (width + gap), top + gap + n // columns * (height + strip + gap)
        page.alpha_composite(Image.fromarray(picture), (x, y))
        if labels is not None:
            label = _fit(labels[n], font, width - 8)
            pen.text((x + 4, y + height + 2), label, fill=_INK, font=font)
    return np.asarray(page)


def _fit(text: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont, width: int) -> str:
    """The text, its end cut off where it would not fit."""
    if font.getlength(text) <= width:
        return text
    while text and font.getlength(text + "...") > width:
        text = text[:-1]
    return text + "..."
