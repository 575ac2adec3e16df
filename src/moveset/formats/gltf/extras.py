"""What Moveset says about clips and joints, kept in `extras.moveset` of animations and nodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from moveset.formats.clip_json import Known, clip_from_json, clip_to_json
from moveset.formats.gltf.document import Document
from moveset.motion import Clip, Tags

KEY = "moveset"


def read_animation(animation: dict) -> Known:
    """What the extras of an animation say; `additive` also stands for itself, for tools that know only that."""
    given = animation.get("extras")
    if not isinstance(given, dict):
        return Known()
    known, additive = clip_from_json(given.get(KEY)), given.get("additive")
    return replace(known, additive=additive) if isinstance(additive, bool) else known


def write_animation(clip: Clip, curves: dict[str, np.ndarray]) -> dict:
    """Extras that `read_animation` understands; `curves` are those that no blend shape carries."""
    return {KEY: clip_to_json(clip, curves)} | ({"additive": True} if clip.additive else {})


def tags_of(known: Known, document: Document, clip: str) -> Tags:
    """The tags of a clip; source and license from the file where it names none."""
    alone = document.size("animations") == 1
    source = known.tags.source or (document.path if alone else f"{document.path}#{clip}")
    stated = document.json["asset"].get("copyright")
    license = known.tags.license or (stated if isinstance(stated, str) else "")
    return replace(known.tags, source=source, license=license)


def read_roles(node: dict) -> str | None:
    """The role that the extras of a node state."""
    given = node.get("extras")
    ours = given.get(KEY) if isinstance(given, dict) else None
    role = ours.get("role") if isinstance(ours, dict) else None
    return role if isinstance(role, str) else None
