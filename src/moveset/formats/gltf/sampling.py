"""Samplers at even frames: STEP, LINEAR (slerp for rotations) and CUBICSPLINE."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from moveset.formats.gltf.tracks import CUBIC, STEP
from moveset.geometry import quaternion


@dataclass(frozen=True)
class Range:
    """When a clip's frames lie, in the file's time."""

    start: float
    fps: float
    frames: int

    @cached_property
    def times(self) -> np.ndarray:
        """(F,) seconds in the file's time."""
        return self.start + np.arange(self.frames) / self.fps

    def has_keys(self, keys: np.ndarray) -> bool:
        """Whether `keys` (times) are the frames, one by one."""
        return len(keys) == self.frames and float(np.abs(keys - self.times).max()) * self.fps < 1e-3


@dataclass(frozen=True, eq=False)
class Course:
    """Where frames lie among the keys of their track."""

    before: np.ndarray
    """(N,) number of the last key that each frame has reached."""
    after: np.ndarray
    """(N,) number of the next, or the same where there is none."""
    width: np.ndarray
    """(N,) seconds between the two."""
    share: np.ndarray
    """(N,) of the way from one to the other, 0 to 1."""

    def __len__(self) -> int:
        return len(self.before)

    def __getitem__(self, at: np.ndarray) -> Course:
        return Course(self.before[at], self.after[at], self.width[at], self.share[at])


def course(keys: np.ndarray, span: Range) -> Course:
    """The frames of `span` among `keys` (times)."""
    if span.has_keys(keys):
        each, none = np.arange(len(keys)), np.zeros(len(keys))
        return Course(each, each, none, none)
    # a key counts as reached a hundredth of a frame early: float32 times lie on either side of their frame
    before = np.searchsorted(keys, span.times + 0.01 / span.fps, side="right") - 1
    before = np.clip(before, 0, len(keys) - 1)
    after = np.minimum(before + 1, len(keys) - 1)
    width = keys[after] - keys[before]
    share = np.clip((span.times - keys[before]) / np.where(width > 0, width, 1), 0, 1)
    return Course(before, after, width, share)


def join(courses: Sequence[Course]) -> Course:
    """Courses end to end."""
    return Course(
        np.concatenate([one.before for one in courses]),
        np.concatenate([one.after for one in courses]),
        np.concatenate([one.width for one in courses]),
        np.concatenate([one.share for one in courses]),
    )


def evaluate(
    values: np.ndarray, first: np.ndarray | int, course: Course, interpolation: int, rotation: bool
) -> np.ndarray:
    """(N, width) at the frames of `course`, of tracks that begin at `first` (N,) in `values`, three rows a key where
    they are cubic splines.
    """
    if interpolation == STEP:
        return values[first + course.before]
    if interpolation == CUBIC:
        before, after = first + 3 * course.before, first + 3 * course.after
        sampled = _hermite(values[before + 1], values[before + 2], values[after + 1], values[after], course)
        return quaternion.normalize(sampled) if rotation else sampled
    a = values[first + course.before].astype(np.float64)
    b = values[first + course.after].astype(np.float64)
    share = course.share[:, None]
    return quaternion.slerp(a, b, course.share) if rotation else a * (1 - share) + b * share


def _hermite(
    before: np.ndarray, leaving: np.ndarray, after: np.ndarray, arriving: np.ndarray, course: Course
) -> np.ndarray:
    """glTF 2.0 appendix C, of two values and the tangents between them, which are per second."""
    u, width = course.share[:, None], course.width[:, None]
    u2, u3 = u * u, u * u * u
    return (
        (2 * u3 - 3 * u2 + 1) * before
        + width * (u3 - 2 * u2 + u) * leaving
        + (3 * u2 - 2 * u3) * after
        + width * (u3 - u2) * arriving
    )


def runs(first: np.ndarray, counts: np.ndarray, step: int = 1) -> np.ndarray:
    """first, first + step, ... as many as `counts` says for each, end to end."""
    ends = np.cumsum(counts)
    return np.arange(0, int(ends[-1]) * step if len(ends) else 0, step) + np.repeat(
        first - (ends - counts) * step, counts
    )
