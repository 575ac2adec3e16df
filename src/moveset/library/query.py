"""Questions to a library in SQL: the tables clips, findings and frames, read only."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moveset.errors import MovesetError
from moveset.library.schema import TABLES, sql_types
from moveset.library.tables import connect, quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SHOWN = "name, seconds, speed, turn_rate, split, license, verdict, tags, file, id"
"""Columns of the answer to a bare condition."""
_STATEMENT = re.compile(
    r"^\s*(\(|select|with|from|describe|summarize|show|values|pivot|unpivot|explain|table)\b", re.I
)


@dataclass(frozen=True)
class Answer:
    """Rows of a query."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: list[tuple[Any, ...]]

    def dicts(self) -> list[dict[str, Any]]:
        """The rows by column name."""
        return [dict(zip(self.columns, row)) for row in self.rows]


def open_tables(folder: Path) -> DuckDBPyConnection:
    """A database with the library's tables, which can read no other file and write none."""
    folder = folder.resolve()
    database = connect()
    for table in TABLES:
        database.execute(f"CREATE VIEW {table} AS FROM read_parquet({quoted(folder / f'{table}.parquet')})")
    database.execute(f"SET allowed_directories = [{quoted(folder)} || '/']")
    database.execute("SET enable_external_access = false")
    database.execute("SET lock_configuration = true")
    return database


def run(database: DuckDBPyConnection, sql: str, file: Path) -> Answer:
    """The answer to one SELECT, or to a bare condition on the clips: `speed > 1 AND 'walk' IN tags`."""
    import duckdb

    text = sql.strip().rstrip(";").strip()
    if not text:
        raise MovesetError("the query is empty", do=f"ask about the tables {', '.join(TABLES)}")
    bare = not _STATEMENT.match(text)
    if bare and re.match(
        r"(?i)(insert|update|delete|drop|create|alter|copy|attach|install|load|set|pragma|call)\b", text
    ):
        raise MovesetError(
            "only questions can be asked: a library is changed by building it", do="use SELECT"
        )
    if bare:
        condition = re.sub(r"(?i)^where\s+", "", text)
        text = f"SELECT {SHOWN} FROM clips WHERE {condition}"
    try:
        statements = database.extract_statements(text)
        if len(statements) != 1 or statements[0].type not in (
            duckdb.StatementType.SELECT,
            duckdb.StatementType.EXPLAIN,
        ):
            raise MovesetError("one SELECT at a time, and nothing else", do="ask again with one SELECT")
        cursor = database.execute(statements[0])
        described = cursor.description or []
        return Answer(
            tuple(column[0] for column in described),
            tuple(str(column[1]) for column in described),
            cursor.fetchall(),
        )
    except duckdb.Error as error:
        raise _explained(str(error), text, file) from None


def _explained(message: str, sql: str, file: Path) -> MovesetError:
    """DuckDB's message in one line, and what exists where a name is wrong."""
    first = " ".join(re.split(r"\n\n?LINE|Candidate bindings|Did you mean", message)[0].split())
    kind, _, text = first.partition(" Error: ")
    if not text:
        text = kind
    if kind == "Catalog" or re.match(r"(?i)table with name", text):
        return MovesetError(text, file=file, do=f"the tables are {', '.join(TABLES)}")
    if "column" in text.lower() and "not found" in text.lower():
        asked = [table for table in TABLES if re.search(rf"\b{table}\b", sql)] or list(TABLES)
        known = "; ".join(f"{table}: {', '.join(sql_types(table))}" for table in asked)
        return MovesetError(text, file=file, do=f"the columns are {known}")
    return MovesetError(text, file=file, do=f"the tables are {', '.join(TABLES)}; see docs/library.md")
