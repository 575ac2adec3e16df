"""What the reader's process said about a file, and its space: units and axes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from moveset.formats.scene.nodes import Nodes, compose, depth_first
from moveset.geometry import quaternion

FARTHEST = 1e15
"""Units from the origin beyond which no number is meant."""
BONES = ("bone",)
"""Kinds of nodes that are bones: limb nodes, of all applications."""
STAGE = ("camera", "light", "stereo_camera", "camera_switcher")
"""Kinds of nodes that move by themselves."""
_UNKNOWN_AXIS = 6


@dataclass(frozen=True, eq=False)
class Document:
    """An FBX file as plain numbers, in its own space."""

    header: dict
    arrays: dict[str, np.ndarray]

    @property
    def tree(self) -> list[dict]:
        """What is said about each node."""
        return self.header["nodes"]

    @property
    def stacks(self) -> list[dict]:
        """What is said about each animation stack."""
        return self.header["stacks"]

    @cached_property
    def parents(self) -> np.ndarray:
        """(N,) -1 for a root; the node that ufbx adds above all is left out."""
        return np.array([node["parent"] for node in self.tree], dtype=np.int64)

    @cached_property
    def children(self) -> list[list[int]]:
        """(N) nodes right below each."""
        children: list[list[int]] = [[] for _ in self.tree]
        for i, parent in enumerate(self.parents.tolist()):
            if parent >= 0:
                children[parent].append(i)
        return children

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Nodes depth first."""
        return tuple(depth_first(self.children, self.parents))

    @cached_property
    def rest(self) -> np.ndarray:
        """(N, 10) translation, rotation, scale of each node outside of any animation.

        What is hidden there by a scale of 0 is shown: below it nothing would have a place.
        """
        rest = self.arrays["rest"]
        return np.concatenate((rest[:, :7], np.where(np.abs(rest[:, 7:]) > 1e-9, rest[:, 7:], 1.0)), axis=1)

    def poses(self, stack: int, nodes: np.ndarray) -> np.ndarray:
        """(F, K, 10) of `nodes` in a stack."""
        posed, moving = self.arrays[f"stack{stack}.nodes"], self.arrays[f"stack{stack}.poses"]
        row = np.full(len(self.tree), -1)
        row[posed] = np.arange(len(posed))
        full = np.repeat(self.arrays["rest"][None, nodes], moving.shape[1], axis=0)
        at = row[nodes] >= 0
        full[:, at] = np.swapaxes(moving[row[nodes][at]], 0, 1)
        return full

    @cached_property
    def nodes(self) -> Nodes:
        """The tree at rest."""
        names = tuple(node["name"] or f"node_{i}" for i, node in enumerate(self.tree))
        parents, children, order = self.parents, self.children, self.order
        plain = [not children[i] and node["kind"] in ("empty", "unknown") for i, node in enumerate(self.tree)]
        translations, rotations, scales = split(self.rest)
        world = compose(translations, rotations, scales)
        for i in order:
            if parents[i] >= 0:
                world[i] = world[parents[i]] @ world[i]
        leaves = np.array(plain, dtype=bool)
        return Nodes(names, parents, order, leaves, translations, rotations, scales, world)

    @property
    def axes_known(self) -> bool:
        """Whether the file says what is up."""
        return bool(self.header["axes_stated"]) and _UNKNOWN_AXIS not in self.header["axes"]

    @cached_property
    def turn(self) -> np.ndarray:
        """(4, 4) from the file's space to metres, Y up, facing +Z."""
        out = np.eye(4)
        if _UNKNOWN_AXIS not in self.header["axes"]:
            out[:3] = 0
            for ours, axis in enumerate(self.header["axes"]):
                out[ours, axis // 2] = -1 if axis % 2 else 1
        out[:3, :3] *= self.unit
        return out

    @property
    def unit(self) -> float:
        """Metres a unit of the file."""
        unit = float(self.header["unit_meters"])
        return unit if np.isfinite(unit) and unit > 0 else 0.01


def split(poses: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Translations (..., 3), unit rotations (..., 4) and scales (..., 3) of (..., 10) local transforms."""
    return poses[..., :3], quaternion.normalize(poses[..., 3:7]), poses[..., 7:]
