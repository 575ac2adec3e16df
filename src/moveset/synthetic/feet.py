"""From footsteps to feet: heel strike, flat foot, roll over the ball, and the swing through the air.

While the sole is flat the ankle stands still; while the heel rises the toe joint does. Both are exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.synthetic import curves
from moveset.synthetic.figure import Figure, FootTrack, about_x, about_y
from moveset.synthetic.steps import Stance, running


@dataclass(frozen=True)
class Sole:
    """Measures of a foot in its own frame: the ankle is the origin, Z points to the toes."""

    height: float
    """Ankle over the floor [m]."""
    heel: float
    """Heel behind the ankle."""
    toe: Array
    """(3,) toe joint."""
    tip: float
    """Toe tip ahead of the toe joint."""

    @classmethod
    def of(cls, figure: Figure) -> Sole:
        """The sole of a figure."""
        height = figure.body.height
        return cls(figure.ankle_height, 0.028 * height, figure.offset["leftToes"], 0.040 * height)

    def depth(self, pitch: Array, bend: Array) -> Array:
        """How far the lowest point of the sole lies below the ankle [m]; pitch is positive with the toes down."""
        heel = self.height * np.cos(pitch) - self.heel * np.sin(pitch)
        thick = self.height + self.toe[1]
        joint = -self.toe[1] * np.cos(pitch) + self.toe[2] * np.sin(pitch)
        tip = joint + self.tip * np.sin(pitch + bend)
        return curves.soft_maximum(heel, thick + curves.soft_maximum(joint, tip, 0.006), 0.006)


@dataclass(frozen=True)
class Roll:
    """How a stance is rolled over: angles of the foot at its ends and the times between."""

    strike: float
    """Pitch at touch-down [rad], negative on the heel."""
    push: float
    """Pitch at lift-off."""
    flat: float
    """When the sole is flat [s]."""
    rise: float
    """When the heel leaves the floor [s]."""

    @classmethod
    def of(cls, stance: Stance, size: float) -> Roll:
        """Angles by speed and direction of travel: walkers land on the heel, sprinters on the ball, backwards on the toes."""
        ahead = np.cos(stance.aside)
        run = float(running(stance.speed, size))
        pace = float(np.clip(stance.speed / 1.3, 0, 1.4))
        walk_strike = -np.radians(9 + 10 * min(pace, 1.15))
        run_strike = np.radians(curves.blend([-11, -6, 7], [2.2, 3.5, 6.5], stance.speed))
        strike_ahead = (1 - run) * walk_strike + run * run_strike
        push_ahead = np.radians((1 - run) * (20 + 34 * min(pace, 1.15)) + run * 56)
        forwards, backwards = max(ahead, 0) ** 1.2, max(-ahead, 0) ** 1.2
        sideways = max(1 - forwards - backwards, 0)
        strike = forwards * strike_ahead + backwards * np.radians(14) + sideways * np.radians(8)
        push = forwards * push_ahead + backwards * np.radians(16) + sideways * np.radians(24)
        if stance.speed < 0.35:
            share = stance.speed / 0.35
            strike, push = (
                share * strike + (1 - share) * np.radians(5),
                share * push + (1 - share) * np.radians(16),
            )
        strike = strike if stance.strike is None else stance.strike
        push = push if stance.push is None else stance.push
        length = stance.up - stance.down
        flat = stance.down + min(0.16 - 0.06 * run, 0.3 * length) * (1 - 0.5 * run)
        late = 0.52 - 0.14 * run if np.isfinite(length) else 0.0
        rise = stance.up - (min(late * length, 0.42) if np.isfinite(length) else 0.30)
        if not np.isfinite(stance.down):
            rise = stance.up - 0.28
        return cls(float(strike), float(push), flat, rise)


_RISE = 2.4
"""Power of the heel's rise over time: still at first, fastest at lift-off."""


_STOP = 0.07
"""A swinging foot loses the speed of the body in this time before it lands [s]."""


