"""`moveset query`: a library asked in SQL."""

from __future__ import annotations

import csv as csv_module
import shutil
import sys
from dataclasses import dataclass
from typing import Annotated, Any

from cyclopts import Parameter

from moveset.cli.options import Flag
from moveset.cli.printing import count, print_json
from moveset.errors import MovesetError
from moveset.library.query import Answer
from moveset.workflows.query import query_library

_WIDEST = 44
"""Characters of a value in a table; --json and --csv show all."""


@dataclass(frozen=True, kw_only=True)
class QueryOptions:
    """Options of `moveset query`."""

    json: Flag = False
    """Print JSON, one object a row."""
    csv: Flag = False
    """Print comma-separated values with a header."""
    limit: int = 40
    """Rows shown in the table; 0 shows all."""


def query(
    library: str, sql: str, /, *, options: Annotated[QueryOptions | None, Parameter(name="*")] = None
) -> int:
    """Ask a library in SQL. Tables: clips, findings, frames (docs/library.md has their columns).

    Parameters
    ----------
    library
        NAME.library.
    sql
        One SELECT, or a bare condition on the clips: "speed > 1 and 'walk' in tags".
    """
    options = options or QueryOptions()
    if options.json and options.csv:
        raise MovesetError("--json and --csv exclude each other", do="choose one")
    if options.limit < 0:
        raise MovesetError(f"--limit is {options.limit}", do="give a number of rows, 0 for all")
    answer = query_library(library, sql)
    if options.json:
        for row in answer.dicts():
            print_json(row)
    elif options.csv:
        writer = csv_module.writer(sys.stdout, lineterminator="\n")
        writer.writerow(answer.columns)
        writer.writerows([_cell(value) for value in row] for row in answer.rows)
    else:
        print(as_table(answer, options.limit, shutil.get_terminal_size((160, 24)).columns))
    return 0


def as_table(answer: Answer, limit: int = 0, width: int = 160) -> str:
    """The answer as aligned text; columns that do not fit the width are cut."""
    shown = answer.rows[:limit] if limit else answer.rows
    cells = [[_short(value) for value in row] for row in shown]
    numeric = [kind in _NUMBERS for kind in answer.types]
    widths = [max(map(len, column)) for column in zip(answer.columns, *cells)]
    lines = []
    for row in [list(answer.columns), *cells]:
        padded = (c.rjust(w) if n else c.ljust(w) for c, w, n in zip(row, widths, numeric))
        lines.append("  ".join(padded).rstrip()[:width])
    lines.insert(1, "  ".join("-" * w for w in widths)[:width])
    more = f", the first {len(shown)} shown (--limit 0 shows all)" if len(shown) < len(answer.rows) else ""
    lines.append(f"{count(len(answer.rows), 'row')}{more}")
    return "\n".join(lines)


_NUMBERS = frozenset(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE"))


def _short(value: Any) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else _cell(value).replace("\n", " ")
    return text if len(text) <= _WIDEST else text[: _WIDEST - 3] + "..."


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return " ".join(_cell(part) for part in value)
    if isinstance(value, dict):
        return ":".join(_cell(part) for part in value.values())
    return str(value)
