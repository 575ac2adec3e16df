"""Finish a performance: cut the lead-in and lead-out, sample at the clip's rate, attach contacts, events and words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import numpy as np

from moveset.motion import Clip, Contacts, Event, Tags
from moveset.motion.roles import FEET
from moveset.synthetic.figure import ArmTrack, Figure, FootTrack, Trunk
from moveset.synthetic.paths import Path
from moveset.synthetic.steps import Steps

Track = TypeVar("Track", Trunk, FootTrack, ArmTrack)
_FINE = 120.0


def clock(fps: float) -> float:
    """The rate at which motion is computed: a multiple of fps, at least 120 Hz, so that frames are samples of it."""
    return fps * max(1, int(np.ceil(_FINE / fps - 1e-9)))


def finish(
    figure: Figure,
    path: Path,
    trunk: Trunk,
    feet: Mapping[str, FootTrack],
    arms: Mapping[str, ArmTrack],
    *,
    fps: float,
    name: str,
    tags: Tags,
    plan: Steps | None = None,
    events: tuple[Event, ...] = (),
    loop: bool = False,
) -> Clip:
    """The clip between the start and end of the path. `events` are on its clock; foot falls come from `plan`.

    Curves `path_x`, `path_z` [m] and `path_heading` [rad] ride along: where the body was asked to be.
    """
    step = round(path.rate / fps)
    first = round(path.start * path.rate)
    count = round((path.end - path.start) * fps) + (0 if loop else 1)
    chosen = first + step * np.arange(count)
    rotations, translations = figure.pose(
        _sampled(trunk, chosen),
        {side: _sampled(track, chosen) for side, track in feet.items()},
        {side: _sampled(track, chosen) for side, track in arms.items()},
    )
    flags = figure.contacts(feet)[chosen]
    falls = () if plan is None else _falls(plan, path)
    last = (count - 1) / fps
    timed = sorted((e for e in (*falls, *events) if 0 <= e.time <= last + 1e-9), key=lambda e: e.time)
    return Clip(
        figure.skeleton,
        rotations,
        translations,
        fps,
        name=name,
        loop=loop,
        tags=tags,
        events=tuple(timed),
        contacts=Contacts(FEET, flags),
        curves={
            "path_x": path.positions[chosen, 0],
            "path_z": path.positions[chosen, 1],
            "path_heading": path.facing[chosen],
        },
    )


def _sampled(track: Track, chosen: np.ndarray) -> Track:
    return type(track)(**{name: value[chosen] for name, value in vars(track).items()})


def _falls(plan: Steps, path: Path) -> tuple[Event, ...]:
    return tuple(
        Event(float(stance.down - path.start), "foot_down", f"{side}Foot")
        for side, stances in plan.items()
        for stance in stances
        if np.isfinite(stance.down)
    )
