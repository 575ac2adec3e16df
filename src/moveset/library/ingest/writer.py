"""Parts of files, in order, to the folder of a library."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from moveset.audit import Digest, audit_set
from moveset.audit.registry import SET_CHECKS
from moveset.library.ingest.digests import write_digests
from moveset.library.ingest.prepare import Entry, Part
from moveset.library.poses import PoseWriter
from moveset.library.rows import finding_row
from moveset.library.schema import ClipRow, FindingRow, sql_types
from moveset.library.split import kin_of
from moveset.library.tables import write_columns, write_rows
from moveset.motion import Finding, Skeleton
from moveset.motion.skeleton_json import skeleton_to_json

SET_CHECK_NAMES = frozenset(check.name for check in SET_CHECKS)
"""Checks whose findings depend on the other clips of the library."""


@dataclass(eq=False)
class _Kept:
    """What is remembered of a clip after its poses are on disk."""

    row: ClipRow
    columns: dict[str, np.ndarray | None]
    digest: Digest
    wished_split: str


@dataclass(eq=False)
class Writer:
    """Takes parts one by one, keeps little in memory, and finishes the tables when all are there."""

    folder: Path
    skeletons: dict[str, Skeleton] = field(default_factory=dict)
    findings: list[FindingRow] = field(default_factory=list)
    _kept: dict[str, _Kept] = field(default_factory=dict)
    _poses: dict[str, PoseWriter] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("skeletons", "poses", "views", "thumbnails"):
            (self.folder / name).mkdir()

    def add(self, part: Part, wished_splits: Mapping[str, str]) -> int:
        """Take a part; returns how many of its clips were left out as copies of earlier ones."""
        self.findings += part.findings
        copies = 0
        for entry in part.entries:
            id = entry.row.id
            if id in self._kept:
                self.findings.append(_copy(entry.row, self._kept[id].row))
                copies += 1
                continue
            start = self._append(entry)
            row = replace(entry.row, start=start)
            self._kept[id] = _Kept(row, entry.columns, entry.digest, wished_splits.get(row.name, ""))
        return copies

    def finish(self, side: Callable[[str, str], str]) -> list[ClipRow]:
        """Write tables, digests and skeletons; `side(kin, wished)` says on which side of the split a clip is."""
        for writer in self._poses.values():
            writer.close()
        kept = list(self._kept.values())
        digests = [k.digest for k in kept]
        for k, found in zip(kept, audit_set(digests)):
            self.findings += [finding_row(f, k.row.file, k.row.id, k.row.name, "keep") for f in found]
        kin = kin_of([k.row.id for k in kept], digests)
        noticed = _by_clip(self.findings)
        rows = [
            replace(
                k.row, kin=family, split=side(family, k.wished_split), **_verdict(noticed.get(k.row.id, ()))
            )
            for k, family in zip(kept, kin)
        ]
        for signature, skeleton in self.skeletons.items():
            file = self.folder / "skeletons" / f"{signature}.json"
            file.write_text(skeleton_to_json(skeleton), encoding="utf-8")
        write_rows(self.folder / "clips.parquet", "clips", rows)
        write_rows(self.folder / "findings.parquet", "findings", self.findings)
        write_columns(self.folder / "frames.parquet", "frames", _frames(kept))
        write_digests(self.folder / "poses", digests)
        return rows

    def _append(self, entry: Entry) -> int:
        skeleton, id = entry.clip.skeleton, entry.row.id
        signature = skeleton.signature
        if signature not in self._poses:
            self.skeletons[signature] = skeleton
            self._poses[signature] = PoseWriter(self.folder / "poses", skeleton)
        if entry.clip.curves:
            # numbered, since a name may be no file name
            curves = {str(k): curve for k, curve in enumerate(entry.clip.curves.values())}
            np.savez(self.folder / "poses" / f"{id}.curves.npz", allow_pickle=False, **curves)
        if entry.thumbnail:
            (self.folder / "thumbnails" / f"{id}.png").write_bytes(entry.thumbnail)
        return self._poses[signature].append(id, entry.clip)


def _frames(kept: Sequence[_Kept]) -> dict[str, np.ndarray | None]:
    lengths = [k.row.frames for k in kept]
    columns: dict[str, np.ndarray | None] = {
        "clip": np.repeat(np.array([k.row.id for k in kept], dtype=object), lengths),
        "frame": np.concatenate([np.zeros(0, np.int32), *(np.arange(n, dtype=np.int32) for n in lengths)]),
    }
    for name, sql in sql_types("frames").items():
        if name in columns:
            continue
        join = _join_flags if sql == "BOOLEAN" else _join_floats
        columns[name] = join([k.columns.get(name) for k in kept], lengths)
    return columns


def _join_floats(parts: Sequence[np.ndarray | None], lengths: Sequence[int]) -> np.ndarray:
    filled = (np.full(n, np.nan, np.float32) if p is None else p for p, n in zip(parts, lengths))
    return np.concatenate([np.zeros(0, np.float32), *filled])


def _join_flags(parts: Sequence[np.ndarray | None], lengths: Sequence[int]) -> np.ndarray:
    values = (np.zeros(n, bool) if p is None else np.ma.getdata(p) for p, n in zip(parts, lengths))
    masks = (np.ones(n, bool) if p is None else np.ma.getmaskarray(p) for p, n in zip(parts, lengths))
    return np.ma.MaskedArray(
        np.concatenate([np.zeros(0, bool), *values]), np.concatenate([np.zeros(0, bool), *masks])
    )


def _by_clip(findings: Sequence[FindingRow]) -> dict[str, list[FindingRow]]:
    out: dict[str, list[FindingRow]] = {}
    for finding in findings:
        if finding.action in ("keep", "repair"):
            out.setdefault(finding.clip, []).append(finding)
    return out


def _verdict(findings: Sequence[FindingRow]) -> dict[str, Any]:
    told = [f.finding for f in findings if f.severity != "info"]
    repaired = any(f.action == "repair" for f in findings)
    verdict = "repaired" if repaired else "flagged" if told else "clean"
    return {"verdict": verdict, "checks": list(dict.fromkeys(told))}


def _copy(row: ClipRow, first: ClipRow) -> FindingRow:
    text = f"is the same data as {first.name!r} of {first.file}"
    finding = Finding("duplicates", "info", row.name, text, value=0.0, advice="one of the two is enough")
    return finding_row(finding, row.file, row.id, row.name, "drop")
