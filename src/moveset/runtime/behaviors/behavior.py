"""What a behavior is: values that a character is given, how they become a wish, how they are read from a clip."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from moveset.geometry.quaternion import Array
from moveset.motion.ground import GroundFrame

STANDING = 0.2
"""Below this speed [m/s] the direction of travel says nothing about where to face."""


@dataclass(frozen=True)
class Value:
    """One value of a behavior. `T` in a shape is the number of looked-ahead times, now included."""

    name: str
    shape: tuple[int | str, ...]
    unit: str
    about: str
    optional: bool = False


@dataclass(eq=False)
class Placement:
    """Where K characters are and what they were last on their way to; rows of the crowd's own arrays."""

    positions: Array
    """(K, 2) x z [m]."""
    headings: Array
    """(K,) [rad]."""
    velocities: Array
    """(K, 2) world [m/s]."""
    wished: Array
    """(K, 2, 2) velocity [m/s] and acceleration [m/s^2] that the character was last asked to have."""
    anchors: Array
    """(K, 3) x z [m] and heading [rad] of where the character should stand, or of where it should be by now on its way
    (without a heading); NaN for what there is not."""


@dataclass(eq=False)
class Wish:
    """What N characters are asked for, seen from each one's ground frame."""

    free: np.ndarray
    """(N,) bool: no wish, wander through the data."""
    offsets: Array
    """(N, T, 2) where to be at each looked-ahead time [m]."""
    facings: Array
    """(N, T) where to face then, against the heading now [rad]."""
    errors: Array
    """(N, 2) from the character to the place where it should be now, in the world [m]; 0 where there is none."""


Values = Mapping[str, Array]
Asked = tuple[Array, Array, Array]
Ask = Callable[[Values, Array, Placement, Array, float], Asked]
Read = Callable[[GroundFrame, float, Array], dict[str, Array]]


@dataclass(frozen=True)
class Behavior:
    """A kind of wish."""

    name: str
    about: str
    values: tuple[Value, ...]
    ask: Ask
    """(values (K, ...), their age (K,) [s], placement, times (T,), dt) -> offsets, facings and errors of a Wish."""
    read: Read
    """(ground frame of a clip, fps, times (T,)) -> values (F, ...) that would ask for what the clip does."""


def forget(at: Placement) -> None:
    """A velocity asked for later starts from the velocity that there is, and no place is kept."""
    at.wished[:, 0], at.wished[:, 1] = at.velocities, 0.0
    at.anchors[:] = np.nan
