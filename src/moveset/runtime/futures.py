"""Where characters go that nobody steers: futures of the data, taken up one after the other.

Each is drawn from all moments alike and kept for a time that does not depend on what it is: over a long time
characters then walk, run and turn as often as the data do. Choosing the one most like the present motion, which
looks natural, keeps a walker walking for ever. The way to a new future is led over about a second instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from moveset.geometry import signal
from moveset.geometry.quaternion import Array
from moveset.runtime.behaviors import Wish

SECONDS = (3.0, 7.0)
"""A future is kept for a time between these: as long as recordings of locomotion keep a gait."""
HALF_LIFE = 0.25
"""In which half of the way to a new future is asked for [s]."""


@dataclass(frozen=True, eq=False)
class Futures:
    """What P moments of the data went on to do."""

    offsets: Array
    """(P, T, 2) where it went [m]."""
    turns: Array
    """(P, T) where it faced [rad]."""


@dataclass(eq=False)
class Wandering:
    """What changes of N characters."""

    goals: np.ndarray
    """(N,) the future that each takes up."""
    left: Array
    """(N,) seconds for which it does."""
    offsets: Array
    """(N, T, 2) what is asked on the way there [m],"""
    turns: Array
    """(N, T) and [rad]."""


def wandering(offsets: Array, turns: Array) -> Wandering:
    """Characters that were about to go (N, T, 2) and face (N, T) somewhere, and have not chosen yet."""
    count = len(turns)
    return Wandering(np.zeros(count, dtype=np.int64), np.zeros(count), offsets, turns)


def with_futures(
    state: Wandering, futures: Futures, wish: Wish, dt: float, chance: Callable[[np.ndarray], Array]
) -> Wish:
    """The wishes, with futures in place of those that nobody has.

    `chance` gives characters (K,) a number from 0 to 1 each. One that was steered goes on from what it was asked.
    """
    free, steered = wish.free, ~wish.free
    state.left -= dt
    state.left[steered] = 0
    state.offsets[steered], state.turns[steered] = wish.offsets[steered], wish.facings[steered]
    tired = np.flatnonzero(free & (state.left <= 0))
    if len(tired):
        state.goals[tired] = (chance(tired) * len(futures.turns)).astype(np.int64)
        state.left[tired] = SECONDS[0] + (SECONDS[1] - SECONDS[0]) * chance(tired)
    share = 1 - 0.5 ** (dt / HALF_LIFE)
    goals = state.goals[free]
    state.offsets[free] += share * (futures.offsets[goals] - state.offsets[free])
    state.turns[free] += share * signal.wrap(futures.turns[goals] - state.turns[free])
    return replace(wish, offsets=state.offsets, facings=state.turns)
