"""Curves of a Unity AnimationClip as text: keys with slopes, found line by line, and what they are at any time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from moveset.errors import MovesetError
from moveset.geometry.quaternion import Array

KINDS = {
    "m_RotationCurves": "rotation", "m_EulerCurves": "euler", "m_PositionCurves": "position", "m_ScaleCurves": "scale",
}  # fmt: skip
WIDTHS = {"rotation": 4, "euler": 3, "position": 3, "scale": 3}
_MOST_CURVES = 30_000
_SECTION = re.compile(r"  (m_\w+Curves):")
_TIME, _FLOW = re.compile(r"\s+time: (\S+)"), re.compile(r"\s+(value|inSlope|outSlope): \{(.*)\}")
_ORDER, _PATH = re.compile(r"\s+m_RotationOrder: (\d+)"), re.compile(r"    path: ?(.*)")
_COMPONENT = re.compile(r"([xyzw]): ?([^,\s]+)")


@dataclass
class Curve:
    """One curve of one transform while it is read."""

    kind: str
    path: str = ""
    order: int = 4
    times: list[float] = field(default_factory=list)
    values: list[list[float]] = field(default_factory=list)
    inward: list[list[float]] = field(default_factory=list)
    outward: list[list[float]] = field(default_factory=list)

    def at(self, times: Array) -> Array:
        """(T, n) values: cubic Hermite between keys, the earlier key where a slope is infinite."""
        keys, values = np.array(self.times), np.array(self.values)
        if len(keys) == 1:
            return np.repeat(values, len(times), axis=0)
        after = np.clip(np.searchsorted(keys, times, side="right"), 1, len(keys) - 1)
        before = after - 1
        span = (keys[after] - keys[before])[:, None]
        t = np.clip((times[:, None] - keys[before][:, None]) / np.maximum(span, 1e-9), 0, 1)
        out, into = np.array(self.outward)[before], np.array(self.inward)[after]
        stepped = ~(np.isfinite(out) & np.isfinite(into))
        out, into = np.where(stepped, 0, out) * span, np.where(stepped, 0, into) * span
        a, b = values[before], values[after]
        smooth = (
            (1 + 2 * t) * (1 - t) ** 2 * a
            + t * (1 - t) ** 2 * out
            + t**2 * (3 - 2 * t) * b
            + t**2 * (t - 1) * into
        )
        return np.where(stepped & (t < 1), a, smooth)


def parse_curves(text: str, path: str) -> list[Curve]:
    """All curves of transforms; a curve without keys is left out."""
    curves: list[Curve] = []
    current: Curve | None = None
    kind = None
    for number, line in _joined(text):
        if section := _SECTION.match(line):
            kind, current = KINDS.get(section[1]), None
        elif kind is None:
            if line and not line.startswith(" "):
                continue
        elif line.startswith("  - curve:"):
            current = Curve(kind)
            curves.append(current)
            if len(curves) > _MOST_CURVES:
                raise MovesetError(
                    "holds more curves than a character has", file=path, do="save the clip again"
                )
        elif current is not None:
            _take(current, line, path, number)
    for curve in curves:
        _check(curve, path)
    return [curve for curve in curves if curve.times]


def _joined(text: str) -> Iterator[tuple[int, str]]:
    """Lines by number; what a brace leaves open goes on in the next ones, a few at most."""
    held, start = "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        if held:
            held += " " + line.strip()
        else:
            held, start = line, number
        if held.count("{") > held.count("}") and number - start < 8:
            continue
        yield start, held
        held = ""
    if held:
        yield start, held


def _take(curve: Curve, line: str, path: str, number: int) -> None:
    try:
        if match := _TIME.match(line):
            curve.times.append(float(match[1]))
        elif match := _FLOW.match(line):
            parts = dict(_COMPONENT.findall(match[2]))
            values = [float(parts[axis]) for axis in "xyzw"[: WIDTHS[curve.kind]]]
            {"value": curve.values, "inSlope": curve.inward, "outSlope": curve.outward}[match[1]].append(
                values
            )
        elif match := _ORDER.match(line):
            curve.order = int(match[1])
        elif match := _PATH.match(line):
            curve.path = match[1].strip().strip("'\"")
    except (ValueError, KeyError):
        raise MovesetError(
            f"{line.strip()[:60]!r} is no key", file=path, where=f"line {number}", do="save the clip again"
        ) from None


def _check(curve: Curve, path: str) -> None:
    keys = len(curve.times)
    if not keys and not curve.values:
        return
    curve.inward = curve.inward or [[0.0] * WIDTHS[curve.kind]] * keys
    curve.outward = curve.outward or [[0.0] * WIDTHS[curve.kind]] * keys
    lengths = {keys, len(curve.values), len(curve.inward), len(curve.outward)}
    if len(lengths) != 1:
        raise MovesetError(
            "keys lack a time or a value", file=path, where=curve.path, do="save the clip again"
        )
    numbers = np.array([*curve.values, curve.times[:1] * WIDTHS[curve.kind]]) if keys else np.zeros(0)
    slopes = np.array([*curve.inward, *curve.outward])
    if not np.isfinite(numbers).all() or np.abs(numbers).max(initial=0) > 1e9 or np.isnan(slopes).any():
        raise MovesetError(
            "holds numbers that are none", file=path, where=curve.path, do="save the clip again"
        )
    if np.any(np.diff(curve.times) < 0) or not np.isfinite(curve.times).all():
        raise MovesetError("keys are out of order", file=path, where=curve.path, do="save the clip again")
