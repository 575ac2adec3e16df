"""References that ufbx 0.0.5 gives out uncounted, counted here."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator
from typing import TypeVar

Thing = TypeVar("Thing")

_increment = ctypes.pythonapi.Py_IncRef
_increment.argtypes = [ctypes.py_object]
_increment.restype = None


def keep(thing: Thing) -> Thing:
    """The same element, never to be freed: ufbx may have given it out before without counting that."""
    _increment(thing)
    return thing


def keep_all(things: Iterable[Thing]) -> Iterator[Thing]:
    """The elements of one of ufbx's lists."""
    for thing in things:
        yield keep(thing)
