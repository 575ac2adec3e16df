"""Torch twin of `geometry.quaternion`: the same names, the same numbers, gradients that are finite everywhere.

Where a formula divides zero by zero (no rotation, equal rotations) a series takes its place, chosen before the
division, because `where` after it would still send a NaN back.
"""

from __future__ import annotations

import torch
from torch import Tensor

from moveset.learn.vector import length


def normalize(q: Tensor) -> Tensor:
    """Unit quaternions; a zero quaternion becomes the identity."""
    norm = length(q)
    some = norm > 0
    return torch.where(some, q / torch.where(some, norm, 1), q.new_tensor([0.0, 0.0, 0.0, 1.0]))


def multiply(a: Tensor, b: Tensor) -> Tensor:
    """Hamilton product: rotate by `b`, then by `a`."""
    av, aw, bv, bw = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    xyz = aw * bv + bw * av + torch.linalg.cross(av, bv)
    return torch.cat((xyz, aw * bw - (av * bv).sum(dim=-1, keepdim=True)), dim=-1)


def conjugate(q: Tensor) -> Tensor:
    """Inverse of a unit quaternion."""
    return q * q.new_tensor([-1.0, -1.0, -1.0, 1.0])


def inverse_multiply(a: Tensor, b: Tensor) -> Tensor:
    """inverse(a) * b: `b` as seen from `a`."""
    return multiply(conjugate(a), b)


def rotate(q: Tensor, v: Tensor) -> Tensor:
    """Vectors (..., 3) turned by q (..., 4)."""
    axis = q[..., :3]
    t = 2 * torch.linalg.cross(axis, v)
    return v + q[..., 3:] * t + torch.linalg.cross(axis, t)


def inverse_rotate(q: Tensor, v: Tensor) -> Tensor:
    """Vectors turned back by q: the inverse of `rotate`."""
    return rotate(conjugate(q), v)


def cross(a: Tensor, b: Tensor) -> Tensor:
    """Cross product over the last axis."""
    return torch.linalg.cross(a, b)


def from_rotation_vector(v: Tensor) -> Tensor:
    """Exponential map: axis times angle [rad], (..., 3) -> (..., 4)."""
    squared = (v * v).sum(dim=-1, keepdim=True)
    small = squared < 1e-4
    half = torch.where(small, 1, squared).sqrt() / 2
    scale = torch.where(small, 0.5 - squared / 48 + squared**2 / 3840, half.sin() / (2 * half))
    return torch.cat((v * scale, torch.where(small, 1 - squared / 8 + squared**2 / 384, half.cos())), dim=-1)


def to_rotation_vector(q: Tensor) -> Tensor:
    """Logarithm: axis times angle [rad] of the shorter way, (..., 4) -> (..., 3)."""
    q = positive(q)
    xyz, w = q[..., :3], q[..., 3:]
    squared = (xyz * xyz).sum(dim=-1, keepdim=True)
    small = squared < 1e-6
    sine = torch.where(small, 1, squared).sqrt()
    tangent = torch.where(small, squared, 0) / torch.where(small, w, 1) ** 2
    series = (1 - tangent / 3 + tangent**2 / 5) / torch.where(small, w, 1)
    return xyz * 2 * torch.where(small, series, torch.atan2(sine, w) / sine)


def from_axis_angle(axis: Tensor, angle: Tensor) -> Tensor:
    """Rotations by `angle` (...) [rad] about unit `axis` (..., 3)."""
    half = angle[..., None] / 2
    xyz = axis * half.sin()
    return torch.cat((xyz, half.cos().expand(*xyz.shape[:-1], 1)), dim=-1)


def to_matrix(q: Tensor) -> Tensor:
    """Rotation matrices (..., 3, 3)."""
    x, y, z, w = q.unbind(dim=-1)
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz, xy, xz, yz = x * x2, y * y2, z * z2, x * y2, x * z2, y * z2
    xw, yw, zw = w * x2, w * y2, w * z2
    rows = (1 - (yy + zz), xy - zw, xz + yw, xy + zw, 1 - (xx + zz), yz - xw, xz - yw, yz + xw, 1 - (xx + yy))
    return torch.stack(rows, dim=-1).unflatten(-1, (3, 3))


