"""What Moveset says about a clip, kept in `extras.moveset` of its animation: tags, events, contacts, curves."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from moveset.conventions import FPS_RANGE
from moveset.formats.gltf.document import Document
from moveset.motion import Annotation, Clip, Contacts, Event, Tags

KEY = "moveset"


@dataclass(frozen=True)
class Known:
    """What an animation's extras say. Read leniently: a wrong entry is as good as none."""

    fps: float | None = None
    loop: bool = False
    additive: bool = False
    tags: Tags = field(default_factory=Tags)
    events: tuple[Event, ...] = ()
    contact_spans: dict[str, list] = field(default_factory=dict)
    curve_values: dict[str, list] = field(default_factory=dict)

    def tags_of(self, document: Document, clip: str) -> Tags:
        """The tags; source and license from the file where the clip names none."""
        alone = document.size("animations") == 1
        source = self.tags.source or (document.path if alone else f"{document.path}#{clip}")
        stated = document.json["asset"].get("copyright")
        license = self.tags.license or (stated if isinstance(stated, str) else "")
        return replace(self.tags, source=source, license=license)

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


def read_animation(animation: dict) -> Known:
    """What the extras of an animation say."""
    given = animation.get("extras")
    if not isinstance(given, dict):
        return Known()
    additive = given.get("additive") is True
    ours = given.get(KEY)
    if not isinstance(ours, dict):
        return Known(additive=additive)
    fps = ours.get("fps")
    return Known(
        fps=float(fps) if isinstance(fps, int | float) and FPS_RANGE[0] <= fps <= FPS_RANGE[1] else None,
        loop=ours.get("loop") is True,
        additive=additive or ours.get("additive") is True,
        tags=_read_tags(ours.get("tags")),
        events=_read_events(ours.get("events")),
        contact_spans=_read_lists(ours.get("contacts"), _is_span),
        curve_values=_read_lists(ours.get("curves"), _is_number),
    )


def write_animation(clip: Clip, curves: dict[str, np.ndarray]) -> dict:
    """Extras that `read_animation` understands; `curves` are those that no blend shape carries."""
    ours: dict[str, Any] = {"fps": clip.fps}
    if clip.loop:
        ours["loop"] = True
    if clip.additive:
        ours["additive"] = True
    tags = _stated(clip.tags, Tags())
    if tags:
        ours["tags"] = tags
    if clip.events:
        ours["events"] = [
            {"time": round(float(e.time), 6), "name": e.name} | ({"role": e.role} if e.role else {})
            for e in clip.events
        ]
    if clip.contacts is not None:
        ours["contacts"] = {
            role: _spans(clip.contacts.flags[:, column]) for column, role in enumerate(clip.contacts.roles)
        }
    if curves:
        ours["curves"] = {
            name: np.round(np.asarray(curve, dtype=float), 6).tolist() for name, curve in curves.items()
        }
    return {KEY: ours} | ({"additive": True} if clip.additive else {})


def read_roles(node: dict) -> str | None:
    """The role that the extras of a node state."""
    given = node.get("extras")
    ours = given.get(KEY) if isinstance(given, dict) else None
    role = ours.get("role") if isinstance(ours, dict) else None
    return role if isinstance(role, str) else None


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


def _read_events(given: object) -> tuple[Event, ...]:
    if not isinstance(given, list):
        return ()
    return tuple(
        Event(float(e["time"]), e["name"], e.get("role") if isinstance(e.get("role"), str) else None)
        for e in given
        if isinstance(e, dict) and _is_number(e.get("time")) and isinstance(e.get("name"), str)
    )


def _read_lists(given: object, fits: Any) -> dict[str, list]:
    if not isinstance(given, dict):
        return {}
    return {k: v for k, v in given.items() if isinstance(v, list) and all(map(fits, v))}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_span(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(v) is int and v >= 0 for v in value)


def _spans(flags: np.ndarray) -> list[list[int]]:
    """[start, stop) of every run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], flags, [False])).astype(np.int8)))
    return edges.reshape(-1, 2).tolist()
