"""Clips on characters, as pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from moveset.errors import MovesetError
from moveset.geometry.quaternion import Array
from moveset.motion import Character, Clip
from moveset.render.camera import Camera, follow, frame_points
from moveset.render.model import Color, Picture, Trail, build_model, morphed
from moveset.render.picture import Canvas, Look, draw
from moveset.render.skinning import joint_matrices

View = str | tuple[float, float] | Camera | list[Camera]
"""A name in VIEWS, (azimuth, elevation) in degrees from the front, a still camera, or one camera a frame."""


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
    """(F, H, W, 4) pictures of a clip on a character with the same joints."""
    pictures = render_actors(
        [Actor(clip, character)], size=size, camera=camera, frames=frames, look=look, trails=trails
    )
    return np.stack(list(pictures)) if len(clip) else np.zeros((0, size[1], size[0], 4), np.uint8)


def render_actors(
    actors: Sequence[Actor],
    *,
    size: tuple[int, int] = (256, 256),
    camera: View = "three-quarter",
    frames: Sequence[int] | None = None,
    look: Look | None = None,
    trails: Sequence[Trail] = (),
) -> Iterator[Picture]:
    """(H, W, 4) pictures of several characters in one place, one for each of `frames`."""
    look = look or Look()
    if not actors:
        raise MovesetError("there is nobody to draw", do="give at least one clip and character")
    if frames is None:
        frames = range(max(1 if a.frame is not None else len(a.clip) for a in actors))
    stage = _Stage(actors, frames)
    model = build_model([a.character for a in actors], trails, [a.tint for a in actors])
    canvas = Canvas(model, size, look.samples)
    cameras = shots(camera, stage.places, actors[0].clip.fps, size, heading(actors[0].clip))
    clips = [a.clip for a in actors]
    for n, _ in enumerate(frames):
        poses, at = stage.pose(n)
        yield draw(model, poses, cameras[n], look, canvas, morphed(model, clips, at))


class _Stage:
    """World matrices of all actors, computed in blocks so that a long clip takes little memory."""

    def __init__(self, actors: Sequence[Actor], frames: Sequence[int], block: int = 512) -> None:
        self.actors, self.block, self.first = actors, block, -1
        self.frames = np.array([[a.at(f) for a in actors] for f in frames], dtype=np.int64)
        self.frames = self.frames.reshape(-1, len(actors))
        self.orders = [joint_order(a.clip, a.character) for a in actors]
        self.worlds: list[Array] = []
        places = []
        for start in range(0, len(self.frames), block):
            self._load(start)
            places.append(np.concatenate([w[:, o][..., 3] for w, o in zip(self.worlds, self.orders)], axis=1))
        self.places = np.concatenate(places) if places else np.zeros((0, 1, 3))
        """(F, all joints, 3) [m]"""

    def _load(self, start: int) -> None:
        self.first = start
        self.worlds = []
        for k, actor in enumerate(self.actors):
            frames = self.frames[start : start + self.block, k]
            unique, back = np.unique(frames, return_inverse=True)
            world = joint_matrices(actor.clip, unique)[back]
            world[..., 3] += actor.offset
            self.worlds.append(world)

    def pose(self, n: int) -> tuple[list[Array], list[int]]:
        """Joint matrices (J, 3, 4) and clip frame of each actor in picture n."""
        start = n - n % self.block
        if start != self.first:
            self._load(start)
        return [w[n - start][o] for w, o in zip(self.worlds, self.orders)], list(map(int, self.frames[n]))


def heading(clip: Clip, frame: int = 0) -> float:
    """Where the character faces in a frame [rad about +Y from +Z]; 0 where the skeleton has no thighs."""
    roles = clip.skeleton.by_role
    if "leftUpperLeg" not in roles or "rightUpperLeg" not in roles:
        return 0.0
    across = np.subtract(
        *joint_matrices(clip, np.array([frame]))[0, [roles["leftUpperLeg"], roles["rightUpperLeg"]], :, 3]
    )
    if np.hypot(across[0], across[2]) < 1e-6:
        return 0.0
    return float(np.arctan2(-across[2], across[0]))


def shots(
    view: View, places: Array, fps: float, size: tuple[int, int], heading: float = 0.0
) -> Sequence[Camera]:
    """One camera a frame that keeps `places` (F, P, 3) in the picture.

    A named view stands still while the actors stay within a body's reach, and follows their smoothed path
    otherwise; it never turns, so that turns of the character can be seen.
    """
    if isinstance(view, Camera):
        return [view] * len(places)
    if not isinstance(view, (str, tuple)):
        if len(view) < len(places):
            raise MovesetError(
                f"{len(view)} cameras for {len(places)} pictures", do="give one camera a picture"
            )
        return view
    centers = (places.min(axis=1) + places.max(axis=1)) / 2
    tall = float(np.ptp(places[..., 1], axis=1).max(initial=1e-3))
    flesh = _around(places, 0.09 * tall)
    if np.linalg.norm(np.ptp(centers[:, (0, 2)], axis=0)) < 1.2 * max(tall, 0.5):
        return [frame_points(flesh, view, heading=heading, size=size)] * len(places)
    track = follow(Camera((0.0, 0.0, 1.0), (0.0, 0.0, 0.0)), centers, fps)
    offsets = np.array([c.target for c in track])
    near = frame_points(flesh - offsets[:, None], view, heading=heading, size=size)
    return [near.moved(o) for o in offsets]


def _around(places: Array, radius: float) -> Array:
    """Points on the boxes of `radius` around joints, for each frame: a body is thicker than its joints."""
    low, high = places.min(axis=1) - radius, places.max(axis=1) + radius
    low[:, 1] = np.maximum(low[:, 1], np.minimum(places[..., 1].min(axis=1), 0.0))
    corners = [np.where(np.array(pick), high, low) for pick in np.ndindex(2, 2, 2)]
    return np.stack(corners, axis=1)
