"""Characters that moved at run time, all in one picture: a GIF, or a contact sheet of moments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle

import numpy as np

from moveset.geometry.quaternion import Array
from moveset.motion import Character, Clip
from moveset.progress import Track, untracked
from moveset.render import (
    Actor,
    Camera,
    Look,
    contact_sheet,
    frame_points,
    render_actors,
    save_gif,
    save_png,
)
from moveset.render.model import Picture, Trail
from moveset.rigs.mannequin import mannequin

GIF_FPS, CROWD_FPS = 15.0, 10.0
CROWD = 5
"""So many characters are a crowd, whose pictures change all over: fewer of them keep the file small."""
MOMENTS = 12
"""Pictures on a contact sheet."""

_FOLLOWED = (480, 360)
_WIDE = (640, 360)
_BESIDE = (320, 320)
_PLAIN = Look(floor=(236, 238, 241), lines=(196, 201, 208), reach=8.0)
"""A floor without shades, which a GIF that goes along would pay for dearly."""
_VIEW = (-30.0, 24.0)
"""Azimuth and elevation [degrees] of a still camera: high enough to see who stands where."""
_ROOM = 8.0
"""[m] One character, or a path, that spreads further from its middle is followed instead."""
_TINTS = (
    (255, 255, 255),
    (255, 214, 196),
    (190, 220, 255),
    (206, 240, 206),
    (255, 236, 180),
    (226, 208, 250),
)
"""Tell the characters of a crowd apart."""


def draw(
    clips: Sequence[Clip],
    path: Array | None,
    output: str,
    body: Character | None = None,
    track: Track = untracked,
) -> None:
    """Write all characters, and the `path` (P, 3) that they follow on the floor, as .gif or .png."""
    figure = body or mannequin(clips[0].skeleton, clips[0])
    fps, count = clips[0].fps, len(clips[0])
    moving = output.lower().endswith(".gif")
    crowd = len(clips) >= CROWD
    step = max(1, round(fps / (CROWD_FPS if crowd else GIF_FPS)) if moving else count // MOMENTS)
    frames = range(0, count, step)
    camera = _still_camera(clips, path)
    pictures: Iterable[Picture] = track(
        render_actors(
            [Actor(clip, figure, tint) for clip, tint in zip(clips, cycle(_TINTS))],
            size=_FOLLOWED if camera is None else _WIDE,
            camera=camera or "three-quarter",
            frames=frames,
            look=Look(reach=11.0 if camera is None else 2.5 * _ROOM),
            trails=[] if path is None else [Trail(path)],
        ),
        len(frames),
        "drawing",
    )
    if moving:
        save_gif(pictures, output, fps / step)
    else:
        labels = [f"{frame / fps:.1f} s" for frame in frames]
        save_png(contact_sheet(list(pictures), labels=labels), output)


def draw_beside(
    shown: Mapping[str, Clip], path: Array | None, output: str, seconds: float, track: Track = untracked
) -> None:
    """Write a GIF of characters that followed the same `path` (P, 3), the camera going along, names below."""
    clips = list(shown.values())
    fps = clips[0].fps
    step = max(1, round(fps / GIF_FPS))
    frames = range(0, min(*map(len, clips), round(seconds * fps)), step)
    trails = [] if path is None else [Trail(path)]
    films = [
        render_actors(
            [Actor(clip, mannequin(clip.skeleton, clip))],
            size=_BESIDE, frames=frames, look=_PLAIN, trails=trails,
        )
        for clip in clips
    ]  # fmt: skip
    pages = (contact_sheet(pictures, len(clips), list(shown)) for pictures in zip(*films))
    save_gif(track(pages, len(frames), "drawing"), output, fps / step)


def _still_camera(clips: Sequence[Clip], path: Array | None) -> Camera | None:
    """A camera that sees all that happens, or the thick of a crowd; None where it would stand too far away."""
    stride = max(1, len(clips[0]) // 50)
    root = clips[0].skeleton.by_role.get("hips", clips[0].skeleton.roots[0])
    places = np.concatenate([clip.world_positions[::stride, root] for clip in clips]) * (1, 0, 1)
    if path is not None:
        places = np.concatenate((places, path * (1, 0, 1)))
    middle = (places.min(axis=0) + places.max(axis=0)) / 2
    away = np.linalg.norm(places - middle, axis=1)
    if away.max() > _ROOM:
        if len(clips) == 1 or path is not None:
            return None
        # those who leave a crowd walk out of the picture; closer together they would be dots
        middle = np.median(places, axis=0)
        away = np.linalg.norm(places - middle, axis=1)
        places = places[away <= min(_ROOM, float(np.percentile(away, 80)))]
    body = clips[0].world_positions[0] - clips[0].world_positions[0, root]
    reach = float(np.linalg.norm(body[:, (0, 2)], axis=1).max())
    corners = np.array(
        [(x, y, z) for x in (-reach, reach) for y in (0, 1.1 * np.ptp(body[:, 1])) for z in (-reach, reach)]
    )
    return frame_points(places[:, None] + corners, _VIEW, size=_WIDE)
