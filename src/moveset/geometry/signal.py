"""Signals over time: smoothing, differences, wrapped angles, runs of flags. Time is axis 0 unless said otherwise."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array


def gaussian(x: Array, sigma: float, axis: int = 0, loop: bool = False) -> Array:
    """Gaussian smoothing with standard deviation `sigma` [frames].

    The ends are continued by odd reflection (2 x0 - x), which keeps a constant speed constant up to the very
    ends; a loop is continued by itself.
    """
    x = np.asarray(x)
    radius = int(np.ceil(4 * sigma))
    if radius < 1:
        return x
    taps = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    padded = pad(np.moveaxis(x, axis, 0), radius, loop)
    smoothed = sliding_window_view(padded, 2 * radius + 1, axis=0) @ (taps / taps.sum()).astype(x.dtype)
    return np.moveaxis(smoothed, 0, axis)


def pad(x: Array, count: int, loop: bool = False) -> Array:
    """`x` with `count` more frames at both ends: odd reflection, or the other end of a loop."""
    widths = [(count, count)] + [(0, 0)] * (x.ndim - 1)
    return np.pad(x, widths, mode="wrap") if loop else np.pad(x, widths, mode="reflect", reflect_type="odd")


def derivative(x: Array, fps: float, axis: int = 0, loop: bool = False) -> Array:
    """Central differences per second; one-sided at the ends of what does not loop."""
    x = np.moveaxis(np.asarray(x), axis, 0)
    padded = pad(x, 1, loop)
    return np.moveaxis((padded[2:] - padded[:-2]) * (fps / 2), 0, axis)


def angular_velocity(rotations: Array, fps: float, loop: bool = False) -> Array:
    """World angular velocities (F, ..., 3) [rad/s] of rotations (F, ..., 4), by central differences."""
    frames = len(rotations)
    if loop:
        before, after = np.roll(rotations, 1, axis=0), np.roll(rotations, -1, axis=0)
        span = np.full(frames, 2.0)
    else:
        index = np.arange(frames)
        low, high = np.maximum(index - 1, 0), np.minimum(index + 1, frames - 1)
        before, after, span = rotations[low], rotations[high], np.maximum(high - low, 1)
    turn = quaternion.to_rotation_vector(quaternion.multiply(after, quaternion.conjugate(before)))
    return turn * (fps / span).reshape(-1, *[1] * (turn.ndim - 1)).astype(turn.dtype)


def wrap(angles: Array) -> Array:
    """Angles [rad] in [-pi, pi]."""
    return angles - 2 * np.pi * np.round(np.asarray(angles) / (2 * np.pi))


def runs(flags: np.ndarray) -> list[tuple[int, int]]:
    """[start, stop) of each run of true flags (F,)."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], flags, [False])).astype(np.int8)))
    return [(int(start), int(stop)) for start, stop in edges.reshape(-1, 2)]
