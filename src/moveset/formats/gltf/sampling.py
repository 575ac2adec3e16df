"""Samplers at even frames: STEP, LINEAR (slerp for rotations) and CUBICSPLINE."""

from __future__ import annotations

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


def evaluate(
    keys: np.ndarray, values: np.ndarray, span: Range, interpolation: int, rotation: bool
) -> np.ndarray:
    """(F, K, width) at the frames of `span`, of values (keys, K, width); three rows a key for cubic splines."""
    times, values = span.times, values.astype(np.float64, copy=False)
    if interpolation != CUBIC and span.has_keys(keys):
        return values
    # a key counts as reached a hundredth of a frame early: float32 times lie on either side of their frame
    at = np.clip(np.searchsorted(keys, times + 0.01 / span.fps, side="right") - 1, 0, len(keys) - 1)
    if interpolation == STEP:
        return values[at]
    after = np.minimum(at + 1, len(keys) - 1)
    width = keys[after] - keys[at]
    u = np.clip((times - keys[at]) / np.where(width > 0, width, 1), 0, 1)
    if interpolation == CUBIC:
        sampled = _hermite(values.reshape(len(keys), 3, *values.shape[1:]), at, after, width, u)
        return quaternion.normalize(sampled) if rotation else sampled
    if rotation:
        return quaternion.slerp(values[at], values[after], u[:, None])
    weight = u[:, None, None]
    return values[at] * (1 - weight) + values[after] * weight


def _hermite(
    keyed: np.ndarray, at: np.ndarray, after: np.ndarray, width: np.ndarray, u: np.ndarray
) -> np.ndarray:
    """glTF 2.0 appendix C: in-tangent, value, out-tangent a key; tangents are per second."""
    u, width = u[:, None, None], width[:, None, None]
    u2, u3 = u * u, u * u * u
    return (
        (2 * u3 - 3 * u2 + 1) * keyed[at, 1]
        + width * (u3 - 2 * u2 + u) * keyed[at, 2]
        + (3 * u2 - 2 * u3) * keyed[after, 1]
        + width * (u3 - u2) * keyed[after, 0]
    )
