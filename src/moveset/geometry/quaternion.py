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
    if np.isinf(norm).any():  # the squares overflow, the quaternion need not
        with np.errstate(invalid="ignore"):
            return normalize(q / np.abs(q).max(axis=-1, keepdims=True))
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
    x, y, z, w = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    a, b, c = v[..., 0], v[..., 1], v[..., 2]
    tx, ty, tz = y * c - z * b, z * a - x * c, x * b - y * a
    tx, ty, tz = tx + tx, ty + ty, tz + tz
    return np.stack(
        (a + w * tx + (y * tz - z * ty), b + w * ty + (z * tx - x * tz), c + w * tz + (x * ty - y * tx)),
        axis=-1,
    )


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
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz, xy, xz, yz = x * x2, y * y2, z * z2, x * y2, x * z2, y * z2
    xw, yw, zw = w * x2, w * y2, w * z2
    rows = (1 - (yy + zz), xy - zw, xz + yw, xy + zw, 1 - (xx + zz), yz - xw, xz - yw, yz + xw, 1 - (xx + yy))
    return np.stack(rows, axis=-1).reshape(*q.shape[:-1], 3, 3)


def from_matrix(m: Array) -> Array:
    """Quaternions of rotation matrices (..., 3, 3), w >= 0; stable at every angle (Shepperd 1978).

    The entries of M give 4 q q^T; its column with the largest diagonal entry is taken and normalized.
    """
    m00, m11, m22 = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    xy, xz, yz = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
    xw, yw, zw = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    low = m22 < 0  # then x or y is the largest, else z or w
    first = np.where(low, m00 > m11, m00 < -m11)  # x of x and y, z of z and w

    def pick(of_x: Array, of_y: Array, of_z: Array, of_w: Array) -> Array:
        return np.where(low, np.where(first, of_x, of_y), np.where(first, of_z, of_w))

    diagonal = pick(m00 - m11 - m22, m11 - m00 - m22, m22 - m00 - m11, m00 + m11 + m22) + 1
    w = pick(xw, yw, zw, diagonal)
    column = (pick(diagonal, xy, xz, xw), pick(xy, diagonal, yz, yw), pick(xz, yz, diagonal, zw), w)
    return normalize(np.stack(column, axis=-1) * np.where(w < 0, -1, 1).astype(m.dtype)[..., None])


def between(a: Array, b: Array) -> Array:
    """Shortest rotation that turns direction `a` to direction `b` (..., 3); any half turn for opposite ones."""
    a, b = np.broadcast_arrays(a, b)
    size = np.sqrt(np.einsum("...i,...i->...", a, a) * np.einsum("...i,...i->...", b, b))[..., None]
    real = size + np.einsum("...i,...i->...", a, b)[..., None]
    direct = np.concatenate((cross(a, b), real), axis=-1)
    opposite = real < 1e-9 * size
    if np.any(opposite):  # turn about any axis across a: the one made with its smallest component
        axis = np.eye(3, dtype=a.dtype)[np.argmin(np.abs(a), axis=-1)]
        direct = np.where(opposite, np.concatenate((cross(a, axis), np.zeros_like(real)), axis=-1), direct)
    return normalize(direct)


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
    t = np.asarray(t, dtype=np.result_type(a, b))[..., None]
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
