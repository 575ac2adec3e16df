"""Which foot stands where and when: a planner of footsteps along any path.

Walking cadence keeps the ratio of step length to step rate (Sekiya and Nagasaki 1998); running cadence and ground
contact follow Dorn, Schache and Pandy (2012). Both scale with leg length by dynamic similarity (Alexander 1989), and
people change from one to the other near a Froude number v^2 / (g l) of one half.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from moveset.conventions import GRAVITY
from moveset.geometry import signal
from moveset.geometry.quaternion import Array
from moveset.synthetic import curves
from moveset.synthetic.figure import SIDES
from moveset.synthetic.paths import Path, forward, leftward


@dataclass(frozen=True)
class Stance:
    """A foot on the floor from touch-down to lift-off."""

    down: float
    """Seconds on the path's clock; -inf for a foot that stood before it."""
    up: float
    place: tuple[float, float]
    """x, z of the ankle of the flat foot [m]."""
    heading: float
    """[rad]"""
    speed: float
    """Of the path around touch-down [m/s]: how hard the foot lands and pushes."""
    aside: float
    """Angle of travel to the left of the foot's heading [rad]."""
    middle: float
    """When the body passes over it."""
    strike: float | None = None
    """Pitch of the foot at touch-down [rad], where the gait does not give it; negative on the heel."""
    push: float | None = None
    """Pitch at lift-off."""


Steps = Mapping[str, tuple[Stance, ...]]
"""Stances of each side in order."""


@dataclass(frozen=True)
class Footing:
    """How a body places its feet: gait factors and the stance it stands in."""

    cadence: float = 1.0
    """Factor on the step rate."""
    duty: float = 1.0
    """Factor on the share of a stride that a foot is down."""
    width: float = 0.11
    """Between the ankles when walking, for the average adult [m]."""
    stand_width: float = 0.22
    """Between the ankles at a standstill."""
    stagger: float = 0.0
    """How far the left foot stands ahead of the right at a standstill [m]."""
    open: float = 0.0
    """Extra outward turn of the rear foot of a staggered stance [rad]."""
    toe_out: float = 0.11
    """Outward turn of each foot [rad]."""
    keep: float = 0.0
    """Share of the standing stance kept while moving."""


def running(speed: Array | float, size: float) -> Array:
    """0 for walking, 1 for running, smooth around a Froude number of one half."""
    change = np.sqrt(0.5 * GRAVITY * 0.91 * size)
    return curves.minimum_jerk((np.asarray(speed) - 0.93 * change) / (0.22 * change))


def step_rate(speed: Array | float, size: float) -> Array:
    """Steps a second at a speed [m/s]; `size` is leg length over that of the average adult."""
    v = np.asarray(speed) / np.sqrt(size)
    walk = ((np.maximum(v, 0) / (0.0063 * 60)) ** 2 + 1.05**4) ** 0.25
    run = 2.45 + 0.0225 * v * v
    share = running(speed, size)
    return ((1 - share) * walk + share * run) / np.sqrt(size)


def duty(speed: Array | float, size: float) -> Array:
    """Share of the stride that a foot is on the floor."""
    v = np.asarray(speed) / np.sqrt(size)
    walk = np.clip(0.675 - 0.045 * v, 0.56, 0.67)
    run = np.clip(0.41 - 0.03 * v, 0.22, 0.40)
    share = running(speed, size)
    return (1 - share) * walk + share * run


def pressure_reference(path: Path, leg: float) -> Array:
    """(T, 2) where the feet should be on average: behind a body that speeds up, outside of a turn.

    The inverted pendulum's p = x - x'' h / g, softened, and kept within reach of the legs.
    """
    smoothed = signal.gaussian(path.positions, 0.10 * path.rate)
    offset = -0.75 * curves.rates(curves.rates(smoothed, path.rate), path.rate) * leg / GRAVITY
    length = np.linalg.norm(offset, axis=1, keepdims=True)
    reach = 0.28 * leg
    return smoothed + offset * (reach * np.tanh(length / reach) / np.maximum(length, 1e-9))


HIP_TURN = 0.42
"""How far the pelvis turns towards a sideways travel [rad]; the feet turn with it by half."""


