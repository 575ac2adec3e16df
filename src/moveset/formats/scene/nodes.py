"""The node tree of a file: parents, order, local and world transforms at rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from moveset.geometry import quaternion


@dataclass(frozen=True, eq=False)
class Nodes:
    """All nodes of a file, whether it shows them or not."""

    names: tuple[str, ...]
    """(N)"""
    parents: np.ndarray
    """(N,) -1 for a root."""
    order: tuple[int, ...]
    """Depth first, parents before children, children as the file lists them."""
    plain_leaves: np.ndarray
    """(N,) bool: nodes without children that show nothing."""
    translations: np.ndarray
    """(N, 3)"""
    rotations: np.ndarray
    """(N, 4) unit."""
    scales: np.ndarray
    """(N, 3)"""
    world: np.ndarray
    """(N, 4, 4) at rest, exact also where a scale shears."""

    def __len__(self) -> int:
        return len(self.parents)

    def below(self, marked: np.ndarray) -> np.ndarray:
        """(N,) whether a node or one of its ancestors is marked."""
        out = marked.copy()
        for node in self.order:
            parent = self.parents[node]
            if parent >= 0 and out[parent]:
                out[node] = True
        return out

    def above(self, marked: np.ndarray) -> np.ndarray:
        """(N,) whether a node or one of its descendants is marked."""
        out = marked.copy()
        for node in reversed(self.order):
            parent = self.parents[node]
            if parent >= 0 and out[node]:
                out[parent] = True
        return out

    def nearest(self, marked: np.ndarray) -> np.ndarray:
        """(N,) the marked node at or nearest above each, -1 for none."""
        out = np.where(marked, np.arange(len(self)), -1)
        for node in self.order:
            parent = self.parents[node]
            if out[node] < 0 and parent >= 0:
                out[node] = out[parent]
        return out


def unique(names: list[str]) -> tuple[str, ...]:
    """The same names, `_2`, `_3` ... appended to those that occurred before."""
    taken: set[str] = set()
    last: dict[str, int] = {}
    out = []
    for base in names:
        name, number = base, last.get(base, 1)
        while name in taken:
            number += 1
            name = f"{base}_{number}"
        last[base] = number
        taken.add(name)
        out.append(name)
    return tuple(out)


def compose(translations: np.ndarray, rotations: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """(..., 4, 4) matrices that scale, then rotate, then translate."""
    out = np.zeros((*rotations.shape[:-1], 4, 4))
    out[..., :3, :3] = quaternion.to_matrix(rotations) * scales[..., None, :]
    out[..., :3, 3] = translations
    out[..., 3, 3] = 1
    return out


def decompose(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Translation, rotation, scale of a 4 x 4 matrix; what shear it has is lost."""
    linear = matrix[:3, :3]
    scale = np.linalg.norm(linear, axis=0)
    if np.linalg.det(linear) < 0:
        scale = -scale
    if np.any(np.abs(scale) < 1e-12):
        return matrix[:3, 3], quaternion.identity(), scale
    rotation, _ = polar(linear / scale)
    return matrix[:3, 3], quaternion.from_matrix(rotation), scale


def polar(linear: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rotations and stretches (..., 3, 3) with linear = rotation @ stretch; a mirror is in the stretch."""
    u, s, vt = np.linalg.svd(linear)
    rotation = u @ vt
    sign = np.where(np.linalg.det(rotation) < 0, -1.0, 1.0)[..., None, None]
    stretch = np.swapaxes(vt, -1, -2) @ (s[..., :, None] * vt)
    return rotation * sign, stretch * sign


def depth_first(children: list[list[int]], parents: np.ndarray) -> list[int]:
    """Nodes of a tree, parents first; those of a circle are not among them."""
    order: list[int] = []
    stack = [int(i) for i in np.flatnonzero(parents < 0)[::-1]]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(reversed(children[node]))
    return order
