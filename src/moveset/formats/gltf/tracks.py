"""The channels of all animations as columns: one row a track, checked at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from moveset.formats.gltf.document import Document
from moveset.motion import Finding

ROTATION, TRANSLATION, SCALE, WEIGHTS = range(4)
PATHS = {"rotation": ROTATION, "translation": TRANSLATION, "scale": SCALE, "weights": WEIGHTS}
PATH_WIDTHS = (4, 3, 3, 1)
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
        return {int(i): self._times(int(i)) for i in np.unique(self.input)}

    def _times(self, accessor: int) -> np.ndarray:
        where = f"accessors[{accessor}]"
        times = self.document.accessors.decode(accessor, (1,), "key times")[:, 0].astype(np.float64)
        if not len(times):
            raise self.document.error("an animation without any key", where)
        if not np.isfinite(times).all():
            raise self.document.error("key times hold NaN or infinite numbers", where)
        if np.any(times[1:] < times[:-1]):
            at = int(np.argmax(times[1:] < times[:-1]))
            raise self.document.error(
                f"key times run backwards: {times[at]:g} s, then {times[at + 1]:g} s", where
            )
        return times

    def where(self, row: int) -> str:
        """What a message calls a track."""
        path = next(name for name, code in PATHS.items() if code == self.path[row])
        return f"animations[{self.clip[row]}], {path} of {self.document.name('nodes', int(self.node[row]))!r}"


def read_tracks(document: Document, findings: list[Finding]) -> Tracks:
    """All channels that move a node; others (pointers into materials) are counted in a finding."""
    rows: list[tuple] = []
    skipped = 0
    for clip, animation in enumerate(document.table("animations")):
        where = f"animations[{clip}]"
        samplers = document.listing(animation, "samplers", where)
        try:
            sampled = [
                (s["input"], s["output"], INTERPOLATIONS[s.get("interpolation", "LINEAR")]) for s in samplers
            ]
            for channel in document.listing(animation, "channels", where):
                target = channel["target"]
                if "node" not in target or target["path"] not in PATHS:
                    skipped += "node" in target or target.get("path") == "pointer"
                    continue
                rows.append(
                    (clip, target["node"], PATHS[target["path"]], *_pick(sampled, channel["sampler"]))
                )
        except (KeyError, TypeError, IndexError, AttributeError) as error:
            raise _explained(document, animation, where, error) from None
    if skipped:
        findings.append(
            Finding(
                "animated_property",
                "info",
                "",
                f"{skipped} channels animate materials or other properties; not read",
                count=skipped,
                advice="a written GLB drops them with the animations that it replaces",
            )  # fmt: skip
        )
    table = _table(document, rows)
    tracks = Tracks(document, *(table[:, i] for i in (0, 1, 2, 5, 3, 4)))
    _check(document, tracks)
    return tracks


def _pick(sampled: list[tuple], index: object) -> tuple:
    if type(index) is not int or index < 0:
        raise IndexError("list index out of range")
    return sampled[index]


def _table(document: Document, rows: list[tuple]) -> np.ndarray:
    if not rows:
        return np.zeros((0, 6), dtype=np.int64)
    table = np.array(rows)
    if table.dtype.kind != "i" or table.ndim != 2:
        at, row = next((i, r) for i, r in enumerate(rows) if any(type(v) is not int for v in r))
        raise document.error(f"channel {at} holds {row[1:]!r} where indices must be", f"animations[{row[0]}]")
    return table


def _check(document: Document, tracks: Tracks) -> None:
    """Indices, types and counts of all tracks."""
    accessors = document.accessors
    for column, size, label in (
        (tracks.node, document.size("nodes"), "node"),
        (tracks.input, len(accessors), "input"),
        (tracks.output, len(accessors), "output"),
    ):
        wrong = (column < 0) | (column >= size)
        if wrong.any():
            row = int(np.argmax(wrong))
            clip = tracks.clip[row]
            raise document.error(f"{label} is {column[row]}; there are {size}", f"animations[{clip}]")
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


def _explained(document: Document, animation: dict, where: str, error: Exception) -> Exception:
    """The error that names which entry of an animation is broken."""
    samplers = document.listing(animation, "samplers", where)
    for i, sampler in enumerate(samplers):
        at = f"{where}.samplers[{i}]"
        if not isinstance(sampler, dict):
            return document.error("is not an object", at)
        for key in ("input", "output"):
            document.reference(sampler, key, "accessors", at)
        if sampler.get("interpolation", "LINEAR") not in tuple(INTERPOLATIONS):
            return document.error(f"interpolation {sampler['interpolation']!r} is unknown", at)
    for i, channel in enumerate(document.listing(animation, "channels", where)):
        at = f"{where}.channels[{i}]"
        if not isinstance(channel, dict):
            return document.error("is not an object", at)
        document.integer(channel, "sampler", at, below=len(samplers))
        target = document.mapping(channel, "target", at)
        if not isinstance(target.get("path"), str):
            return document.error("its target has no path", at)
    return error
