"""Uncontrolled for a long time: do the figures drift, and is the motion as diverse as the library's?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from moveset.motion import measure
from moveset.progress import Track, untracked
from moveset.runtime.control import uncontrolled
from moveset.runtime.controller import Controller
from moveset.runtime.course import drive
from moveset.runtime.crowd import Crowd, CrowdConfig
from moveset.runtime.evaluation.measures import measure_motion
from moveset.runtime.evaluation.reference import Reference

WATCHED = ("pose_ratio", "foot_skate", "jerk_ratio", "planted_speed")
"""Figures in which a trend would show that a controller wears out."""

_ENOUGH = 8
"""Parts, from which on a trend can be told from chance."""


@dataclass(frozen=True)
class Wander:
    """What N characters did with nobody steering."""

    minutes: float
    characters: int
    parts: tuple[dict[str, float], ...]
    """The figures of each stretch of time, in order."""
    diversity: float
    """Mean distance of two random seconds of all that was walked [m]."""
    diversity_ratio: float
    """To that of the real clips."""

    def mean(self, figure: str) -> float:
        """Over all parts."""
        return float(np.mean([part[figure] for part in self.parts]))

    def change(self, figure: str) -> tuple[float, float]:
        """By how much of its mean a figure changes from the first part to the last along its trend, and the
        standard error of that."""
        slope, error = measure.trend([part[figure] for part in self.parts])
        span = (len(self.parts) - 1) / max(abs(self.mean(figure)), 1e-12)
        return slope * span, error * span

    @property
    def steady(self) -> bool | None:
        """No watched figure changes by more than a tenth and than chance would (three standard errors).

        Nobody knows from a few parts.
        """
        if len(self.parts) < _ENOUGH:
            return None
        changes = [self.change(figure) for figure in WATCHED if np.isfinite(self.mean(figure))]
        return not any(abs(change) > max(0.1, 3 * error) for change, error in changes)


def wander(
    controller: Controller,
    real: Reference,
    minutes: float = 30.0,
    parts: int = 30,
    count: int = 8,
    seed: int = 0,
    config: CrowdConfig | None = None,
    track: Track = untracked,
) -> Wander:
    """Let `count` characters do as they like for `minutes`, measured in `parts`, of which only one is kept at once."""
    crowd = Crowd(controller, count, seed, config)
    crowd.place(3.0 * np.stack((np.arange(count), np.zeros(count)), axis=-1), np.zeros(count))
    figures, seen = [], []
    for _ in track(range(parts), parts, "wandering"):
        run = drive(crowd, lambda _: crowd.control(uncontrolled()), 60 * minutes / parts, name="wander")
        figures.append(measure_motion(run.clips, real))
        # a second apart, so that the moments of half an hour take little memory
        seen += [measure.moments(clip)[:: round(controller.fps)] for clip in run.clips]
    diversity = measure.diversity(np.concatenate(seen), 1000)
    return Wander(minutes, count, tuple(figures), diversity, diversity / real.diversity)
