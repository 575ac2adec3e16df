"""Poses of a clip at any times; clips at another frame rate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion.clip import Clip, Contacts


def sample(clip: Clip, times: ArrayLike, fps: float | None = None) -> Clip:
    """The clip's poses at `times` (T,) [s] as a clip that plays at `fps` (the clip's own unless given).

    Rotations go by slerp, translations, scales and curves linearly, contacts by the nearest frame. Times outside
    a clip that plays once hold its first or last pose; a loop repeats. Rising times carry the events along.
    """
    times = np.atleast_1d(np.asarray(times, dtype=float))
    fps = clip.fps if fps is None else float(fps)
    low, high, weight = _neighbours(clip, times)
    nearest = np.where(weight < 0.5, low, high)
    return replace(
        clip,
        rotations=_blend(clip.rotations, low, high, weight, _slerp),
        translations=_blend(clip.translations, low, high, weight, _lerp),
        scales=None if clip.scales is None else _blend(clip.scales, low, high, weight, _lerp),
        curves={name: _blend(np.asarray(c), low, high, weight, _lerp) for name, c in clip.curves.items()},
        contacts=None
        if clip.contacts is None
        else Contacts(clip.contacts.roles, clip.contacts.flags[nearest]),
        events=_moved_events(clip, times, fps),
        fps=fps,
        loop=False,
    )


def resample(clip: Clip, fps: float) -> Clip:
    """The same motion at `fps`.

    A clip that plays once keeps its speed and loses at most the last fraction of a new frame. A loop keeps its
    seam: it gets a whole number of frames, so its duration changes by at most half a frame.
    """
    if len(clip) == 0 or abs(fps - clip.fps) < 1e-9 * clip.fps:
        return clip
    if clip.loop:
        count = max(1, round(clip.seconds * fps))
        times = np.arange(count) * (clip.seconds / count)
    else:
        count = int(np.floor(clip.seconds * fps + 1e-6)) + 1
        times = np.arange(count) / fps
    return replace(sample(clip, times, fps), loop=clip.loop)


def _neighbours(clip: Clip, times: Array) -> tuple[np.ndarray, np.ndarray, Array]:
    """Frames before and after each time and the weight of the later one."""
    frames = len(clip)
    position = times * clip.fps
    whole = np.round(position)
    position = np.where(np.abs(position - whole) < 1e-6, whole, position)
    if clip.loop:
        position = np.mod(position, frames)
        low = np.floor(position).astype(np.int64) % frames
        return low, (low + 1) % frames, position - np.floor(position)
    position = np.clip(position, 0, frames - 1)
    low = np.minimum(np.floor(position).astype(np.int64), max(frames - 2, 0))
    return low, np.minimum(low + 1, frames - 1), position - low


def _blend(
    track: Array,
    low: np.ndarray,
    high: np.ndarray,
    weight: Array,
    mix: Callable[[Array, Array, Array], Array],
) -> Array:
    """A track between its frames; a constant track stays a broadcast view."""
    if len(track) and track.strides[0] == 0:
        return np.broadcast_to(track[0], (len(low), *track.shape[1:]))
    if not weight.any():
        return track[low]
    return mix(track[low], track[high], weight).astype(track.dtype, copy=False)


def _slerp(a: Array, b: Array, t: Array) -> Array:
    return quaternion.slerp(a, b, t[:, None])


def _lerp(a: Array, b: Array, t: Array) -> Array:
    return a + (b - a) * t.reshape(-1, *[1] * (a.ndim - 1))


def _moved_events(clip: Clip, times: Array, fps: float) -> tuple:
    """Events at the new moments of their old times; those outside the sampled span are dropped."""
    if not clip.events or len(times) < 2 or np.any(np.diff(times) <= 0):
        return ()
    span = times[-1] - times[0] + (clip.seconds / len(times) if clip.loop else 0)
    frames = np.arange(len(times))
    kept = []
    for event in clip.events:
        if -1e-9 <= event.time - times[0] <= span + 1e-9:
            frame = np.interp(event.time, times, frames)
            frame += max(event.time - times[-1], 0) / (times[-1] - times[-2])
            kept.append(replace(event, time=float(frame / fps)))
    return tuple(kept)
