"""Let a crowd follow a path, or whatever is asked of it, and record how it went."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from moveset.geometry.quaternion import Array
from moveset.motion import Clip
from moveset.progress import Track, untracked
from moveset.runtime.controller import Controller
from moveset.runtime.crowd import Crowd, CrowdConfig, CrowdReport
from moveset.runtime.pace import walkable
from moveset.runtime.path import Path, PathFollower


@dataclass(frozen=True, eq=False)
class Run:
    """A recorded run of N characters."""

    clips: tuple[Clip, ...]
    positions: Array
    """(F, N, 2) of the ground frames [m]."""
    headings: Array
    """(F, N) [rad]."""
    microseconds: float
    """Of wall time a character and frame: the median frame, recording and asking included."""
    report: CrowdReport


def follow(
    controller: Controller,
    path: Path,
    speed: float,
    seconds: float,
    count: int = 1,
    seed: int = 0,
    config: CrowdConfig | None = None,
    track: Track = untracked,
    as_is: bool = True,
) -> tuple[Run, PathFollower]:
    """N characters, spread over a closed path or one behind the other, follow it for `seconds`.

    Corners and tight bends are asked `as_is`, or as a body can walk them (runtime/pace.py).
    """
    path, pace = (path, None) if as_is else walkable(path, speed)
    spacing = path.length / count if path.closed else 1.5
    follower = PathFollower(path, speed, np.arange(count) * spacing, pace)
    crowd = Crowd(controller, count, seed, config)
    crowd.place(*follower.place())
    rate = controller.fps

    def ask(frame: int) -> None:
        crowd.control(follower.control(frame / rate, controller.times))

    return drive(crowd, ask, seconds, track, path.name.replace(":", "_")), follower


def drive(
    crowd: Crowd,
    ask: Callable[[int], None],
    seconds: float,
    track: Track = untracked,
    name: str = "crowd",
) -> Run:
    """Step a crowd frame by frame, `ask(frame)` giving its controls, and record it."""
    rate = crowd.controller.fps
    frames = max(2, round(seconds * rate))
    crowd.record()
    spent = np.empty(frames)
    for frame in track(range(frames), frames, "playing"):
        began = time.perf_counter()
        ask(frame)
        crowd.step(1 / rate)
        spent[frame] = time.perf_counter() - began
    positions, headings = crowd.recorded_ground()
    microseconds = float(np.median(spent)) / crowd.count * 1e6
    return Run(tuple(crowd.clips(rate, name)), positions, headings, microseconds, crowd.report)
