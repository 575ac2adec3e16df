"""The channels of all animations as columns: one row a track, checked at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from moveset.errors import MovesetError
from moveset.formats.gltf.document import Document
from moveset.motion import Finding

ROTATION, TRANSLATION, SCALE, WEIGHTS = range(4)
PATHS = {"rotation": ROTATION, "translation": TRANSLATION, "scale": SCALE, "weights": WEIGHTS}
PATH_WIDTHS = (4, 3, 3, 1)
_OTHER = len(PATHS)
STEP, LINEAR, CUBIC = range(3)
INTERPOLATIONS = {"STEP": STEP, "LINEAR": LINEAR, "CUBICSPLINE": CUBIC}


@dataclass(eq=False)
class Tracks:
    """Rows ordered by clip."""

    document: Document
    clip: np.ndarray
    node: np.ndarray
    path: np.ndarray
    interpolation: np.ndarray
    input: np.ndarray
    """Accessor of key times."""
    output: np.ndarray
    """Accessor of key values."""

    def __len__(self) -> int:
        return len(self.clip)

    @cached_property
    def keys(self) -> np.ndarray:
        """Number of keys of each track."""
        return self.document.accessors.count[self.input]

    @cached_property
    def times(self) -> dict[int, np.ndarray]:
        """Key times [s] by accessor, checked to be finite and not to run backwards."""
        inputs = np.unique(self.input)
        if not len(inputs):
            return {}
        accessors = self.document.accessors
        counts, widths = accessors.count[inputs], accessors.width[inputs]
        if np.any(widths != 1):
            accessor = int(inputs[np.argmax(widths != 1)])
            raise self.document.error("key times must be of type SCALAR", f"accessors[{accessor}]")
        times = accessors.concatenate(inputs)[:, 0].astype(np.float64)
        of = np.repeat(inputs, counts)
        if not np.isfinite(times).all():
            where = f"accessors[{of[np.argmin(np.isfinite(times))]}]"
            raise self.document.error("key times hold NaN or infinite numbers", where)
        backwards = np.flatnonzero((times[1:] < times[:-1]) & (of[1:] == of[:-1]))
        if len(backwards):
            at = backwards[0]
            raise self.document.error(
                f"key times run backwards: {times[at]:g} s, then {times[at + 1]:g} s", f"accessors[{of[at]}]"
            )
        return dict(zip(inputs.tolist(), np.split(times, np.cumsum(counts)[:-1])))

    def where(self, row: int) -> str:
        """What a message calls a track."""
        path = next(name for name, code in PATHS.items() if code == self.path[row])
        return f"animations[{self.clip[row]}], {path} of {self.document.name('nodes', int(self.node[row]))!r}"


def read_tracks(document: Document, findings: list[Finding]) -> Tracks:
    """All channels that move a node; others (pointers into materials) are counted in a finding."""
    clips, samplers_before = [], []
    inputs: list[int] = []
    outputs: list[int] = []
    interpolations: list[int] = []
    nodes: list[int] = []
    paths: list[int] = []
    picked: list[int] = []
    for clip, animation in enumerate(document.table("animations")):
        where = f"animations[{clip}]"
        samplers = document.listing(animation, "samplers", where)
        channels = document.listing(animation, "channels", where)
        try:
            clips.append(len(channels))
            samplers_before.append(len(inputs))
            inputs += [s["input"] for s in samplers]
            outputs += [s["output"] for s in samplers]
            interpolations += [INTERPOLATIONS[s.get("interpolation", "LINEAR")] for s in samplers]
            targets = [c["target"] for c in channels]
            nodes += [t.get("node", -1) for t in targets]
            paths += [PATHS.get(t["path"], _OTHER) for t in targets]
            picks = [c["sampler"] for c in channels]
            if picks and not (
                set(map(type, picks)) == {int} and min(picks) >= 0 and max(picks) < len(samplers)
            ):
                picks = [
                    document.integer(
                        c, "sampler", f"{where}.channels[{i}]", below=len(samplers), of="samplers"
                    )
                    for i, c in enumerate(channels)
                ]
            picked += picks
        except (KeyError, TypeError, AttributeError):
            raise _explained(document, animation, where) from None
    clip = np.repeat(np.arange(len(clips)), clips)
    sampler = np.array(picked, dtype=np.int64) + np.repeat(samplers_before, clips).astype(np.int64)
    columns = [_column(document, values, label) for values, label in ((nodes, "node"), (paths, "path"))]
    columns += [
        _column(document, values, label)[sampler]
        for values, label in ((interpolations, "interpolation"), (inputs, "input"), (outputs, "output"))
    ]
    node, path = columns[:2]
    kept = (node != -1) & (path != _OTHER)
    skipped = int((path == _OTHER).sum())
    if skipped:
        findings.append(
            Finding(
                "animated_property",
                "info",
                "",
                f"{skipped} channels animate materials or other properties; not read",
                count=skipped,
                advice="a written GLB drops them with the animations that it replaces",
            )
        )
    tracks = Tracks(document, *(column[kept] for column in (clip, *columns)))
    _check(document, tracks)
    empty = tracks.keys == 0
    if empty.any():
        message = f"{int(empty.sum())} tracks have no keys; their nodes rest"
        findings.append(Finding("empty_tracks", "warning", "", message, count=int(empty.sum())))
        tracks = Tracks(document, *(column[kept][~empty] for column in (clip, *columns)))
    return tracks


def _column(document: Document, values: list, label: str) -> np.ndarray:
    column = np.array(values) if values and set(map(type, values)) <= {int, float} else np.zeros(0)
    if (
        column.dtype.kind == "f"
        and len(column)
        and np.all(column == np.rint(column))
        and np.abs(column).max() < 1e9
    ):
        column = column.astype(np.int64)  # JSON has one kind of number: 1.0 is an index too
    if values and column.dtype.kind != "i":
        wrong = next((v for v in values if type(v) is not int), values[0])
        raise document.error(f"{label} is {wrong!r:.60}, not an index", "animations")
    return column.astype(np.int64)


def _check(document: Document, tracks: Tracks) -> None:
    """Indices, types and counts of all tracks."""
    accessors = document.accessors
    for column, size, label in (
        (tracks.node, document.size("nodes"), "node"),
        (tracks.input, len(accessors), "input accessor"),
        (tracks.output, len(accessors), "output accessor"),
    ):
        wrong = (column < 0) | (column >= size)
        if wrong.any():
            row = int(np.argmax(wrong))
            clip = tracks.clip[row]
            raise document.error(f"{label} {column[row]} is named; there are {size}", f"animations[{clip}]")
    width = accessors.width[tracks.output]
    wrong = width != np.array(PATH_WIDTHS)[tracks.path]
    if wrong.any():
        row = int(np.argmax(wrong))
        raise document.error(f"its values have {width[row]} components", tracks.where(row))
    expected = accessors.count[tracks.input] * np.where(tracks.interpolation == CUBIC, 3, 1)
    count = accessors.count[tracks.output]
    wrong = np.where(tracks.path == WEIGHTS, count % np.maximum(expected, 1) != 0, count != expected)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise document.error(f"{count[row]} values for {tracks.keys[row]} key times", tracks.where(row))


def _explained(document: Document, animation: dict, where: str) -> MovesetError:
    """The error that names which entry of an animation is broken."""
    samplers = document.listing(animation, "samplers", where)
    for i, sampler in enumerate(samplers):
        at = f"{where}.samplers[{i}]"
        if not isinstance(sampler, dict):
            return document.error("is not an object", at)
        for key in ("input", "output"):
            document.reference(sampler, key, "accessors", at)
        if sampler.get("interpolation", "LINEAR") not in tuple(INTERPOLATIONS):
            return document.error(f"interpolation {sampler['interpolation']!r:.60} is unknown", at)
    for i, channel in enumerate(document.listing(animation, "channels", where)):
        at = f"{where}.channels[{i}]"
        if not isinstance(channel, dict):
            return document.error("is not an object", at)
        document.integer(channel, "sampler", at, below=len(samplers), of="samplers")
        target = document.mapping(channel, "target", at)
        if not isinstance(target.get("path"), str):
            return document.error("its target has no path", at)
    return document.error("its samplers or channels do not follow the glTF schema", where)
