"""`moveset render`: pictures of a clip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from cyclopts import Parameter

from moveset.cli.options import Flag, Output
from moveset.cli.progress import track


@dataclass(frozen=True, kw_only=True)
class RenderOptions:
    """Options of `moveset render`."""

    output: Output = "clip.png"
    """A .png file (contact sheet) or a .gif file (animation)."""
    view: Literal["three-quarter", "side", "front", "back", "top"] = "three-quarter"
    """Where the camera stands, relative to the way the character faces in the first frame."""
    size: int = 256
    """Pixels along each side of one picture."""
    every: int | None = None
    """Draw each so many frames; by default all for a GIF, about twelve for a sheet."""
    strip: Flag = False
    """Draw several poses side by side in one wide picture instead of a sheet."""
    character: str | None = None
    """File with the character to show; the clip's own file or the built-in mannequin otherwise."""


def render(clip: str, /, *, options: Annotated[RenderOptions | None, Parameter(name="*")] = None) -> None:
    """Draw a clip: a contact sheet, a strip of poses, or a GIF.

    A file of several clips gives a sheet with one picture of each.

    Example: moveset render "knight.glb#1H_Melee_Attack_Chop" -o chop.gif --view side --size 320

    Parameters
    ----------
    clip
        A file, FILE#clip, or pack.zip/file.bvh.
    """
    from moveset.workflows.render import Drawing, render_file

    options = options or RenderOptions()
    drawing = Drawing(options.view, options.size, options.every, options.strip, options.character)
    render_file(clip, options.output, drawing, track)
    print(f"wrote {options.output}")
