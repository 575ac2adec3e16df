"""Several poses of one clip in one wide picture, the way that animators look at a motion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from moveset.geometry.quaternion import Array
from moveset.motion import Character, Clip
from moveset.render.camera import frame_points
from moveset.render.clips import Actor, render_actors
from moveset.render.framing import extent, heading
from moveset.render.model import Color, Picture, Trail
from moveset.render.picture import Look
from moveset.render.skinning import joint_matrices

_PATH: Color = (214, 122, 50)
_APART = 0.55
"""Poses stand this share of the body's size apart, where the motion itself does not carry them further."""


def strip(
    clip: Clip,
    character: Character,
    *,
    count: int = 8,
    frames: Sequence[int] | None = None,
    camera: str | tuple[float, float] = "side",
    height: int = 256,
    look: Look | None = None,
) -> Picture:
    """(H, W, 4) poses at `frames` (default: `count` of them, evenly) from left to right in one picture.

    A motion that carries the character across the view shows the poses in their true places, with the path of
    the hips on the floor; any other is spread out.
    """
    even = np.unique(np.linspace(0, len(clip) - 1, count).round().astype(int))
    frames = [int(f) for f in (even if frames is None else frames)]
    actors = [Actor(clip, character, frame=f) for f in frames]
    boxes = extent(character)
    turned = [clip.skeleton.index[n] for n in character.skeleton.names]
    places = boxes.places(joint_matrices(clip, np.array(frames))[:, turned])
    facing = heading(clip)
    right, _, _ = frame_points(places, camera, heading=facing).axes
    across = places.mean(axis=1) @ right
    apart = _APART * float(np.ptp(places, axis=1).max(axis=1).mean())
    trails: list[Trail] = []
    if np.diff(across).min(initial=np.inf) > 0.5 * apart:
        root = clip.skeleton.by_role.get("hips", clip.skeleton.roots[0])
        trails = [Trail(clip.world_positions[:, root], _PATH, gaps=True)]
    else:
        moves = (np.arange(len(frames)) * apart - across)[:, None] * right
        actors = [Actor(clip, character, frame=f, offset=_triple(m)) for f, m in zip(frames, moves)]
        places = places + moves[:, None]
    span, rise = np.ptp(places @ right), np.ptp(places[..., 1])
    size = (max(int(height * (span + 0.2 * rise) / (1.2 * rise)), height // 2), height)
    seen = frame_points(places, camera, heading=facing, size=size, fov=None)
    return next(render_actors(actors, size=size, camera=seen, frames=[0], look=look, trails=trails))


def _triple(v: Array) -> tuple[float, float, float]:
    return float(v[0]), float(v[1]), float(v[2])
