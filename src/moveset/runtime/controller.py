"""What drives a crowd: one protocol for motion matching, learned controllers, and what comes after them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from moveset.geometry.quaternion import Array
from moveset.motion import Skeleton
from moveset.runtime.behaviors import Wish
from moveset.runtime.control_range import ControlRange

if TYPE_CHECKING:
    from moveset.runtime.footlock import FootLock

_MASK = np.uint64(0xFFFFFFFFFFFFFFFF)


@dataclass(eq=False)
class Poses:
    """Poses of N characters, each in its own ground frame. A controller writes into the same arrays every step."""

    rotations: Array
    """(N, J, 4) local rotations."""
    translations: Array
    """(N, J, 3) local translations [m]."""
    contacts: np.ndarray
    """(N, 4) bool: which of FEET bear."""
    steps: Array
    """(N, 3) how the ground frame moved in this step: side and forward [m], turn [rad], seen from before it."""


State = TypeVar("State")


class Controller(Protocol[State]):
    """Read-only knowledge; all that changes is in the state, so any number of crowds may share a controller."""

    skeleton: Skeleton
    fps: float
    """Longest step that it takes at once is 1 / fps."""
    times: tuple[float, ...]
    """Seconds ahead at which it wants to be told where to be; a negative one is past."""
    range: ControlRange | None
    """The furthest that it can be asked; None if it takes any wish."""
    form: Mapping[str, object]
    """What states are made of: controllers of equal form can go on with each other's."""

    def start(self, seeds: np.ndarray) -> State:
        """The state of new characters, one a seed (N,) uint64."""
        ...

    def step(self, state: State, wish: Wish, dt: float) -> Poses:
        """Move all characters by `dt` seconds towards what they are asked."""
        ...

    def set_lod(self, state: State, who: np.ndarray, lod: int) -> None:
        """Another level of detail for characters `who` (K,)."""
        ...

    def foot_lock(self) -> FootLock:
        """A foot lock for this controller's skeleton and poses."""
        ...

    def snapshot(self, state: State) -> Mapping[str, np.ndarray]:
        """Copies of all arrays that the next step depends on."""
        ...

    def restore(self, state: State, arrays: Mapping[str, np.ndarray]) -> None:
        """Back to a snapshot."""
        ...


def draw(seeds: np.ndarray, counters: np.ndarray) -> Array:
    """(N,) numbers in [0, 1): the draw number `counters` (N,) of each seed (splitmix64, Steele et al. 2014).

    Without a hidden state a character's chance does not depend on the others, and saving a crowd saves it.
    """
    with np.errstate(over="ignore"):
        z = (seeds + (counters + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)) & _MASK
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53


def character_seeds(seed: int, count: int) -> np.ndarray:
    """(N,) uint64 seeds; the first n of a crowd are those of a crowd of n."""
    bases = np.full(count, seed & 0xFFFFFFFFFFFFFFFF, dtype=np.uint64)
    return (draw(bases, np.arange(count, dtype=np.uint64)) * 2.0**53).astype(np.uint64)
