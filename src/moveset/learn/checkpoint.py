"""The state of a training on disk: one file, replaced as a whole, so that a kill at any moment leaves a good one."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path

import torch

from moveset.errors import MovesetError
from moveset.files import write_whole

FILE = "checkpoint.pt"
FORMAT = 1


def save(folder: Path, identity: Mapping[str, object], state: Mapping[str, object]) -> Path:
    """Write `state`; `identity` is what must be the same when the training goes on."""
    data = io.BytesIO()
    torch.save({"format": FORMAT, "identity": json.dumps(identity, default=str), **state}, data)
    return write_whole(folder / FILE, data.getvalue())


def load(folder: Path, identity: Mapping[str, object], device: torch.device) -> dict | None:
    """What was saved, None if nothing was; raises when it belongs to another training."""
    path = folder / FILE
    for partial in folder.glob(".*.partial"):  # of a run that was killed while it wrote
        partial.unlink(missing_ok=True)
    if not path.exists():
        return None
    try:
        state = torch.load(path, map_location=device, weights_only=True)
        format, saved = state["format"], json.loads(state["identity"])
    except Exception:  # whatever torch meets in a file that is none of its own
        raise MovesetError("is no checkpoint", file=path, do="delete it to train from the start") from None
    if format != FORMAT:
        raise MovesetError(
            f"is a checkpoint of format {format}, this version reads {FORMAT}",
            file=path,
            do="go on with the version that wrote it, or train anew in another folder",
        )
    changed = differences(saved, json.loads(json.dumps(identity, default=str)))
    if changed:
        raise MovesetError(
            "belongs to another training: " + "; ".join(changed),
            file=path,
            do="go on with the same settings and data, or train anew in another folder",
        )
    return state


def differences(old: object, new: object, name: str = "") -> list[str]:
    """What differs between two trees of plain values, by name: `config.steps was 100, is 200`."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        found = []
        for key in dict.fromkeys((*old, *new)):
            found += differences(old.get(key), new.get(key), f"{name}.{key}" if name else str(key))
        return found
    return [] if old == new else [f"{name} was {old}, is {new}"]
