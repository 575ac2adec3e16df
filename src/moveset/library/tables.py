"""Rows and columns to Parquet and back, through DuckDB: no other library touches Parquet here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from moveset.library.schema import sql_types

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_PARQUET = "(format parquet, compression zstd)"


def connect() -> DuckDBPyConnection:
    """A database in memory."""
    import duckdb

    return duckdb.connect()


def write_rows(path: Path, table: str, rows: Iterable[Any]) -> None:
    """Rows of nested values, through newline-delimited JSON: DuckDB takes that in far faster than parameters."""
    side = path.with_suffix(".ndjson")
    with side.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(vars(row), ensure_ascii=False, default=_plain) + "\n")
    types = ", ".join(f"\"{name}\": '{sql}'" for name, sql in sql_types(table).items())
    source = f"read_json({quoted(side)}, format = 'newline_delimited', columns = {{{types}}})"
    with connect() as database:
        database.execute(f"COPY (SELECT * FROM {source}) TO {quoted(path)} {_PARQUET}")
    side.unlink()


def write_columns(path: Path, table: str, columns: Mapping[str, np.ndarray | None]) -> None:
    """Columns of equal length; NaN and None become NULL."""
    picked = ", ".join(
        f'CAST("{name}" AS {sql}) AS "{name}"'
        if columns[name] is not None
        else f'CAST(NULL AS {sql}) AS "{name}"'
        for name, sql in sql_types(table).items()
    )
    known = {name: column for name, column in columns.items() if column is not None}
    with connect() as database:
        database.register("columns", known)
        database.execute(f"COPY (SELECT {picked} FROM columns) TO {quoted(path)} {_PARQUET}")


def read_columns(path: Path) -> dict[str, np.ndarray]:
    """All columns as arrays; NULL of a float is NaN, columns of flags with NULLs are masked arrays."""
    with connect() as database:
        found = database.execute(f"FROM {quoted(path)}").fetchnumpy()
    return {
        name: column.filled(np.nan)
        if isinstance(column, np.ma.MaskedArray) and column.dtype.kind == "f"
        else column
        for name, column in found.items()
    }


def quoted(path: Path) -> str:
    """The path as a literal of SQL."""
    return "'" + path.as_posix().replace("'", "''") + "'"


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} has no place in a table")
