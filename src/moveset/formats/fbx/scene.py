"""The objects of an FBX scene and what they are connected to, and the records that say so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from moveset.formats.fbx.binary import (
    CREATION_TIME,
    FILE_ID,
    Node,
    array,
    double,
    int32,
    int64,
    named,
    node,
    raw,
    text,
)

ROOT = 0
"""The identity of the scene itself."""
SECOND = 46_186_158_000
"""Units of time in a second."""

_RATES = {
    120: 1, 100: 2, 60: 3, 50: 4, 48: 5, 30: 6, 30 / 1.001: 9, 25: 10, 24: 11, 1000: 12, 24 / 1.001: 13, 96: 15,
    72: 16, 60 / 1.001: 17,
}  # fmt: skip
"""Time modes by frames a second; any other rate is custom."""
_CUSTOM = 14


class Scene:
    """Collects objects and connections. Names are unique within each class, as programs ask for."""

    def __init__(self) -> None:
        self.objects: list[Node] = []
        self.connections: list[Node] = []
        self._names: dict[str, set[str]] = {}

    def add(
        self,
        record: str,
        name: str,
        kind: str,
        subtype: str,
        children: Sequence[Node],
        parent: int | None = None,
    ) -> int:
        """An object: its record, its class `kind` and type; connected to `parent` if one is given."""
        identity = 1_000_000 + len(self.objects)
        self.objects.append(
            node(record, int64(identity), named(name, kind), text(subtype), children=children)
        )
        if parent is not None:
            self.connect(identity, parent)
        return identity

    def connect(self, child: int, parent: int, of: str | None = None) -> None:
        """`child` belongs to `parent`, or to its property `of`."""
        kind = (text("OO"),) if of is None else (text("OP"),)
        tail = () if of is None else (text(of),)
        self.connections.append(node("C", *kind, int64(child), int64(parent), *tail))

    def unique(self, name: str, among: str) -> str:
        """`name`, with a number if another of its kind has it; control characters, which FBX parts names by, go."""
        name = stem = "".join(c for c in name if c.isprintable()).strip() or among
        taken = self._names.setdefault(among, set())
        number = 1
        while name in taken:
            number += 1
            name = f"{stem}_{number}"
        taken.add(name)
        return name

    def definitions(self) -> Node:
        """How many objects there are of each record."""
        counts = Counter(each.name for each in self.objects)
        kinds = [
            node("ObjectType", text(name), children=[node("Count", int32(count))])
            for name, count in (("GlobalSettings", 1), *counts.items())
        ]
        total = node("Count", int32(1 + len(self.objects)))
        return node("Definitions", children=[node("Version", int32(100)), total, *kinds])


def properties(*entries: Node) -> Node:
    """The record that holds an object's properties."""
    return node("Properties70", children=entries)


def prop(name: str, kind: str, *values: bytes, label: str = "", flags: str = "") -> Node:
    """One property of type `kind`. Flags: A animatable, U made by the user."""
    return node("P", text(name), text(kind), text(label), text(flags), *values)


def vector(name: str, values: Sequence[float] | np.ndarray, kind: str = "", flags: str = "A") -> Node:
    """A property of three numbers; `kind` is its name unless given, as for Lcl Translation."""
    return prop(name, kind or name, *(double(float(v)) for v in values), flags=flags)


def whole(name: str, value: int, kind: str = "int", label: str = "Integer", flags: str = "") -> Node:
    """A property of a whole number."""
    return prop(name, kind, int32(value), label=label, flags=flags)


def number(name: str, value: float, flags: str = "") -> Node:
    """A property of a number."""
    return prop(name, "double", double(value), label="Number", flags=flags)


def time(name: str, seconds: float) -> Node:
    """A property of a moment."""
    return prop(name, "KTime", int64(ticks(seconds)), label="Time")


def note(name: str, value: str) -> Node:
    """A text of the user's own."""
    return prop(name, "KString", text(value), flags="U")


def ticks(seconds: float) -> int:
    """Seconds in FBX time."""
    return round(seconds * SECOND)


def matrix(name: str, transform: np.ndarray) -> Node:
    """A 4 x 4 matrix, column by column."""
    return node(name, array(np.asarray(transform, dtype=np.float64).T))


def top_records(
    scene: Scene,
    creator: str,
    up: str,
    metres: float,
    fps: float,
    seconds: float,
    takes: Sequence[Node],
    active: str,
) -> list[Node]:
    """All records of a file."""
    document = 999_999
    about = [
        node("FBXHeaderVersion", int32(1003)),
        node("FBXVersion", int32(7400)),
        node("EncryptionType", int32(0)),
        node("CreationTimeStamp", children=_stamp()),
        node("Creator", text(creator)),
        node("SceneInfo", named("GlobalInfo", "SceneInfo"), text("UserData"), children=_scene_info(creator)),
    ]
    active_stack = prop("ActiveAnimStackName", "KString", text(active))
    document_record = node(
        "Document",
        int64(document),
        text("Scene"),
        text("Scene"),
        children=[properties(active_stack), node("RootNode", int64(ROOT))],
    )
    return [
        node("FBXHeaderExtension", children=about),
        node("FileId", raw(FILE_ID)),
        node("CreationTime", text(CREATION_TIME)),
        node("Creator", text(creator)),
        node(
            "GlobalSettings",
            children=[node("Version", int32(1000)), _global_settings(up, metres, fps, seconds)],
        ),
        node("Documents", children=[node("Count", int32(1)), document_record]),
        node("References"),
        scene.definitions(),
        node("Objects", children=scene.objects),
        node("Connections", children=scene.connections),
        node("Takes", children=[node("Current", text(active)), *takes]),
    ]


def _global_settings(up: str, metres: float, fps: float, seconds: float) -> Node:
    vertical, front, sign = (1, 2, 1) if up == "Y" else (2, 1, -1)
    mode = next((mode for rate, mode in _RATES.items() if abs(rate - fps) < 1e-4 * rate), _CUSTOM)
    return properties(
        whole("UpAxis", vertical),
        whole("UpAxisSign", 1),
        whole("FrontAxis", front),
        whole("FrontAxisSign", sign),
        whole("CoordAxis", 0),
        whole("CoordAxisSign", 1),
        whole("OriginalUpAxis", vertical),
        whole("OriginalUpAxisSign", 1),
        number("UnitScaleFactor", 100 * metres),
        number("OriginalUnitScaleFactor", 100 * metres),
        whole("TimeMode", mode, "enum", ""),
        time("TimeSpanStart", 0),
        time("TimeSpanStop", seconds),
        number("CustomFrameRate", fps),
    )


def _scene_info(creator: str) -> list[Node]:
    vendor, _, version = creator.partition(" ")
    application = {"ApplicationVendor": vendor, "ApplicationName": vendor, "ApplicationVersion": version}
    return [
        node("Type", text("UserData")),
        node("Version", int32(100)),
        node("MetaData", children=[node("Version", int32(100))]),
        properties(
            *(
                prop(f"{group}|{name}", "KString", text(value))
                for group in ("Original", "LastSaved")
                for name, value in application.items()
            )
        ),
    ]


def _stamp() -> list[Node]:
    """The fixed time of CREATION_TIME."""
    parts = {"Version": 1000, "Year": 1970, "Month": 1, "Day": 1, "Hour": 10, "Minute": 0, "Second": 0}
    return [node(name, int32(value)) for name, value in (parts | {"Millisecond": 0}).items()]
