"""A clip from a file as a picture: contact sheet, strip of poses, or GIF."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from moveset.errors import MovesetError
from moveset.motion import Asset, Character, Clip
from moveset.progress import Track, untracked
from moveset.render import Actor, contact_sheet, render_actors, render_clip, save_gif, save_png, strip
from moveset.render.model import Picture
from moveset.rigs.mannequin import mannequin
from moveset.workflows.load import load


@dataclass(frozen=True)
class Drawing:
    """What `render_file` draws."""

    view: str = "three-quarter"
    size: int = 256
    """Pixels along each side of one picture."""
    every: int | None = None
    """Draw each so many frames; None takes all for a GIF and about twelve for a sheet."""
    strip: bool = False
    """One wide picture with several poses instead of a sheet."""
    character: str | None = None
    """File whose character is shown; it must have the clip's joints."""


def render_file(
    path: str,
    output: str,
    options: Drawing | None = None,
    track: Track = untracked,
) -> None:
    """Draw the clip (or, on a sheet, all clips) of the file at `path` into a .png or .gif file."""
    options = options or Drawing()
    suffix = Path(output).suffix.lower()
    if suffix not in (".png", ".gif"):
        raise MovesetError(
            f"cannot write {suffix or 'a file without suffix'}", file=output, do="name a .png or .gif file"
        )
    if options.size < 16 or (options.every is not None and options.every < 1):
        raise MovesetError("size must be at least 16 pixels and every at least 1")
    asset = load(path)
    if not asset.clips:
        raise MovesetError("holds no clip", file=path, do="give a file with an animation")
    shown = None if options.character is None else load(options.character)
    clip, *others = asset.clips
    if others:
        if suffix == ".gif" or options.strip:
            names = ", ".join(c.name for c in asset.clips[:6]) + (", ..." if len(asset.clips) > 6 else "")
            raise MovesetError(
                f"holds {len(asset.clips)} clips: {names}", file=path, do="name one as FILE#clip"
            )
        save_png(overview(asset, shown, options, track, Path(path).name), output)
        return
    character = character_for(clip, asset, shown)
    size = (options.size, options.size)
    if suffix == ".gif":
        frames = range(0, len(clip), options.every or 1)
        pictures = render_actors([Actor(clip, character)], size=size, camera=options.view, frames=frames)
        fps = clip.fps / (options.every or 1)
        save_gif(track(pictures, len(frames), "drawing"), output, fps)
    elif options.strip:
        save_png(strip(clip, character, camera=options.view, height=options.size), output)
    else:
        frames = range(0, len(clip), options.every or max(1, round(len(clip) / 12)))
        drawn = render_actors([Actor(clip, character)], size=size, camera=options.view, frames=frames)
        labels = [f"{f} · {f / clip.fps:.2f} s" for f in frames]
        save_png(
            contact_sheet(list(track(drawn, len(frames), "drawing")), labels=labels, title=clip.name), output
        )


def overview(asset: Asset, shown: Asset | None, options: Drawing, track: Track, title: str) -> Picture:
    """One picture of each clip of a file, from its middle."""

    def pictures() -> Iterable[Picture]:
        size = (options.size, options.size)
        for clip in asset.clips:
            character = character_for(clip, asset, shown)
            yield render_clip(clip, character, size=size, camera=options.view, frames=[len(clip) // 2])[0]

    labels = [clip.name for clip in asset.clips]
    return contact_sheet(list(track(pictures(), len(labels), "drawing")), labels=labels, title=title)


def character_for(clip: Clip, asset: Asset, shown: Asset | None = None) -> Character:
    """The character to show a clip on: of the file `shown`, else of the clip's own file, else the mannequin."""
    bodies = [c for c in (shown or asset).characters if c.meshes]
    if shown is not None and not bodies:
        file = None if shown.source is None else shown.source.path
        raise MovesetError("holds no character with a mesh", file=file)
    for body in bodies:
        if set(body.skeleton.names) <= set(clip.skeleton.names):
            return body
    if shown is not None:
        return bodies[0]  # drawing says which joints are missing
    return mannequin(clip.skeleton, clip)
