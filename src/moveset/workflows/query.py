"""Ask a library in SQL."""

from __future__ import annotations

import os

from moveset.library.query import Answer
from moveset.library.store import Library


def query_library(path: str | os.PathLike[str], sql: str) -> Answer:
    """The answer to a SELECT over clips, findings and frames, or to a bare condition on the clips."""
    return Library.open(path).query(sql)
