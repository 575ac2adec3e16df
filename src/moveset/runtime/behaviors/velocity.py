"""VelocityFollow: move at a velocity, and face along it or elsewhere."""

from __future__ import annotations

import numpy as np

from moveset.features.matching import future
from moveset.geometry import signal, spring
from moveset.geometry.quaternion import Array
from moveset.motion.floor import ground_from_world, world_from_ground
from moveset.motion.ground import GroundFrame
from moveset.runtime.behaviors.behavior import STANDING, Asked, Behavior, Placement, Value, Values
from moveset.runtime.behaviors.trajectory import pull

VELOCITY_HALF_LIFE = 0.1
"""Half-life in which an asked change of velocity is taken up [s]: 90 % of it is asked after 0.28 s, and a good
controller has made it after half a second. Motion matching answers alike with 0.1 and 0.2 s."""
LAG_SECONDS = VELOCITY_HALF_LIFE / np.log(2)
"""By how much the spring is late where the goal changes evenly."""
LAG_REACH = 0.05
"""What a character lacks of the way that it was asked to go is asked of it as well, but never more than this [m]."""
FACING_HALF_LIFE = 0.15
"""Half-life in which an asked facing is taken up [s]."""


def take_up(at: Placement, goal: Array, times: Array, dt: float) -> tuple[Array, Array]:
    """(K, T, 2) world offsets while the velocity asked so far goes over to `goal` (K, 2) as a spring does, and (K, 2)
    how far that leads in the next `dt`."""
    moved, at.wished[:, 0], at.wished[:, 1] = spring.approach_velocity(
        0.0, at.wished[:, 0], at.wished[:, 1], goal, VELOCITY_HALF_LIFE, dt
    )
    offsets, _, _ = spring.approach_velocity(
        0.0,
        at.wished[:, None, 0],
        at.wished[:, None, 1],
        goal[:, None],
        VELOCITY_HALF_LIFE,
        np.maximum(times, 0)[None, :, None],
    )
    return offsets + at.velocities[:, None] * np.minimum(times, 0)[:, None], moved


def turned(targets: Array, headings: Array, times: Array) -> Array:
    """(K, T) turns towards headings `targets` (K,) or (K, T), nothing in the past."""
    share = 1 - np.exp2(-np.maximum(times, 0) / FACING_HALF_LIFE)
    return signal.wrap(targets.reshape(len(headings), -1) - headings[:, None]) * share


def _follow_velocity(values: Values, age: Array, at: Placement, times: Array, dt: float) -> Asked:
    relative = values["relative"] > 0
    velocity, facing = values["velocity"], values["facing"]
    goal = np.where(relative[:, None], world_from_ground(velocity, at.headings), velocity)
    moving = np.hypot(goal[:, 0], goal[:, 1]) > STANDING
    towards = np.where(moving & ~relative, np.arctan2(goal[:, 0], goal[:, 1]), at.headings)
    asked = np.where(relative, facing + at.headings, facing)
    target = np.where(np.isnan(facing), towards, asked)
    offsets, moved = take_up(at, goal, times, dt)
    # the anchor goes ahead as asked, on a short leash; it has no heading, as one where a character stands
    new = np.isnan(at.anchors[:, 0]) | ~np.isnan(at.anchors[:, 2])
    lag = np.where(new[:, None], 0.0, at.anchors[:, :2] - at.positions)
    lag *= np.minimum(1, LAG_REACH / np.maximum(np.hypot(lag[:, 0], lag[:, 1]), 1e-9))[:, None]
    at.anchors[:, :2], at.anchors[:, 2] = at.positions + lag + moved, np.nan
    offsets += pull(lag, times)
    return (
        ground_from_world(offsets, at.headings[:, None]),
        turned(target, at.headings, times),
        np.zeros_like(at.positions),
    )


def _read_velocity(ground: GroundFrame, fps: float, times: Array) -> dict[str, Array]:
    reach = float(times[times > 0].min())
    offsets, turns = future(ground, fps, (reach,))
    return {
        "velocity": world_from_ground(offsets[:, 0], ground.headings) / reach,
        "facing": ground.headings + turns[:, 0],
        "relative": np.zeros(len(turns)),
    }


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
