"""How long work tells how far it is: whoever waits for it counts the items as they pass."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

T = TypeVar("T")


class Track(Protocol):
    """Hands items on as they come, e.g. counted on a bar (cli/progress.py)."""

    def __call__(self, items: Iterable[T], total: int, what: str, /) -> Iterable[T]:
        """`total`: how many items there will be. `what` is being done with them, e.g. "auditing"."""
        ...


def untracked(items: Iterable[T], total: int, what: str) -> Iterable[T]:
    """The items; nobody watches."""
    return items
