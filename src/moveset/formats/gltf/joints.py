"""What of a document are joints."""

from __future__ import annotations

import numpy as np

from moveset.formats.gltf.document import Document
from moveset.formats.gltf.tracks import ROTATION, WEIGHTS, Tracks
from moveset.formats.scene import joints as scene
from moveset.formats.scene.nodes import Nodes


def find_joints(
    document: Document, nodes: Nodes, tracks: Tracks, shown: list[int], humanoid: dict[str, int]
) -> list[int]:
    """Skin joints, animated nodes, humanoid bones, sockets below joints, and what stands between them.

    Without any skin the nodes that carry meshes are joints too: rigid figures and plain props.
    """
    skinned = {n for skin in _skins(document) for n in skin}
    moved = {int(n) for n in np.unique(tracks.node[tracks.path != WEIGHTS])}
    bones = skinned | set(humanoid.values())
    if not skinned:
        entries = document.table("nodes")
        return scene.closed(nodes, moved | bones | {n for n in shown if "mesh" in entries[n]})
    return scene.find_joints(nodes, bones, moved, lambda node: _stands_still(document, nodes, tracks, node))


def characters_of(
    document: Document, nodes: Nodes, joints: list[int], tracks: Tracks
) -> list[tuple[list[int], tuple[int, ...]]]:
    """Joints and animations of each character."""
    joint = np.isin(tracks.node, joints)
    return scene.characters_of(
        nodes,
        joints,
        _skins(document),
        document.size("animations"),
        lambda animation: tracks.node[joint & (tracks.clip == animation)],
    )


def _skins(document: Document) -> list[list[int]]:
    return [
        document.references(skin, "joints", "nodes", f"skins[{i}]")
        for i, skin in enumerate(document.table("skins"))
    ]


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
