"""Let a crowd follow a path or velocities, and measure how well: the course on which controllers are compared.

Every figure stands beside that of the real clips, and no single one is enough: a frozen figure that glides along
has a small path error. Judge by path, skate, jerk and pose distance together.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from moveset.geometry import signal
from moveset.geometry.quaternion import Array
from moveset.motion import Clip, measure
from moveset.motion.contacts import standing_heights
from moveset.motion.floor import directions, points_in_world
from moveset.motion.ground import ground_frame
from moveset.progress import Track, untracked
from moveset.runtime.control import velocity_follow
from moveset.runtime.controller import Controller, draw
from moveset.runtime.crowd import Crowd, CrowdConfig, CrowdReport
from moveset.runtime.path import Path, PathFollower

SETTLING = 2.0
"""Seconds at the start that are not measured: the characters begin anywhere in the data."""


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


@dataclass(frozen=True, eq=False)
class Reference:
    """The same measures on the real clips."""

    standing: Array
    """(K,) heights of the feet when they stand [m]."""
    foot_skate: float
    planted_speed: float
    jerk: float
    poses: measure.PoseIndex
    pose_distance: float
    """Median distance of held-out clips to the others [m]; nan when none was held out."""


def follow(
    controller: Controller,
    path: Path,
    speed: float,
    seconds: float,
    count: int = 1,
    seed: int = 0,
    config: CrowdConfig | None = None,
    track: Track = untracked,
) -> tuple[Run, PathFollower]:
    """N characters, spread over a closed path or one behind the other, follow it for `seconds`."""
    spacing = path.length / count if path.closed else 1.5
    follower = PathFollower(path, speed, np.arange(count) * spacing)
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


def reference(clips: Sequence[Clip], held_out: Sequence[Clip] = ()) -> Reference:
    """Measures of real clips; `clips` are what the controller plays from, `held_out` what it never saw."""
    judged = held_out or clips
    standing = np.median([standing_heights(clip) for clip in judged], axis=0)
    weights = np.array([len(clip) for clip in judged], dtype=float)

    def mean(values: list[float]) -> float:
        known = np.isfinite(values)
        return (
            float(np.average(np.array(values)[known], weights=weights[known]))
            if known.any()
            else float("nan")
        )

    positions, velocities = map(np.concatenate, zip(*(ground_poses(clip) for clip in clips)))
    poses = measure.PoseIndex(positions, velocities)
    own = [poses.distances(*ground_poses(clip)) for clip in held_out]
    return Reference(
        standing,
        mean([measure.foot_skate(clip, standing) for clip in judged]),
        mean([measure.planted_speed(clip) for clip in judged]),
        mean([measure.jerk(clip) for clip in judged]),
        poses,
        float(np.median(np.concatenate(own))) if own else float("nan"),
    )


def ground_poses(clip: Clip) -> tuple[Array, Array]:
    """Joint positions and velocities (F, J, 3) in the ground frame; a joint above the hips, which holds no flesh,
    is left out."""
    ground = ground_frame(clip)
    joints = [j for j in range(len(clip.skeleton)) if clip.skeleton.roles[j] != "root"]
    positions = clip.world_positions[:, joints]
    velocities = signal.derivative(positions, clip.fps)
    return ground.ground_from_world(positions), ground.ground_from_world_directions(velocities)


def measure_motion(clips: Sequence[Clip], real: Reference) -> dict[str, float]:
    """How the bodies moved, beside the real clips: skate and planted speed [m/s], ratios of jerk and pose."""
    first = round(SETTLING * clips[0].fps)
    judged = [clip.slice(first, len(clip)) for clip in clips if len(clip) > first + 8] or list(clips)
    distances = np.concatenate([real.poses.distances(*ground_poses(clip)) for clip in judged])
    return {
        "foot_skate": float(np.mean([measure.foot_skate(clip, real.standing) for clip in judged])),
        "foot_skate_real": real.foot_skate,
        "planted_speed": _mean_of_known([measure.planted_speed(clip) for clip in judged]),
        "planted_speed_real": real.planted_speed,
        "jerk_ratio": float(np.mean([measure.jerk(clip) for clip in judged])) / real.jerk,
        "pose_distance": float(np.median(distances)),
        "pose_ratio": float(np.median(distances)) / real.pose_distance,
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
    travelled = follower.starts + follower.speed * times[:, None]
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


def respond(
    controller: Controller,
    speeds: tuple[float, float],
    seconds: float = 60.0,
    period: float = 2.0,
    count: int = 8,
    seed: int = 0,
    config: CrowdConfig | None = None,
) -> dict[str, float]:
    """Random velocities, new every `period`: error of the velocity [m/s], time to 90 % of a change [s], share
    reached within the period. Directions turn by at most a right angle at once."""
    rate = controller.fps
    changes = int(np.ceil(seconds / period))
    seeds = np.full(changes * count, seed, dtype=np.uint64)
    chance = draw(seeds, np.arange(changes * count, dtype=np.uint64)).reshape(changes, count)
    turn = draw(seeds + np.uint64(1), np.arange(changes * count, dtype=np.uint64)).reshape(changes, count)
    heading = np.cumsum((turn - 0.5) * np.pi, axis=0)
    speed = speeds[0] + (speeds[1] - speeds[0]) * chance
    goals = speed[..., None] * directions(heading)
    crowd = Crowd(controller, count, seed, config)
    hold = round(period * rate)
    run = drive(crowd, lambda frame: crowd.control(velocity_follow(goals[frame // hold])), seconds)
    velocities = np.diff(run.positions, axis=0, prepend=run.positions[:1]) * rate
    wanted = np.repeat(goals, hold, axis=0)[: len(velocities)]
    settled = (np.arange(len(velocities)) % hold) > hold // 2
    errors = np.linalg.norm(velocities - wanted, axis=-1)[settled]
    reached = [
        measure.response_time(velocities[k * hold : (k + 1) * hold, n], 0, goals[k, n], rate)
        for k in range(1, len(velocities) // hold)
        for n in range(count)
        if np.linalg.norm(goals[k, n] - velocities[k * hold, n]) > 0.25
    ]
    times = np.array(reached)
    return {
        "velocity_error": float(errors.mean()),
        "response_seconds": float(np.median(times)),
        "reached": float(np.isfinite(times).mean()),
    }
