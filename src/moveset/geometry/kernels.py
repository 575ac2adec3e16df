"""Rotations of one joint for compiled loops: the scalar twins of geometry/quaternion.py."""

# ruff: noqa: ANN201
from __future__ import annotations

import math

from numba import njit


@njit(cache=True, inline="always")
def multiply(a, b):
    """Hamilton product of x y z w tuples."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


@njit(cache=True, inline="always")
def conjugate(q):
    """Inverse of a unit quaternion."""
    return (-q[0], -q[1], -q[2], q[3])


@njit(cache=True, inline="always")
def rotate(q, v):
    """Vector turned by q."""
    x, y, z, w = q
    vx, vy, vz = v
    tx, ty, tz = 2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)
    return (
        vx + w * tx + y * tz - z * ty,
        vy + w * ty + z * tx - x * tz,
        vz + w * tz + x * ty - y * tx,
    )


@njit(cache=True, inline="always")
def exponential(v):
    """Rotation of a rotation vector."""
    half = 0.5 * math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    ratio = 0.5 if half < 1e-8 else 0.5 * math.sin(half) / half
    return (v[0] * ratio, v[1] * ratio, v[2] * ratio, math.cos(half))


@njit(cache=True, inline="always")
def logarithm(q):
    """Rotation vector of the shorter way."""
    sign = -1.0 if q[3] < 0 else 1.0
    sine = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2])
    ratio = 2.0 * sign if sine < 1e-8 else 2.0 * math.atan2(sine, sign * q[3]) / sine * sign
    return (q[0] * ratio, q[1] * ratio, q[2] * ratio)


@njit(cache=True, inline="always")
def between(a, b):
    """Shortest rotation from direction a to direction b, which must not be opposite; lengths do not matter."""
    lengths = math.sqrt(dot(a, a) * dot(b, b))
    x, y, z = cross(a, b)
    w = lengths + dot(a, b)
    norm = math.sqrt(x * x + y * y + z * z + w * w)
    if norm < 1e-12:
        return (0.0, 0.0, 0.0, 1.0)
    return (x / norm, y / norm, z / norm, w / norm)


@njit(cache=True, inline="always")
def dot(a, b):
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(cache=True, inline="always")
def cross(a, b):
    """Vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@njit(cache=True, inline="always")
def add(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@njit(cache=True, inline="always")
def subtract(a, b):
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@njit(cache=True, inline="always")
def scale(a, s):
    """s a."""
    return (a[0] * s, a[1] * s, a[2] * s)


@njit(cache=True, inline="always")
def length(a):
    """|a|."""
    return math.sqrt(dot(a, a))
