"""Writing clips into the document they belong to: the same meshes, skins and materials, other animations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np

from moveset.errors import MovesetError
from moveset.formats.gltf.accessors import MESHOPT
from moveset.formats.gltf.binary import Binary
from moveset.formats.gltf.channels import ClipWriter
from moveset.formats.gltf.document import Document
from moveset.formats.gltf.materials import image_bytes
from moveset.formats.gltf.read import GltfSource
from moveset.formats.scene.fit import same_skeleton
from moveset.motion import Clip


def patch(source: GltfSource, clips: Sequence[Clip], keep_existing: bool) -> tuple[dict, bytes]:
    """The document of `source` with `clips` as its animations, and its one buffer.

    With `keep_existing` its own animations stay, except those whose name a clip takes.
    """
    document = source.document
    used = document.json.get("extensionsUsed", [])
    if isinstance(used, list) and any(name in used for name in MESHOPT):
        raise MovesetError(
            f"the character that the motion goes to is compressed with {MESHOPT[0]}",
            file=document.path,
            do="export it without compression, or run: gltfpack -i IN.glb -o OUT.glb -noq",
        )
    taken = {clip.name for clip in clips}
    animations = document.table("animations")
    kept = [
        a for i, a in enumerate(animations) if keep_existing and document.name("animations", i) not in taken
    ]
    try:
        out, binary = _without_animations(document, kept)
    except (
        AttributeError,
        IndexError,
        KeyError,
        TypeError,
        RecursionError,
    ):  # parts that reading never looks at are walked here
        raise document.error("parts that only writing looks at do not follow the glTF schema") from None
    _embed_images(document, out, binary)
    writers = [ClipWriter(part.rig, binary, _shapes(source)) for part in source.parts]
    places: dict[int, tuple[int, np.ndarray]] = {}  # by skeleton: clips of one file share theirs
    for clip in clips:
        if id(clip.skeleton) not in places:
            places[id(clip.skeleton)] = _place(source, clip)
        part, joints = places[id(clip.skeleton)]
        out["animations"].append(writers[part].write(clip, joints))
    _spell_out_matrices(source, out)
    _drop_wrong_skeletons(source, out)
    if not out["animations"]:
        del out["animations"]
    content = binary.bytes()
    for table in ("accessors", "bufferViews"):
        if not out[table]:
            del out[table]
    out.pop("buffers", None)
    if content:
        out["buffers"] = [{"byteLength": len(content)}]
    return out, content


def _place(source: GltfSource, clip: Clip) -> tuple[int, np.ndarray]:
    """Which part of the document a clip moves, and its joints there."""
    best: tuple[int, np.ndarray] | None = None
    for number, part in enumerate(source.parts):
        joints = same_skeleton(clip.skeleton, part.rig.skeleton)
        if joints is not None and (best is None or (joints >= 0).sum() > (best[1] >= 0).sum()):
            best = number, joints
    if best is None:
        raise MovesetError(
            f"clip {clip.name!r} is on another skeleton ({len(clip.skeleton)} joints) than the character",
            file=source.document.path,
            do="retarget the clip to the character first",
        )
    return best


def _shapes(source: GltfSource) -> dict[int, tuple[tuple[str, ...], tuple[float, ...]]]:
    names: dict[int, list[str]] = {}
    for (node, _), name in source.curve_names.items():
        names.setdefault(node, []).append(name)
    return {
        node: (tuple(curves), tuple(source.default_curves.get(name, 0.0) for name in curves))
        for node, curves in names.items()
    }


def _without_animations(document: Document, kept: list[dict]) -> tuple[dict, Binary]:
    """A copy of the document's JSON with the animations `kept`, and only what they and all else need."""
    own_tables = ("meshes", "skins", "nodes", "images")
    out = {key: _copy(value) if key in own_tables else value for key, value in document.json.items()}
    out["animations"] = _copy(kept)
    accessors, views = document.table("accessors"), document.table("bufferViews")
    dropped = _samplers_use(document.table("animations")) - _samplers_use(kept)
    dropped -= {holder[key] for holder, key in _accessor_references(out) if type(holder[key]) is int}
    left = [i for i in range(len(accessors)) if i not in dropped]
    out["accessors"] = [_copy(accessors[i]) for i in left]
    _renumber(document, _accessor_references(out), left)

    before = _views_of([accessors[i] for i in dropped])
    holding = {
        key: table for key, table in out.items() if key not in ("animations", "bufferViews", "buffers")
    }
    before -= {holder["bufferView"] for holder in _view_holders(holding)}
    staying = [i for i in range(len(views)) if i not in before]
    _renumber(document, ((holder, "bufferView") for holder in _view_holders(holding)), staying)
    out["bufferViews"] = []
    binary = Binary(out["accessors"], out["bufferViews"])
    mended = _mended_views(document, left)
    for i in staying:
        layout = {
            key: value for key, value in views[i].items() if key not in ("buffer", "byteOffset", "byteLength")
        }
        binary.view(mended.get(i) or _view_bytes(document, i), **layout)
    return out, binary


def _copy(part: Any) -> Any:
    """A copy of JSON, several times as fast as that of the standard library."""
    if isinstance(part, dict):
        return {key: _copy(value) for key, value in part.items()}
    return [_copy(value) for value in part] if isinstance(part, list) else part


