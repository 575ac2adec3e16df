"""The node tree: parents, order, local and world transforms at rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from moveset.formats.gltf.document import Document
from moveset.geometry import quaternion


@dataclass(frozen=True, eq=False)
class Nodes:
    """All nodes of a document, whether a scene shows them or not."""

    parents: np.ndarray
    """(N,) -1 for a root."""
    order: tuple[int, ...]
    """Depth first, parents before children, children as the file lists them."""
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


def read_nodes(document: Document) -> Nodes:
    """Check and measure the tree."""
    entries = document.table("nodes")
    children = [document.references(n, "children", "nodes", f"nodes[{i}]") for i, n in enumerate(entries)]
    parents = np.full(len(entries), -1, dtype=np.int64)
    for i, below in enumerate(children):
        for child in below:
            if parents[child] >= 0:
                raise document.error(f"has two parents, {parents[child]} and {i}", f"nodes[{child}]")
            parents[child] = i
    order = _depth_first(children, parents)
    if len(order) < len(entries):
        loop = sorted(set(range(len(entries))) - set(order))
        raise document.error(f"is its own ancestor ({len(loop)} nodes form a circle)", f"nodes[{loop[0]}]")
    local = np.tile(np.eye(4), (len(entries), 1, 1))
    translations, scales = np.zeros((len(entries), 3)), np.ones((len(entries), 3))
    rotations = quaternion.identity((len(entries),))
    for i, entry in enumerate(entries):
        where = f"nodes[{i}]"
        if "matrix" in entry:
            local[i] = document.numbers(entry, "matrix", np.eye(4).ravel(), where).reshape(4, 4).T
            translations[i], rotations[i], scales[i] = decompose(local[i])
            continue
        if entry.keys().isdisjoint(("translation", "rotation", "scale")):
            continue
        translations[i] = document.numbers(entry, "translation", (0, 0, 0), where)
        rotations[i] = document.numbers(entry, "rotation", (0, 0, 0, 1), where)
        scales[i] = document.numbers(entry, "scale", (1, 1, 1), where)
    rotations = quaternion.normalize(rotations)
    given = np.array(["matrix" in entry for entry in entries], dtype=bool)
    local = np.where(given[:, None, None], local, compose(translations, rotations, scales))
    world = local.copy()
    for i in order:
        if parents[i] >= 0:
            world[i] = world[parents[i]] @ local[i]
    return Nodes(parents, tuple(order), translations, rotations, scales, world)


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


def _depth_first(children: list[list[int]], parents: np.ndarray) -> list[int]:
    order: list[int] = []
    stack = [int(i) for i in np.flatnonzero(parents < 0)[::-1]]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(reversed(children[node]))
    return order
