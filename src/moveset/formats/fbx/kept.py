"""References that ufbx 0.0.5 gives out uncounted, counted here.

An element that was given out before is given out again without counting that, and an array taken from one of its
lists gives back a reference to the list that it never took. Either ends in a crash at the next garbage collection.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator
from typing import TypeVar

Thing = TypeVar("Thing")

_increment = ctypes.pythonapi.Py_IncRef
_increment.argtypes = [ctypes.py_object]
_increment.restype = None


def keep(thing: Thing) -> Thing:
    """The same element or list, never to be freed."""
    _increment(thing)
    return thing


def keep_all(things: Iterable[Thing]) -> Iterator[Thing]:
    """The elements of one of ufbx's lists."""
    for thing in things:
        yield keep(thing)
