"""Long walks that nobody recorded: motion matching led at random, its feet planted afterwards.

Recordings of a few seconds keep one gait; a learner must also see how one changes into another, how a body stops and
starts, and stretches long enough to roll out on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from moveset.cleanup.feet import plant_feet
from moveset.geometry.quaternion import Array
from moveset.motion import Clip
from moveset.motion.contacts import detect_contacts
from moveset.motion.floor import directions
from moveset.progress import Track, untracked
from moveset.runtime.control import velocity_follow
from moveset.runtime.crowd import Crowd, CrowdConfig
from moveset.runtime.matching import MotionMatching

_SETTLING = 2.0
"""Seconds played before a walk begins: characters start anywhere in the data."""
_BIN = 0.1
_WALKING = 0.5  # speeds much above this [m/s] are asked for the less often the quicker they are
_LEAST_SHARE = 0.004
"""A stretch of speeds this wide [m/s] is asked for if this share of the rows moves so."""
_STEPPING, _ASIDE = 0.3, 0.5
"""Rows that are quicker than this [m/s] and go further off the heading than this [rad] face aside on purpose."""
_LANDING = 0.7
"""Speed [m/s] below which a low toe of a played motion is taken to bear: blends make it slide."""


@dataclass(frozen=True)
class Leading:
    """How walks are led: what changes, every so often, at random."""

    hold: tuple[float, float] = (1.0, 3.3)
    """Time until something else is asked [s]."""
    keeps_gait: float = 0.5
    """Chance that the new speed is near the old one ..."""
    near: float = 0.4
    """... within this [m/s]."""
    stops: float = 0.1
    """Chance of being asked to stand, where the data hold standing."""
    kinks: float = 0.15
    """Chance of a new direction at once; else the path curves."""
    sharpest: float = 2.0
    """Largest such change of direction [rad]."""
    turn_rate: float = 0.6
    """Standard deviation of the turning of a curve [rad/s]."""
    looks_aside: float = 0.1
    """Chance of facing elsewhere than ahead, as far as the data do."""


def known_speeds(matching: MotionMatching) -> Array:
    """(B,) lower ends [m/s] of the stretches of speed in which the data move; width `_BIN`."""
    steps = matching.database.steps
    bins = (np.hypot(steps[:, 0], steps[:, 1]) / _BIN).astype(np.int64)
    share = np.bincount(bins) / len(steps)
    return np.flatnonzero(share > _LEAST_SHARE) * _BIN


def widest_aside(matching: MotionMatching) -> float:
    """How far off its heading a body goes in more than a trace of the data [rad]; 0 if it only goes ahead."""
    side, ahead = matching.database.steps[:, 0], matching.database.steps[:, 1]
    angles = np.where(np.hypot(side, ahead) > _STEPPING, np.abs(np.arctan2(side, ahead)), 0.0)
    widest = float(np.quantile(angles, 1 - _LEAST_SHARE))
    return widest if widest > _ASIDE else 0.0


def matched_walks(
    matching: MotionMatching,
    count: int = 56,
    seconds: float = 30.0,
    speeds: Array | None = None,
    seed: int = 0,
    leading: Leading | None = None,
    track: Track = untracked,
) -> list[Clip]:
    """`count` walks of `seconds` each through the data of `matching`.

    `speeds` (B,) [m/s] are lower ends of stretches 0.1 m/s wide: what the data hold, unless given. Slow ones are asked
    for more often than quick ones, in which steps differ less.
    """
    leading = leading or Leading()
    widest = widest_aside(matching)
    if not widest:
        leading = replace(leading, looks_aside=0.0)
    speeds = known_speeds(matching) if speeds is None else np.asarray(speeds)
    rate = matching.fps
    frames = round((seconds + _SETTLING) * rate)
    velocities, facings = _asked(leading, speeds, widest, count, frames, rate, np.random.default_rng(seed))
    crowd = Crowd(matching, count, seed, CrowdConfig(foot_lock=False))
    crowd.place(np.zeros((count, 2)), np.arctan2(velocities[0, :, 0], velocities[0, :, 1]))
    crowd.record()
    for frame in track(range(frames), frames, "walking"):
        crowd.control(velocity_follow(velocities[frame], facings[frame]))
        crowd.step(1 / rate)
    walks = [clip.slice(round(_SETTLING * rate), frames) for clip in crowd.clips(rate, "walk")]
    return [_planted(clip) for clip in walks]


def _asked(
    leading: Leading,
    speeds: Array,
    widest: float,
    count: int,
    frames: int,
    rate: float,
    rng: np.random.Generator,
) -> tuple[Array, Array]:
    """World velocities (F, N, 2) [m/s] and facings (F, N) [rad]."""
    weights = 1 / (_WALKING + speeds)
    velocities, facings = np.empty((frames, count, 2)), np.empty((frames, count))
    for n in range(count):
        frame, direction, speed = 0, 0.0, rng.choice(speeds, p=weights / weights.sum())
        while frame < frames:
            span = np.arange(min(round(rng.uniform(*leading.hold) * rate), frames - frame))
            if rng.random() < leading.stops and speeds[0] < _BIN:
                asked = 0.0
            else:
                chances = weights * (np.abs(speeds - speed) < leading.near)
                if rng.random() >= leading.keeps_gait or not chances.any():
                    chances = weights
                speed = asked = rng.choice(speeds, p=chances / chances.sum()) + rng.uniform(0, _BIN)
            turn_rate = 0.0
            if rng.random() < leading.kinks:
                direction += rng.uniform(-leading.sharpest, leading.sharpest)
            elif asked:
                turn_rate = rng.normal(0, leading.turn_rate)
            aside = rng.uniform(-widest, widest) if rng.random() < leading.looks_aside else 0.0
            path = direction + turn_rate * span / rate
            velocities[frame + span, n] = asked * directions(path)
            facings[frame + span, n] = path + aside
            frame, direction = frame + len(span), path[-1]
    return velocities, facings


def _planted(walk: Clip) -> Clip:
    """Feet planted by what is seen of them, since blends carry them on while the clips' flags say that they bear."""
    planted = plant_feet(walk, detect_contacts(walk, speed=_LANDING))
    return replace(planted, contacts=detect_contacts(planted))
