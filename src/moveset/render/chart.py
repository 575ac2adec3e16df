"""Small charts of numbers over steps or time, one panel each, for pages and folders that have no plotting library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from moveset.geometry.quaternion import Array
from moveset.render.model import Color, Picture

_FINE = 2
"""Lines are drawn this many times larger and scaled down: Pillow's own have jagged edges."""
_PAPER: Color = (250, 250, 251)
_INK: Color = (52, 58, 66)
_GRID: Color = (222, 225, 230)
_LINE: Color = (38, 108, 176)
_DECADES = 20.0
"""Positive numbers that span more than this ratio are drawn on a logarithmic scale."""


@dataclass(frozen=True, eq=False)
class Panel:
    """One curve."""

    title: str
    x: Array
    """(N,)"""
    y: Array
    """(N,) gaps where not finite."""


def chart(panels: Sequence[Panel], columns: int = 3, size: tuple[int, int] = (320, 200)) -> Picture:
    """(H, W, 4) page of panels, each `size` pixels wide and high, row by row."""
    columns = max(1, min(columns, len(panels)))
    rows = max(1, -(-len(panels) // columns))
    width, height = size
    page = Image.new("RGBA", (columns * width * _FINE, rows * height * _FINE), (*_PAPER, 255))
    pen = ImageDraw.Draw(page)
    for n, panel in enumerate(panels):
        corner = (n % columns * width * _FINE, n // columns * height * _FINE)
        _draw_panel(pen, panel, corner, (width * _FINE, height * _FINE))
    return np.asarray(page.resize((columns * width, rows * height), Image.Resampling.BOX))


def _draw_panel(
    pen: ImageDraw.ImageDraw, panel: Panel, corner: tuple[int, int], size: tuple[int, int]
) -> None:
    small, large = ImageFont.load_default(11 * _FINE), ImageFont.load_default(13 * _FINE)
    left, top = corner[0] + 58 * _FINE, corner[1] + 26 * _FINE
    right, bottom = corner[0] + size[0] - 12 * _FINE, corner[1] + size[1] - 24 * _FINE
    seen = np.isfinite(panel.x) & np.isfinite(panel.y)
    last = f"   {panel.y[seen][-1]:.4g}" if seen.any() else ""
    pen.text((left, corner[1] + 6 * _FINE), panel.title + last, fill=_INK, font=large)
    if not seen.any():
        return
    x, y = panel.x[seen].astype(np.float64), panel.y[seen].astype(np.float64)
    logarithmic = y.min() > 0 and y.max() / y.min() > _DECADES
    y = np.log10(y) if logarithmic else y
    margin = max(0.05 * (y.max() - y.min()), 1e-3 * abs(y.max()), 1e-12)
    low, high = y.min() - margin, y.max() + margin
    across = left + (x - x[0]) / max(x[-1] - x[0], 1e-12) * (right - left)
    up = bottom - (y - low) / (high - low) * (bottom - top)
    for tick in _ticks(low, high, logarithmic):
        at = bottom - (tick - low) / (high - low) * (bottom - top)
        pen.line((left, at, right, at), fill=_GRID, width=_FINE)
        label = f"{10**tick:.3g}" if logarithmic else f"{tick:.4g}"
        pen.text((left - 6 * _FINE, at), label, fill=_INK, font=small, anchor="rm")
    for value, place, anchor in ((x[0], left, "lt"), (x[-1], right, "rt")):
        pen.text((place, bottom + 6 * _FINE), f"{value:,.6g}", fill=_INK, font=small, anchor=anchor)
    points = list(zip(across.tolist(), up.tolist()))
    if len(points) == 1:
        points *= 2
    pen.line(points, fill=_LINE, width=int(1.5 * _FINE), joint="curve")


def _ticks(low: float, high: float, logarithmic: bool) -> list[float]:
    """A few round numbers within a range; of exponents, the decades or 1, 2 and 5 in them."""
    if logarithmic:
        decades = range(math.floor(low), math.ceil(high) + 1)
        marks = (1,) if len(decades) > 4 else (1, 2, 5) if len(decades) < 3 else (1, 3)
        within = [t for d in decades for m in marks if low <= (t := d + math.log10(m)) <= high]
        return within[:: -(-len(within) // 6)]
    span = max(high - low, 1e-3 * abs(high), 1e-12)
    step = 10 ** math.floor(math.log10(span / 3))
    step *= next(m for m in (1, 2, 5, 10) if span / (m * step) <= 5)
    return [step * k for k in range(math.ceil(low / step), math.floor(high / step) + 1)]
