"""Which nodes are joints, and which of them make one character."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from moveset.formats.scene.nodes import Nodes

SOCKET = re.compile(
    r"(hand[ _.-]?slot|socket[ _.-]?hand|weapon|prop)(?:$|[ _.-]*(l|r|left|right)$)", re.IGNORECASE
)
"""Names of nodes that hold weapons."""


def find_joints(
    nodes: Nodes, bones: Iterable[int], moved: Iterable[int], stands_still: Callable[[int], bool]
) -> list[int]:
    """Bones, nodes that are `moved`, sockets below either, and what stands between them.

    A node above the bones that is keyed but `stands_still` is an armature that an exporter keyed for nothing.
    """
    bone = np.zeros(len(nodes), dtype=bool)
    bone[list(bones)] = True
    above = nodes.above(bone) & ~bone
    moved = {node for node in moved if not (above[node] and stands_still(node))}
    joints = closed(nodes, {*np.flatnonzero(bone).tolist(), *moved})
    held = np.zeros(len(nodes), dtype=bool)
    held[joints] = True
    below = nodes.below(held) & ~held
    sockets = [n for n in np.flatnonzero(below).tolist() if SOCKET.match(nodes.names[n])]
    return closed(nodes, joints + sockets) if sockets else joints


def find_sockets(names: Sequence[str]) -> dict[str, int]:
    """Joints that hold weapons, by name; a socket without a side is the right hand's."""
    found: dict[str, int] = {}
    for joint, name in enumerate(names):
        match = SOCKET.match(name)
        if match:
            side = (match[2] or "r").lower()
            found.setdefault("leftProp" if side.startswith("l") else "rightProp", joint)
    return found


def characters_of(
    nodes: Nodes,
    joints: list[int],
    skins: Sequence[Iterable[int]],
    animations: int,
    driven_by: Callable[[int], Iterable[int]],
) -> list[tuple[list[int], tuple[int, ...]]]:
    """Joints and animations of each character. `skins` are joints of each skin, `driven_by(a)` those of an animation.

    Skinned trees that share neither a skin, nor an ancestor, nor an animation are characters of their own: nothing
    in the file relates them. All others, and whatever no skin uses, move together in one skeleton.
    """
    if not joints:
        return []
    top = np.full(len(nodes), -1, dtype=np.int64)
    for node in nodes.order:
        parent = nodes.parents[node]
        top[node] = node if parent < 0 else top[parent]
    of_skins = [sorted({int(top[n]) for n in skin}) for skin in skins]
    group = {root: root for tops in of_skins for root in tops}

    for tops in of_skins:
        _join(group, tops)
    if len({_leader(group, int(top[n])) for n in joints if int(top[n]) in group}) < 2:
        return [(joints, tuple(range(animations)))]
    driven = [sorted({int(top[n]) for n in driven_by(a)} & group.keys()) for a in range(animations)]
    for tops in driven:
        _join(group, tops)
    leaders = list(dict.fromkeys(_leader(group, int(top[n])) for n in joints if int(top[n]) in group))
    members: dict[int, list[int]] = {leader: [] for leader in leaders}
    for node in joints:
        root = int(top[node])
        members[_leader(group, root) if root in group else leaders[0]].append(node)
    owner = [_leader(group, tops[0]) if tops else leaders[0] for tops in driven]
    return [(members[g], tuple(a for a in range(animations) if owner[a] == g)) for g in leaders]


def _leader(group: dict[int, int], root: int) -> int:
    """The root that stands for all that `root` was joined with."""
    while group[root] != root:
        group[root] = root = group[group[root]]
    return root


def _join(group: dict[int, int], roots: list[int]) -> None:
    for root in roots[1:]:
        group[_leader(group, root)] = _leader(group, roots[0])


def closed(nodes: Nodes, seeds: Iterable[int]) -> list[int]:
    """The seeds and every node that stands between two of them, parents first: in the order of the file if that
    has it so, else depth first.
    """
    seed = np.zeros(len(nodes), dtype=bool)
    seed[list(seeds)] = True
    chosen = nodes.below(seed) & nodes.above(seed)
    listed = np.flatnonzero(chosen)
    if np.all(nodes.parents[listed] < listed):
        return listed.tolist()
    return [node for node in nodes.order if chosen[node]]
