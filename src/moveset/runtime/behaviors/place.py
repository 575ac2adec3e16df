"""Idle: stand where you are. MoveToTarget: go to a place, slow down in time, stand there."""

from __future__ import annotations

import numpy as np

from moveset.features.matching import future
from moveset.geometry import signal
from moveset.geometry.quaternion import Array
from moveset.motion.floor import ground_from_world, world_from_ground
from moveset.motion.ground import GroundFrame
from moveset.runtime.behaviors.behavior import Asked, Behavior, Placement, Value, Values
from moveset.runtime.behaviors.trajectory import pull
from moveset.runtime.behaviors.velocity import LAG_SECONDS, take_up, turned

SPEED = 1.2
"""At which a target is approached unless told otherwise [m/s]."""
ARRIVAL = 0.05
"""A character this near its target [m] has arrived, and one this near the place it keeps stands still."""
BRAKING_SECONDS = 0.8
"""From full speed to standing."""
_NEAR = 0.4  # [m] from here on a target is reached by whatever steps lead there, without turning to it
_FACING = 0.7  # [m] from here on an asked facing is taken up
_LONG = np.array([3.0])  # [s] after which a spring has come to rest


def _stand(values: Values, age: Array, at: Placement, times: Array, dt: float) -> Asked:
    goal = np.zeros_like(at.positions)
    new = np.isnan(at.anchors[:, 2])
    rest, _ = take_up(at, goal, np.concatenate((times, _LONG)), dt)
    stop = rest[:, -1]
    if new.any():
        at.anchors[new] = np.column_stack((at.positions[new] + stop[new], at.headings[new]))
    errors = at.anchors[:, :2] - at.positions
    missing = errors - stop
    missing *= (np.hypot(missing[:, 0], missing[:, 1]) > ARRIVAL)[:, None]
    offsets = rest[:, :-1] + pull(missing, times)
    facing = np.where(np.isnan(values["facing"]), at.anchors[:, 2], values["facing"])
    return ground_from_world(offsets, at.headings[:, None]), turned(facing, at.headings, times), errors


def _move_to_target(values: Values, age: Array, at: Placement, times: Array, dt: float) -> Asked:
    at.anchors[:] = np.nan
    speed = np.where(np.isnan(values["speed"]), SPEED, np.maximum(values["speed"], 0.1))
    arrival = np.where(np.isnan(values["arrival"]), ARRIVAL, values["arrival"])
    errors = values["position"] - at.positions
    distance = np.hypot(errors[:, 0], errors[:, 1])
    direction = errors / np.maximum(distance, 1e-9)[:, None]
    left = np.where(distance <= arrival, 0.0, distance)
    ahead = np.maximum(times, 0)
    # a wish that is faster than the braking goes on for a little: that much sooner it brakes
    faster = np.einsum("kd,kd->k", at.wished[:, 0], direction) - _braking(left, speed, ahead)[1]
    remaining, rate = _braking(np.maximum(left - LAG_SECONDS * np.maximum(faster, 0), 0), speed, ahead)
    # what is asked beside that: to lose the velocity that differs from it
    goal = rate[:, None] * direction
    sway = take_up(at, goal, times, dt)[0] - goal[:, None] * times[:, None]
    travel = remaining[:, :1] - remaining[:, 1:] + rate[:, None] * np.minimum(times, 0)
    offsets = direction[:, None] * travel[..., None] + sway
    towards = np.where(distance > _NEAR, np.arctan2(direction[:, 0], direction[:, 1]), at.headings)
    facing = values["facing"]
    near = np.clip(1 - remaining[:, 1:] / _FACING, 0, 1)
    share = np.where(np.isnan(facing)[:, None], 0.0, near * near * (3 - 2 * near))
    change = signal.wrap(np.where(np.isnan(facing), 0.0, facing) - towards)
    asked = towards[:, None] + share * change[:, None]
    return (
        ground_from_world(offsets, at.headings[:, None]),
        turned(asked, at.headings, times),
        np.zeros_like(errors),
    )


def _braking(distance: Array, speed: Array, times: Array) -> tuple[Array, Array]:
    """What is left (K, 1 + T) of `distance` (K,) now and at `times`, and the speed (K,) now.

    At full speed as long as that leaves room to brake evenly, then braking to a stop on the spot.
    """
    slowing = speed / BRAKING_SECONDS
    room = np.minimum(distance, speed * BRAKING_SECONDS / 2)
    cruise, brake = (distance - room) / speed, np.sqrt(2 * room / slowing)
    at = np.concatenate(([0.0], times))
    braked = np.clip(at - cruise[:, None], 0, brake[:, None])
    left = slowing[:, None] / 2 * (brake[:, None] - braked) ** 2
    before = np.maximum(cruise[:, None] - at, 0) * speed[:, None]
    return before + left, slowing * brake


def _read_idle(ground: GroundFrame, fps: float, times: Array) -> dict[str, Array]:
    return {"facing": ground.headings}


def _read_target(ground: GroundFrame, fps: float, times: Array) -> dict[str, Array]:
    reach = float(times.max())
    offsets, turns = future(ground, fps, (reach,))
    ahead = offsets[:, 0]
    return {
        "position": world_from_ground(ahead, ground.headings) + ground.positions[:, [0, 2]],
        "facing": ground.headings + turns[:, 0],
        "speed": np.maximum(np.hypot(ahead[:, 0], ahead[:, 1]) / reach, 0.1),
        "arrival": np.full(len(turns), ARRIVAL),
    }


IDLE = Behavior(
    "Idle",
    "stand where you are",
    (Value("facing", (), "rad", "heading to face; as it was if absent", True),),
    _stand,
    _read_idle,
)
MOVE_TO_TARGET = Behavior(
    "MoveToTarget",
    "go to a place, slow down in time, stand there",
    (
        Value("position", (2,), "m", "x and z in the world"),
        Value("facing", (), "rad", "heading to face there; as one arrives if absent", True),
        Value("speed", (), "m/s", f"on the way; {SPEED} if absent", True),
        Value("arrival", (), "m", f"how near is near enough; {ARRIVAL} if absent", True),
    ),
    _move_to_target,
    _read_target,
)
