"""Behaviors: what a character can be asked to do each frame.

A behavior is data: the values it takes, how they become a wish that every controller understands, and how they
are read from a clip, so that what a learned controller trains on is what it is asked at run time. To add one,
write its two functions and put it in BEHAVIORS.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from moveset.features.matching import future
from moveset.geometry import signal, spring
from moveset.geometry.quaternion import Array
from moveset.motion.floor import ground_from_world, world_from_ground
from moveset.motion.ground import GroundFrame

FEEDBACK_SECONDS = 0.5
"""Time constant in which a path is regained; any value from 0.02 to 1 s works about as well."""
FEEDBACK_REACH = 0.5
"""A character further off its path than this [m] is asked to come back as if it were this far."""
VELOCITY_HALF_LIFE = 0.2
"""Half-life in which an asked change of velocity is taken up [s]."""
FACING_HALF_LIFE = 0.15
_STANDING = 0.2  # below this speed [m/s] the direction of travel says nothing about where to face


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
Ask = Callable[[Values, Array, Placement, Array, float], tuple[Array, Array, Array]]
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


def _follow_trajectory(
    values: Values, age: Array, at: Placement, times: Array, dt: float
) -> tuple[Array, Array, Array]:
    _forget_wish(at)
    grid = np.concatenate(([0.0], times))
    positions = _shifted(values["positions"], grid, age)
    facings = values["facings"]
    absent = np.isnan(facings[:, 0])
    if absent.any():
        facings = np.where(absent[:, None], _along(values["positions"], grid, at.headings), facings)
    facings = _shifted(facings[..., None], grid, age)[..., 0]
    errors = positions[:, 0] - at.positions
    distance = np.hypot(errors[:, 0], errors[:, 1])[:, None]
    pull = errors * np.minimum(1, FEEDBACK_REACH / np.maximum(distance, 1e-9))
    back = pull[:, None] * (1 - np.exp(-times / FEEDBACK_SECONDS))[:, None]
    offsets = positions[:, 1:] - positions[:, :1] + back
    return (
        ground_from_world(offsets, at.headings[:, None]),
        signal.wrap(facings[:, 1:] - at.headings[:, None]),
        errors,
    )


def _forget_wish(at: Placement) -> None:
    """A velocity asked for later starts from the velocity that there is."""
    at.wished[:, 0], at.wished[:, 1] = at.velocities, 0.0


def _shifted(samples: Array, grid: Array, age: Array) -> Array:
    """Samples (K, T, C) given for `grid` (T,) as they are `age` (K,) later; they go on as they last went."""
    if not age.any():
        return samples
    at = np.minimum(grid + age[:, None], grid[-1])
    low = np.clip(np.searchsorted(grid, at, side="right") - 1, 0, len(grid) - 2)
    rows = np.arange(len(samples))[:, None]
    first, second = samples[rows, low], samples[rows, low + 1]
    weight = (grid + age[:, None] - grid[low]) / (grid[low + 1] - grid[low])
    return first + weight[..., None] * (second - first)


def _along(positions: Array, grid: Array, headings: Array) -> Array:
    """(K, T) directions of travel; where the samples stand still, the heading now."""
    steps = np.diff(positions, axis=1) / np.diff(grid)[:, None]
    steps = np.concatenate((steps[:, :1], (steps[:, 1:] + steps[:, :-1]) / 2, steps[:, -1:]), axis=1)
    turns = signal.wrap(np.arctan2(steps[..., 0], steps[..., 1]) - headings[:, None])
    moving = np.hypot(steps[..., 0], steps[..., 1]) > _STANDING
    return headings[:, None] + np.where(moving, turns, 0.0)


def _read_trajectory(ground: GroundFrame, fps: float, times: Array) -> dict[str, Array]:
    offsets, turns = future(ground, fps, (0.0, *times))
    positions = world_from_ground(offsets, ground.headings[:, None]) + ground.positions[:, None, [0, 2]]
    return {"positions": positions, "facings": turns + ground.headings[:, None]}


def _follow_velocity(
    values: Values, age: Array, at: Placement, times: Array, dt: float
) -> tuple[Array, Array, Array]:
    relative = values["relative"] > 0
    velocity, facing = values["velocity"], values["facing"]
    goal = np.where(relative[:, None], world_from_ground(velocity, at.headings), velocity)
    moving = np.hypot(goal[:, 0], goal[:, 1]) > _STANDING
    towards = np.where(moving & ~relative, np.arctan2(goal[:, 0], goal[:, 1]), at.headings)
    asked = np.where(relative, facing + at.headings, facing)
    target = np.where(np.isnan(facing), towards, asked)

    wished, rate = at.wished[:, 0], at.wished[:, 1]
    _, at.wished[:, 0], at.wished[:, 1] = spring.approach_velocity(
        0.0, wished, rate, goal, VELOCITY_HALF_LIFE, dt
    )
    offsets, _, _ = spring.approach_velocity(
        0.0,
        at.wished[:, None, 0],
        at.wished[:, None, 1],
        goal[:, None],
        VELOCITY_HALF_LIFE,
        times[None, :, None],
    )
    turns = signal.wrap(target - at.headings)[:, None] * (1 - np.exp2(-times / FACING_HALF_LIFE))
    return ground_from_world(offsets, at.headings[:, None]), turns, np.zeros_like(at.positions)


def _read_velocity(ground: GroundFrame, fps: float, times: Array) -> dict[str, Array]:
    reach = float(times[0])
    offsets, turns = future(ground, fps, (reach,))
    return {
        "velocity": world_from_ground(offsets[:, 0], ground.headings) / reach,
        "facing": ground.headings + turns[:, 0],
        "relative": np.zeros(len(turns)),
    }


def _wander(values: Values, age: Array, at: Placement, times: Array, dt: float) -> tuple[Array, Array, Array]:
    _forget_wish(at)
    characters = len(at.positions)
    return (
        np.zeros((characters, len(times), 2)),
        np.zeros((characters, len(times))),
        np.zeros((characters, 2)),
    )


UNCONTROLLED = Behavior(
    "Uncontrolled", "wander through the data: random, but only what the clips do", (), _wander, lambda *_: {}
)
VELOCITY_FOLLOW = Behavior(
    "VelocityFollow",
    "move at a velocity, facing along it or elsewhere",
    (
        Value("velocity", (2,), "m/s", "x and z; of the world, or side and forward when relative"),
        Value("facing", (), "rad", "heading to face; along a world velocity, or unchanged, if absent", True),
        Value("relative", (), "", "1: velocity and facing are seen from the character", True),
    ),
    _follow_velocity,
    _read_velocity,
)
TRAJECTORY_FOLLOW = Behavior(
    "TrajectoryFollow",
    "be at asked places at asked times",
    (
        Value("positions", ("T", 2), "m", "x and z in the world, now and at each looked-ahead time"),
        Value("facings", ("T",), "rad", "headings then; along the path if absent", True),
    ),
    _follow_trajectory,
    _read_trajectory,
)
BEHAVIORS = {b.name: b for b in (UNCONTROLLED, VELOCITY_FOLLOW, TRAJECTORY_FOLLOW)}
