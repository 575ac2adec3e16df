"""The node tree of a document."""

from __future__ import annotations

import numpy as np

from moveset.formats.gltf.document import Document
from moveset.formats.scene.nodes import Nodes, compose, decompose, depth_first
from moveset.geometry import quaternion


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
    order = depth_first(children, parents)
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
    names = tuple(document.name("nodes", i) for i in range(len(entries)))
    leaves = np.array(
        [not children[i] and "mesh" not in entry for i, entry in enumerate(entries)], dtype=bool
    )
    return Nodes(names, parents, tuple(order), leaves, translations, rotations, scales, world)