def from_matrix(m: Tensor) -> Tensor:
    """Quaternions of rotation matrices (..., 3, 3), w >= 0; stable at every angle (Shepperd 1978)."""
    (m00, m01, m02), (m10, m11, m12), (m20, m21, m22) = (row.unbind(dim=-1) for row in m.unbind(dim=-2))
    xy, xz, yz, xw, yw, zw = m01 + m10, m02 + m20, m12 + m21, m21 - m12, m02 - m20, m10 - m01
    low = m22 < 0  # then x or y is the largest, else z or w
    first = torch.where(low, m00 > m11, m00 < -m11)  # x of x and y, z of z and w

    def pick(of_x: Tensor, of_y: Tensor, of_z: Tensor, of_w: Tensor) -> Tensor:
        return torch.where(low, torch.where(first, of_x, of_y), torch.where(first, of_z, of_w))

    diagonal = pick(m00 - m11 - m22, m11 - m00 - m22, m22 - m00 - m11, m00 + m11 + m22) + 1
    w = pick(xw, yw, zw, diagonal)
    column = (pick(diagonal, xy, xz, xw), pick(xy, diagonal, yz, yw), pick(xz, yz, diagonal, zw), w)
    return normalize(torch.stack(column, dim=-1) * torch.where(w < 0, -1, 1)[..., None])


def between(a: Tensor, b: Tensor) -> Tensor:
    """Shortest rotation that turns direction `a` to direction `b` (..., 3); any half turn for opposite ones."""
    a, b = torch.broadcast_tensors(a, b)
    size = length(a) * length(b)
    real = size + (a * b).sum(dim=-1, keepdim=True)
    # turn about any axis across a: the one made with its smallest component
    smallest = torch.eye(3, dtype=a.dtype, device=a.device)[a.detach().abs().argmin(dim=-1)]
    half_turn = torch.cat((cross(a, smallest), torch.zeros_like(real)), dim=-1)
    return normalize(torch.where(real < 1e-9 * size, half_turn, torch.cat((cross(a, b), real), dim=-1)))


def positive(q: Tensor) -> Tensor:
    """The same rotations with w >= 0."""
    return torch.where(q[..., 3:] < 0, -q, q)


def unroll(q: Tensor, axis: int = 0) -> Tensor:
    """The same rotations, signs chosen so that neighbours along `axis` lie in one hemisphere."""
    q = q.movedim(axis, 0)
    dots = (q[1:] * q[:-1]).sum(dim=-1, keepdim=True)
    signs = torch.where(dots < 0, -1, 1).cumprod(dim=0)
    return torch.cat((q[:1], q[1:] * signs)).movedim(0, axis)


def slerp(a: Tensor, b: Tensor, t: Tensor) -> Tensor:
    """Spherical interpolation along the shorter way; `t` (...) from 0 to 1."""
    t = t[..., None]
    b = torch.where((a * b).sum(dim=-1, keepdim=True) < 0, -b, b)
    angle = 2 * torch.atan2(length(a - b), length(a + b))
    near = angle < 1e-3
    safe = torch.where(near, 1, angle)

    def weight(t: Tensor) -> Tensor:
        return torch.where(near, t * (1 + angle**2 * (1 - t**2) / 6), (t * safe).sin() / safe.sin())

    return normalize(weight(1 - t) * a + weight(t) * b)


def angle(q: Tensor) -> Tensor:
    """Angle of each rotation [rad], 0 to pi; its gradient at no rotation is taken to be zero."""
    return 2 * torch.atan2(length(q[..., :3])[..., 0], q[..., 3].abs())


def angle_between(a: Tensor, b: Tensor) -> Tensor:
    """Geodesic distance [rad], 0 to pi."""
    return angle(inverse_multiply(a, b))


def swing_twist(q: Tensor, axis: Tensor) -> tuple[Tensor, Tensor]:
    """q = swing * twist, the twist about unit `axis` (..., 3), the swing without any turn about it."""
    along = (q[..., :3] * axis).sum(dim=-1, keepdim=True)
    twist = normalize(torch.cat((along * axis, q[..., 3:]), dim=-1))
    return multiply(q, conjugate(twist)), twist
