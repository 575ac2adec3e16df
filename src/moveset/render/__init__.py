"""Camera, skinning, rasterizer, sheets: poses -> images.

`clips.render_clip` draws a clip, `sheet.contact_sheet` puts pictures on a page, `encode` writes PNG and GIF.
Names load when first used, so that importing the room costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moveset.render.camera import VIEWS, Camera, frame_points
    from moveset.render.clips import Actor, render_actors, render_clip
    from moveset.render.encode import save_gif, save_png
    from moveset.render.model import Trail
    from moveset.render.picture import Look
    from moveset.render.sheet import contact_sheet
    from moveset.render.strips import strip

_HOME = {
    "VIEWS": "camera", "Camera": "camera", "frame_points": "camera",
    "Actor": "clips", "render_actors": "clips", "render_clip": "clips",
    "save_gif": "encode", "save_png": "encode",
    "Trail": "model", "Look": "picture", "contact_sheet": "sheet", "strip": "strips",
}  # fmt: skip

__all__ = [
    "VIEWS",
    "Actor",
    "Camera",
    "Look",
    "Trail",
    "contact_sheet",
    "frame_points",
    "render_actors",
    "render_clip",
    "save_gif",
    "save_png",
    "strip",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"moveset.render.{_HOME[name]}"), name)
