"""Unit quaternions, x y z w, over any leading axes.

Functions come in inverse pairs and broadcast. Arithmetic runs on components, which lets the same lines serve
one rotation or a whole library. Names ending in `_unit` trust that their input is normalized.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.floating]

IDENTITY = np.array([0.0, 0.0, 0.0, 1.0])


def identity(shape: tuple[int, ...] = (), dtype: type = np.float64) -> Array:
    """(*shape, 4) identity rotations."""
    out = np.zeros((*shape, 4), dtype=dtype)
    out[..., 3] = 1
    return out


def normalize(q: Array) -> Array:
    """Unit quaternions; a zero quaternion becomes the identity."""
    norm = np.sqrt(np.einsum("...i,...i->...", q, q))[..., None]
    safe = np.where(norm > 0, norm, 1)
    return np.where(norm > 0, q / safe, np.asarray(IDENTITY, dtype=q.dtype))


def multiply(a: Array, b: Array) -> Array:
    """Hamilton product: rotate by `b`, then by `a`."""
    ax, ay, az, aw = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bx, by, bz, bw = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    return np.stack(
        (
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ),
        axis=-1,
    )


def conjugate(q: Array) -> Array:
    """Inverse of a unit quaternion."""
    return q * np.array([-1, -1, -1, 1], dtype=q.dtype)


def inverse_multiply(a: Array, b: Array) -> Array:
    """inverse(a) * b: `b` as seen from `a`."""
    return multiply(conjugate(a), b)


def rotate(q: Array, v: Array) -> Array:
    """Vectors (..., 3) turned by q (..., 4)."""
    u = q[..., :3]
    t = 2 * cross(u, v)
    return v + q[..., 3:] * t + cross(u, t)


def inverse_rotate(q: Array, v: Array) -> Array:
    """Vectors turned back by q: the inverse of `rotate`."""
    return rotate(conjugate(q), v)


def cross(a: Array, b: Array) -> Array:
    """Cross product over the last axis; quicker than np.cross on short vectors."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return np.stack((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx), axis=-1)


def from_rotation_vector(v: Array) -> Array:
    """Exponential map: axis times angle [rad], (..., 3) -> (..., 4)."""
    v = np.asarray(v)
    half = np.sqrt(np.einsum("...i,...i->...", v, v))[..., None] / 2
    return np.concatenate((v * (0.5 * np.sinc(half / np.pi)), np.cos(half)), axis=-1)


def to_rotation_vector(q: Array) -> Array:
    """Logarithm: axis times angle [rad] of the shorter way, (..., 4) -> (..., 3)."""
    q = np.where(q[..., 3:] < 0, -q, q)
    xyz, w = q[..., :3], q[..., 3:]
    sine = np.sqrt(np.einsum("...i,...i->...", xyz, xyz))[..., None]
    small = sine < 1e-7
    ratio = 2 * np.arctan2(sine, w) / np.where(small, 1, sine)
    return xyz * np.where(small, 2 / np.maximum(w, 1e-7), ratio)


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Array:
    """Rotations by `angle` (...) [rad] about unit `axis` (..., 3)."""
    axis, half = np.asarray(axis, dtype=float), np.asarray(angle, dtype=float)[..., None] / 2
    axis, half = np.broadcast_arrays(axis, half)
    return np.concatenate((axis * np.sin(half), np.cos(half[..., :1])), axis=-1)


def to_matrix(q: Array) -> Array:
    """Rotation matrices (..., 3, 3)."""
    x, y, z, w = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    out = np.empty((*q.shape[:-1], 3, 3), dtype=q.dtype)
    out[..., 0, 0] = 1 - 2 * (y * y + z * z)
    out[..., 0, 1] = 2 * (x * y - z * w)
    out[..., 0, 2] = 2 * (x * z + y * w)
    out[..., 1, 0] = 2 * (x * y + z * w)
    out[..., 1, 1] = 1 - 2 * (x * x + z * z)
    out[..., 1, 2] = 2 * (y * z - x * w)
    out[..., 2, 0] = 2 * (x * z - y * w)
    out[..., 2, 1] = 2 * (y * z + x * w)
    out[..., 2, 2] = 1 - 2 * (x * x + y * y)
    return out


