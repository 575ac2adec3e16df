"""FBX -> Asset."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from moveset.errors import MovesetError
from moveset.formats.fbx.clips import Shape, moved_nodes, read_clips, stands_still
from moveset.formats.fbx.document import BONES, FARTHEST, STAGE, Document
from moveset.formats.fbx.findings import about_file, about_meshes, about_stacks
from moveset.formats.fbx.inherit import with_plain_nodes
from moveset.formats.fbx.materials import read_materials
from moveset.formats.fbx.meshes import MeshReader
from moveset.formats.fbx.process import read_scene
from moveset.formats.limits import refuse_bloat
from moveset.formats.scene.joints import characters_of, closed, find_joints, find_sockets
from moveset.formats.scene.rig import Rig, build_rig
from moveset.motion import Asset, Character, Finding, Source

_VERTEX_BYTES, _MORPH_BYTES = 120, 12
"""Of a corner of a mesh, and of a corner in a blend shape."""


@dataclass(frozen=True, eq=False)
class FbxSource:
    """The file that an asset was read from."""

    document: Document
    rigs: tuple[Rig, ...]
    """One for each character."""


def read(data: bytes, *, path: str, sibling: Callable[[str], bytes]) -> Asset:
    """Read a .fbx file, binary or text, of any version."""
    with np.errstate(all="ignore"):  # what is no number in the end is found there
        return _read(Document(*with_plain_nodes(*read_scene(data))), len(data), path, sibling)


def _read(document: Document, size: int, path: str, sibling: Callable[[str], bytes]) -> Asset:
    _refuse_nonsense(document, size, path)
    findings = about_file(document)
    shapes = _shapes(document)
    materials = read_materials(document, path, sibling, findings)
    characters, rigs, clips = [], [], []
    nodes = document.nodes
    loose = {node for node, entry in enumerate(document.tree) if entry["mesh"] >= 0}
    skins = _skins(document)
    joints = _joints(document, skins)
    groups = characters_of(
        nodes, joints, skins, len(document.stacks), lambda s: _among(joints, moved_nodes(document, s))
    )
    for group, stacks in groups:
        rig = build_rig(nodes, group, document.turn)
        meshes, taken = MeshReader(document, rig, shapes, findings).read()
        loose -= taken
        name = nodes.names[group[0] if nodes.parents[group[0]] < 0 else int(nodes.parents[group[0]])]
        characters.append(Character(rig.skeleton, meshes, materials, find_sockets(rig.skeleton.names), name))
        rigs.append(rig)
        mine = [shape for (node, _), shape in shapes.items() if node in taken]
        clips += read_clips(document, rig, stacks, mine, findings)
    findings += about_stacks(document) + about_meshes(document, sorted(loose))
    if not characters:
        findings.append(
            Finding("empty", "warning", "", "the file holds neither joints, meshes nor animations")
        )
    source = FbxSource(document, tuple(rigs))
    return Asset(tuple(characters), tuple(clips), tuple(findings), Source(path, "fbx", source))


def _refuse_nonsense(document: Document, size: int, path: str) -> None:
    """Refuse nodes that stand nowhere, and meshes that are shown so often that no memory would hold them."""
    lost = ~(np.abs(document.nodes.world) < FARTHEST).all(axis=(1, 2))
    if lost.any():
        raise MovesetError(
            "its transform holds NaN, infinite or absurdly large numbers",
            where=f"node {document.nodes.names[int(np.argmax(lost))]!r}",
            do="export the file again",
        )
    shown = [node["mesh"] for node in document.tree if node["mesh"] >= 0]
    costs = [
        len(document.arrays[f"mesh{i}.corners"]) * (_VERTEX_BYTES + _MORPH_BYTES * len(mesh["shapes"]))
        for i, mesh in enumerate(document.header["meshes"])
    ]
    refuse_bloat(sum(costs[mesh] for mesh in shown), size, path, f"{len(shown)} meshes")


def _skins(document: Document) -> list[np.ndarray]:
    """Nodes of the clusters of each skin."""
    keys = [f"mesh{i}.bones" for i in range(len(document.header["meshes"]))]
    return [document.arrays[key] for key in keys if len(document.arrays.get(key, ()))]


def _joints(document: Document, skins: list[np.ndarray]) -> list[int]:
    """Limb nodes, clusters' nodes, nodes that move and have to do with either or show a mesh, sockets below joints,
    and what stands between them: not cameras, lights, and the targets that they look at.

    Without any bone all nodes that move or show meshes are joints: rigid figures, markers, plain props.
    """
    nodes, kinds = document.nodes, [node["kind"] for node in document.tree]
    bones = np.isin(kinds, BONES)
    for skin in skins:
        bones[skin] = True
    moved = np.zeros(len(nodes), dtype=bool)
    for stack in range(len(document.stacks)):
        moved[moved_nodes(document, stack)] = True
    moved &= ~np.isin(kinds, STAGE)
    shown = np.array([node["mesh"] >= 0 for node in document.tree], dtype=bool)
    if not bones.any():
        return closed(nodes, np.flatnonzero(moved | shown).tolist())
    moved &= nodes.above(bones) | nodes.below(bones) | nodes.above(shown)
    return find_joints(
        nodes,
        np.flatnonzero(bones).tolist(),
        np.flatnonzero(moved).tolist(),
        lambda node: stands_still(document, node),
    )


def _among(joints: list[int], nodes: np.ndarray) -> np.ndarray:
    return nodes[np.isin(nodes, joints)]


def _shapes(document: Document) -> dict[tuple[int, int], Shape]:
    """Blend shapes by node and number, each with a curve of its own name."""
    shapes: dict[tuple[int, int], Shape] = {}
    taken: set[str] = set()
    for node, entry in enumerate(document.tree):
        listed = document.header["meshes"][entry["mesh"]]["shapes"] if entry["mesh"] >= 0 else []
        for i, shape in enumerate(listed):
            stops = {s["full_at"] for s in listed if s["channel"] == shape["channel"]} | {0.0}
            if len(stops) < 2:  # a shape that is full at 0 is an exporter's way to say 1
                stops, shape = {0.0, 1.0}, {**shape, "full_at": 1.0}
            name = base = f"{document.nodes.names[node]}.{shape['name'] or i}"
            if len(stops) > 2:
                name = base = f"{base}.{shape['full_at']:g}"
            if name in taken:
                name = f"{base}_{node}"
            taken.add(name)
            ordered = tuple(sorted(stops))
            at = ordered.index(shape["full_at"])
            shapes[node, i] = Shape(name, shape["channel"], ordered, at, shape["weight"])
    return shapes
