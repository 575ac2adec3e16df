"""Euler angles to quaternions and back: all twelve orders, intrinsic and extrinsic.

`order` names the axes in the order in which the angles stand, e.g. "ZXY". Intrinsic turns go about the axes of
the turning body (BVH: R = Rz Rx Ry); extrinsic ones about the fixed axes (R = Ry Rx Rz).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from moveset.errors import MovesetError
from moveset.geometry.quaternion import Array
from moveset.geometry.signal import wrap

Kind = Literal["intrinsic", "extrinsic"]

ORDERS = tuple(a + b + c for a in "XYZ" for b in "XYZ" for c in "XYZ" if a != b != c)
"""The twelve orders: six of three different axes, six that begin and end with the same axis."""


def to_quaternion(angles: ArrayLike, order: str, kind: Kind = "intrinsic") -> Array:
    """Quaternions (..., 4) of Euler angles (..., 3) [rad]."""
    i, j, k, parity = _axes(order, kind)
    half = np.asarray(angles)
    half = (half if half.dtype.kind == "f" else half.astype(float)) * 0.5
    if kind == "extrinsic":
        half = half[..., ::-1]
    cosine, sine = np.cos(half), np.sin(half)
    cb, sb = cosine[..., 1], parity * sine[..., 1]
    parts: list[Array] = [cb] * 4
    if order[0] == order[2]:
        total, difference = half[..., 0] + half[..., 2], half[..., 0] - half[..., 2]
        parts[3], parts[i] = cb * np.cos(total), cb * np.sin(total)
        parts[j], parts[k] = parity * sb * np.cos(difference), sb * np.sin(difference)
    else:
        ca, cc, sa, sc = cosine[..., 0], cosine[..., 2], sine[..., 0], sine[..., 2]
        cacc, sasc, sacc, casc = ca * cc, sa * sc, sa * cc, ca * sc
        parts[3], parts[i] = cb * cacc - sb * sasc, cb * sacc + sb * casc
        parts[j], parts[k] = parity * (sb * cacc - cb * sasc), cb * casc + sb * sacc
    return np.stack(parts, axis=-1)


def from_quaternion(q: Array, order: str, kind: Kind = "intrinsic") -> Array:
    """Euler angles (..., 3) [rad] of unit quaternions (..., 4), outer ones in [-pi, pi].

    The middle angle lies in [-pi/2, pi/2], or in [0, pi] where the order ends with its first axis. In gimbal
    lock the last turn of the body is 0. Bernardes & Viollet 2022, "Quaternion to Euler angles conversion".
    """
    i, j, k, parity = _axes(order, kind)
    q = np.asarray(q)
    x, y, z, w = q[..., i], q[..., j], parity * q[..., k], q[..., 3]
    proper = order[0] == order[2]
    # a quarter turn about the middle axis makes three different axes a case of first = last
    a, b, c, d = (w, x, y, z) if proper else (w - y, x - z, y + w, z + x)
    near, far = np.hypot(a, b), np.hypot(c, d)
    middle = 2 * np.arctan2(far, near)
    total, difference = np.arctan2(b, a), np.arctan2(d, c)
    noise = 8 * np.finfo(q.dtype).eps  # below it the outer axes coincide and their difference means nothing
    closed, opened = far < noise, near < noise
    locked = closed | opened
    first = np.where(closed, 2 * total, np.where(opened, 2 * difference, total + difference))
    last = np.where(locked, 0, total - difference)
    if not proper:
        middle, last = middle - np.pi / 2, -parity * last
    first, last = wrap(first), wrap(last)
    outer = (last, first) if kind == "extrinsic" else (first, last)
    return np.stack((outer[0], middle, outer[1]), axis=-1).astype(q.dtype, copy=False)


def unroll(angles: ArrayLike, order: str, axis: int = 0) -> Array:
    """The same rotations with angles (..., 3) that run on without jumps along `axis`, through gimbal lock too.

    Every rotation has a second triple of angles: the outer ones half a turn further, the middle one mirrored.
    Whichever of the two is nearer to the one before is taken, then whole turns are removed.
    """
    angles = np.moveaxis(np.asarray(angles), axis, 0)
    middle = -angles[..., 1] if order[0] == order[2] else np.pi - angles[..., 1]
    twins = np.stack((angles[..., 0] + np.pi, middle, angles[..., 2] + np.pi), axis=-1)

    def distance(a: Array, b: Array) -> Array:
        return np.sum(wrap(a - b) ** 2, axis=-1)

    changes = distance(twins[1:], angles[:-1]) < distance(angles[1:], angles[:-1])
    changed = np.zeros(angles.shape[:-1], dtype=bool)
    changed[1:] = np.cumsum(changes, axis=0) % 2 == 1
    return np.moveaxis(np.unwrap(np.where(changed[..., None], twins, angles), axis=0), 0, axis)


def _axes(order: str, kind: str) -> tuple[int, int, int, int]:
    """Axis numbers of the equal intrinsic order, with the third axis completed, and the sign of i x j = k."""
    if order not in ORDERS:
        raise MovesetError(f"Euler order {order!r} is none of {', '.join(ORDERS)}")
    if kind not in ("intrinsic", "extrinsic"):
        raise MovesetError(f"kind {kind!r} is neither 'intrinsic' nor 'extrinsic'")
    i, j = "XYZ".index(order[2 if kind == "extrinsic" else 0]), "XYZ".index(order[1])
    return i, j, 3 - i - j, 1 if (j - i) % 3 == 1 else -1
