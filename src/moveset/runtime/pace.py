"""Paths as a body can walk them: corners rounded by what speed allows, slower where a bend is tight.

A body that turns leans on the floor sideways with speed^2 / radius, which stays below SIDEWAYS. A corner becomes an
arc of the radius that this gives at full speed, as far as its two sides have room for it; where they have not, the
pace drops, with time to slow down before and to pick up speed after.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from moveset.geometry import signal
from moveset.geometry.quaternion import Array
from moveset.runtime.path import SPACING, Path

SIDEWAYS = 3.0
"""Most acceleration to the side [m/s^2]: half a metre of radius at a walk of 1.2 m/s, two at a run of 2.5 m/s."""
FORWARD = 1.5
"""Most change of speed [m/s^2]."""
_KINK = 0.2
"""A path that turns by more than this in one point [rad] has a corner there."""
_RIGHT_BACK = 2.9
"""One that turns by more [rad] goes back where it came from: no arc fits, it is walked to its tip, slowly."""
_AS_ASKED = 0.9
"""A bend that allows this share of the speed does not slow anyone down."""
_STEP = 0.05  # [m] between points at which the pace is known


@dataclass(frozen=True, eq=False)
class Pace:
    """How far along a path one is at each time."""

    times: Array
    """(P,) [s] from 0, rising."""
    distances: Array
    """(P,) [m] then; between them the speed is even."""
    closed: bool

    def travelled(self, times: Array) -> Array:
        """(...) [m] after `times` (...) [s]; round and round on a closed path, beyond the ends at their speeds."""
        times = np.asarray(times, dtype=float)
        lap, length = self.times[-1], self.distances[-1]
        if self.closed:
            rounds = np.floor(times / lap)
            return rounds * length + np.interp(times - rounds * lap, self.times, self.distances)
        ends = np.diff(self.distances)[[0, -1]] / np.diff(self.times)[[0, -1]]
        beyond = ends[0] * np.minimum(times, 0) + ends[1] * np.maximum(times - lap, 0)
        return np.interp(times, self.times, self.distances) + beyond

    def time_of(self, distances: Array) -> Array:
        """The inverse of `travelled`, for distances (...) of the first round."""
        return np.interp(distances, self.distances, self.times)


def round_corners(path: Path, speed: float) -> Path:
    """The path with every corner in an arc of radius speed^2 / SIDEWAYS, or of the largest that fits."""
    points = path.points
    before, after = _sides(path)
    lengths = np.linalg.norm(after, axis=1)
    turns = _turns(before, after)
    if not path.closed:
        turns[[0, -1]] = 0.0
    if np.abs(turns).max() <= _KINK:
        return path
    room = np.minimum(np.linalg.norm(before, axis=1), lengths) / 2
    pieces = []
    for point, back, turn, most in zip(points, before, turns, room):
        if abs(turn) <= _KINK or abs(turn) > _RIGHT_BACK:
            pieces.append(point[None])
            continue
        radius = min(speed**2 / SIDEWAYS, most / np.tan(abs(turn) / 2))
        pieces.append(_arc(point, back / np.linalg.norm(back), turn, radius))
    rounded = np.concatenate(pieces)
    steps = np.linalg.norm(
        np.diff(rounded, axis=0, append=rounded[:1] if path.closed else rounded[-1:] + 1), axis=1
    )
    return Path(rounded[steps > 1e-6], path.closed, path.name)


def _arc(corner: Array, back: Array, turn: float, radius: float) -> Array:
    """Points of the arc that touches both sides of a corner that is entered along the unit vector `back`."""
    begin = corner - radius * np.tan(abs(turn) / 2) * back
    angle = np.linspace(0, abs(turn), max(4, int(radius * abs(turn) / SPACING)))[:, None]
    inward = np.array([back[1], -back[0]]) * np.sign(turn)
    return begin + radius * (np.sin(angle) * back + (1 - np.cos(angle)) * inward)


def _sides(path: Path) -> tuple[Array, Array]:
    """(P, 2) pieces into and out of each point; at the ends of an open path the one that there is."""
    steps = np.diff(path.points, axis=0, append=path.points[:1])
    if path.closed:
        return np.roll(steps, 1, axis=0), steps
    steps[-1] = steps[-2]
    return np.concatenate((steps[:1], steps[:-1])), steps


def _turns(before: Array, after: Array) -> Array:
    return signal.wrap(np.arctan2(after[:, 0], after[:, 1]) - np.arctan2(before[:, 0], before[:, 1]))


def walkable(path: Path, speed: float) -> tuple[Path, Pace | None]:
    """The path with round corners, and the pace of one that has bends too tight for `speed` [m/s]."""
    rounded = round_corners(path, speed)
    kept = pace(rounded, speed)
    slowest = (np.diff(kept.distances) / np.diff(kept.times)).min()
    return rounded, kept if slowest < _AS_ASKED * speed else None


def pace(path: Path, speed: float) -> Pace:
    """At `speed` [m/s] where the path's bends allow it, slower in tight ones, changing by FORWARD at most."""
    count = max(8, int(np.ceil(path.length / _STEP)))
    grid = np.linspace(0, path.length, count + 1)
    step = grid[1]
    ends = np.array([-step, path.length + step])
    heading = path.headings(np.concatenate((ends[:1], grid, ends[1:])))
    bend = np.abs(signal.wrap(heading[2:] - heading[:-2])) / (2 * step)
    fastest = np.minimum(speed, np.sqrt(SIDEWAYS / np.maximum(bend, 1e-9)))
    # three times round a closed path, so that the middle one knows what comes after its seam and before it
    laps = np.tile(fastest[:-1], 3) if path.closed else fastest
    gain = 2 * FORWARD * step
    for order in (1, -1):
        run = laps[::order]
        for k in range(1, len(run)):
            run[k] = min(run[k], np.sqrt(run[k - 1] ** 2 + gain))
    speeds = np.append(laps[count : 2 * count], laps[2 * count]) if path.closed else laps
    spent = step / ((speeds[1:] + speeds[:-1]) / 2)
    return Pace(np.concatenate(([0.0], np.cumsum(spent))), grid, path.closed)
