"""Parts of files that did not change, taken from the library of the last build."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

import numpy as np

from moveset.audit import Digest
from moveset.library.ingest.prepare import Entry, Part
from moveset.library.ingest.writer import SET_CHECK_NAMES
from moveset.library.schema import ClipRow, FindingRow
from moveset.library.store import Library
from moveset.library.tables import read_columns
from moveset.motion import Skeleton


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
            self._digest(at, row),
            thumbnail.read_bytes() if thumbnail.is_file() else None,
        )

    def _digest(self, at: int, row: ClipRow) -> Digest:
        stored = self._digests
        joints, content = int(stored["joints"][at]), str(stored["content"][at])
        motion = path = None
        if joints:
            samples = self._samples
            before = int(stored["joints"][:at].sum())
            motion = stored["motion"].reshape(-1, 3)[before * samples : (before + joints) * samples]
            motion = motion.reshape(joints and samples, joints, 3)
            nth = int((stored["joints"][:at] > 0).sum())
            path = stored["path"].reshape(-1, samples, 3)[nth]
        skeleton = self._skeleton(row.skeleton)
        return Digest(
            row.name, skeleton, row.frames, float(stored["fps"][at]), row.seconds, content, motion, path
        )

    def _skeleton(self, signature: str) -> Skeleton:
        return self.library.skeleton(signature)

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
    def _digests(self) -> dict[str, np.ndarray]:
        with np.load(self.library.path / "poses" / "digests.npz") as stored:
            return dict(stored)

    @cached_property
    def _samples(self) -> int:
        from moveset.audit.digest import SAMPLES

        return SAMPLES
