"""The number block of a BVH file: text to float64 exactly as Python's float() does it, only faster.

Large blocks go through a compiled kernel that takes decimals of up to 15 digits, whose value is one correctly
rounded division (Clinger 1990, "How to read floating point numbers accurately"), and hands every other token to
float(). Small blocks are not worth loading the compiler's runtime for.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass

import numpy as np

from moveset.errors import MovesetError
from moveset.geometry.quaternion import Array

COMPILED_FROM = 1 << 20
"""Bytes read so far, in one file or many; below, the 0.3 s that the import of numba takes would be most of it."""
_seen = 0

ABSURD = 1e12
"""Numbers from here on are damage: no angle or length is so large, and their squares would soon overflow."""
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_NAN = re.compile(rb"[+-]?(nan(\(\w*\))?|1\.#(ind|qnan|snan)\d*)", re.IGNORECASE)
_INFINITE = re.compile(rb"([+-]?)(inf(inity)?|1\.#inf\d*)", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Block:
    """Numbers in reading order, and whether frames start where lines do."""

    values: Array
    """(N,)"""
    torn: bool
    """Whether some frame starts in the middle of a line."""


def parse_block(text: memoryview, columns: int, first_line: int, file: str) -> Block:
    """Read all numbers of `text`, which are `columns` a frame; `first_line` is the line it starts on."""
    global _seen
    _seen += len(text)
    if "numba" in sys.modules or _seen >= COMPILED_FROM:
        return _compiled(text, columns, first_line, file)
    rows = _rows(text)
    tokens = [token for row in rows for token in row]
    try:
        values = np.array([float(t) for t in tokens], dtype=np.float64)
    except ValueError:
        values = None
    if values is None or any(b"_" in token for token in tokens):
        values = np.array([_number(t, text, k, first_line, file) for k, t in enumerate(tokens)])
    ends = np.cumsum([len(row) for row in rows])
    frames = np.arange(0, len(values), max(columns, 1))
    return Block(values, bool(np.setdiff1d(frames, np.concatenate(([0], ends))).size))


def line_of(text: memoryview, token: int, first_line: int) -> int:
    """Line on which the `token`-th token of `text` stands; the last line that holds any if there are fewer."""
    last = first_line
    for line, row in enumerate(_rows(text)):
        token -= len(row)
        if row:
            last = first_line + line
        if token < 0:
            break
    return last


def odd_row(text: memoryview, columns: int, first_line: int) -> tuple[int, int]:
    """Line and count of the first row that does not hold `columns` numbers."""
    for line, row in enumerate(_rows(text)):
        if len(row) not in (0, columns):
            return first_line + line, len(row)
    return first_line, columns


def _rows(text: memoryview) -> list[list[bytes]]:
    return [line.split() for line in bytes(text).split(b"\n")]


def _compiled(text: memoryview, columns: int, first_line: int, file: str) -> Block:
    from moveset.formats.bvh.kernels import parse_decimals

    # pages that are never written are never allocated
    values = np.empty(len(text) // 2 + 1)
    odd_tokens = np.empty(len(text) + 2, dtype=np.int64)
    count, odd, torn = parse_decimals(
        np.frombuffer(text, dtype=np.uint8), max(columns, 1), values, odd_tokens
    )
    for at, start in odd_tokens[:odd].reshape(-1, 2).tolist():
        values[at] = _number(_token_at(text, start), text, at, first_line, file)
    return Block(values[:count], bool(torn))


def _token_at(text: memoryview, start: int) -> bytes:
    stop = start
    while stop < len(text) and not (text[stop] == 32 or 9 <= text[stop] <= 13):
        stop += 1
    return bytes(text[start:stop])


def _number(token: bytes, text: memoryview, index: int, first_line: int, file: str) -> float:
    if _NUMBER.fullmatch(token):
        return float(token)
    if _NAN.fullmatch(token):
        return np.nan
    if match := _INFINITE.fullmatch(token):
        return -np.inf if match[1] == b"-" else np.inf
    shown = token[:24].decode("utf-8", "replace")
    comma = re.fullmatch(rb"[+-]?\d*,\d+", token)
    raise MovesetError(
        f"{shown!r} is not a number",
        file=file,
        where=f"line {line_of(text, index, first_line)}",
        do="write decimals with a point, not a comma" if comma else "mend or delete this frame",
    )
