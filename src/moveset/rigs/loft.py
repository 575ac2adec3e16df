"""Surfaces for figures: tubes lofted along bones, with skin weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from moveset.geometry.mesh import smooth_normals
from moveset.geometry.quaternion import Array
from moveset.motion import Mesh


@dataclass(frozen=True, eq=False)
class Frame:
    """Where a part is built: an origin and the directions side (the body's left), along and front."""

    origin: Array
    side: Array
    along: Array
    front: Array

    def place(self, local: Array) -> Array:
        """Points (..., 3) given as (side, along, front) [m], in the space of the frame."""
        return self.origin + local @ np.stack((self.side, self.along, self.front))


def aim(origin: Array, along: Array, front: Array) -> Frame:
    """The frame whose `along` is exact and whose front is as near `front` as it can be."""
    along = along / np.linalg.norm(along)
    front = front - along * (front @ along)
    if np.linalg.norm(front) < 1e-3:
        front = np.eye(3)[np.argmin(np.abs(along))]
        front = front - along * (front @ along)
    front = front / np.linalg.norm(front)
    return Frame(np.asarray(origin, dtype=float), np.cross(along, front), along, front)


@dataclass(frozen=True)
class Ring:
    """A cross-section: `t` along the bone, half widths to the side and the front, and the centre's shift [m]."""

    t: float
    side: float
    front: float
    shift_front: float = 0.0
    shift_side: float = 0.0


Weights = Sequence[tuple[float, dict[int, float]]]
"""Joint weights at places t along a part; between two places they pass over smoothly."""


def loft(
    frame: Frame,
    length: float,
    rings: Sequence[Ring],
    *,
    columns: int = 16,
    rows: int = 12,
    square: float = 2.0,
    tightness: float = 1.0,
) -> tuple[Array, np.ndarray, Array]:
    """A closed tube through `rings`, its ends rounded off: vertices (V, 3), triangles (T, 3) and t (V,).

    `square` is the exponent of the cross-section: 2 an ellipse, larger more like a box. Ends round off over half
    their width, divided by `tightness`.
    """
    t = np.array([r.t for r in rings])
    controls = np.array([(r.side, r.front, r.shift_front, r.shift_side) for r in rings])
    # rows crowd at the ends, where the tube rounds off
    u = 0.5 - 0.5 * np.cos(np.linspace(0, np.pi, rows + 2))
    at = t[0] + (t[-1] - t[0]) * u
    side, front, shift_front, shift_side = hermite(t, controls, at).T
    cap = 0.5 * (controls[0, :2].mean() + controls[-1, :2].mean()) / max(length * (t[-1] - t[0]), 1e-9)
    cap = min(cap / tightness, 0.5)
    edge = np.clip(np.minimum(u, 1 - u) / cap, 0, 1)
    round_off = np.sqrt(np.clip(1 - (1 - edge) ** 2, 0, 1))
    angle = np.arange(columns) * 2 * np.pi / columns
    cos, sin = np.cos(angle), np.sin(angle)
    power = 2 / square
    x, z = np.sign(cos) * np.abs(cos) ** power, np.sign(sin) * np.abs(sin) ** power
    local = np.empty((rows + 2, columns, 3))
    local[..., 0] = shift_side[:, None] + (side * round_off)[:, None] * x
    local[..., 1] = (at * length)[:, None]
    local[..., 2] = shift_front[:, None] + (front * round_off)[:, None] * z
    inner = local[1:-1].reshape(-1, 3)
    points = np.concatenate((local[0, :1], inner, local[-1, :1]))
    places = np.concatenate((at[:1], np.repeat(at[1:-1], columns), at[-1:]))
    return frame.place(points), _tube_triangles(rows, columns), places


def hermite(t: Array, values: Array, at: Array) -> Array:
    """Smooth curve through (t (K,), values (K, C)) at `at` (N,): cubic Hermite, slopes by differences."""
    slopes = np.gradient(values, t, axis=0)
    k = np.clip(np.searchsorted(t, at, side="right") - 1, 0, len(t) - 2)
    h = (t[k + 1] - t[k])[:, None]
    s = ((at - t[k]) / h[:, 0])[:, None]
    return (
        (1 + 2 * s) * (1 - s) ** 2 * values[k]
        + s * (1 - s) ** 2 * h * slopes[k]
        + s**2 * (3 - 2 * s) * values[k + 1]
        + s**2 * (s - 1) * h * slopes[k + 1]
    )


def _tube_triangles(rows: int, columns: int) -> np.ndarray:
    """Triangles of a pole, `rows` rings of `columns` vertices and another pole, outside counter-clockwise."""
    ring = np.arange(columns)
    after = (ring + 1) % columns
    start = 1 + columns * np.arange(rows - 1)[:, None]
    a, b = start + ring, start + after
    c, d = a + columns, b + columns
    sides = np.concatenate((np.stack((a, c, b), -1).reshape(-1, 3), np.stack((b, c, d), -1).reshape(-1, 3)))
    last = 1 + columns * (rows - 1)
    low = np.stack((np.zeros(columns, dtype=int), 1 + ring, 1 + after), -1)
    high = np.stack((np.full(columns, last + columns), last + after, last + ring), -1)
    return np.concatenate((sides, low, high))


def blend(weights: Weights, t: Array, joints: int) -> Array:
    """(V, J) weights at places t (V,): smooth passages between the given places."""
    places = np.array([place for place, _ in weights])
    table = np.zeros((len(weights), joints))
    for row, (_, share) in enumerate(weights):
        for joint, weight in share.items():
            table[row, joint] = weight
    if len(weights) == 1:
        return np.repeat(table, len(t), axis=0)
    k = np.clip(np.searchsorted(places, t, side="right") - 1, 0, len(places) - 2)
    s = np.clip((t - places[k]) / (places[k + 1] - places[k]), 0, 1)
    s = (s * s * (3 - 2 * s))[:, None]
    return table[k] * (1 - s) + table[k + 1] * s


@dataclass
class Figure:
    """Collects skinned parts, sorted by material, and makes meshes of them."""

    joints: int
    inverse_binds: Array
    """(J, 4, 4)"""
    parts: dict[int, list[tuple[Array, np.ndarray, Array]]] = field(default_factory=dict)

    def add(self, material: int, points: Array, triangles: np.ndarray, weights: Array) -> None:
        """One closed part: points (V, 3), triangles (T, 3), weights (V, J)."""
        self.parts.setdefault(material, []).append((points, triangles, weights))

    def tube(
        self, material: int, frame: Frame, length: float, rings: Sequence[Ring], weights: Weights,
        *, columns: int = 16, rows: int = 12, square: float = 2.0, tightness: float = 1.0,
    ) -> None:  # fmt: skip
        """A lofted part."""
        points, triangles, t = loft(
            frame, length, rings, columns=columns, rows=rows, square=square, tightness=tightness
        )
        self.add(material, points, triangles, blend(weights, t, self.joints))

    def ball(
        self, material: int, center: Array, radius: float, weights: dict[int, float],
        *, columns: int = 12, rows: int = 6,
    ) -> None:  # fmt: skip
        """A sphere."""
        frame = Frame(np.asarray(center) - (0, radius, 0), *np.eye(3))
        polar = np.linspace(0, np.pi, rows + 2)[1:-1]
        angle = np.arange(columns) * 2 * np.pi / columns
        ring = np.stack(
            (
                radius * np.sin(polar)[:, None] * np.cos(angle),
                np.broadcast_to(radius * (1 - np.cos(polar))[:, None], (rows, columns)),
                radius * np.sin(polar)[:, None] * np.sin(angle),
            ),
            axis=-1,
        ).reshape(-1, 3)
        points = np.concatenate(([(0, 0, 0)], ring, [(0, 2 * radius, 0)]))
        share = blend([(0.0, weights)], np.zeros(len(points)), self.joints)
        self.add(material, frame.place(points), _tube_triangles(rows, columns), share)

    def meshes(self, influences: int = 4) -> tuple[Mesh, ...]:
        """One mesh a material; each vertex keeps its strongest `influences` joints."""
        return tuple(
            self._mesh(material, parts, influences) for material, parts in sorted(self.parts.items())
        )

    def _mesh(self, material: int, parts: list[tuple[Array, np.ndarray, Array]], influences: int) -> Mesh:
        starts = np.cumsum([0] + [len(p) for p, _, _ in parts])
        triangles = np.concatenate([t + s for (_, t, _), s in zip(parts, starts)])
        points = np.concatenate([p for p, _, _ in parts])
        normals = np.concatenate([smooth_normals(p, t) for p, t, _ in parts])
        weights = np.concatenate([w for _, _, w in parts])
        influences = min(influences, self.joints)
        strongest = np.argsort(-weights, axis=1, kind="stable")[:, :influences]
        share = np.take_along_axis(weights, strongest, axis=1)
        share /= share.sum(axis=1, keepdims=True)
        return Mesh(
            positions=points,
            triangles=triangles,
            skin_joints=np.arange(self.joints),
            inverse_binds=self.inverse_binds,
            joint_indices=strongest,
            weights=share,
            normals=normals,
            material=material,
        )
