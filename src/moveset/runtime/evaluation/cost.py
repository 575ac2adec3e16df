"""What a controller costs: processor time, best of several rounds, so that a busy machine does not count."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from moveset.motion.kernels import forward
from moveset.runtime.controller import Controller
from moveset.runtime.crowd import Crowd
from moveset.runtime.learned import LearnedController
from moveset.runtime.path import PathFollower, circle

_ROUNDS, _SECONDS = 5, 1.0


def measure_cost(controller: Controller, count: int) -> dict[str, float]:
    """Microseconds a character and frame of a crowd of `count` on a circle.

    all         taking the controls, controller, foot lock, forward kinematics
    beside      the same without the networks, where there are any: they are timed in the crowd, where their weights
                are no longer in the cache that the kernels have used since
    controller  the controller alone

    The making of the controls is not counted: it is the game's.
    """
    frames = round(_SECONDS * controller.fps)
    follower = PathFollower(circle(2), 1.2, np.arange(count) * 0.2)
    networks: list[Timed] = []

    def timed(network: Callable[..., Any]) -> Timed:
        networks.append(Timed(network))
        return networks[-1]

    if isinstance(controller, LearnedController):
        controller = controller.with_networks(timed)
    step = Timed(controller.step)
    crowd = Crowd(cast(Controller, _Stepping(controller, step)), count)
    crowd.place(*follower.place())
    parents = np.ascontiguousarray(controller.skeleton.parents, dtype=np.int64)
    joints = count, len(parents)
    world = np.empty((*joints, 4)), np.empty((*joints, 3))
    found: dict[str, list[float]] = {"all": [], "beside": [], "controller": []}
    for turn in range(_ROUNDS):
        for part in (step, *networks):
            part.spent = 0.0
        whole = 0.0
        for frame in range(turn * frames, (turn + 1) * frames):
            control = follower.control(frame / controller.fps, controller.times)
            began = time.thread_time()
            crowd.control(control)
            poses = crowd.step(1 / controller.fps)
            forward(poses.rotations, poses.translations, parents, *world)
            whole += time.thread_time() - began
        found["all"].append(whole)
        found["beside"].append(whole - sum(network.spent for network in networks))
        found["controller"].append(step.spent)
    if not networks:
        del found["beside"]
    return {name: min(spent) * 1e6 / frames / count for name, spent in found.items()}


class Timed:
    """A function whose calls are timed."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function, self.spent = function, 0.0

    def __call__(self, *given: Any, **named: Any) -> Any:
        """As the function."""
        began = time.thread_time()
        found = self._function(*given, **named)
        self.spent += time.thread_time() - began
        return found


class _Stepping:
    """A controller with another `step`."""

    def __init__(self, controller: Controller, step: Callable[..., Any]) -> None:
        self._controller, self.step = controller, step

    def __getattr__(self, name: str) -> Any:
        return getattr(self._controller, name)
