"""What every verb prints alike: counts of things, and JSON."""

from __future__ import annotations

import json
import math
import sys


def count(number: int, noun: str) -> str:
    """`1 clip`, `1,234 clips`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def note(text: str) -> None:
    """What a person may want to know while a program reads the output."""
    print(text, file=sys.stderr)


def print_json(value: object) -> None:
    """One line of JSON; numbers that are not finite, which JSON does not have, are null."""
    print(json.dumps(_finite(value), ensure_ascii=False, default=str))


def _finite(value: object) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return value
