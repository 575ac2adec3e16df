"""What a controller costs: processor time, best of several rounds, so that a busy machine does not count."""

from __future__ import annotations

import time
from typing import Any, cast

import numpy as np

from moveset.runtime.controller import Controller
from moveset.runtime.crowd import Crowd
from moveset.runtime.path import PathFollower, circle

_ROUNDS, _SECONDS = 5, 1.0


def measure_cost(controller: Controller, count: int) -> dict[str, float]:
    """Microseconds a character and frame of a crowd of `count` on a circle.

    all         asking, controller, foot lock
    controller  the controller alone
    """
    frames = round(_SECONDS * controller.fps)
    follower = PathFollower(circle(2), 1.2, np.arange(count) * 0.2)
    timed = _Timed(controller)
    crowd = Crowd(cast(Controller, timed), count)
    crowd.place(*follower.place())
    whole, own, frame = [], [], 0
    for _ in range(_ROUNDS):
        timed.spent, began = 0.0, time.thread_time()
        for _ in range(frames):
            crowd.control(follower.control(frame / controller.fps, controller.times))
            crowd.step(1 / controller.fps)
            frame += 1
        whole.append(time.thread_time() - began)
        own.append(timed.spent)
    scale = 1e6 / frames / count
    return {"all": min(whole) * scale, "controller": min(own) * scale}


class _Timed:
    """A controller whose steps are timed."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self.spent = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._controller, name)

    def step(self, *arguments: Any) -> Any:
        began = time.thread_time()
        poses = self._controller.step(*arguments)
        self.spent += time.thread_time() - began
        return poses