class Planner:
    """Walks along a path in the mind and notes where the feet go."""

    def __init__(self, path: Path, footing: Footing, leg: float, size: float) -> None:
        self.path, self.footing, self.leg, self.size = path, footing, leg, size
        self._reference = pressure_reference(path, leg)
        velocity = path.velocities
        self._velocity = signal.gaussian(velocity, 0.12 * path.rate)
        self._speeds = np.linalg.norm(self._velocity, axis=1)

    def _read(self, samples: Array, time: float) -> Array:
        at = min(max(time * self.path.rate, 0.0), len(samples) - 1.001)
        k = int(at)
        return samples[k] + (at - k) * (samples[k + 1] - samples[k])

    def speed(self, time: float, span: float = 0.5) -> float:
        """Mean speed of the path over the next `span` seconds."""
        first = max(int(time * self.path.rate), 0)
        ahead = self._speeds[first : first + max(int(span * self.path.rate), 1)]
        return float(ahead.mean()) if len(ahead) else 0.0

    def _travel(self, time: float) -> tuple[float, float]:
        """Speed and the angle of travel to the left of the facing; 0 for one that hardly moves."""
        facing = np.asarray(self._read(self.path.facing, time))
        velocity = self._read(self._velocity, time)
        pace = float(np.linalg.norm(velocity))
        aside = float(np.arctan2(velocity @ leftward(facing), velocity @ forward(facing)))
        return pace, aside if pace > 0.15 else 0.0

    def _rate(self, pace: float, aside: float) -> float:
        """Steps a second; sideways and backwards they are shorter and quicker."""
        quicker = 1 + 0.40 * abs(np.sin(aside)) + 0.15 * max(-np.cos(aside), 0)
        return float(step_rate(pace, self.size)) * self.footing.cadence * quicker

    def pose(self, side: str, time: float) -> tuple[Array, float, float, float]:
        """Ankle place (2,), heading, speed and angle of travel for a stance whose middle is at `time`."""
        f = self.footing
        facing = float(self._read(self.path.facing, time))
        pace, aside = self._travel(time)
        still = 1 - (1 - f.keep) * float(curves.minimum_jerk(pace / 0.9))
        sign = 1.0 if side == "left" else -1.0
        # sidesteps open and close: the leading foot is set further out, so that the feet do not cross
        sideways = abs(np.sin(aside)) * pace / (2 * self._rate(pace, aside))
        run = float(running(pace, self.size))
        width = still * f.stand_width + (1 - still) * f.width * (1 - 0.2 * run)
        lateral = sign * (width * self.size / 2 + 0.9 * sideways)
        ahead = sign * still * f.stagger * self.size / 2
        along = float(np.cos(aside))
        ahead -= (0.10 + 0.10 * run) * self.size * max(along, 0.25 * along) * (1 - still)
        place = self._read(self._reference, time) + lateral * leftward(np.array(facing))
        place = place + (ahead - 0.012) * forward(np.array(facing))
        rear = (sign * f.stagger) < 0
        heading = facing + sign * (f.toe_out * (1 - 0.6 * run) + still * f.open * rear)
        heading += 0.5 * HIP_TURN * np.sin(aside) * np.tanh(4 * (np.cos(aside) + 0.25)) * min(pace / 0.5, 1)
        return place, heading, pace, aside

    def _reached(self, place: Array, time: float) -> Array:
        """A foothold drawn in to what a leg reaches from where the body is at `time`."""
        body = self._read(self.path.positions, time)
        away = place - body
        return body + away * min(1.0, 0.50 * self.leg / max(float(np.linalg.norm(away)), 1e-9))

    def _left_behind(self, stance: Stance) -> float:
        """When the body has gone further from a standing foot than a leg reaches."""
        first = int(stance.middle * self.path.rate)
        gone = np.linalg.norm(self.path.positions[first:] - stance.place, axis=1)
        return (
            (first + int(np.argmax(gone > 0.60 * self.leg))) / self.path.rate
            if gone.max() > 0.60 * self.leg
            else np.inf
        )

    def _misplaced(self, side: str, stance: Stance, time: float) -> float:
        """How far a standing foot is from where it should be, 1 = needs a step."""
        place, heading, _, _ = self.pose(side, time)
        distance = float(np.linalg.norm(place - stance.place))
        return distance / (0.055 * self.size) + abs(heading - stance.heading) / np.radians(14)

    def plan(self) -> Steps:
        """Stances of both feet from before the path to after it."""
        end = float(self.path.times[-1])
        open_stance: dict[str, Stance] = {}
        done: dict[str, list[Stance]] = {side: [] for side in SIDES}
        for side in SIDES:
            place, heading, _, _ = self.pose(side, 0.0)
            open_stance[side] = Stance(-np.inf, np.inf, (place[0], place[1]), heading, 0.0, 0.0, 0.0)

        def step(side: str, lift: float, down: float, middle: float) -> None:
            previous = open_stance[side]
            lift = max(min(lift, self._left_behind(previous)), previous.down + 0.05)
            done[side].append(Stance(**{**vars(previous), "up": lift}))
            place, heading, pace, aside = self.pose(side, middle)
            place = self._reached(place, down)
            pace = max(pace, 0.5 * self.speed(down - 0.3, 0.3))
            open_stance[side] = Stance(down, np.inf, (place[0], place[1]), heading, pace, aside, middle)

        time, side = 0.0, "left"
        waiting = True
        while time < end:
            if waiting:
                ahead = time + 0.45
                need = {s: self._misplaced(s, open_stance[s], ahead) for s in SIDES}
                if max(need.values()) < 1:
                    time += 0.05
                    continue
                side = max(need, key=lambda s: need[s])
            speed = self.speed(time)
            period = 1 / self._rate(speed, self._travel(time + 0.3)[1])
            share = float(duty(speed, self.size)) * self.footing.duty
            swing = 2 * period * (1 - share)
            down = time + (swing if waiting else period)
            middle = down + share * period
            if not waiting and all(
                self._misplaced(s, open_stance[s], max(middle, down + 0.4)) < 1 for s in SIDES
            ):
                waiting = True
                continue
            step(side, down - swing, down, middle)
            waiting = False
            time, side = down, ("right" if side == "left" else "left")
        return {s: (*done[s], open_stance[s]) for s in SIDES}
