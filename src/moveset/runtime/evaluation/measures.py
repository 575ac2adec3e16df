"""How a run went, beside the real clips: the measures by which controllers are compared.

No single one is enough: a frozen figure that glides along its path has a small path error. Judge by path, skate, jerk
and pose distance together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from moveset.motion import Clip, measure
from moveset.motion.floor import points_in_world
from moveset.motion.measure import ground_poses
from moveset.runtime.course import Run
from moveset.runtime.evaluation.reference import Reference
from moveset.runtime.path import PathFollower

SETTLING = 2.0
"""Seconds at the start that are not measured: the characters begin anywhere in the data."""
_MOST_POSES = 600
"""Of a run are looked up among the real ones, evenly over it."""


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
