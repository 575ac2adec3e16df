"""Critically damped springs by half-life: exact for any time step, so the frame rate does not matter.

Holden 2021, "Spring-It-On: The Game Developer's Spring-Roll-Call". The half-life [s] is the time in which a plain
damper halves the distance; a critically damped spring starting at rest needs about 1.2 times as long. Decay
springs bring an offset to zero and are all that inertialization needs (Bollo 2018, "Inertialization").
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array

_MIN_HALF_LIFE = 1e-5


def damper(x: ArrayLike, goal: ArrayLike, half_life: ArrayLike, dt: ArrayLike) -> Array:
    """Exponential approach of `x` to `goal`: half the distance is left after each half-life."""
    x, goal = np.asarray(x), np.asarray(goal)
    return goal + (x - goal) * np.exp2(-np.asarray(dt) / np.maximum(half_life, _MIN_HALF_LIFE))


def damper_rotation(q: Array, goal: Array, half_life: ArrayLike, dt: ArrayLike) -> Array:
    """`damper` on rotations (..., 4), along the shorter way."""
    return quaternion.slerp(goal, q, np.exp2(-np.asarray(dt) / np.maximum(half_life, _MIN_HALF_LIFE)))


def spring(
    x: ArrayLike,
    velocity: ArrayLike,
    goal: ArrayLike,
    half_life: ArrayLike,
    dt: ArrayLike,
    goal_velocity: ArrayLike = 0.0,
) -> tuple[Array, Array]:
    """Position and velocity after `dt` of a critically damped spring pulled to `goal`.

    With a `goal_velocity` the spring settles moving at that velocity, at `goal` itself (the goal moves on:
    it is where the target is now).
    """
    target: Array = np.asarray(goal)
    onward: Array = np.asarray(goal_velocity)
    offset, relative = decay(np.asarray(x) - target, np.asarray(velocity) - onward, half_life, dt)
    return target + onward * np.asarray(dt) + offset, relative + onward


def decay(x: ArrayLike, velocity: ArrayLike, half_life: ArrayLike, dt: ArrayLike) -> tuple[Array, Array]:
    """Offset and velocity after `dt` of a critically damped spring pulled to zero."""
    rate = _rate(half_life)
    x, velocity, dt = np.asarray(x), np.asarray(velocity), np.asarray(dt)
    slope = velocity + x * rate
    fade = np.exp(-rate * dt)
    return fade * (x + slope * dt), fade * (velocity - slope * rate * dt)


def spring_rotation(
    q: Array, angular_velocity: Array, goal: Array, half_life: ArrayLike, dt: ArrayLike
) -> tuple[Array, Array]:
    """`spring` on rotations (..., 4) with world angular velocities (..., 3) [rad/s], along the shorter way."""
    offset = quaternion.multiply(q, quaternion.conjugate(goal))
    offset, angular_velocity = decay_rotation(offset, angular_velocity, half_life, dt)
    return quaternion.multiply(offset, goal), angular_velocity


def decay_rotation(
    offset: Array, angular_velocity: Array, half_life: ArrayLike, dt: ArrayLike
) -> tuple[Array, Array]:
    """`decay` on a rotation offset (..., 4): its rotation vector fades to zero."""
    vector, velocity = decay(quaternion.to_rotation_vector(offset), angular_velocity, half_life, dt)
    return quaternion.from_rotation_vector(vector), velocity


def approach_velocity(
    x: ArrayLike,
    velocity: ArrayLike,
    acceleration: ArrayLike,
    goal_velocity: ArrayLike,
    half_life: ArrayLike,
    dt: ArrayLike,
) -> tuple[Array, Array, Array]:
    """Position, velocity and acceleration after `dt` when the velocity is a spring pulled to `goal_velocity`.

    How a stick moves a character; the position is the exact integral. `dt` may hold many future times.
    """
    rate = _rate(half_life)
    x, dt, goal_velocity = np.asarray(x), np.asarray(dt), np.asarray(goal_velocity)
    offset = np.asarray(velocity) - goal_velocity
    slope = np.asarray(acceleration) + offset * rate
    fade = np.exp(-rate * dt)
    travelled = (offset * (1 - fade) + slope * ((1 - fade) / rate - dt * fade)) / rate
    new_velocity, new_acceleration = decay(offset, acceleration, half_life, dt)
    return x + goal_velocity * dt + travelled, goal_velocity + new_velocity, new_acceleration


def _rate(half_life: ArrayLike) -> Array:
    """Half the damping of the critical spring with this half-life [1/s]."""
    return 2 * np.log(2) / np.maximum(np.asarray(half_life, dtype=float), _MIN_HALF_LIFE)
