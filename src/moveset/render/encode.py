"""Pictures into files: PNG and GIF."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from PIL import Image

from moveset.errors import MovesetError
from moveset.files import write_whole
from moveset.render.model import Picture

GIF_FASTEST = 50.0
"""Frames a second: browsers slow a GIF down whose frames are shorter than 2 hundredths of a second."""


def save_png(picture: Picture, path: str | Path) -> None:
    """Write one picture."""
    write_whole(path, as_png(picture))


def as_png(picture: Picture) -> bytes:
    """One picture as the bytes of a file."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, format="PNG", optimize=True)
    return file.getvalue()


def save_gif(pictures: Iterable[Picture], path: str | Path, fps: float, *, loop: bool = True) -> None:
    """Write pictures as a GIF that plays at `fps` on average, to the hundredth of a second."""
    pictures = list(pictures)
    if not pictures:
        raise MovesetError("a GIF needs at least one picture", file=path)
    keep, durations = gif_timing(len(pictures), fps)
    images = [Image.fromarray(pictures[k]).convert("RGB") for k in keep]
    palette = _palette(images)
    images = [i.quantize(palette=palette, dither=Image.Dither.NONE) for i in images]
    file = io.BytesIO()
    images[0].save(
        file, format="GIF", save_all=True, append_images=images[1:], duration=durations, optimize=True,
        **({"loop": 0} if loop else {}),
    )  # fmt: skip
    write_whole(path, file.getvalue())


def gif_timing(frames: int, fps: float) -> tuple[list[int], list[int]]:
    """Which frames to keep, and the milliseconds of each: whole hundredths whose sum never drifts."""
    step = max(1, int(np.ceil(fps / GIF_FASTEST)))
    keep = list(range(0, frames, step))
    ends = np.round(100 * np.append(keep[1:], frames) / fps)
    return keep, [int(10 * d) for d in np.diff(np.append(0, ends))]


def _palette(images: list[Image.Image]) -> Image.Image:
    """One palette of 256 colors for a whole GIF, from some of its frames side by side."""
    some = images[:: max(1, len(images) // 12)]
    wide = Image.new("RGB", (some[0].width * len(some), some[0].height))
    for n, image in enumerate(some):
        wide.paste(image, (n * some[0].width, 0))
    return wide.quantize(256, method=Image.Quantize.MEDIANCUT)
