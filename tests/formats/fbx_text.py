"""FBX text written by hand, number by number: the truth that reading is held against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

TICKS = 46_186_158_000
"""FBX time units in a second."""
CONSTANT, LINEAR = 0x2, 0x4
SETTINGS = {
    "UpAxis": 1,
    "UpAxisSign": 1,
    "FrontAxis": 2,
    "FrontAxisSign": 1,
    "CoordAxis": 0,
    "CoordAxisSign": 1,
}
FPS_24, FPS_30 = 11, 6


@dataclass
class FbxText:
    """Collects objects and connections. Angles are degrees, times seconds, lengths the file's units."""

    settings: dict[str, float] = field(
        default_factory=lambda: {**SETTINGS, "UnitScaleFactor": 1.0, "TimeMode": FPS_24}
    )
    objects: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    last: int = 100

    def node(
        self, name: str, parent: int = 0, kind: str = "LimbNode", **properties: Sequence[float] | float
    ) -> int:
        """A Model; properties such as Lcl_Translation=(1, 2, 3)."""
        at = self._object("Model", name, kind, _properties(properties))
        if kind in ("LimbNode", "Null"):
            attribute = self._object(
                "NodeAttribute", "", kind, f'TypeFlags: "{"Skeleton" if kind == "LimbNode" else kind}"'
            )
            self._link(attribute, at)
        self._link(at, parent)
        return at

    def stack(
        self, name: str, start: float | None = None, stop: float | None = None, layers: int = 1
    ) -> list[int]:
        """An AnimationStack; its layers."""
        times = {} if start is None else {"LocalStart": start, "LocalStop": stop}
        lines = [f'P: "{key}", "KTime", "Time", "",{round(value * TICKS)}' for key, value in times.items()]
        at = self._object("AnimationStack", name, "", "Properties70: { " + "\n".join(lines) + " }")
        made = [self._object("AnimationLayer", f"layer {i}", "", "") for i in range(layers)]
        for layer in made:
            self._link(layer, at)
        return made

    def curve(
        self,
        layer: int,
        node: int,
        prop: str,
        times: Sequence[float],
        kind: int = LINEAR,
        **axes: Sequence[float | str],
    ) -> None:
        """Keys of a property, e.g. "Lcl Rotation", with X=(0, 90). Axes that are left out stay at 0."""
        knot = self._object("AnimationCurveNode", prop[4:5], "", "")
        self._link(knot, layer)
        self._link(knot, node, prop)
        n, ticks = len(times), ",".join(str(round(t * TICKS)) for t in times)
        for axis, values in axes.items():
            numbers = ",".join(str(v) for v in values)
            curve = self._object(
                "AnimationCurve", "", "",
                f"Default: 0\nKeyVer: 4009\nKeyTime: *{n} {{ a: {ticks} }}\nKeyValueFloat: *{n} {{ a: {numbers} }}\n"
                f"KeyAttrFlags: *1 {{ a: {kind} }}\nKeyAttrDataFloat: *4 {{ a: 0,0,0,0 }}\n"
                f"KeyAttrRefCount: *1 {{ a: {n} }}",
            )  # fmt: skip
            self._link(curve, knot, f"d|{axis}")

    def mesh(self, node: int, points: Sequence[Sequence[float]], faces: Sequence[Sequence[int]]) -> int:
        """A Geometry on `node`."""
        flat = [str(x) for point in points for x in point]
        corners = [str(c) for face in faces for c in (*face[:-1], -face[-1] - 1)]
        at = self._object(
            "Geometry", "", "Mesh",
            f"Vertices: *{len(flat)} {{ a: {','.join(flat)} }}\n"
            f"PolygonVertexIndex: *{len(corners)} {{ a: {','.join(corners)} }}\nGeometryVersion: 124",
        )  # fmt: skip
        self._link(at, node)
        return at

    def data(self) -> bytes:
        """The file."""
        globals_ = "\n".join(
            f'P: "{key}", "{_kind(value)}", "", "",{value}' for key, value in self.settings.items()
        )
        return (
            "; FBX 7.5.0 project file\nFBXHeaderExtension: {\nFBXHeaderVersion: 1003\nFBXVersion: 7500\n}\n"
            f"GlobalSettings: {{\nVersion: 1000\nProperties70: {{\n{globals_}\n}}\n}}\n"
            "Objects: {\n"
            + "\n".join(self.objects)
            + "\n}\nConnections: {\n"
            + "\n".join(self.links)
            + "\n}\n"
        ).encode()

    def _object(self, kind: str, name: str, sort: str, content: str) -> int:
        self.last += 1
        prefix = {"AnimationStack": "AnimStack", "AnimationLayer": "AnimLayer", "AnimationCurve": "AnimCurve"}
        label = prefix.get(kind, "AnimCurveNode" if kind == "AnimationCurveNode" else kind)
        self.objects.append(f'{kind}: {self.last}, "{label}::{name}", "{sort}" {{\n{content}\n}}')
        return self.last

    def _link(self, child: int, parent: int, prop: str | None = None) -> None:
        self.links.append(f'C: "OP",{child},{parent}, "{prop}"' if prop else f'C: "OO",{child},{parent}')


def _properties(properties: dict) -> str:
    lines = []
    for key, value in properties.items():
        name = key.replace("_", " ") if key.startswith("Lcl") else key
        if isinstance(value, tuple | list):
            lines.append(f'P: "{name}", "{name}", "", "A",{",".join(str(v) for v in value)}')
        else:
            lines.append(f'P: "{name}", "{_kind(value)}", "", "",{value}')
    return "Version: 232\nProperties70: {\n" + "\n".join(lines) + "\n}"


def _kind(value: float) -> str:
    return "double" if isinstance(value, float) else "int"
