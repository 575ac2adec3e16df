"""What Moveset knows of a clip beside its poses, as JSON: for files that have a place for notes (glTF `extras`, FBX
user properties).
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeGuard

import numpy as np

from moveset.conventions import FPS_RANGE
from moveset.motion import Annotation, Clip, Contacts, Event, Tags


@dataclass(frozen=True)
class Known:
    """What such a note says. Read leniently: a wrong entry is as good as none."""

    fps: float | None = None
    loop: bool = False
    additive: bool | None = None
    """None where the note says neither."""
    tags: Tags = field(default_factory=Tags)
    events: tuple[Event, ...] = ()
    contact_spans: dict[str, list] = field(default_factory=dict)
    curve_values: dict[str, list] = field(default_factory=dict)

    def contacts(self, frames: int) -> Contacts | None:
        """Per-frame flags of the spans."""
        if not self.contact_spans:
            return None
        flags = np.zeros((frames, len(self.contact_spans)), dtype=bool)
        for column, spans in enumerate(self.contact_spans.values()):
            for start, stop in spans:
                flags[start:stop, column] = True
        return Contacts(tuple(self.contact_spans), flags)

    def curves(self, frames: int) -> dict[str, np.ndarray]:
        """Curves that fit the clip's length."""
        found = {name: np.array(values, dtype=np.float64) for name, values in self.curve_values.items()}
        return {name: curve for name, curve in found.items() if len(curve) == frames}


def clip_from_json(said: object) -> Known:
    """What a note says; nothing if it is no object."""
    if not isinstance(said, dict):
        return Known()
    additive = said.get("additive")
    stated = said.get("fps")
    fps = float(stated) if is_number(stated) else 0.0
    return Known(
        fps=fps if FPS_RANGE[0] <= fps <= FPS_RANGE[1] else None,
        loop=said.get("loop") is True,
        additive=additive if isinstance(additive, bool) else None,
        tags=_read_tags(said.get("tags")),
        events=read_events(said.get("events")),
        contact_spans=_read_lists(said.get("contacts"), _is_span),
        curve_values=_read_lists(said.get("curves"), is_number),
    )


def clip_to_json(clip: Clip, curves: dict[str, np.ndarray]) -> dict[str, Any]:
    """A note that `clip_from_json` understands; `curves` are those that nothing else in the file carries."""
    said: dict[str, Any] = {"fps": clip.fps}
    if clip.loop:
        said["loop"] = True
    if clip.additive is not None:
        said["additive"] = clip.additive
    tags = _stated(clip.tags, Tags())
    if tags:
        said["tags"] = tags
    if clip.events:
        said["events"] = [
            {"time": round(float(e.time), 6), "name": e.name} | ({"role": e.role} if e.role else {})
            for e in clip.events
        ]
    if clip.contacts is not None:
        said["contacts"] = {
            role: _spans(clip.contacts.flags[:, column]) for column, role in enumerate(clip.contacts.roles)
        }
    if curves:
        said["curves"] = {
            name: np.round(np.asarray(curve, dtype=float), 6).tolist() for name, curve in curves.items()
        }
    return said


def read_events(given: object) -> tuple[Event, ...]:
    """Events of a list of {"time": seconds, "name": ..., "role": ...}; wrong entries are left out."""
    if not isinstance(given, list):
        return ()
    return tuple(
        Event(float(e["time"]), e["name"], e.get("role") if isinstance(e.get("role"), str) else None)
        for e in given
        if isinstance(e, dict) and is_number(e.get("time")) and isinstance(e.get("name"), str)
    )


def is_number(value: object) -> TypeGuard[float]:
    """Whether a JSON value is a number: true, false, NaN and Infinity are not."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


def _stated(given: Tags | Annotation, blank: Tags | Annotation) -> dict[str, Any]:
    """The fields that say something."""
    out: dict[str, Any] = {}
    for name in blank.__dataclass_fields__:
        value, default = getattr(given, name), getattr(blank, name)
        if value != default:
            if isinstance(value, Annotation):
                value = _stated(value, default)
            out[name] = list(value) if isinstance(value, tuple) else value
    return out


def _read_tags(given: object) -> Tags:
    if not isinstance(given, dict):
        return Tags()
    annotation = given.get("annotation")
    return replace(
        Tags(),
        **_fitting(given, Tags()),
        annotation=replace(
            Annotation(), **_fitting(annotation if isinstance(annotation, dict) else {}, Annotation())
        ),
    )


def _fitting(given: dict, blank: Tags | Annotation) -> dict[str, Any]:
    """Those entries whose type is that of the field."""
    out: dict[str, Any] = {}
    for entry in fields(blank):
        value, default = given.get(entry.name), getattr(blank, entry.name)
        if isinstance(default, tuple) and isinstance(value, list) and all(isinstance(v, str) for v in value):
            out[entry.name] = tuple(value)
        elif isinstance(default, str | bool) and type(value) is type(default):
            out[entry.name] = value
    return out


def _read_lists(given: object, fits: Any) -> dict[str, list]:
    if not isinstance(given, dict):
        return {}
    return {k: v for k, v in given.items() if isinstance(v, list) and all(map(fits, v))}


def _is_span(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(v) is int and v >= 0 for v in value)


def _spans(flags: np.ndarray) -> list[list[int]]:
    """[start, stop) of every run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], flags, [False])).astype(np.int8)))
    return edges.reshape(-1, 2).tolist()
