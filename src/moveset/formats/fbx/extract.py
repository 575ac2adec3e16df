"""An FBX file as plain numbers: what the reader's process takes out of ufbx. Everything is in the file's own space."""

from __future__ import annotations

from collections import Counter

import numpy as np
import ufbx

from moveset.formats.fbx.extract_animation import Animations
from moveset.formats.fbx.extract_meshes import Geometry
from moveset.formats.fbx.kept import keep, keep_all
from moveset.formats.fbx.rotations import Rotations
from moveset.formats.process.messages import DAMAGED, Message, Refused

DEEPEST = 500
"""Nodes below one another: deeper is no skeleton but an attack on whoever walks it."""
_ABSENT = -(1 << 31)

_ADVICE = {
    ufbx.UnsupportedVersionError: "save it as FBX 2013 or later (version 7.x)",
    ufbx.UnrecognizedFileFormatError: "its content is no FBX; export it again",
}


def read_fbx(data: bytes) -> Message:
    """Everything that Moveset wants to know of a file."""
    try:
        scene = keep(
            ufbx.load_memory(
                data,
                file_format=ufbx.FileFormat.FBX,
                load_external_files=False,
                ignore_missing_external_files=True,
                clean_skin_weights=True,
                skip_skin_vertices=True,
                skip_mesh_parts=True,
                node_depth_limit=DEEPEST,
            )
        )
    except ufbx.OutOfMemoryError:
        raise MemoryError from None
    except ufbx.UfbxError as error:
        text = "its records make no sense" if type(error) is ufbx.UnknownError else str(error).strip()
        raise Refused(f"cannot be read as FBX: {text}", do=_ADVICE.get(type(error), DAMAGED)) from None
    version = scene.metadata.version
    if any(w.type == ufbx.WarningType.UNSUPPORTED_VERSION for w in keep_all(scene.metadata.warnings)):
        # ufbx reads on, but what a number means there nobody has said
        raise Refused(
            f"FBX version {version / 1000:g} is not known", do=_ADVICE[ufbx.UnsupportedVersionError]
        )
    nodes = list(keep_all(scene.nodes))
    rotations = Rotations(nodes)
    animations = Animations(scene, nodes, rotations, len(data))
    geometry = Geometry(scene)
    tree, arrays = _tree(nodes, rotations)
    header = {
        **_about(scene),
        "nodes": tree,
        "stacks": animations.read(arrays),
        "meshes": geometry.meshes(arrays),
        "materials": geometry.materials(),
        "textures": geometry.textures(arrays),
    }
    return header, arrays


def _about(scene: ufbx.Scene) -> dict:
    """Version, program, axes, unit, rate, and what ufbx had to say."""
    settings, metadata = scene.settings, scene.metadata
    props = keep(settings.props)
    axes = settings.axes
    warnings = Counter((w.type.name.lower(), w.description) for w in keep_all(metadata.warnings))
    constraints = sum(not isinstance(c, type(None)) for c in keep_all(scene.constraints))
    return {
        "version": metadata.version,
        "ascii": metadata.ascii,
        "creator": metadata.creator,
        "application": keep(metadata.original_application).name,
        "axes": [int(axes.right), int(axes.up), int(axes.front)],
        "axes_stated": ufbx.find_int(props, "UpAxis", _ABSENT) != _ABSENT,
        "unit_meters": settings.unit_meters,
        "unit_stated": ufbx.find_real(props, "UnitScaleFactor", float(_ABSENT)) != _ABSENT,
        "fps": settings.frames_per_second,
        "time_mode": settings.time_mode.name,
        "constraints": constraints,
        "warnings": [[kind, text, count] for (kind, text), count in warnings.items()],
    }


def _tree(nodes: list[ufbx.Node], rotations: Rotations) -> tuple[list[dict], dict[str, np.ndarray]]:
    """Nodes without the root that ufbx adds, whose number is 0."""
    tree, rest, geometry = [], [], []
    for number, node in enumerate(nodes[1:], 1):
        parent, mesh = keep(node.parent), keep(node.mesh)
        tree.append(
            {
                "name": node.name,
                "kind": node.attrib_type.name.lower(),
                "parent": parent.typed_id - 1 if parent is not None else -1,
                "inherit": int(node.inherit_mode),
                "mesh": -1 if mesh is None else mesh.typed_id,
                "materials": [m.typed_id for m in keep_all(node.materials)] if mesh is not None else [],
                "visible": node.visible,
            }
        )
        local = node.local_transform
        placed = np.array((*local.translation, *local.rotation, *local.scale))
        rest.append(rotations.at_rest(number, placed))
        geometry.append(np.transpose(node.geometry_to_node))
    return tree, {
        "rest": np.array(rest, dtype=np.float64).reshape(-1, 10),
        "geometry_to_node": np.array(geometry, dtype=np.float64).reshape(-1, 3, 4),
    }
