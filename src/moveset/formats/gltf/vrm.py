"""What a VRM avatar or VRM animation states: which node plays which humanoid role, and which way it faces."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from moveset.formats.gltf.document import Document
from moveset.motion import roles

_MOVED_THUMB = {"Metacarpal": "Proximal", "Proximal": "Intermediate"}
"""VRM 1.0 name of a thumb bone -> VRM 0.x name; the others kept theirs."""


def humanoid(document: Document) -> dict[str, int]:
    """Node by role, in VRM 1.0 names; empty for a file that is no VRM."""
    extensions = document.extensions
    named: Iterator[tuple[object, object]]
    if isinstance(avatar := extensions.get("VRMC_vrm", extensions.get("VRMC_vrm_animation")), dict):
        bones = document.mapping(document.mapping(avatar, "humanoid", "VRMC_vrm"), "humanBones", "VRMC_vrm")
        named = ((role, bone.get("node")) for role, bone in bones.items() if isinstance(bone, dict))
    elif isinstance(avatar := extensions.get("VRM"), dict):
        bones = document.listing(document.mapping(avatar, "humanoid", "VRM"), "humanBones", "VRM")
        named = ((_renamed(bone.get("bone")), bone.get("node")) for bone in bones if isinstance(bone, dict))
    else:
        return {}
    nodes = document.size("nodes")
    return {
        role: node
        for role, node in named
        if role in roles.HUMANOID and type(node) is int and 0 <= node < nodes  # type: ignore[misc]
    }  # fmt: skip


def turn(document: Document) -> np.ndarray:
    """(4, 4) that makes the file face +Z: half a turn for VRM 0.x, nothing for the rest."""
    faces_back = "VRM" in document.extensions and "VRMC_vrm" not in document.extensions
    return np.diag([-1.0, 1.0, -1.0, 1.0]) if faces_back else np.eye(4)


def _renamed(role: object) -> object:
    if isinstance(role, str) and "Thumb" in role:
        for new, old in _MOVED_THUMB.items():
            if role.endswith("Thumb" + old):
                return role.removesuffix(old) + new
    return role
