"""What the reader's process said about a file, and its space: units and axes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from moveset.formats.scene.nodes import Nodes, compose, depth_first
from moveset.geometry import quaternion

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
    def rest(self) -> np.ndarray:
        """(N, 10) translation, rotation, scale of each node outside of any animation."""
        return self.arrays["rest"]

    @cached_property
    def nodes(self) -> Nodes:
        """The tree, without what ufbx adds above it."""
        names = tuple(node["name"] or f"node_{i}" for i, node in enumerate(self.tree))
        parents = np.array([node["parent"] for node in self.tree], dtype=np.int64)
        children: list[list[int]] = [[] for _ in names]
        for i, parent in enumerate(parents.tolist()):
            if parent >= 0:
                children[parent].append(i)
        order = depth_first(children, parents)
        plain = [not children[i] and node["kind"] in ("empty", "unknown") for i, node in enumerate(self.tree)]
        translations, rotations, scales = split(self.rest)
        world = compose(translations, rotations, scales)
        for i in order:
            if parents[i] >= 0:
                world[i] = world[parents[i]] @ world[i]
        leaves = np.array(plain, dtype=bool)
        return Nodes(names, parents, tuple(order), leaves, translations, rotations, scales, world)

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
