"""Clips on characters, as pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from moveset.errors import MovesetError
from moveset.geometry.quaternion import Array
from moveset.motion import Character, Clip
from moveset.render.camera import Camera
from moveset.render.framing import View, extent, heading, shots
from moveset.render.model import Color, Picture, Trail, build_model, morphed
from moveset.render.picture import Canvas, Look, draw
from moveset.render.skinning import joint_matrices

_FRAMED = 200
"""About this many frames of a clip decide how near the camera stands."""


@dataclass(frozen=True, eq=False)
class Actor:
    """A character that plays a clip; after its last frame it holds still, or starts again if it loops."""

    clip: Clip
    character: Character
    tint: Color | None = None
    """Multiplies the character's colors."""
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """[m] Where it stands, added to the clip's own place."""
    frame: int | None = None
    """Holds this frame in every picture."""

    def __post_init__(self) -> None:
        if len(self.clip) == 0:
            raise MovesetError(f"clip {self.clip.name!r} has no frames", do="choose another clip")
        joint_order(self.clip, self.character)

    def at(self, frame: int) -> int:
        """Which frame of the clip shows in picture `frame`."""
        if self.frame is not None:
            return self.frame
        return frame % len(self.clip) if self.clip.loop else min(frame, len(self.clip) - 1)


def joint_order(clip: Clip, character: Character) -> np.ndarray:
    """(J,) joint of the clip for each joint of the character, by name."""
    missing = [name for name in character.skeleton.names if name not in clip.skeleton.index]
    if missing:
        raise MovesetError(
            f"clip {clip.name!r} does not move joints of character {character.name!r}: "
            f"{', '.join(missing[:4])}{' ...' if len(missing) > 4 else ''}",
            do="retarget the clip to the character first, or show it on the mannequin",
        )
    return np.array([clip.skeleton.index[name] for name in character.skeleton.names], dtype=np.int64)


def render_clip(
    clip: Clip,
    character: Character,
    *,
    size: tuple[int, int] = (256, 256),
    camera: View = "three-quarter",
    frames: Sequence[int] | None = None,
    look: Look | None = None,
    trails: Sequence[Trail] = (),
) -> Picture:
    """(F, H, W, 4) pictures of a clip on a character with the same joints; `size` is (width, height)."""
    frames = range(len(clip)) if frames is None else frames
    out = np.empty((len(frames), size[1], size[0], 4), dtype=np.uint8)
    pictures = render_actors(
        [Actor(clip, character)], size=size, camera=camera, frames=frames, look=look, trails=trails
    )
    for n, picture in enumerate(pictures):
        out[n] = picture
    return out


def render_actors(
    actors: Sequence[Actor],
    *,
    size: tuple[int, int] = (256, 256),
    camera: View = "three-quarter",
    frames: Sequence[int] | None = None,
    look: Look | None = None,
    trails: Sequence[Trail] = (),
) -> Iterator[Picture]:
    """(H, W, 4) pictures of several characters in one place, one for each of `frames`, as they are drawn."""
    look = look or Look()
    if not actors:
        raise MovesetError("there is nobody to draw", do="give at least one clip and character")
    if frames is None:
        frames = range(max(1 if a.frame is not None else len(a.clip) for a in actors))
    if len(frames) == 0:
        return
    stage = _Stage(actors, frames)
    model = build_model([a.character for a in actors], trails, [a.tint for a in actors])
    canvas = Canvas(model, size, look.samples)
    cameras = stage.seen(camera, size)
    clips = [a.clip for a in actors]
    for n in range(len(frames)):
        poses, at = stage.pose(n)
        yield draw(model, poses, cameras[n], look, canvas, morphed(model, clips, at))


class _Stage:
    """World matrices of all actors, computed in blocks so that a long clip takes little memory."""

    def __init__(self, actors: Sequence[Actor], frames: Sequence[int], block: int = 256) -> None:
        self.actors, self.block, self.first = actors, block, -1
        shown = [[a.at(f) for a in actors] for f in frames]
        self.frames = np.array(shown, dtype=np.int64).reshape(-1, len(actors))
        self.orders = [joint_order(a.clip, a.character) for a in actors]
        self.worlds: list[Array] = []

    def seen(self, view: View, size: tuple[int, int]) -> Sequence[Camera]:
        """One camera a picture that sees all actors."""
        extents = [extent(a.character) for a in self.actors]
        stride = max(1, len(self.frames) // _FRAMED)
        centers, places = [], []
        for start in range(0, len(self.frames), self.block):
            self._load(start)
            points = np.concatenate([e.places(w) for e, w in zip(extents, self.worlds)], axis=1)
            centers.append((points.min(axis=1) + points.max(axis=1)) / 2)
            places.append(points[-start % stride :: stride])
        lead = self.actors[0].clip
        return shots(
            view, np.concatenate(centers), np.concatenate(places), stride, lead.fps, size, heading(lead)
        )

    def _load(self, start: int) -> None:
        self.first = start
        self.worlds = []
        for k, actor in enumerate(self.actors):
            frames = self.frames[start : start + self.block, k]
            unique, back = np.unique(frames, return_inverse=True)
            world = joint_matrices(actor.clip, unique)[:, self.orders[k]][back]
            world[..., 3] += actor.offset
            self.worlds.append(world)

    def pose(self, n: int) -> tuple[list[Array], list[int]]:
        """Joint matrices (J, 3, 4) and clip frame of each actor in picture n."""
        start = n - n % self.block
        if start != self.first:
            self._load(start)
        return [world[n - start] for world in self.worlds], [int(f) for f in self.frames[n]]