def track(figure: Figure, stances: tuple[Stance, ...], times: Array, lift: float = 1.0) -> FootTrack:
    """One foot over `times` (F,); `lift` is a factor on how high it swings."""
    sole = Sole.of(figure)
    frames = len(times)
    ankle, pitch, bend = np.zeros((frames, 3)), np.zeros(frames), np.zeros(frames)
    heading = np.zeros(frames)
    flat, ball = np.zeros(frames, dtype=bool), np.zeros(frames, dtype=bool)
    airborne = np.zeros(frames)
    rolls = [Roll.of(stance, figure.size) for stance in stances]
    for k, (stance, roll) in enumerate(zip(stances, rolls)):
        home = np.array([stance.place[0], sole.height, stance.place[1]])
        turn = about_y(np.array(stance.heading))
        inside = (times >= stance.down) & (times <= stance.up)
        t = times[inside]
        landing = roll.strike * (1 - curves.minimum_jerk((t - stance.down) / (roll.flat - stance.down)))
        if not np.isfinite(stance.down):
            landing = np.zeros_like(t)
        rising = roll.push * np.clip((t - roll.rise) / (stance.up - roll.rise), 0, 1) ** _RISE
        if not np.isfinite(stance.up):
            rising = np.zeros_like(t)
        ankle[inside] = rolled(
            home, turn, landing + rising, sole, on_ball=(t >= roll.rise) | (roll.strike > 0)
        )
        pitch[inside], heading[inside] = landing + rising, stance.heading
        toes_down = (t >= roll.rise) | (roll.strike > 0)
        bend[inside] = np.where(toes_down, -(landing + rising), 0.25 * landing)
        flat[inside] = (t >= roll.flat) & (t <= roll.rise)
        ball[inside] = (t >= roll.flat) | (roll.strike > 0)
        if k + 1 == len(stances):
            break
        following, next_roll = stances[k + 1], rolls[k + 1]
        air = (times > stance.up) & (times < following.down)
        span = following.down - stance.up
        u = (times[air] - stance.up) / span
        rate = roll.push * _RISE / (stance.up - roll.rise) * span
        # the ankle leaves with the speed of the roll, found a moment before
        moment = 1e-4
        last = rolled(
            home, turn, np.array([roll.push, roll.push - rate / span * moment]), sole, np.array([True, True])
        )
        speed = (last[0] - last[1]) / moment * span
        next_home = np.array([following.place[0], sole.height, following.place[1]])
        next_turn = about_y(np.array(following.heading))
        first = rolled(
            next_home, next_turn, np.array([next_roll.strike]), sole, np.array([next_roll.strike > 0])
        )[0]
        brake = -4.0 * rate
        pitch[air] = curves.quintic(u, roll.push, rate, next_roll.strike, 0.0, brake)
        start_bend = -roll.push
        end_bend = -next_roll.strike if next_roll.strike > 0 else 0.25 * next_roll.strike
        bend[air] = curves.quintic(np.clip(u / 0.45, 0, 1), start_bend, -rate * 0.45, 0.0, 0.0)
        bend[air] += end_bend * curves.minimum_jerk((u - 0.6) / 0.4)
        heading[air] = stance.heading + (following.heading - stance.heading) * curves.minimum_jerk(u)
        # a swinging foot is stopped late and hard, or it would wait for the body far ahead
        stop = (
            (last[0] - first) / max(np.linalg.norm(first - last[0]), 0.1) * following.speed / _STOP * span**2
        )
        ground = curves.quintic(u[:, None], last[0], speed, first, 0.0, 0.0, stop)
        depth = sole.depth(pitch[air], bend[air])
        ends = sole.depth(np.array([roll.push, next_roll.strike]), np.array([start_bend, end_bend]))
        surplus = ends - np.array([last[0, 1], first[1]])
        height = clearance(stance, following, figure) * lift * curves.pulse(u, 2.0, 2.3)
        ground[:, 1] = depth - (surplus[0] * (1 - u) + surplus[1] * u) + height
        ankle[air] = ground
        airborne[air] = curves.minimum_jerk(u / 0.15) * curves.minimum_jerk((1 - u) / 0.15)
    rotation = quaternion.multiply(about_y(heading), about_x(pitch))
    return FootTrack(ankle, rotation, bend, flat, ball, airborne)


def clearance(before: Stance, after: Stance, figure: Figure) -> float:
    """Highest sole over the floor in a swing [m]: a runner's heel flies high, a walker's barely clears."""
    pace = max(before.speed, after.speed)
    run = float(running(pace, figure.size))
    walk = 0.020 + 0.012 * min(pace, 1.5)
    flying = float(curves.blend([0.08, 0.15, 0.23, 0.29], [2.0, 3.2, 5.0, 8.0], pace))
    ahead = max(np.cos(after.aside), 0.25)
    return ((1 - run) * walk + run * flying * ahead) * figure.size


def rolled(home: Array, turn: Array, pitch: Array, sole: Sole, on_ball: np.ndarray) -> Array:
    """(F, 3) ankle of a foot that stands at `home` when flat, tipped by `pitch` over its toe joint or its heel."""
    heel = np.array([0, -sole.height, -sole.heel])
    pivot = np.where(np.broadcast_to(on_ball, pitch.shape)[:, None], sole.toe, heel)
    return home + quaternion.rotate(turn, pivot - quaternion.rotate(about_x(pitch), pivot))