def _view_bytes(document: Document, view: int) -> memoryview:
    entry, where = document.table("bufferViews")[view], f"bufferViews[{view}]"
    start = document.integer(entry, "byteOffset", where, default=0)
    length = document.integer(entry, "byteLength", where)
    return document.buffer(document.reference(entry, "buffer", "buffers", where))[start : start + length]


def _mended_views(document: Document, accessors: list[int]) -> dict[int, bytearray]:
    """Bytes of those buffer views whose numbers hold NaN, which engines choke on, with 0 instead; a vertex all of
    whose weights were NaN follows the first joint of its skin, as it does when read.
    """
    weights = {
        primitive["attributes"]["WEIGHTS_0"]
        for mesh in document.table("meshes")
        for primitive in mesh.get("primitives", [])
        if "WEIGHTS_0" in primitive.get("attributes", {})
    }
    table, mended = document.accessors, {}
    for i in accessors:
        if table.component[i] != 5126 or not table.plain[i]:
            continue
        values = table.decode(i)
        bad = ~np.isfinite(values)
        if not bad.any():
            continue
        values = np.where(bad, np.float32(0), values)
        if i in weights:
            values[bad.any(axis=1) & (values.sum(axis=1) == 0), 0] = 1
        view = int(table.view[i])
        content = mended.setdefault(view, bytearray(_view_bytes(document, view)))
        start = int(table.start[i]) - document.table("bufferViews")[view].get("byteOffset", 0)
        content[start : start + values.nbytes] = values.astype(np.float32).tobytes()
    return mended


def _samplers_use(animations: list[dict]) -> set[int]:
    samplers = [sampler for animation in animations for sampler in animation.get("samplers", [])]
    return {*map(itemgetter("input"), samplers), *map(itemgetter("output"), samplers)}


def _accessor_references(out: dict) -> Iterator[tuple[dict, str]]:
    """Every place (holder, key) outside extensions we do not know that names an accessor."""
    for mesh in out.get("meshes", []):
        for primitive in mesh.get("primitives", []):
            if "indices" in primitive:
                yield primitive, "indices"
            for attributes in (primitive.get("attributes", {}), *primitive.get("targets", [])):
                yield from ((attributes, key) for key in attributes)
    for skin in out.get("skins", []):
        if "inverseBindMatrices" in skin:
            yield skin, "inverseBindMatrices"
    for animation in out.get("animations", []):
        for sampler in animation.get("samplers", []):
            yield from ((sampler, key) for key in ("input", "output"))
    for node in out.get("nodes", []):
        instances = node.get("extensions", {}).get("EXT_mesh_gpu_instancing", {}).get("attributes", {})
        yield from ((instances, key) for key in instances)


def _views_of(accessors: list[dict]) -> set[int]:
    sparse = [accessor["sparse"] for accessor in accessors if "sparse" in accessor]
    holders = chain(accessors, (part[key] for part in sparse for key in ("indices", "values") if key in part))
    return {holder["bufferView"] for holder in holders if "bufferView" in holder}


def _view_holders(part: object) -> Iterator[dict]:
    """Every object below `part` that names a buffer view: core glTF and its extensions all call it so."""
    if isinstance(part, dict):
        if type(part.get("bufferView")) is int:
            yield part
        for key, value in part.items():
            if key != "extras":
                yield from _view_holders(value)
    elif isinstance(part, list):
        for value in part:
            if isinstance(value, dict | list):
                yield from _view_holders(value)


def _renumber(document: Document, places: Iterator[tuple[dict, str]], staying: list[int]) -> None:
    number = {old: new for new, old in enumerate(staying)}
    for holder, key in places:
        if holder[key] not in number:
            raise document.error(f"{key} {holder[key]!r:.60} is named, which is not there")
        holder[key] = number[holder[key]]


def _embed_images(document: Document, out: dict, binary: Binary) -> None:
    """Textures beside the file move into it, for the new one may lie elsewhere; a missing one stays a name."""
    for index, image in enumerate(out.get("images", [])):
        if "uri" not in image:
            continue
        try:
            content = image_bytes(document, index)
        except MovesetError:
            continue
        kind = mime_type(content)
        if kind is not None:
            del image["uri"]
            image |= {"bufferView": binary.view(content), "mimeType": kind}


def mime_type(content: bytes) -> str | None:
    """What an encoded image is, by its first bytes; None for what glTF does not hold."""
    if content.startswith(b"\x89PNG"):
        return "image/png"
    if content.startswith(b"\xff\xd8"):
        return "image/jpeg"
    return None


def _drop_wrong_skeletons(source: GltfSource, out: dict) -> None:
    """A skin may name a node as its skeleton; where that is not above all its joints, exporters erred."""
    for skin in out.get("skins", []):
        root = skin.get("skeleton")
        if type(root) is int:
            marked = np.arange(len(source.nodes)) == root
            if not source.nodes.below(marked)[skin["joints"]].all():
                del skin["skeleton"]


def _spell_out_matrices(source: GltfSource, out: dict) -> None:
    """Animated nodes must have translation, rotation and scale instead of a matrix."""
    nodes = source.nodes
    if not any("matrix" in node for node in out.get("nodes", [])):
        return
    moved = {c["target"].get("node") for a in out["animations"] for c in a["channels"]}
    for node in moved - {None}:
        if out["nodes"][node].pop("matrix", None) is not None:
            for key, value in (
                ("translation", nodes.translations),
                ("rotation", nodes.rotations),
                ("scale", nodes.scales),
            ):
                out["nodes"][node][key] = value[node].tolist()
