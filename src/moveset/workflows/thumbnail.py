"""A clip as a small picture: on its own character where it has one, else on the mannequin."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from moveset.motion import Character, Clip
from moveset.rigs.mannequin import mannequin

_GAP = 2
"""White pixels between pictures."""
_KEPT = 16
"""Mannequins that are remembered, one a skeleton."""
_TEXELS = 128
"""Side of a texture that a thumbnail needs."""
_figures: dict[str, Character] = {}


def thumbnail(
    clip: Clip,
    frames: Sequence[int] = (),
    character: Character | None = None,
    size: int = 128,
    encoding: str = "PNG",
) -> bytes:
    """PNG or WEBP of `frames` side by side, by default the one in the middle; empty for poses without numbers."""
    from PIL import Image

    from moveset.render import render_clip

    frames = [f for f in frames if 0 <= f < len(clip)] or ([len(clip) // 2] if len(clip) else [])
    if not frames or not clip.is_finite:
        return b""
    own = character is not None and character.meshes and character.skeleton is clip.skeleton
    figure = _light(character) if own and character else _figure(clip)
    pictures = render_clip(clip, figure, size=(size, size), frames=frames)
    strip = Image.new("RGB", (len(frames) * (size + _GAP) - _GAP, size), "white")
    for n, picture in enumerate(pictures):
        strip.paste(Image.fromarray(picture[..., :3]), (n * (size + _GAP), 0))
    out = io.BytesIO()
    strip.save(out, encoding)
    return out.getvalue()


def _light(character: Character) -> Character:
    """The character with textures no finer than a small picture shows: preparing large ones takes most of the time."""

    def thinned(texture: np.ndarray | None) -> np.ndarray | None:
        step = 1 if texture is None else max(1, min(texture.shape[:2]) // _TEXELS)
        return texture if texture is None or step == 1 else texture[::step, ::step]

    return replace(
        character, materials=tuple(replace(m, texture=thinned(m.texture)) for m in character.materials)
    )


def _figure(clip: Clip) -> Character:
    """The mannequin for the clip's skeleton; clips of a library share a few."""
    key = clip.skeleton.signature
    if key not in _figures:
        if len(_figures) >= _KEPT:
            _figures.clear()
        _figures[key] = mannequin(clip.skeleton, clip)
    return _figures[key]
