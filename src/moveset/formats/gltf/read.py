"""glTF -> Asset."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from moveset.formats.gltf import extras, vrm
from moveset.formats.gltf.animation import ClipReader
from moveset.formats.gltf.document import Document, collector_paused
from moveset.formats.gltf.joints import characters_of, find_joints
from moveset.formats.gltf.materials import read_materials
from moveset.formats.gltf.meshes import MeshReader
from moveset.formats.gltf.nodes import read_nodes
from moveset.formats.gltf.tracks import read_tracks
from moveset.formats.scene.joints import find_sockets
from moveset.formats.scene.nodes import Nodes
from moveset.formats.scene.rig import Rig, build_rig
from moveset.motion import Asset, Character, Finding, Source

READ_ANYWAY = {
    "KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression", "KHR_mesh_quantization",
    "KHR_texture_transform", "KHR_materials_unlit", "VRM", "VRMC_vrm", "VRMC_vrm_animation",
}  # fmt: skip
"""Extensions that a file may require: they are understood, or what they hold is left out with a finding."""


@dataclass(frozen=True, eq=False)
class Part:
    """One character as the document holds it."""

    rig: Rig
    animations: tuple[int, ...]
    """Animations that move it."""
    meshes: int
    """How many meshes were read."""


@dataclass(frozen=True, eq=False)
class GltfSource:
    """The document that an asset was read from: what writing needs to patch it."""

    document: Document
    nodes: Nodes
    parts: tuple[Part, ...]
    """One for each character of the asset."""
    curve_names: dict[tuple[int, int], str]
    """(node, blend shape) -> curve."""
    default_curves: dict[str, float]
    """Weights at rest that are not 0, by curve."""
    starts: dict[str, float]
    """When each clip starts in the file [s]; the clip itself starts at 0."""


def read(data: bytes, *, path: str, sibling: Callable[[str], bytes]) -> Asset:
    """Read a .glb, .gltf, .vrm or .vrma file."""
    with collector_paused():
        return _read(data, path, sibling)


def _read(data: bytes, path: str, sibling: Callable[[str], bytes]) -> Asset:
    document = Document.parse(data, path, sibling)
    findings = _required_extensions(document)
    nodes = read_nodes(document)
    shown = _shown_nodes(document, nodes)
    tracks = read_tracks(document, findings)
    humanoid = vrm.humanoid(document)
    curve_names, default_curves = _curve_names(document)
    joints = find_joints(document, nodes, tracks, shown, humanoid)

    materials = read_materials(document, findings)
    characters, parts, clips = [], [], []
    starts: dict[str, float] = {}
    loose = {node for node in shown if "mesh" in document.table("nodes")[node]}
    for group, animations in characters_of(document, nodes, joints, tracks):
        rig = _with_roles(document, build_rig(nodes, group, vrm.turn(document)), humanoid)
        meshes, taken = MeshReader(document, nodes, rig, findings, curve_names).read(shown)
        loose -= taken
        characters.append(
            Character(
                rig.skeleton, meshes, materials, find_sockets(rig.skeleton.names), _character_name(nodes, rig)
            )
        )
        parts.append(Part(rig, animations, len(meshes)))
        reader = ClipReader(document, nodes, rig, tracks, curve_names, default_curves, findings)
        clips += reader.read(animations)
        starts |= reader.starts
    if loose:
        findings.append(_loose(document, sorted(loose)))
    if not characters:
        findings.append(
            Finding("empty", "warning", "", "the file holds neither joints, meshes nor animations")
        )
    source = GltfSource(document, nodes, tuple(parts), curve_names, default_curves, starts)
    return Asset(tuple(characters), tuple(clips), tuple(findings), Source(path, "gltf", source))


def _required_extensions(document: Document) -> list[Finding]:
    required = document.listing(document.json, "extensionsRequired", "the file")
    unknown = sorted({str(name) for name in required} - READ_ANYWAY)
    unknown = [
        name for name in unknown if not name.startswith(("KHR_materials_", "KHR_texture_", "EXT_texture_"))
    ]
    if not unknown:
        return []
    return [
        Finding(
            "unknown_extension",
            "warning",
            "",
            f"the file requires {', '.join(unknown)}, which is not read",
            advice="look at the result; export without the extension if something is missing",
            count=len(unknown),
        )
    ]


def _loose(document: Document, nodes: list[int]) -> Finding:
    names = [document.name("nodes", node) for node in nodes]
    return Finding(
        "loose_meshes",
        "info",
        "",
        f"{len(names)} meshes hang on no joint and are not part of a character: "
        + ", ".join(names[:5])
        + (" ..." if len(names) > 5 else ""),
        advice="parent them to a bone if they belong to it; a written GLB keeps them",
        count=len(names),
    )


def _shown_nodes(document: Document, nodes: Nodes) -> list[int]:
    """Nodes of the default scene (else the first; else all), in order."""
    scenes = document.table("scenes")
    for i, scene in enumerate(scenes):
        document.references(scene, "nodes", "nodes", f"scenes[{i}]")
    if not scenes:
        return list(nodes.order)
    scene = document.reference(document.json, "scene", "scenes", "the file", default=0)
    inside = np.zeros(len(nodes), dtype=bool)
    inside[scenes[scene].get("nodes", [])] = True
    for node in nodes.order:
        parent = nodes.parents[node]
        inside[node] |= parent >= 0 and inside[parent]
    return [node for node in nodes.order if inside[node]]


def _curve_names(document: Document) -> tuple[dict[tuple[int, int], str], dict[str, float]]:
    """Names of the curves that drive blend shapes, and those weights that are not 0 at rest."""
    names: dict[tuple[int, int], str] = {}
    defaults: dict[str, float] = {}
    taken: set[str] = set()
    for node, entry in enumerate(document.table("nodes")):
        if "mesh" not in entry:
            continue
        index = document.reference(entry, "mesh", "meshes", f"nodes[{node}]")
        mesh = document.table("meshes")[index]
        primitives = document.listing(mesh, "primitives", f"meshes[{index}]")
        given = [p.get("targets") for p in primitives if isinstance(p, dict)]
        count = max((len(targets) for targets in given if isinstance(targets, list)), default=0)
        stated = mesh["extras"].get("targetNames") if isinstance(mesh.get("extras"), dict) else None
        weights = entry.get("weights", mesh.get("weights"))
        for target in range(count):
            shape = stated[target] if isinstance(stated, list) and target < len(stated) else target
            name = base = f"{document.name('nodes', node)}.{shape}"
            if name in taken:
                name = f"{base}_{node}"
            taken.add(name)
            names[node, target] = name
            weight = weights[target] if isinstance(weights, list) and target < len(weights) else 0
            if isinstance(weight, int | float) and weight:
                defaults[name] = float(weight)
    return names, defaults


def _with_roles(document: Document, rig: Rig, humanoid: dict[str, int]) -> Rig:
    """The rig with the roles that the file itself states."""
    entries = document.table("nodes")
    stated = {int(node): role for node in rig.nodes if (role := extras.read_roles(entries[node]))}
    stated |= {node: role for role, node in humanoid.items()}
    if not stated:
        return rig
    roles = tuple(stated.get(int(node)) for node in rig.nodes)
    return replace(rig, skeleton=replace(rig.skeleton, roles=roles))


def _character_name(nodes: Nodes, rig: Rig) -> str:
    """The name of the armature node above the joints, else that of the first root."""
    root = int(rig.nodes[0])
    above = int(nodes.parents[root])
    return nodes.names[above if above >= 0 else root]
