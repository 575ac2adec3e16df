"""What user properties of an animation stack say: `moveset`, all that Moveset knows, and `additive`, for other tools."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from moveset.formats.clip_json import Known, clip_from_json


def take_notes(text: Callable[[str], str | None], whole: Callable[[str], int | None]) -> dict:
    """The notes of a stack, as the worker sends them; the arguments look a property up, None where there is none."""
    additive = whole("additive")
    return {"moveset": text("moveset") or "", "additive": None if additive is None else additive != 0}


def read_notes(notes: dict) -> Known:
    """What they say; a damaged note says nothing."""
    try:
        known = clip_from_json(json.loads(notes["moveset"] or "{}"))
    except (ValueError, RecursionError):
        known = Known()
    additive = notes["additive"]
    return known if additive is None else replace(known, additive=additive)
