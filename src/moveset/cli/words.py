"""Words for people."""

from __future__ import annotations


def count(number: int, noun: str) -> str:
    """`1 clip`, `1,234 clips`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
