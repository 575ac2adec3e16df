"""Which nodes are joints, and which of them make one character."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from moveset.formats.gltf.document import Document
from moveset.formats.gltf.nodes import Nodes
from moveset.formats.gltf.tracks import ROTATION, WEIGHTS, Tracks

SOCKET = re.compile(
    r"(hand[ _.-]?slot|socket[ _.-]?hand|weapon|prop)(?:$|[ _.-]*(l|r|left|right)$)", re.IGNORECASE
)
"""Names of nodes that hold weapons."""


def find_joints(
    document: Document, nodes: Nodes, tracks: Tracks, shown: list[int], humanoid: dict[str, int]
) -> list[int]:
    """Skin joints, animated nodes, humanoid bones, sockets below joints, and what stands between them.

    Without any skin the nodes that carry meshes are joints too: rigid figures and plain props.
    """
    skins = document.table("skins")
    skinned = {
        n for i, skin in enumerate(skins) for n in document.references(skin, "joints", "nodes", f"skins[{i}]")
    }
    moved = {int(n) for n in np.unique(tracks.node[tracks.path != WEIGHTS])}
    entries = document.table("nodes")
    if not skinned:
        return _closed(nodes, moved | set(humanoid.values()) | {n for n in shown if "mesh" in entries[n]})
    bone = np.zeros(len(nodes), dtype=bool)
    bone[list(skinned | set(humanoid.values()))] = True
    above = nodes.above(bone) & ~bone
    moved = {node for node in moved if not (above[node] and _stands_still(document, nodes, tracks, node))}
    joints = _closed(nodes, {*np.flatnonzero(bone).tolist(), *moved})
    held = np.zeros(len(nodes), dtype=bool)
    held[joints] = True
    below = nodes.below(held) & ~held
    sockets = [n for n in np.flatnonzero(below).tolist() if SOCKET.match(document.name("nodes", n))]
    return _closed(nodes, joints + sockets) if sockets else joints


def _stands_still(document: Document, nodes: Nodes, tracks: Tracks, node: int) -> bool:
    """Whether all tracks of `node` hold its rest value: an armature that an exporter keyed for nothing."""
    rest = (nodes.rotations[node], nodes.translations[node], nodes.scales[node])
    for row in np.flatnonzero((tracks.node == node) & (tracks.path != WEIGHTS)):
        values = document.accessors.decode(int(tracks.output[row]))
        held = rest[tracks.path[row]]
        apart = np.abs(values - held).max(axis=1)
        if tracks.path[row] == ROTATION:
            apart = np.minimum(apart, np.abs(values + held).max(axis=1))
        if apart.max() > 1e-5:
            return False
    return True


def characters_of(
    document: Document, nodes: Nodes, joints: list[int], tracks: Tracks
) -> list[tuple[list[int], tuple[int, ...]]]:
    """Joints and animations of each character.

    Skinned trees that share neither a skin, nor an ancestor, nor an animation are characters of their own: nothing
    in the file relates them. All others, and whatever no skin uses, move together in one skeleton.
    """
    animations = document.size("animations")
    if not joints:
        return []
    top = np.full(len(nodes), -1, dtype=np.int64)
    for node in nodes.order:
        parent = nodes.parents[node]
        top[node] = node if parent < 0 else top[parent]
    skins = [sorted({int(top[n]) for n in skin.get("joints", [])}) for skin in document.table("skins")]
    group = {root: root for tops in skins for root in tops}

    for tops in skins:
        _join(group, tops)
    if len({_leader(group, int(top[n])) for n in joints if int(top[n]) in group}) < 2:
        return [(joints, tuple(range(animations)))]
    joint = np.isin(tracks.node, joints)
    driven = [
        sorted({int(t) for t in top[tracks.node[joint & (tracks.clip == a)]]} & group.keys())
        for a in range(animations)
    ]
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


def _closed(nodes: Nodes, seeds: Iterable[int]) -> list[int]:
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
