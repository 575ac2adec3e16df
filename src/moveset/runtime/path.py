"""Paths on the floor by arc length, and characters that follow them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path as FilePath
from typing import Protocol

import numpy as np

from moveset.errors import MovesetError
from moveset.geometry.quaternion import Array
from moveset.motion.floor import points_in_world
from moveset.runtime.control import Control, trajectory_follow

SPACING = 0.02
"""Of the points that stand for a curve [m]."""
_MOST_POINTS = 100_000
_SIZES = (
    0.1,
    10_000.0,
)  # of circles, squares, lines [m]: smaller ones nobody can walk, larger ones fill the memory
_BEYOND = 1e6  # [m] that an open path goes on
_FURTHEST = 1e6  # [m] from the origin, where float32 still tells 6 cm apart


@dataclass(frozen=True, eq=False)
class Path:
    """A polyline that starts at its first point; a closed one goes round for ever, an open one straight on."""

    points: Array
    """(P, 2) x z [m]; a closed path does not repeat its first point."""
    closed: bool
    name: str = "path"

    @cached_property
    def _corners(self) -> Array:
        return np.concatenate((self.points, self.points[:1])) if self.closed else self.points

    @cached_property
    def _lengths(self) -> Array:
        """(P or P + 1,) arc length at each corner."""
        steps = np.linalg.norm(np.diff(self._corners, axis=0), axis=1)
        return np.concatenate(([0.0], np.cumsum(steps)))

    @property
    def length(self) -> float:
        """Once round, or from end to end [m]."""
        return float(self._lengths[-1])

    @property
    def heading(self) -> float:
        """Direction of the first piece [rad]."""
        return float(np.arctan2(*(self._corners[1] - self._corners[0])))

    def at(self, distances: Array) -> Array:
        """Points (..., 2) after `distances` (...) [m] along the path."""
        s = np.asarray(distances, dtype=float)
        if self.closed:
            s = np.mod(s, self.length)
        grid, x, z = self._table
        return np.stack((np.interp(s, grid, x), np.interp(s, grid, z)), axis=-1)

    @cached_property
    def _table(self) -> tuple[Array, Array, Array]:
        """Arc lengths and coordinates to look up; an open path goes on beyond its ends as its ends do."""
        corners, lengths = self._corners, self._lengths
        if not self.closed:
            ends = corners[[0, -1]] + _BEYOND * np.stack(
                (corners[0] - corners[1], corners[-1] - corners[-2])
            ) / (np.array([[lengths[1]], [lengths[-1] - lengths[-2]]]))
            corners = np.concatenate((ends[:1], corners, ends[1:]))
            lengths = np.concatenate(([-_BEYOND], lengths, [lengths[-1] + _BEYOND]))
        return lengths, np.ascontiguousarray(corners[:, 0]), np.ascontiguousarray(corners[:, 1])

    def headings(self, distances: Array) -> Array:
        """Directions (...) [rad] of the path there."""
        reach = SPACING / 2
        ahead = self.at(np.asarray(distances) + reach) - self.at(np.asarray(distances) - reach)
        return np.arctan2(ahead[..., 0], ahead[..., 1])

    def polyline(self, distance: float) -> Array:
        """(P, 3) world points of the path as far as `distance` [m], to measure against."""
        points = self._corners
        if not self.closed and distance > self.length:
            points = np.concatenate((points, self.at(np.array([distance]))))
        return points_in_world(points)


def line(length: float = 10.0) -> Path:
    """Straight ahead."""
    return Path(np.array([[0.0, 0.0], [0.0, length]]), False, "line")


def circle(radius: float = 2.0) -> Path:
    """To the left and round, starting at the origin along +Z."""
    a = np.linspace(0, 2 * np.pi, max(16, int(2 * np.pi * radius / SPACING)), endpoint=False)
    return Path(np.column_stack((radius * (1 - np.cos(a)), radius * np.sin(a))), True, f"circle:{radius:g}")


def eight(radius: float = 2.0) -> Path:
    """A circle to the left, then one to the right."""
    left = circle(radius).points
    return Path(np.concatenate((left, left * (-1, 1))), True, f"eight:{radius:g}")


def square(side: float = 4.0, corner: float = 0.5) -> Path:
    """A square to the left whose corners are arcs of radius `corner` [m]; 0 for kinks."""
    corner = min(corner, side / 2)
    if corner <= 0:
        return Path(
            np.array([[0, 0], [0, side], [side, side], [side, 0]], dtype=float), True, f"square:{side:g}"
        )
    a = np.linspace(0, np.pi / 2, max(4, int(corner * np.pi / 2 / SPACING)))
    turn = np.column_stack((corner * (1 - np.cos(a)), corner * np.sin(a)))
    straight = side - 2 * corner
    points, at, forward = [], np.zeros(2), np.array([0.0, 1.0])
    for _ in range(4):
        side_way = np.array([forward[1], -forward[0]])
        points.append(at[None])
        at = at + straight * forward
        bend = at + turn[:, :1] * side_way + turn[:, 1:] * forward
        points.append(bend[:-1])
        at, forward = bend[-1], side_way
    corners = np.concatenate(points)
    keep = np.linalg.norm(np.diff(corners, axis=0, append=corners[:1]), axis=1) > 1e-9
    return Path(corners[keep], True, f"square:{side:g}")


SHAPES: dict[str, Callable[..., Path]] = {"line": line, "circle": circle, "eight": eight, "square": square}


def parse_path(text: str) -> Path:
    """`line`, `circle:2`, `eight`, `square:4`, or a JSON file."""
    name, _, size = text.partition(":")
    if name in SHAPES:
        if not size:
            return SHAPES[name]()
        try:
            number = float(size)
        except ValueError:
            number = np.nan
        low, high = _SIZES
        if not low <= number <= high:
            raise MovesetError(
                f"path {text!r}: {size!r} is no size from {low:g} to {high:,.0f} metres", do=f"write {name}:2"
            )
        return SHAPES[name](number)
    if not text.endswith(".json"):
        raise MovesetError(
            f"there is no path {text!r}",
            do=f"use {', '.join(SHAPES)}, with a size as in circle:2, or FILE.json",
        )
    return read_path(FilePath(text))


def read_path(file: FilePath) -> Path:
    """A path from JSON: {"points": [[x, z], ...], "closed": false}, metres; +Z is ahead, +X to the left."""
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise MovesetError(f"cannot be read: {error.strerror}", file=file) from None
    except (ValueError, RecursionError) as error:
        raise MovesetError(f"is not JSON: {error}", file=file) from None
    example = 'write {"points": [[0, 0], [0, 4], [2, 6]], "closed": false}'
    if not isinstance(document, dict) or not isinstance(document.get("points"), list):
        raise MovesetError("has no list of points", file=file, do=example)
    unknown = document.keys() - {"points", "closed", "name"}
    if unknown or not isinstance(document.get("closed", False), bool):
        raise MovesetError(
            f"holds unknown keys: {', '.join(sorted(unknown))}"
            if unknown
            else "`closed` is not true or false",
            file=file,
            do=example,
        )
    if not 2 <= len(document["points"]) <= _MOST_POINTS:
        raise MovesetError(
            f"has {len(document['points'])} points, a path needs 2 to {_MOST_POINTS}", file=file, do=example
        )
    for k, point in enumerate(document["points"]):
        pair = isinstance(point, list) and len(point) == 2
        if not pair or not all(type(c) in (int, float) and abs(c) <= _FURTHEST for c in point):
            said = f"{point!r:.60}"
            raise MovesetError(
                f"point {k + 1} is {said}, not two numbers up to {_FURTHEST:g}", file=file, do=example
            )
    points = np.array(document["points"], dtype=float)
    closed = document.get("closed", False)
    if closed and len(points) > 2 and np.allclose(points[0], points[-1]):
        points = points[:-1]
    steps = np.linalg.norm(np.diff(points, axis=0, append=points[:1] if closed else points[-1:] + 1), axis=1)
    if steps.min() < 1e-6:
        raise MovesetError(
            f"point {int(steps.argmin()) + 2} repeats the one before it",
            file=file,
            do="leave one of them out",
        )
    return Path(points, closed, str(document.get("name", file.stem)))


class Paced(Protocol):
    """How far along a path one is at each time."""

    def travelled(self, times: Array) -> Array:
        """(...) [m] after `times` (...) [s]."""
        ...

    def time_of(self, distances: Array) -> Array:
        """When one is at `distances` (...)."""
        ...


@dataclass(frozen=True, eq=False)
class PathFollower:
    """The controls that keep N characters on their path, at a steady speed or at the pace of one who starts at 0."""

    path: Path
    speed: float
    """[m/s]; with a pace, the highest."""
    starts: Array
    """(N,) where along the path each begins [m]."""
    pace: Paced | None = None

    @cached_property
    def _begun(self) -> Array:
        return self.pace.time_of(self.starts) if self.pace else np.zeros(len(self.starts))

    def travelled(self, times: Array) -> Array:
        """(F, N) how far along the path the characters should be at `times` (F,) [s]."""
        if self.pace is None:
            return self.starts + self.speed * np.asarray(times)[:, None]
        return self.pace.travelled(self._begun + np.asarray(times)[:, None])

    def place(self) -> tuple[Array, Array]:
        """Positions (N, 2) and headings (N,) at time 0."""
        return self.path.at(self.starts), self.path.headings(self.starts + SPACING)

    def asked(self, time: float) -> Array:
        """(N, 2) where the characters should be at `time` [s]."""
        return self.path.at(self.travelled(np.array([time]))[0])

    def control(self, time: float, ahead: tuple[float, ...]) -> Control:
        """What to ask at `time` [s] of a controller that looks `ahead`."""
        times = time + np.concatenate(([0.0], ahead))
        return trajectory_follow(self.path.at(self.travelled(times).T))
