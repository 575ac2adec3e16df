"""The channels of all animations as columns: one row a track, checked at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from operator import itemgetter

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
        with np.errstate(invalid="ignore"):  # a signalling NaN in a broken file becomes a quiet one
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
    animations = document.table("animations")
    samplers = [document.listing(a, "samplers", f"animations[{i}]") for i, a in enumerate(animations)]
    channels = [document.listing(a, "channels", f"animations[{i}]") for i, a in enumerate(animations)]
    try:
        clip, columns = _columns(document, samplers, channels)
    except (KeyError, TypeError, AttributeError):
        raise _explained(document) from None
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


def _columns(
    document: Document, samplers: list[list], channels: list[list]
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Clip of each channel, and its node, path, interpolation, input and output. KeyError, TypeError or
    AttributeError where the schema is not followed.
    """
    clip = np.repeat(np.arange(len(channels)), [len(some) for some in channels])
    every_channel, every_sampler = list(chain.from_iterable(channels)), list(chain.from_iterable(samplers))
    targets = list(map(itemgetter("target"), every_channel))
    node = [target.get("node", -1) for target in targets]
    path = [PATHS.get(name, _OTHER) for name in map(itemgetter("path"), targets)]
    interpolation = [INTERPOLATIONS[sampler.get("interpolation", "LINEAR")] for sampler in every_sampler]

    sampler = _column(document, list(map(itemgetter("sampler"), every_channel)), "sampler")
    count = np.array([len(some) for some in samplers], dtype=np.int64)
    wrong = (sampler < 0) | (sampler >= count[clip])
    if wrong.any():
        row = int(np.argmax(wrong))
        raise document.error(
            f"sampler is {sampler[row]}; there are {count[clip[row]]} samplers", f"animations[{clip[row]}]"
        )
    sampler += (np.cumsum(count) - count)[clip]
    return clip, [
        _column(document, node, "node"),
        np.array(path, dtype=np.int64),
        np.array(interpolation, dtype=np.int64)[sampler],
        _column(document, list(map(itemgetter("input"), every_sampler)), "input")[sampler],
        _column(document, list(map(itemgetter("output"), every_sampler)), "output")[sampler],
    ]


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


def _explained(document: Document) -> MovesetError:
    """The error that names which entry of which animation is broken."""
    for number, animation in enumerate(document.table("animations")):
        error = _broken(document, animation, f"animations[{number}]")
        if error is not None:
            return error
    return document.error("samplers or channels do not follow the glTF schema", "animations")


def _broken(document: Document, animation: dict, where: str) -> MovesetError | None:
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
    return None
