"""How well controllers move: paths, velocities, targets, half an hour of wandering, beside the real clips.

Every column of the report is one way to move a character, judged by the same trials; real clips and motion
matching on the training clips stand beside the learned ones. No figure is to be read alone: a statue that glides
along its path has no path error.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from moveset.geometry import signal
from moveset.geometry.quaternion import Array
from moveset.motion import Clip
from moveset.motion.roles import FEET
from moveset.progress import Track, untracked
from moveset.runtime.controller import Controller
from moveset.runtime.crowd import CrowdConfig
from moveset.runtime.evaluation import trials
from moveset.runtime.evaluation.cost import measure_cost
from moveset.runtime.evaluation.measures import measure_motion
from moveset.runtime.evaluation.reference import GAITS, References
from moveset.runtime.evaluation.trials import Trial, run_trials
from moveset.runtime.evaluation.wander import Wander, wander
from moveset.runtime.path import circle, eight, line, square

MAIN = ("line", "circle:2", "eight:2")
"""The paths that stand for a gait in the summary; corners are told apart."""
COUNTS = (1, 64)
"""Characters for which the cost is measured."""
_FEATURED = {"walk": "walk eight:2", "run": "run circle:2"}
"""Trials whose motion is kept for the pictures."""
_FILM = 4.0
"""[s] of it, from its middle."""


@dataclass(frozen=True)
class Size:
    """How much is tried."""

    seconds: float = 32.0
    """Of the paths, velocities, starts and stops, the first two of which are not judged."""
    each: int = 2
    """Characters on each path."""
    targets: int = 40
    """Characters that go to a new target every six seconds: five times in `seconds`."""
    minutes: float = 30.0
    """Uncontrolled."""
    parts: int = 30
    """In which trends are looked for."""
    wanderers: int = 8


FULL = Size()
QUICK = Size(seconds=12.0, each=1, targets=8, minutes=0.5, parts=3, wanderers=2)


@dataclass(frozen=True, eq=False)
class Walk:
    """What is drawn of a character seen from above."""

    path: Array
    """(P, 2) where it went [m]."""
    steps: Mapping[str, Array]
    """(S, 2) where its feet stood, by role."""


@dataclass(frozen=True, eq=False)
class Column:
    """One way to move a character, and how it did."""

    name: str
    about: str = ""
    trials: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    unlocked: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Figures of the motion without foot lock."""
    wander: Wander | None = None
    beyond: float = 0.0
    """Share of what was asked that went beyond the controller's data and was taken back."""
    cost: Mapping[str, float] = field(default_factory=dict)
    """Microseconds of processor time a character and frame."""
    walks: Mapping[str, Walk] = field(default_factory=dict)
    clips: Mapping[str, Clip] = field(default_factory=dict)
    """Of featured trials, a few seconds."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """All columns, and what they are compared with."""

    columns: tuple[Column, ...]
    real: References
    trials: tuple[Trial, ...]
    size: Size
    seconds: float
    """Of processor time that it took."""
    notes: tuple[str, ...] = ()


def evaluate(
    contenders: Mapping[str, tuple[Controller, str]],
    real: References,
    examples: Mapping[str, Clip] | None = None,
    size: Size = FULL,
    *,
    seed: int = 0,
    track: Track = untracked,
    say: Callable[[str], None] = lambda _: None,
) -> Evaluation:
    """Try each of `contenders` (name -> controller and what it is); `examples` are real clips by gait, to be shown."""
    began = time.process_time()
    tried = standard_trials(real, size, seed)
    shown = {_FEATURED[gait]: _some(clip) for gait, clip in (examples or {}).items() if gait in real.gaits}
    columns = [Column("real clips", f"{real.everything.seconds:.0f} s held out", clips=shown)]
    for name, (controller, about) in contenders.items():
        say(f"trying {name}")
        columns.append(try_controller(name, controller, about, tried, real, size, seed=seed, track=track))
    return Evaluation(tuple(columns), real, tuple(tried), size, time.process_time() - began)


def try_controller(
    name: str,
    controller: Controller,
    about: str,
    tried: Sequence[Trial],
    real: References,
    size: Size,
    *,
    seed: int = 0,
    track: Track = untracked,
) -> Column:
    """All trials, with and without foot lock, wandering, and the cost."""
    figures: dict[str, dict[str, float]] = {}
    unlocked: dict[str, dict[str, float]] = {}
    walks, clips, beyond = {}, {}, 0.0
    if tried:
        runs = run_trials(controller, tried, size.seconds, seed, track=track)
        controls = runs[tried[0].name].report.controls
        beyond = controls.clamped / max(controls.given, 1)
        for trial in tried:
            run = runs[trial.name]
            figures[trial.name] = trial.judge(run) | measure_motion(run.clips, real.of(trial.gait))
            if trial.line is not None:
                walks[trial.name] = _walk(run.clips[0], run.positions[:, 0])
            if trial.name in _FEATURED.values():
                clips[trial.name] = _some(run.clips[0])
        free = CrowdConfig(foot_lock=False)
        paths = [trial for trial in tried if trial.line is not None]
        runs = run_trials(controller, paths, size.seconds, seed, free, track)
        unlocked = {
            trial.name: measure_motion(runs[trial.name].clips, real.of(trial.gait)) for trial in paths
        }
    wandered = wander(
        controller, real.everything, size.minutes, size.parts, size.wanderers, seed, track=track
    )
    cost = {
        f"{key}_{count}": value for count in COUNTS for key, value in measure_cost(controller, count).items()
    }
    return Column(name, about, figures, unlocked, wandered, beyond, cost, walks, clips)


def standard_trials(real: References, size: Size = FULL, seed: int = 0) -> list[Trial]:
    """The trials of every gait that the library has."""
    tried: list[Trial] = []
    for gait in real.gaits:
        speed = GAITS[gait][0]
        circles = (0.5, 1, 2, 4, 6) if gait == "walk" else (1, 2, 4, 6)
        paths = [line(), *map(circle, circles), eight(2), square(4), replace(square(4, 0), name="kinks:4")]
        tried += [trials.path_trial(gait, path, speed, size.each) for path in paths]
        tried.append(trials.path_trial(gait, paths[-1], speed, size.each, as_is=False))
        tried += [
            trials.side_step_trial(gait, speed, count=size.each),
            trials.velocity_trial(gait, (0.7 * speed, 1.2 * speed), count=4 * size.each, seed=seed),
            trials.velocity_trial(gait, (0.7 * speed, 1.2 * speed), 0.0, count=4 * size.each, seed=seed),
            trials.start_stop_trial(gait, speed, count=2 * size.each),
        ]
    if "walk" in real.gaits:
        tried += [trials.facing_trial("walk", degrees, count=size.each) for degrees in (30, 45, 90, 180)]
        tried.append(trials.target_trial("walk", size.targets, seed=seed))
    if len(real.gaits) > 1:
        tried.append(trials.velocity_trial("walk-run", (0.9, 2.8), count=4 * size.each, seed=seed))
    return tried


def summary(figures: Mapping[str, Mapping[str, float]], gait: str) -> dict[str, float]:
    """Mean figures of the main paths of a gait, the feet as ratios to the real clips; {} if it was not tried."""
    rows = [figures[name] for path in MAIN if (name := f"{gait} {path}") in figures]
    if not rows:
        return {}
    mean = {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}
    mean["skate_ratio"] = mean["foot_skate"] / mean["foot_skate_real"]
    planted = mean["planted_speed_real"]  # computed clips plant their feet exactly
    mean["planted_ratio"] = mean["planted_speed"] / planted if planted > 1e-3 else float("nan")
    return mean


def _some(clip: Clip) -> Clip:
    frames = min(round(_FILM * clip.fps), len(clip))
    first = (len(clip) - frames) // 2
    return clip.slice(first, first + frames)


def _walk(clip: Clip, positions: Array) -> Walk:
    """Where a character and its feet were, to the centimetre."""
    roles = [role for role in FEET if role in clip.skeleton.by_role and clip.contacts]
    steps = {}
    for role in [role for role in roles if role.endswith("Toes")] or roles:
        flags = clip.contacts.flags[:, clip.contacts.roles.index(role)]  # pyright: ignore[reportOptionalMemberAccess]
        middles = [(start + stop) // 2 for start, stop in signal.runs(flags)]
        steps[role] = clip.world_positions[middles, clip.skeleton.joint(role)][:, ::2].round(2)
    return Walk(positions[::3].round(2), steps)
