"""What user properties say that FBX has no place for: of an animation stack `moveset`, all that Moveset knows, and
`additive`, for other tools; of a material `moveset`, how it looks beside its plain color.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from moveset.formats.clip_json import Known, clip_from_json, is_number
from moveset.motion import Material


def read_notes(notes: dict) -> Known:
    """What the properties of a stack say; a damaged note says nothing."""
    try:
        known = clip_from_json(json.loads(notes["moveset"] or "{}"))
    except (ValueError, RecursionError):
        known = Known()
    additive = notes["additive"]
    return known if additive is None else replace(known, additive=additive != 0)


def material_note(material: Material) -> str:
    """The note of a material."""
    return json.dumps(
        {
            "base_color": [float(c) for c in material.base_color],
            "double_sided": material.double_sided,
            "alpha_mode": material.alpha_mode,
            "alpha_cutoff": material.alpha_cutoff,
        }
    )


def read_material_note(note: str) -> dict[str, Any]:
    """Fields of a Material that its note says; those that are not what they should be are left out."""
    try:
        said = json.loads(note or "{}")
    except (ValueError, RecursionError):
        return {}
    if not isinstance(said, dict):
        return {}
    color = said.get("base_color")
    out: dict[str, Any] = {}
    if isinstance(color, list) and len(color) == 4 and all(is_number(c) and 0 <= c <= 1 for c in color):
        out["base_color"] = tuple(map(float, color))
    if isinstance(said.get("double_sided"), bool):
        out["double_sided"] = said["double_sided"]
    if said.get("alpha_mode") in ("OPAQUE", "MASK", "BLEND"):
        out["alpha_mode"] = said["alpha_mode"]
    if is_number(said.get("alpha_cutoff")):
        out["alpha_cutoff"] = float(said["alpha_cutoff"])
    return out
