"""Let a crowd follow a path or velocities, and measure how well: the course on which controllers are compared.

Every figure stands beside that of the real clips, and no single one is enough: a frozen figure that glides along
has a small path error. Judge by path, skate, jerk and pose distance together.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from moveset.geometry.quaternion import Array
from moveset.motion import Clip, measure
from moveset.motion.floor import points_in_world
from moveset.motion.measure import ground_poses
from moveset.progress import Track, untracked
from moveset.runtime.controller import Controller
from moveset.runtime.crowd import Crowd, CrowdConfig, CrowdReport
from moveset.runtime.pace import walkable
from moveset.runtime.path import Path, PathFollower
from moveset.runtime.reference import Reference

SETTLING = 2.0
"""Seconds at the start that are not measured: the characters begin anywhere in the data."""
_MOST_POSES = 600
"""Of a run are looked up among the real ones, evenly over it."""


@dataclass(frozen=True, eq=False)
class Run:
    """A recorded run of N characters."""

    clips: tuple[Clip, ...]
    positions: Array
    """(F, N, 2) of the ground frames [m]."""
    headings: Array
    """(F, N) [rad]."""
    microseconds: float
    """Of wall time a character and frame: the median frame, recording and asking included."""
    report: CrowdReport


def follow(
    controller: Controller,
    path: Path,
    speed: float,
    seconds: float,
    count: int = 1,
    seed: int = 0,
    config: CrowdConfig | None = None,
    track: Track = untracked,
    as_is: bool = True,
) -> tuple[Run, PathFollower]:
    """N characters, spread over a closed path or one behind the other, follow it for `seconds`.

    Corners and tight bends are asked `as_is`, or as a body can walk them (runtime/pace.py).
    """
    path, pace = (path, None) if as_is else walkable(path, speed)
    spacing = path.length / count if path.closed else 1.5
    follower = PathFollower(path, speed, np.arange(count) * spacing, pace)
    crowd = Crowd(controller, count, seed, config)
    crowd.place(*follower.place())
    rate = controller.fps

    def ask(frame: int) -> None:
        crowd.control(follower.control(frame / rate, controller.times))

    return drive(crowd, ask, seconds, track, path.name.replace(":", "_")), follower


def drive(
    crowd: Crowd,
    ask: Callable[[int], None],
    seconds: float,
    track: Track = untracked,
    name: str = "crowd",
) -> Run:
    """Step a crowd frame by frame, `ask(frame)` giving its controls, and record it."""
    rate = crowd.controller.fps
    frames = max(2, round(seconds * rate))
    crowd.record()
    spent = np.empty(frames)
    for frame in track(range(frames), frames, "playing"):
        began = time.perf_counter()
        ask(frame)
        crowd.step(1 / rate)
        spent[frame] = time.perf_counter() - began
    positions, headings = crowd.recorded_ground()
    microseconds = float(np.median(spent)) / crowd.count * 1e6
    return Run(tuple(crowd.clips(rate, name)), positions, headings, microseconds, crowd.report)


def measure_motion(clips: Sequence[Clip], real: Reference) -> dict[str, float]:
    """How the bodies moved, beside the real clips: skate and planted speed [m/s], ratios of jerk and pose."""
    first = round(SETTLING * clips[0].fps)
    judged = [clip.slice(first, len(clip)) for clip in clips if len(clip) > first + 8] or list(clips)
    stride = max(1, sum(map(len, judged)) // _MOST_POSES)
    distances = np.concatenate(
        [real.poses.distances(*(x[::stride] for x in ground_poses(clip))) for clip in judged]
    )
    return {
        "foot_skate": float(np.mean([measure.foot_skate(clip, real.standing) for clip in judged])),
        "foot_skate_real": real.foot_skate,
        "planted_speed": _mean_of_known([measure.planted_speed(clip) for clip in judged]),
        "planted_speed_real": real.planted_speed,
        "jerk_ratio": float(np.mean([measure.jerk(clip) for clip in judged])) / real.jerk,
        "pose_distance": float(np.median(distances)),
        "pose_ratio": float(np.median(distances)) / real.pose_distance,
        "pose_ratio_p99": float(np.percentile(distances, 99)) / real.pose_distance_p99,
    }


def _mean_of_known(values: list[float]) -> float:
    """A run in which no foot was planted has no planted speed."""
    known = [value for value in values if np.isfinite(value)]
    return float(np.mean(known)) if known else float("nan")


def measure_path(run: Run, follower: PathFollower, rate: float) -> dict[str, float]:
    """Distance to the path and to the asked place [m], angle to the path's direction [rad]."""
    frames, count = run.headings.shape
    first = min(round(SETTLING * rate), frames // 2)
    times = (np.arange(frames) + 1) / rate
    travelled = follower.travelled(times)
    line = follower.path.polyline(float(travelled.max()))
    asked = follower.path.headings(travelled)
    distances, lags, angles = [], [], []
    for n in range(count):
        at = points_in_world(run.positions[first:, n])
        distances.append(measure.distance_to_path(at, line))
        lags.append(measure.path_error(at, points_in_world(follower.path.at(travelled[first:, n]))))
        angles.append(measure.heading_error(run.headings[first:, n], asked[first:, n]))
    off = np.concatenate(distances)
    return {
        "path_distance": float(off.mean()),
        "path_distance_p95": float(np.percentile(off, 95)),
        "path_error": float(np.mean(lags)),
        "heading_error": float(np.mean(angles)),
    }