def from_matrix(m: Array) -> Array:
    """Quaternions of rotation matrices (..., 3, 3), w >= 0; stable at every angle (Shepperd 1978, branch-free).

    The largest column of the 4 x 4 matrix whose entries are 4 q_i q_j is taken and normalized.
    """
    m00, m11, m22 = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    xx, yy, zz, ww = 1 + m00 - m11 - m22, 1 - m00 + m11 - m22, 1 - m00 - m11 + m22, 1 + m00 + m11 + m22
    xy, xz, yz = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
    xw, yw, zw = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    rows = np.stack(
        (
            np.stack((xx, xy, xz, xw), -1),
            np.stack((xy, yy, yz, yw), -1),
            np.stack((xz, yz, zz, zw), -1),
            np.stack((xw, yw, zw, ww), -1),
        ),
        axis=-2,
    )
    largest = np.argmax(np.stack((xx, yy, zz, ww), -1), axis=-1)
    picked = np.take_along_axis(rows, largest[..., None, None], axis=-2)[..., 0, :]
    return positive(normalize(picked))


def between(a: Array, b: Array) -> Array:
    """Shortest rotation that turns direction `a` to direction `b` (..., 3); any half turn for opposite ones."""
    a, b = np.broadcast_arrays(a, b)
    a = a / np.maximum(np.linalg.norm(a, axis=-1, keepdims=True), 1e-30)
    b = b / np.maximum(np.linalg.norm(b, axis=-1, keepdims=True), 1e-30)
    dot = np.einsum("...i,...i->...", a, b)[..., None]
    direct = np.concatenate((cross(a, b), 1 + dot), axis=-1)
    # opposite directions: turn about the axis least aligned with a
    helper = np.eye(3)[np.argmin(np.abs(a), axis=-1)]
    around = np.concatenate((cross(a, helper), np.zeros_like(dot)), axis=-1)
    return normalize(np.where(dot < -1 + 1e-9, around, direct))


def positive(q: Array) -> Array:
    """The same rotations with w >= 0."""
    return np.where(q[..., 3:] < 0, -q, q)


def unroll(q: Array, axis: int = 0) -> Array:
    """The same rotations, signs chosen so that neighbours along `axis` lie in one hemisphere."""
    q = np.moveaxis(np.asarray(q), axis, 0)
    if len(q) < 2:
        return np.moveaxis(q, 0, axis)
    dots = np.einsum("...i,...i->...", q[1:], q[:-1])
    signs = np.cumprod(np.where(dots < 0, -1, 1), axis=0)
    out = np.concatenate((q[:1], q[1:] * signs[..., None].astype(q.dtype)), axis=0)
    return np.moveaxis(out, 0, axis)


def slerp(a: Array, b: Array, t: ArrayLike) -> Array:
    """Spherical interpolation along the shorter way; `t` (...) from 0 to 1."""
    t = np.asarray(t, dtype=float)[..., None]
    dot = np.einsum("...i,...i->...", a, b)[..., None]
    b = np.where(dot < 0, -b, b)
    angle = np.arccos(np.clip(np.abs(dot), 0, 1))
    sine = np.sin(angle)
    near = sine < 1e-6
    safe = np.where(near, 1, sine)
    wa = np.where(near, 1 - t, np.sin((1 - t) * angle) / safe)
    wb = np.where(near, t, np.sin(t * angle) / safe)
    return normalize(wa * a + wb * b)


def angle(q: Array) -> Array:
    """Angle of each rotation [rad], 0 to pi."""
    xyz = np.sqrt(np.einsum("...i,...i->...", q[..., :3], q[..., :3]))
    return 2 * np.arctan2(xyz, np.abs(q[..., 3]))


def angle_between(a: Array, b: Array) -> Array:
    """Geodesic distance [rad], 0 to pi."""
    return angle(inverse_multiply(a, b))


def swing_twist(q: Array, axis: ArrayLike) -> tuple[Array, Array]:
    """q = swing * twist, the twist about unit `axis` (..., 3), the swing without any turn about it."""
    axis = np.asarray(axis, dtype=float)
    along = np.einsum("...i,...i->...", q[..., :3], np.broadcast_to(axis, q[..., :3].shape))[..., None]
    twist = normalize(np.concatenate((along * axis, q[..., 3:]), axis=-1))
    return multiply(q, conjugate(twist)), twist


def mean(q: Array, axis: int = 0, weights: Array | None = None) -> Array:
    """Average rotation: the largest eigenvector of the sum of q q^T (Markley et al. 2007)."""
    q = np.moveaxis(np.asarray(q), axis, 0)
    w = np.ones(len(q)) if weights is None else np.asarray(weights)
    outer = np.einsum("n,n...i,n...j->...ij", w, q, q)
    _, vectors = np.linalg.eigh(outer)
    return positive(vectors[..., -1])
