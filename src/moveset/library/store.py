"""A library that is opened: clips by id or by SQL, views, the license that binds what is made from it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from moveset.errors import MovesetError
from moveset.files import recover
from moveset.library import license
from moveset.library.poses import PoseReader
from moveset.library.query import Answer, open_tables, run
from moveset.library.rows import tags_of
from moveset.library.schema import VERSION, ClipRow, FindingRow
from moveset.library.view import View, open_view
from moveset.motion import Clip, Event, Skeleton
from moveset.motion.skeleton_json import skeleton_from_json

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def is_library(path: str | os.PathLike[str]) -> bool:
    """Whether `path` is or is named like a library."""
    return Path(path).suffix == ".library" or (Path(path) / "build.json").is_file()


class Library:
    """A library folder. It can be pickled: another process opens it again."""

    def __init__(self, path: Path, build: Mapping) -> None:
        self.path = path
        self.build = build
        """What build.json says: version, recipe, the files and their stamps."""

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Library:
        """Open the library in a folder; one of another version is refused by name."""
        folder = Path(path)
        if not folder.exists():
            recover(folder)
        if not (folder / "build.json").is_file():
            raise MovesetError(
                "is not a library", file=folder, do="make one with `moveset build PATH -o NAME.library`"
            )
        build = json.loads((folder / "build.json").read_text())
        if build.get("version") != VERSION:
            raise MovesetError(
                f"has version {build.get('version')} of the library layout, this Moveset reads version {VERSION}",
                file=folder,
                do="build it again from its sources",
            )
        return cls(folder, build)

    def __reduce__(self) -> tuple:
        return Library.open, (self.path,)

    def clips(self, where: str = "TRUE") -> list[ClipRow]:
        """Rows of the clips for which the SQL condition `where` holds, in the order of the library."""
        return [ClipRow(**row) for row in self.query(f"SELECT * FROM clips WHERE {where}").dicts()]

    def findings(self, where: str = "TRUE") -> list[FindingRow]:
        """Rows of the findings for which the SQL condition `where` holds."""
        return [FindingRow(**row) for row in self.query(f"SELECT * FROM findings WHERE {where}").dicts()]

    def query(self, sql: str) -> Answer:
        """The answer to a SELECT, or to a bare condition on the clips."""
        return run(self._database, sql, self.path)

    def load_clip(self, id: str) -> Clip:
        """One clip as it is stored: float32 poses, contacts, events, tags. Rotations are a view of the file."""
        row = self._rows.get(id)
        if row is None:
            raise MovesetError(
                f"no clip with id {id!r}", file=self.path, do="look ids up with `moveset query`"
            )
        clip = self.poses(row.skeleton).read(id, row.fps, row.name)
        curves = {}
        if row.curves:
            with np.load(self.path / "poses" / f"{id}.curves.npz") as stored:
                curves = {name: stored[str(k)] for k, name in enumerate(row.curves)}
        return replace(
            clip,
            loop=row.loop,
            additive=row.additive,
            tags=tags_of(row),
            events=tuple(Event(e["time"], e["name"], e["role"]) for e in row.events),
            curves=curves,
        )

    def poses(self, skeleton: str) -> PoseReader:
        """The poses of all clips of one skeleton."""
        if skeleton not in self._readers:
            self._readers[skeleton] = PoseReader(self.path / "poses", skeleton, self.skeleton(skeleton))
        return self._readers[skeleton]

    def skeleton(self, signature: str) -> Skeleton:
        """A skeleton by signature."""
        if signature not in self._skeletons:
            file = self.path / "skeletons" / f"{signature}.json"
            if not file.is_file():
                known = ", ".join(sorted(p.stem for p in file.parent.glob("*.json")))
                raise MovesetError(f"no skeleton {signature!r}; it has: {known}", file=self.path)
            self._skeletons[signature] = skeleton_from_json(file.read_text(encoding="utf-8"))
        return self._skeletons[signature]

    def view(self, name: str = "pose") -> View:
        """A view by name."""
        return open_view(self.path / "views" / name)

    @cached_property
    def strictest_license(self) -> str:
        """The license that allows least among those of the clips; empty when one of them is unknown."""
        return license.strictest(row.license for row in self._rows.values())

    @cached_property
    def _rows(self) -> dict[str, ClipRow]:
        return {row.id: row for row in self.clips()}

    @cached_property
    def _database(self) -> DuckDBPyConnection:
        return open_tables(self.path)

    @cached_property
    def _readers(self) -> dict[str, PoseReader]:
        return {}

    @cached_property
    def _skeletons(self) -> dict[str, Skeleton]:
        return {}
