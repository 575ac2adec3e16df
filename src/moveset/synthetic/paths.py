"""Where the body is asked to go: a planar trajectory with a facing, from speeds and turns over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from moveset.geometry.quaternion import Array
from moveset.synthetic import curves

Keys = float | Sequence[tuple[float, float]]
"""A constant, or (time, value) pairs joined smoothly."""


@dataclass(frozen=True, eq=False)
class Path:
    """A trajectory sampled at `rate`, with lead-in before `start` and lead-out after `end`."""

    rate: float
    """Samples a second."""
    positions: Array
    """(T, 2) x and z on the floor [m]."""
    facing: Array
    """(T,) heading of the body [rad], unwrapped; 0 faces +Z, positive turns left."""
    start: float = 0.0
    """When the clip begins [s]."""
    end: float = 0.0
    """When it ends [s]."""

    @property
    def times(self) -> Array:
        """(T,) seconds."""
        return np.arange(len(self.facing)) / self.rate

    @property
    def velocities(self) -> Array:
        """(T, 2) [m/s]."""
        return curves.rates(self.positions, self.rate)

    @property
    def speeds(self) -> Array:
        """(T,) [m/s]."""
        return np.linalg.norm(self.velocities, axis=1)

    def at(self, time: float) -> tuple[Array, float]:
        """Position (2,) and facing at one time; held beyond the ends."""
        times = self.times
        place = [float(np.interp(time, times, column)) for column in self.positions.T]
        return np.array(place), float(np.interp(time, times, self.facing))


def evaluate(keys: Keys, times: Array) -> Array:
    """(T,) values of a constant or of (time, value) keys."""
    if isinstance(keys, int | float):
        return np.full(times.shape, float(keys))
    knots, values = zip(*keys, strict=True)
    return curves.through(knots, values, times)


def forward(heading: Array) -> Array:
    """(..., 2) unit vectors x, z of headings."""
    return np.stack((np.sin(heading), np.cos(heading)), axis=-1)


def leftward(heading: Array) -> Array:
    """(..., 2) unit vectors to the left of headings."""
    return np.stack((np.cos(heading), -np.sin(heading)), axis=-1)


def drive(
    seconds: float, speed: Keys, turn: Keys = 0.0, aside: Keys = 0.0, *, rate: float, lead: float = 1.5
) -> Path:
    """A path from speed [m/s], turn rate [rad/s] and the angle of travel to the left of the facing [rad] over time.

    The first and last values are held for `lead` seconds before and after. The clip starts at the origin, facing +Z.
    """
    times = np.arange(round((seconds + 2 * lead) * rate) + 1) / rate - lead
    facing = _integral(evaluate(turn, times), rate)
    velocity = evaluate(speed, times)[:, None] * forward(facing + evaluate(aside, times))
    path = Path(rate, _integral(velocity, rate), facing, start=lead, end=lead + seconds)
    return at_origin(path)


def along(positions: Array, facing: Array, *, rate: float, lead: float = 0.0) -> Path:
    """A path through given samples, of which `lead` seconds at each end lie outside the clip."""
    end = (len(facing) - 1) / rate - lead
    return Path(
        rate, np.asarray(positions, dtype=float), np.asarray(facing, dtype=float), start=lead, end=end
    )


def wander(
    seconds: float,
    speeds: tuple[float, float],
    turns: float,
    rng: np.random.Generator,
    *,
    rate: float,
    pause: float = 0.0,
) -> Path:
    """A random smooth path: speed drawn from `speeds` and turn rate from +-`turns` every second or three.

    With probability `pause` a stretch is stood still. Fast stretches turn less: sideways acceleration stays under 4 m/s^2.
    """
    knots = [-1.5]
    while knots[-1] < seconds + 1.5:
        knots.append(knots[-1] + rng.uniform(1.2, 3.0))
    paused = rng.uniform(size=len(knots)) < pause
    speed = np.where(paused, 0.0, rng.uniform(*speeds, len(knots)))
    turn = rng.uniform(-turns, turns, len(knots)) * (rng.uniform(size=len(knots)) < 0.8)
    limit = 4.0 / np.maximum(speed, 0.5)
    turn = np.clip(turn, -limit, limit)
    return drive(
        seconds, list(zip(knots, speed, strict=True)), list(zip(knots, turn, strict=True)), rate=rate
    )


def at_origin(path: Path) -> Path:
    """The same path moved so that the clip starts at the origin, facing +Z."""
    place, heading = path.at(path.start)
    moved = path.positions - place
    c, s = np.cos(-heading), np.sin(-heading)
    turned = np.stack((moved[:, 0] * c + moved[:, 1] * s, -moved[:, 0] * s + moved[:, 1] * c), axis=1)
    return replace(path, positions=turned, facing=path.facing - heading)


def _integral(x: Array, rate: float) -> Array:
    """Trapezoid rule from the first sample."""
    steps = (x[1:] + x[:-1]) / (2 * rate)
    return np.concatenate((np.zeros_like(x[:1]), np.cumsum(steps, axis=0)))
