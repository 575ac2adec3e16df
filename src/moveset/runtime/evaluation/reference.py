"""Real clips, measured: what stands beside every figure of a run.

Runs are judged beside clips of their own gait: a run jerks more than a walk. A bundle carries these measures and
a sample of the real poses, so that whoever plays it need not have the library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

import numpy as np

from moveset.errors import MovesetError
from moveset.geometry.quaternion import Array
from moveset.motion import Clip, measure
from moveset.motion.contacts import standing_heights
from moveset.motion.ground import ground_frame
from moveset.motion.measure import ground_poses

EVERYTHING = "everything"

GAITS = {"walk": (1.2, (0.8, 1.7)), "run": (2.5, (1.9, 3.4))}
"""Speed at which a gait is tried, and the mean speeds of the clips that it is judged beside [m/s]."""

STORED_POSES = 4096
"""Of the real poses travel with a bundle: two thirds of a megabyte for 24 joints."""


@dataclass(frozen=True, eq=False)
class Reference:
    """The measures of a run on the real clips."""

    standing: Array
    """(K,) heights of the feet when they stand [m]."""
    foot_skate: float
    planted_speed: float
    jerk: float
    poses: measure.PoseIndex
    pose_distance: float
    """Median distance of held-out clips to the others [m]; nan when none was held out."""
    pose_distance_p99: float = float("nan")
    diversity: float = float("nan")
    """Mean distance of two random seconds of motion [m]."""
    seconds: float = 0.0
    """Of the clips that were measured."""


@dataclass(frozen=True, eq=False)
class References:
    """The measures of all clips, and of those of each gait that there is."""

    everything: Reference
    gaits: Mapping[str, Reference] = field(default_factory=dict)

    def of(self, gait: str) -> Reference:
        """The measures to judge a run of this gait by."""
        return self.gaits.get(gait, self.everything)


def reference(
    clips: Sequence[Clip], held_out: Sequence[Clip] = (), poses: measure.PoseIndex | None = None
) -> Reference:
    """Measures of real clips; `clips` are what the controller plays from, `held_out` what it never saw."""
    judged = held_out or clips
    standing = np.median([standing_heights(clip) for clip in judged], axis=0)
    weights = np.array([len(clip) for clip in judged], dtype=float)

    def mean(values: list[float]) -> float:
        known = np.isfinite(values)
        if not known.any():
            return float("nan")
        return float(np.average(np.array(values)[known], weights=weights[known]))

    poses = poses or pose_index(clips)
    own = [poses.distances(*ground_poses(clip)) for clip in held_out]
    distances = np.concatenate(own) if own else np.array([np.nan])
    return Reference(
        standing,
        mean([measure.foot_skate(clip, standing) for clip in judged]),
        mean([measure.planted_speed(clip) for clip in judged]),
        mean([measure.jerk(clip) for clip in judged]),
        poses,
        float(np.median(distances)),
        float(np.percentile(distances, 99)),
        diversity([*clips, *held_out]),
        float(sum(clip.seconds for clip in judged)),
    )


def references(clips: Sequence[Clip], held_out: Sequence[Clip] = (), keep: int | None = None) -> References:
    """Measures of all clips and by gait; a gait that nobody walks in these clips is left out.

    `keep`: how many poses, drawn at random, stand for all, so that the measures are small enough to travel.
    Distances grow with fewer, of real poses as of played ones.
    """
    poses = pose_index(clips)
    if keep is not None and keep < len(poses.rows):
        some = np.sort(np.random.default_rng(0).permutation(len(poses.rows))[:keep])
        poses = measure.PoseIndex.of_rows(poses.rows[some], poses.horizon)
    by_gait = {}
    for gait, (_, speeds) in GAITS.items():
        own = [c for c in clips if moves_at(c, speeds)]
        if own:
            by_gait[gait] = reference(own, [c for c in held_out if moves_at(c, speeds)] or held_out, poses)
    return References(reference(clips, held_out, poses), by_gait)


def pose_index(clips: Sequence[Clip]) -> measure.PoseIndex:
    """Where the poses of these clips are."""
    positions, velocities = zip(*(ground_poses(clip) for clip in clips))
    return measure.PoseIndex(np.concatenate(positions), np.concatenate(velocities))


def diversity(clips: Sequence[Clip]) -> float:
    """Mean distance of two random seconds of these clips [m]."""
    rows = [rows for clip in clips if len(rows := measure.moments(clip)[::3])]
    return measure.diversity(np.concatenate(rows), 1000) if rows else float("nan")


def moves_at(clip: Clip, speeds: tuple[float, float]) -> bool:
    """Whether the mean speed of a clip is between `speeds` [m/s]."""
    walked = measure.path_length(ground_frame(clip).positions)
    return speeds[0] < walked / max(clip.seconds, 1e-6) < speeds[1]


# In a bundle

_FIGURES = tuple(f.name for f in fields(Reference) if f.name not in ("standing", "poses"))


def _known(value: float) -> float | None:
    """JSON has no number that is none."""
    return value if np.isfinite(value) else None


def to_manifest(real: References) -> tuple[dict[str, object], dict[str, Array]]:
    """What a bundle's manifest says of the real clips, and the arrays beside it."""
    measured = {EVERYTHING: real.everything, **real.gaits}
    figures = {
        name: {"standing": one.standing.tolist(), **{key: _known(getattr(one, key)) for key in _FIGURES}}
        for name, one in measured.items()
    }
    poses = real.everything.poses
    return {"horizon": poses.horizon, "measures": figures}, {"poses": poses.rows.astype(np.float16)}


def from_manifest(manifest: Mapping, arrays: Mapping[str, Array]) -> References:
    """The inverse of `to_manifest`."""
    try:
        poses = measure.PoseIndex.of_rows(arrays["poses"], float(manifest["horizon"]))
        measured = {
            name: Reference(
                np.array(figures["standing"], dtype=float),
                poses=poses,
                **{key: float("nan") if figures[key] is None else float(figures[key]) for key in _FIGURES},
            )
            for name, figures in manifest["measures"].items()
        }
        return References(measured.pop(EVERYTHING), measured)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise MovesetError(
            f"the measures of the real clips are damaged: {type(error).__name__}: {error}",
            do="train the bundle again, or name its library with --against",
        ) from None
