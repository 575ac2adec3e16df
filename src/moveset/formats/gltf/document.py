"""A glTF document in memory: checked access to its JSON tables and its buffers."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from moveset.errors import MovesetError
from moveset.formats.gltf import container

if TYPE_CHECKING:
    from moveset.formats.gltf.accessors import Accessors

EXPORT_AGAIN = "export the file again"
_MOST_ENTRIES = 1 << 19
"""Of one table: an empty entry is three bytes in the file and half a kilobyte here."""


@dataclass(eq=False)
class Document:
    """The parsed file. Buffers load when first used, so that a missing one hurts only who needs it."""

    path: str
    json: dict
    binary: memoryview | None
    """The GLB's binary chunk."""
    sibling: Callable[[str], bytes]
    size_in_bytes: int
    _buffers: dict[int, memoryview] = field(default_factory=dict, repr=False)
    _tables: dict[str, list[dict]] = field(default_factory=dict, repr=False)

    @classmethod
    def parse(cls, data: bytes, path: str, sibling: Callable[[str], bytes]) -> Document:
        """Parse a .glb, .gltf or .vrm."""
        document, binary = container.split(data, path)
        return cls(path, document, binary, sibling, len(data))

    def error(self, message: str, where: str | None = None, do: str = EXPORT_AGAIN) -> MovesetError:
        """A MovesetError that names this file."""
        return MovesetError(message, file=self.path, where=where, do=do)

    def table(self, name: str) -> list[dict]:
        """A top-level array of objects such as `nodes`; empty when the file has none."""
        if name not in self._tables:
            items = self.json.get(name, [])
            if not isinstance(items, list):
                raise self.error(f"{name} is not an array")
            if len(items) > _MOST_ENTRIES:
                raise self.error(f"{len(items):,} {name} are more than a character can need")
            for kind in set(map(type, items)) - {dict}:
                at = next(i for i, item in enumerate(items) if type(item) is kind)
                raise self.error("is not an object", f"{name}[{at}]")
            self._tables[name] = items
        return self._tables[name]

    def size(self, name: str) -> int:
        """How many entries a top-level array has."""
        return len(self.table(name))

    def name(self, table: str, index: int) -> str:
        """The name of an entry, or `table_index` where it has none."""
        name = self.table(table)[index].get("name")
        return name if isinstance(name, str) and name else f"{table.rstrip('s')}_{index}"

    @cached_property
    def accessors(self) -> Accessors:
        """The accessors, decoded on demand."""
        from moveset.formats.gltf.accessors import Accessors

        return Accessors(self)

    @property
    def extensions(self) -> dict:
        """Extensions of the whole file by name."""
        found = self.json.get("extensions")
        return found if isinstance(found, dict) else {}

    def buffer(self, index: int) -> memoryview:
        """Bytes of buffer `index`; as many as it declares."""
        if index not in self._buffers:
            self._buffers[index] = self._load_buffer(index)
        return self._buffers[index]

    def _load_buffer(self, index: int) -> memoryview:
        where = f"buffers[{index}]"
        entry = self.table("buffers")[index]
        declared = self.integer(entry, "byteLength", where, least=1)
        if "uri" in entry:
            content = memoryview(self.resource(entry["uri"], where))
        elif index == 0 and self.binary is not None:
            content = self.binary
        else:
            raise self.error("has neither a URI nor a GLB chunk to hold its bytes", where)
        if len(content) < declared:
            raise self.error(f"declares {declared} bytes, {len(content)} are there", where)
        return content[:declared]

    def resource(self, uri: Any, where: str) -> bytes:
        """Bytes that a URI names: embedded, or of a file beside this one."""
        if not isinstance(uri, str):
            raise self.error("its URI is not a string", where)
        try:
            embedded = container.data_uri(uri)
            return self.sibling(container.file_name(uri)) if embedded is None else embedded
        except MovesetError as error:
            raise MovesetError(error.message, file=self.path, where=where, do=error.do) from None
        except (OSError, KeyError, ValueError):
            raise self.error(
                f"the file {uri[:80]!r} is missing", where, do="put it beside this file, as it was exported"
            ) from None

    def integer(
        self,
        entry: dict,
        key: str,
        where: str,
        *,
        least: int = 0,
        below: int | None = None,
        default: Any = ...,
        of: str = "",
    ) -> Any:
        """An integer of an entry, checked to lie in [least, below); `default` (if given) when absent.

        `of` says what it counts off, for the message.
        """
        if key not in entry:
            if default is ...:
                raise self.error(f"{key} is missing", where)
            return default
        return self._checked(entry[key], key, where, least, below, of)

    def reference(self, entry: dict, key: str, table: str, where: str, default: Any = ...) -> Any:
        """An index into a top-level array."""
        return self.integer(entry, key, where, below=self.size(table), default=default, of=table)

    def references(self, entry: dict, key: str, table: str, where: str) -> list[int]:
        """A list of indices into a top-level array; empty when absent."""
        size = self.size(table)
        return [
            value
            if type(value) is int and 0 <= value < size
            else self._checked(value, f"{key}[{at}]", where, 0, size, table)
            for at, value in enumerate(self.listing(entry, key, where))
        ]

    def _checked(self, value: Any, key: str, where: str, least: int, below: int | None, of: str) -> int:
        if (
            isinstance(value, float) and value.is_integer()
        ):  # JSON has one kind of number: 1.0 is an index too
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.error(f"{key} is {_short(value)}, not an integer", where)
        if value < least or (below is not None and value >= below):
            room = f"it must be at least {least}" if below is None else f"there are {below} {of}".rstrip()
            raise self.error(f"{key} is {value}; {room}", where)
        return value

    def listing(self, entry: dict, key: str, where: str) -> list:
        """An array of an entry; empty when absent."""
        value = entry.get(key, [])
        if not isinstance(value, list):
            raise self.error(f"{key} is {_short(value)}, not an array", where)
        return value

    def mapping(self, entry: dict, key: str, where: str) -> dict:
        """An object of an entry; empty when absent."""
        value = entry.get(key, {})
        if not isinstance(value, dict):
            raise self.error(f"{key} is {_short(value)}, not an object", where)
        return value

    def numbers(self, entry: dict, key: str, default: Sequence[float] | np.ndarray, where: str) -> np.ndarray:
        """As many finite numbers as `default` has."""
        values = entry.get(key)
        if values is None:
            return np.array(default, dtype=np.float64)
        if not (isinstance(values, list) and len(values) == len(default) and _all_numbers(values)):
            raise self.error(f"{key} is {_short(values)}, not {len(default)} finite numbers", where)
        return np.array(values, dtype=np.float64)

    def number(self, entry: dict, key: str, default: float, where: str) -> float:
        """One finite number."""
        value = entry.get(key, default)
        if not _all_numbers([value]):
            raise self.error(f"{key} is {_short(value)}, not a finite number", where)
        return float(value)


@contextmanager
def collector_paused() -> Iterator[None]:
    """No garbage collection meanwhile: it would walk 100,000s of JSON objects again and again, none of them garbage."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _all_numbers(values: list) -> bool:
    """Whether all are numbers, and not so large that squaring them overflows."""
    return set(map(type, values)) <= {int, float} and all(abs(v) < 1e150 for v in values)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
