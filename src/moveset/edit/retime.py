"""The same motion at another pace: quicker or slower, with longer or shorter steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from moveset.errors import MovesetError
from moveset.motion import Clip
from moveset.motion.contacts import detect_contacts
from moveset.motion.ground import ground_frame, integrate
from moveset.motion.resample import sample

LEAST, MOST = 0.1, 10.0
_LOWEST = 0.4  # slower clips do not walk [m/s]
_RATIO = 1.12  # of one stretch of speeds to the one before
_FURTHEST = 2.2  # a clip that would have to be changed by more is not the one to fill a stretch
_MOST_COPIES = 6
_WORN = 0.1  # each copy makes a clip count as this much further away, so that many clips take part
_NEAREST = 0.04  # a clip nearer in log speed fills by being there already


def time_scaled(clip: Clip, factor: float) -> Clip:
    """The clip played `factor` times as fast, at its own frame rate. A loop gets a whole number of frames."""
    _check(factor)
    if clip.loop:
        count = max(1, round(len(clip) / factor))
        times = np.arange(count) * (clip.seconds / count)
    else:
        count = int(np.floor(clip.seconds / factor * clip.fps + 1e-6)) + 1
        times = np.arange(count) * (factor / clip.fps)
    scaled = sample(clip, times) if len(clip) else clip
    return replace(scaled, loop=clip.loop, name=f"{clip.name}_x{factor:.2f}")


def stride_scaled(clip: Clip, factor: float) -> Clip:
    """The clip with its path `factor` times as long. Feet that stand slide then, until they are planted again."""
    _check(factor)
    contacts = clip.contacts or detect_contacts(clip)
    ground = ground_frame(clip)
    longer = integrate(
        ground.displacements * (factor, factor, 1.0), ground.positions[0], float(ground.headings[0])
    )
    roots = list(clip.skeleton.roots)
    translations = np.array(clip.translations)
    translations[:, roots] += (longer.positions - ground.positions)[:, None]
    return replace(clip, translations=translations, contacts=contacts, name=f"{clip.name}_stride{factor:.2f}")


def paced(clip: Clip, factor: float) -> Clip:
    """The clip at `factor` times its speed, half of it by quicker and half by longer steps, as bodies do it."""
    half = float(np.sqrt(factor))
    return replace(time_scaled(stride_scaled(clip, half), half), name=f"{clip.name}_pace{factor:.2f}")


def reversed_in_time(clip: Clip) -> Clip:
    """The clip played backwards."""
    contacts = clip.contacts
    return replace(
        clip,
        rotations=clip.rotations[::-1],
        translations=clip.translations[::-1],
        scales=None if clip.scales is None else clip.scales[::-1],
        contacts=contacts and replace(contacts, flags=contacts.flags[::-1]),
        events=tuple(replace(e, time=clip.seconds - e.time) for e in reversed(clip.events)),
        curves={name: curve[::-1] for name, curve in clip.curves.items()},
        name=f"{clip.name}_reversed",
    )


def missing_paces(clips: Sequence[Clip]) -> list[tuple[int, float]]:
    """(number of a clip, factor) of copies that fill the speeds which `clips` hardly have.

    Stretches of speed from the slowest walk to the quickest clip, each 12 % faster than the one before, in which less
    than a third of the median time is spent are filled up to it, by the clips nearest in speed.
    """
    speeds = np.array([mean_speed(clip) for clip in clips])
    seconds = np.array([clip.seconds for clip in clips])
    moving = speeds > _LOWEST
    if not moving.any():
        return []
    bins = (np.log(speeds[moving] / _LOWEST) / np.log(_RATIO)).astype(np.int64)
    held = np.bincount(bins, weights=seconds[moving])
    wanted = float(np.median(held[held > 0]))
    out: list[tuple[int, float]] = []
    used = np.zeros(len(clips), dtype=np.int64)
    for number in np.flatnonzero(held[:-1] < wanted / 3):
        target = _LOWEST * _RATIO ** (number + 0.5)
        away = np.abs(np.log(target / np.maximum(speeds, 1e-3)))
        missing = wanted - held[number]
        for k in np.argsort(away + _WORN * used, kind="stable"):
            if missing <= 0:
                break
            if not _NEAREST < away[k] < np.log(_FURTHEST) or used[k] == _MOST_COPIES:
                continue
            used[k] += 1
            out.append((int(k), float(target / speeds[k])))
            missing -= seconds[k] * speeds[k] / target
    return out


def mean_speed(clip: Clip) -> float:
    """Mean speed of the ground frame [m/s]."""
    steps = ground_frame(clip).displacements[1:, :2] * clip.fps
    return float(np.hypot(steps[:, 0], steps[:, 1]).mean()) if len(steps) else 0.0


def _check(factor: float) -> None:
    if not LEAST <= factor <= MOST:
        raise MovesetError(f"a factor of {factor:g}", do=f"give one from {LEAST:g} to {MOST:g}")
