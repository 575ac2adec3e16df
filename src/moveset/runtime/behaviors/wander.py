"""Uncontrolled: nobody steers."""

from __future__ import annotations

import numpy as np

from moveset.geometry.quaternion import Array
from moveset.runtime.behaviors.behavior import Asked, Behavior, Placement, Values, forget


def _wander(values: Values, age: Array, at: Placement, times: Array, dt: float) -> Asked:
    forget(at)
    characters = len(at.positions)
    return (
        np.zeros((characters, len(times), 2)),
        np.zeros((characters, len(times))),
        np.zeros((characters, 2)),
    )


UNCONTROLLED = Behavior(
    "Uncontrolled", "wander through the data: random, but only what the clips do", (), _wander, lambda *_: {}
)
