"""Trials of a controller: tasks with figures to judge them by. All run side by side in one crowd, which is cheap.

A trial says where its characters begin, what they are asked at each moment, and how well they did it. To add one,
write a function that returns a Trial.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from moveset.geometry import signal
from moveset.geometry.quaternion import Array
from moveset.motion import measure
from moveset.motion.floor import directions, points_in_world
from moveset.progress import Track, untracked
from moveset.runtime.control import Control, move_to_target, trajectory_follow, velocity_follow
from moveset.runtime.controller import Controller, draw
from moveset.runtime.course import Run, drive
from moveset.runtime.crowd import Crowd, CrowdConfig
from moveset.runtime.evaluation.measures import SETTLING, measure_path
from moveset.runtime.pace import walkable
from moveset.runtime.path import Path, PathFollower

Ask = Callable[[float, tuple[float, ...]], Control]

_STILL = 0.1
"""Slower than this is standing [m/s]."""


@dataclass(frozen=True, eq=False)
class Trial:
    """A task of N characters."""

    name: str
    gait: str
    """Of the clips beside which the motion is judged."""
    positions: Array
    """(N, 2) where they begin [m]."""
    headings: Array
    """(N,) [rad]"""
    ask: Ask
    """(time [s], the seconds ahead that the controller asks about) -> control of all of them."""
    judge: Callable[[Run], dict[str, float]]
    line: Array | None = None
    """(P, 2) what they should walk along, to be drawn."""

    @property
    def count(self) -> int:
        """Number of characters."""
        return len(self.headings)


def run_trials(
    controller: Controller,
    trials: Sequence[Trial],
    seconds: float,
    seed: int = 0,
    config: CrowdConfig | None = None,
    track: Track = untracked,
) -> dict[str, Run]:
    """All trials at once, for `seconds`; the run of each by name."""
    crowd = Crowd(controller, sum(trial.count for trial in trials), seed, config)
    ends = np.cumsum([trial.count for trial in trials])
    slices = [slice(int(end) - trial.count, int(end)) for trial, end in zip(trials, ends)]
    for trial, own in zip(trials, slices):
        crowd.place(trial.positions, trial.headings, own)
    rate = controller.fps

    def ask(frame: int) -> None:
        for trial, own in zip(trials, slices):
            crowd.control(trial.ask(frame / rate, controller.times), own)

    whole = drive(crowd, ask, seconds, track, "trial")
    return {
        trial.name: Run(
            whole.clips[own],
            whole.positions[:, own],
            whole.headings[:, own],
            whole.microseconds,
            whole.report,
        )
        for trial, own in zip(trials, slices)
    }


def path_trial(gait: str, path: Path, speed: float, count: int = 2, *, as_is: bool = True) -> Trial:
    """Follow a path at a steady speed: as it is, or rounded and slowed to what a body can walk."""
    name = f"{gait} {path.name}" + ("" if as_is else ", walkable")
    path, pace = (path, None) if as_is else walkable(path, speed)
    spacing = path.length / count if path.closed else 1.5
    follower = PathFollower(path, speed, np.arange(count) * spacing, pace)
    positions, headings = follower.place()
    end = path.length if path.closed else 10.0
    return Trial(
        name,
        gait,
        positions,
        headings,
        follower.control,
        lambda run: measure_path(run, follower, _rate(run)),
        path.at(np.linspace(0, end, 400)),
    )


def facing_trial(gait: str, degrees: float, speed: float = 1.0, count: int = 2) -> Trial:
    """Walk straight on and face aside: the travel and the facing are asked apart."""
    side = np.where(np.arange(count) % 2, -1.0, 1.0)
    facing, starts = np.radians(degrees) * side, 3.0 * np.arange(count)

    def places(times: Array) -> Array:
        return np.stack(np.broadcast_arrays(starts[:, None], speed * times), axis=-1)

    def ask(time: float, ahead: tuple[float, ...]) -> Control:
        asked = places(time + np.concatenate(([0.0], ahead)))
        return trajectory_follow(asked, np.broadcast_to(facing[:, None], asked.shape[:2]))

    def judge(run: Run) -> dict[str, float]:
        first = _settled(run)
        asked = places(_times(run)).swapaxes(0, 1)
        off = np.linalg.norm(run.positions - asked, axis=-1)[first:]
        angle = measure.heading_error((run.headings - facing)[first:].ravel(), 0.0)
        return {"path_error": float(off.mean()), "heading_error": angle}

    return Trial(f"{gait} facing {degrees:g} aside", gait, places(np.zeros(1))[:, 0], facing, ask, judge)


def side_step_trial(
    gait: str, speed: float, shift: float = 0.5, period: float = 6.0, count: int = 2
) -> Trial:
    """The asked line jumps aside by `shift` [m], there and back: how much of it is left after a while?"""
    starts = 3.0 * np.arange(count)

    def side(time: Array) -> Array:
        return shift * (np.floor(time / period) % 2)

    def ask(time: float, ahead: tuple[float, ...]) -> Control:
        times = time + np.concatenate(([0.0], ahead))
        across = starts[:, None] + side(np.array(time)) + np.zeros_like(times)
        return trajectory_follow(np.stack(np.broadcast_arrays(across, speed * times), axis=-1))

    def judge(run: Run) -> dict[str, float]:
        rate, times = _rate(run), _times(run)
        off = np.abs(run.positions[..., 0] - starts - side(times - 0.5 / rate)[:, None])
        jumps = np.arange(period, times[-1] - 2.0, period)
        at = {s: off[((jumps + s) * rate).round().astype(int) - 1] for s in (0.5, 1.0, 2.0)}
        return {f"left_after_{s:g}": _median(left) for s, left in at.items()}

    beginning = np.stack((starts, np.zeros(count)), axis=-1)
    return Trial(f"{gait} side step", gait, beginning, np.zeros(count), ask, judge)


def velocity_trial(
    gait: str,
    speeds: tuple[float, float],
    turn: float = np.pi,
    period: float = 2.0,
    count: int = 8,
    seed: int = 0,
) -> Trial:
    """A new velocity every `period`, out of `speeds` and up to half of `turn` [rad] aside of the last."""
    changes = 512
    seeds = np.full(changes * count, seed, dtype=np.uint64)
    numbers = np.arange(changes * count, dtype=np.uint64)
    chance = draw(seeds, numbers).reshape(changes, count)
    aside = draw(seeds + np.uint64(1), numbers).reshape(changes, count)
    headings = np.cumsum((aside - 0.5) * turn, axis=0)
    goals = (speeds[0] + (speeds[1] - speeds[0]) * chance)[..., None] * directions(headings)

    def ask(time: float, ahead: tuple[float, ...]) -> Control:
        return velocity_follow(goals[int(time / period + 1e-6) % changes])

    def judge(run: Run) -> dict[str, float]:
        rate = _rate(run)
        hold = round(period * rate)
        velocities = np.diff(run.positions, axis=0, prepend=run.positions[:1]) * rate
        wanted = np.repeat(goals, hold, axis=0)[: len(velocities)]
        settled = (np.arange(len(velocities)) % hold) > hold // 2
        # frame k * hold is the first that answers change k; the one before still has the old velocity
        times = np.array(
            [
                measure.response_time(velocities[k * hold - 1 : (k + 1) * hold, n], 0, goals[k, n], rate)
                for k in range(1, len(velocities) // hold)
                for n in range(count)
                if np.linalg.norm(goals[k, n] - velocities[k * hold - 1, n]) > 0.25
            ]
        )
        return {
            "velocity_error": float(np.linalg.norm(velocities - wanted, axis=-1)[settled].mean()),
            "response_seconds": float(np.median(times)) if len(times) else float("nan"),
            "reached": float(np.isfinite(times).mean()) if len(times) else float("nan"),
        }

    kind = "velocities" if turn else "speeds"
    places = 3.0 * np.stack((np.arange(count), np.zeros(count)), axis=-1)
    return Trial(f"{gait} {kind} {speeds[0]:g}-{speeds[1]:g}", gait, places, headings[0], ask, judge)


def start_stop_trial(gait: str, speed: float, period: float = 4.0, count: int = 4) -> Trial:
    """Stand and go by turns, asked without warning."""

    def ask(time: float, ahead: tuple[float, ...]) -> Control:
        goes = int(time / period + 1e-6) % 2
        return velocity_follow((0.0, speed * goes), 0.0)

    def judge(run: Run) -> dict[str, float]:
        rate, hold = _rate(run), round(period * _rate(run))
        ends = range(2 * hold, len(run.positions) - hold + 1, 2 * hold)
        starts, stops, roads, drifts = [], [], [], []
        for n in range(count):
            path = points_in_world(run.positions[:, n])
            speeds = (
                np.linalg.norm(np.diff(run.positions[:, n], axis=0, prepend=run.positions[:1, n]), axis=1)
                * rate
            )
            for stop in ends:
                starts.append(measure.response_time(speeds[stop - hold - 1 : stop], 0, speed, rate))
                slow = np.flatnonzero(speeds[stop : stop + hold] < _STILL)
                stops.append(slow[0] / rate if len(slow) else np.inf)
                roads.append(measure.stop_distance(path[: stop + hold], stop - 1, rate, _STILL))
                last = run.positions[stop + hold - round(rate) : stop + hold, n]
                drifts.append(np.linalg.norm(last[-1] - last[0]))
        return {
            "start_seconds": _median(starts),
            "stop_seconds": _median(stops),
            "stop_distance": _median(roads),
            "stopped": float(np.isfinite(stops).mean()) if stops else float("nan"),
            "standing_drift": _median(drifts),
        }

    places = 2.0 * np.stack((np.arange(count), np.zeros(count)), axis=-1)
    return Trial(f"{gait} start and stop", gait, places, np.zeros(count), ask, judge)


def target_trial(
    gait: str, count: int = 40, period: float = 6.0, reach: tuple[float, float] = (1.0, 4.0), seed: int = 0
) -> Trial:
    """A new target with a facing every `period`: who is within 0.1 m of it in the end, after how long, how turned?"""
    rng = np.random.default_rng(seed)
    legs = 64
    bearings = np.cumsum(rng.uniform(-np.pi, np.pi, (legs, count)), axis=0)
    begin = 8.0 * np.stack(np.divmod(np.arange(count), 8), axis=-1)
    targets = begin + np.cumsum(rng.uniform(*reach, (legs, count))[..., None] * directions(bearings), axis=0)
    facings = bearings + rng.uniform(-np.pi / 2, np.pi / 2, (legs, count))

    def ask(time: float, ahead: tuple[float, ...]) -> Control:
        leg = int(time / period + 1e-6) % legs
        return move_to_target(targets[leg], facings[leg])

    def judge(run: Run) -> dict[str, float]:
        rate, hold = _rate(run), round(period * _rate(run))
        ends, times, angles = [], [], []
        for leg in range(len(run.positions) // hold):
            away = np.linalg.norm(run.positions[leg * hold : (leg + 1) * hold] - targets[leg], axis=-1)
            near = away < 0.1
            ends.append(away[-1])
            times.append(np.where(near.any(axis=0), near.argmax(axis=0) / rate, np.inf))
            angles.append(np.abs(signal.wrap(run.headings[(leg + 1) * hold - 1] - facings[leg])))
        end, angle = np.concatenate(ends), np.concatenate(angles)
        return {
            "targets": float(end.size),
            "arrived": float((end < 0.1).mean()),
            "distance_in_the_end": float(np.median(end)),
            "arrival_seconds": _median(np.concatenate(times)),
            "facing_error": float(np.median(angle)),
        }

    return Trial(f"{gait} to targets", gait, begin, bearings[0], ask, judge)


def _rate(run: Run) -> float:
    return run.clips[0].fps


def _times(run: Run) -> Array:
    """(F,) time after each step [s]."""
    return (np.arange(len(run.positions)) + 1) / _rate(run)


def _settled(run: Run) -> int:
    return min(round(SETTLING * _rate(run)), len(run.positions) // 2)


def _median(values: Sequence[float] | Array) -> float:
    return float(np.median(values)) if len(values) else float("nan")
