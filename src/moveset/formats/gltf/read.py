"""glTF -> Asset."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from moveset.formats.gltf import extras, vrm
from moveset.formats.gltf.animation import ClipReader
from moveset.formats.gltf.document import Document
from moveset.formats.gltf.materials import read_materials
from moveset.formats.gltf.meshes import MeshReader
from moveset.formats.gltf.nodes import Nodes, read_nodes
from moveset.formats.gltf.rig import Rig, build_rig, choose_joints
from moveset.formats.gltf.tracks import WEIGHTS, Tracks, read_tracks
from moveset.motion import Asset, Character, Finding, Source

READ_ANYWAY = {
    "KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression", "KHR_mesh_quantization",
    "KHR_texture_transform", "KHR_materials_unlit", "VRM", "VRMC_vrm", "VRMC_vrm_animation",
}  # fmt: skip
"""Extensions that a file may require: they are understood, or what they hold is left out with a finding."""

_SOCKET = re.compile(
    r"(hand[ _.-]?slot|socket[ _.-]?hand|weapon|prop)(?:$|[ _.-]*(l|r|left|right)$)", re.IGNORECASE
)


@dataclass(frozen=True, eq=False)
class Part:
    """One character as the document holds it."""

    rig: Rig
    animations: tuple[int, ...]
    """Animations that move it."""


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
    with _collector_paused():
        return _read(data, path, sibling)


def _read(data: bytes, path: str, sibling: Callable[[str], bytes]) -> Asset:
    document = Document.parse(data, path, sibling)
    findings = _required_extensions(document)
    nodes = read_nodes(document)
    shown = _shown_nodes(document, nodes)
    tracks = read_tracks(document, findings)
    humanoid = vrm.humanoid(document)
    curve_names, default_curves = _curve_names(document)
    joints = _joints(document, nodes, tracks, shown, humanoid)

    materials = read_materials(document, findings)
    characters, parts, clips = [], [], []
    starts: dict[str, float] = {}
    loose = {node for node in shown if "mesh" in document.table("nodes")[node]}
    for group, animations in _groups(document, nodes, joints, tracks):
        rig = _with_roles(document, build_rig(document, nodes, group, vrm.turn(document)), humanoid)
        meshes, taken = MeshReader(document, nodes, rig, findings, curve_names).read(shown)
        loose -= taken
        characters.append(
            Character(rig.skeleton, meshes, materials, _sockets(rig), _character_name(document, nodes, rig))
        )
        parts.append(Part(rig, animations))
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


@contextmanager
def _collector_paused() -> Iterator[None]:
    """No garbage collection meanwhile: it would walk 100,000s of JSON objects again and again, none of them garbage."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


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


def _joints(
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
        return choose_joints(
            nodes, moved | set(humanoid.values()) | {n for n in shown if "mesh" in entries[n]}
        )
    bone = np.zeros(len(nodes), dtype=bool)
    bone[list(skinned | set(humanoid.values()))] = True
    above = nodes.above(bone) & ~bone
    moved = {node for node in moved if not (above[node] and _stands_still(document, nodes, tracks, node))}
    joints = choose_joints(nodes, {*np.flatnonzero(bone).tolist(), *moved})
    held = np.zeros(len(nodes), dtype=bool)
    held[joints] = True
    below = nodes.below(held) & ~held
    sockets = [n for n in np.flatnonzero(below).tolist() if _SOCKET.match(document.name("nodes", n))]
    return choose_joints(nodes, joints + sockets) if sockets else joints


def _stands_still(document: Document, nodes: Nodes, tracks: Tracks, node: int) -> bool:
    """Whether all tracks of `node` hold its rest value: an armature that an exporter keyed for nothing."""
    rest = (nodes.rotations[node], nodes.translations[node], nodes.scales[node])
    for row in np.flatnonzero((tracks.node == node) & (tracks.path != WEIGHTS)):
        values = document.accessors.decode(int(tracks.output[row]))
        held = rest[tracks.path[row]]
        if (
            np.minimum(np.abs(values - held), np.abs(values + held) if len(held) == 4 else np.inf).max()
            > 1e-5
        ):
            return False
    return True


def _groups(
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


def _with_roles(document: Document, rig: Rig, humanoid: dict[str, int]) -> Rig:
    """The rig with the roles that the file itself states."""
    entries = document.table("nodes")
    stated = {int(node): role for node in rig.nodes if (role := extras.read_roles(entries[node]))}
    stated |= {node: role for role, node in humanoid.items()}
    if not stated:
        return rig
    roles = tuple(stated.get(int(node)) for node in rig.nodes)
    return replace(rig, skeleton=replace(rig.skeleton, roles=roles))


def _sockets(rig: Rig) -> dict[str, int]:
    """Joints that hold weapons, by name; a socket without a side is the right hand's."""
    found: dict[str, int] = {}
    for joint, name in enumerate(rig.skeleton.names):
        match = _SOCKET.match(name)
        if match:
            side = (match[2] or "r").lower()
            found.setdefault("leftProp" if side.startswith("l") else "rightProp", joint)
    return found


def _character_name(document: Document, nodes: Nodes, rig: Rig) -> str:
    """The name of the armature node above the joints, else that of the first root."""
    root = int(rig.nodes[0])
    above = int(nodes.parents[root])
    return document.name("nodes", above if above >= 0 else root)
