"""Parts of files that did not change, taken from the library of the last build."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

import numpy as np

from moveset.audit import Digest
from moveset.library.ingest.digests import read_digests
from moveset.library.ingest.prepare import Entry, Part
from moveset.library.ingest.writer import SET_CHECK_NAMES
from moveset.library.schema import ClipRow, FindingRow
from moveset.library.store import Library
from moveset.library.tables import read_columns


class Previous:
    """A finished library as a source of parts."""

    def __init__(self, library: Library) -> None:
        self.library = library

    def part(self, file: str) -> Part:
        """All that `file` brought; what depends on other files is left out, to be told anew."""
        part = Part(file, clips=self.library.build["files"][file]["clips"])
        part.findings = [f for f in self._findings.get(file, ()) if f.finding not in SET_CHECK_NAMES]
        part.entries = [self._entry(at, row) for at, row in self._rows.get(file, ())]
        return part

    def _entry(self, at: int, row: ClipRow) -> Entry:
        frames = slice(self._first_frames[at], self._first_frames[at + 1])
        columns = {
            name: None if np.ma.getmaskarray(column[frames]).all() and row.frames else column[frames]
            for name, column in self._columns.items()
            if name not in ("clip", "frame")
        }
        thumbnail = self.library.path / "thumbnails" / f"{row.id}.png"
        return Entry(
            row,
            self.library.load_clip(row.id),
            columns,
            self._digests[at],
            thumbnail.read_bytes() if thumbnail.is_file() else None,
        )

    @cached_property
    def _all_rows(self) -> list[ClipRow]:
        return self.library.clips()

    @cached_property
    def _rows(self) -> dict[str, list[tuple[int, ClipRow]]]:
        out = defaultdict(list)
        for at, row in enumerate(self._all_rows):
            out[row.file].append((at, row))
        return out

    @cached_property
    def _findings(self) -> dict[str, list[FindingRow]]:
        out = defaultdict(list)
        for finding in self.library.findings():
            out[finding.file].append(finding)
        return out

    @cached_property
    def _columns(self) -> dict[str, np.ndarray]:
        return read_columns(self.library.path / "frames.parquet")

    @cached_property
    def _first_frames(self) -> np.ndarray:
        return np.concatenate(([0], np.cumsum([row.frames for row in self._all_rows]))).astype(int)

    @cached_property
    def _digests(self) -> list[Digest]:
        skeletons = [self.library.skeleton(row.skeleton) for row in self._all_rows]
        return list(read_digests(self.library.path / "poses", self._all_rows, skeletons))
