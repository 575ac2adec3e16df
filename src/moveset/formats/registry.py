"""What a file format is: a name, suffixes, and a read / write pair over bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from moveset.motion import Asset


class Read(Protocol):
    """bytes -> Asset. `path` names the file in errors; `sibling(name)` gives the bytes of a file beside it."""

    def __call__(self, data: bytes, *, path: str, sibling: Callable[[str], bytes]) -> Asset:
        """Parse `data`."""
        ...


class Write(Protocol):
    """Asset -> bytes. `path` names the file in errors."""

    def __call__(self, asset: Asset, *, path: str) -> bytes:
        """Serialize `asset`."""
        ...


@dataclass(frozen=True)
class Format:
    """One file format. The last line of its module is its entry; formats/__init__.py lists the modules."""

    name: str
    suffixes: tuple[str, ...]
    """Lower case, with the dot."""
    read: Read | None = None
    write: Write | None = None
