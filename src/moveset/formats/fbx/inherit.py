"""Nodes that do not inherit their parent's scale, or inherit it along their own axes, as plain nodes.

FBX composes worlds in one of three ways: with R, S the rotation and scale of a parent and r, s those of a node,
R S r s (as everywhere), R r s (Maya's segment scale compensation) or R r S s; offsets are scaled by S in all three.
Where S is uniform, the last two are plain nodes with the scale s / S, or s. Where it is not, they are no rotation
and scale below R S; there the parent is split in two: a node with R, below which such children hang, and one below
it with S, which carries what the parent carried and the children that inherit S as everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from moveset.formats.process.messages import Message
from moveset.formats.scene.nodes import depth_first

NORMAL, IGNORED, BY_COMPONENT = range(3)
SUFFIX = "_scale"
_UNEVEN = 1e-6
_IDENTITY = (0, 0, 0, 0, 0, 0, 1)


def with_plain_nodes(header: dict, arrays: dict[str, np.ndarray]) -> Message:
    """The same file in which every node inherits scale as everywhere. What was split is listed as `split`."""
    parents = np.array([node["parent"] for node in header["nodes"]], dtype=np.int64)
    modes = np.array([node["inherit"] for node in header["nodes"]], dtype=np.int64)
    special = (modes != NORMAL) & (parents >= 0)
    if not special.any():
        return header, arrays
    tree = _Tree(parents, modes, special)
    rest = arrays["rest"]
    poses = [_everywhere(arrays, stack, rest) for stack in range(len(header["stacks"]))]
    offered = [tree.offered(each) for each in (rest[None], *poses)]
    uneven = np.any([tree.uneven(each) for each in offered], axis=0)
    split = np.unique(parents[special & uneven[parents]])
    number = {int(node): len(parents) + i for i, node in enumerate(split)}
    plain = [tree.plain(each, scales, split) for each, scales in zip((rest[None], *poses), offered)]
    return _nodes(header, number, special) | {"split": split.tolist()}, _arrays(arrays, number, plain)


@dataclass(frozen=True, eq=False)
class _Tree:
    parents: np.ndarray
    modes: np.ndarray
    special: np.ndarray
    """(N,) whether a node inherits scale in one of the other ways."""

    def offered(self, poses: np.ndarray) -> np.ndarray:
        """(F, N, 3) each node's scale together with what it inherits by component."""
        children: list[list[int]] = [[] for _ in self.parents]
        for node in np.flatnonzero(self.parents >= 0).tolist():
            children[self.parents[node]].append(node)
        out = poses[..., 7:].copy()
        source = np.full(len(self.parents), -1)
        for node in depth_first(children, self.parents):
            if self.special[node]:
                parent = self.parents[node]
                source[node] = parent if self.modes[node] == BY_COMPONENT else source[parent]
                if source[node] >= 0:
                    out[:, node] *= out[:, source[node]]
        return out

    def uneven(self, offered: np.ndarray) -> np.ndarray:
        """(N,) which nodes ever have different scales along their axes."""
        apart = np.ptp(offered, axis=-1) > _UNEVEN * np.abs(offered).max(axis=-1)
        return apart.any(axis=0)

    def plain(self, poses: np.ndarray, offered: np.ndarray, split: np.ndarray) -> np.ndarray:
        """(F, N + K, 10) poses of the nodes, then those of the K lower halves of the `split` ones."""
        halved = np.isin(self.parents, split) & self.special
        above = np.where((self.special & ~halved)[:, None], offered[:, self.parents], 1.0).mean(
            axis=-1, keepdims=True
        )
        upper = poses.copy()
        upper[..., :3] *= np.where(halved[:, None], offered[:, self.parents], 1.0)
        upper[..., 7:] = np.where(self.special[:, None], offered, poses[..., 7:]) / np.where(
            above != 0, above, 1
        )
        lower = np.empty((len(poses), len(split), 10))
        lower[..., :7] = _IDENTITY
        lower[..., 7:] = offered[:, split]
        upper[:, split, 7:] = 1 / np.where(above != 0, above, 1)[:, split]
        return np.concatenate((upper, lower), axis=1)


def _everywhere(arrays: dict[str, np.ndarray], stack: int, rest: np.ndarray) -> np.ndarray:
    """(F, N, 10) of all nodes."""
    moving = np.swapaxes(arrays[f"stack{stack}.poses"], 0, 1)
    full = np.repeat(rest[None], len(moving), axis=0)
    full[:, arrays[f"stack{stack}.nodes"]] = moving
    return full


def _nodes(header: dict, number: dict[int, int], special: np.ndarray) -> dict:
    """The header with the lower half of each split node: what it shows, and children that inherit as everywhere."""
    nodes = [{**node, "inherit": NORMAL} for node in header["nodes"]]
    for i, node in enumerate(nodes):
        if not special[i]:
            node["parent"] = number.get(node["parent"], node["parent"])
    for upper in number:
        nodes.append({**nodes[upper], "name": f"{nodes[upper]['name']}{SUFFIX}", "parent": upper})
        nodes[upper]["mesh"] = -1
    stacks = []
    for stack in header["stacks"]:
        keyed = stack["keyed"]["nodes"]
        halves = [number[node] for node in keyed if node in number]
        stacks.append(stack | {"keyed": stack["keyed"] | {"nodes": keyed + halves}})
    return header | {"nodes": nodes, "stacks": stacks}


def _arrays(
    arrays: dict[str, np.ndarray], number: dict[int, int], plain: list[np.ndarray]
) -> dict[str, np.ndarray]:
    """The arrays for the new nodes. Skins follow the lower halves."""
    geometry = arrays["geometry_to_node"]
    out = arrays | {
        "rest": plain[0][0],
        "geometry_to_node": np.concatenate((geometry, geometry[list(number)])),
    }
    for stack, poses in enumerate(plain[1:]):
        out[f"stack{stack}.nodes"] = np.arange(poses.shape[1])
        out[f"stack{stack}.poses"] = np.swapaxes(poses, 0, 1)
    for key in arrays:
        if key.endswith(".bones"):
            out[key] = np.array([number.get(bone, bone) for bone in arrays[key].tolist()], dtype=np.int64)
    return out
