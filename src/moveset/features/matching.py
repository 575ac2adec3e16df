"""The features of motion matching: where the feet are, how they and the hips move, where the body goes next.

The classic 27 numbers (Clavet, Motion Matching and The Road to Next-Gen Animation, GDC 2016; Holden et al.,
Learned Motion Matching, SIGGRAPH 2020), all in the ground frame of their moment.
"""

from __future__ import annotations

import numpy as np

from moveset.features.layout import Field, Layout
from moveset.geometry import signal
from moveset.geometry.quaternion import Array
from moveset.motion import Clip
from moveset.motion.floor import directions, ground_from_world
from moveset.motion.ground import GroundFrame, ground_frame

TIMES = (1 / 3, 2 / 3, 1.0)
"""Seconds ahead at which the path is compared."""
POSE = ("foot_positions", "foot_velocities", "hips_velocity")
PATH = ("path_positions", "path_directions")


def matching_layout(times: tuple[float, ...] = TIMES) -> Layout:
    """The layout for a path looked at `times` ahead; 27 numbers for three times.

    The weights were tried on walks and runs along lines, circles and figures of eight (docs/bench/matching.md):
    lighter paths are cut by 5 to 10 cm, heavier ones cost jerk and gain nothing.
    """
    return Layout(
        "motion matching",
        (
            Field("foot_positions", (2, 3), "m", 1.0),
            Field("foot_velocities", (2, 3), "m/s", 1.0),
            Field("hips_velocity", (3,), "m/s", 1.0),
            Field("path_positions", (len(times), 2), "m", 3.0),
            Field("path_directions", (len(times), 2), "", 2.0),
        ),
    )


def matching_features(
    clip: Clip, ground: GroundFrame | None = None, times: tuple[float, ...] = TIMES
) -> Array:
    """(F, D) features of every frame. Beyond its end the clip is taken to go on as it last went."""
    ground = ground or ground_frame(clip)
    joints = clip.skeleton.joints(("leftFoot", "rightFoot", "hips"))
    positions = clip.world_positions[:, joints]
    velocities = signal.derivative(positions, clip.fps)
    in_ground = ground.ground_from_world(positions)
    velocities = ground.ground_from_world_directions(velocities)
    offsets, turns = future(ground, clip.fps, times)
    return matching_layout(times).pack(
        {
            "foot_positions": in_ground[:, :2],
            "foot_velocities": velocities[:, :2],
            "hips_velocity": velocities[:, 2],
            "path_positions": offsets,
            "path_directions": directions(turns),
        }
    )


def future(ground: GroundFrame, fps: float, times: tuple[float, ...]) -> tuple[Array, Array]:
    """Offsets (F, T, 2) [m] and turns (F, T) [rad] to the ground frame `times` ahead, seen from each frame."""
    frames = len(ground.headings)
    ahead = np.arange(frames)[:, None] + np.asarray(times) * fps
    track = np.column_stack((ground.positions[:, [0, 2]], ground.headings))
    inner = np.minimum(ahead, frames - 1)
    low = np.minimum(inner.astype(np.int64), max(frames - 2, 0))
    high = np.minimum(low + 1, frames - 1)
    sampled = track[low] + (inner - low)[..., None] * (track[high] - track[low])
    sampled += (ahead - inner)[..., None] * _last_step(track)
    delta = sampled - track[:, None]
    return ground_from_world(delta[..., :2], ground.headings[:, None]), delta[..., 2]


def _last_step(track: Array) -> Array:
    """Mean step a frame over the last quarter second or so: what the clip was doing when it ended."""
    span = min(8, len(track) - 1)
    return (track[-1] - track[-1 - span]) / max(span, 1)
