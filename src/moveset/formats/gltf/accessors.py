"""Accessors: typed arrays inside buffers. Layout and bounds of all of them are worked out at once, as columns.

A character with many clips has thousands of accessors of a few numbers each, so `concatenate`
reads many with a single NumPy index.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from operator import itemgetter
from typing import Any

import numpy as np

from moveset.errors import MovesetError
from moveset.formats.gltf.document import Document

COMPONENTS = {
    5120: np.int8,
    5121: np.uint8,
    5122: np.int16,
    5123: np.uint16,
    5125: np.uint32,
    5126: np.float32,
}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
MESHOPT = ("EXT_meshopt_compression", "KHR_meshopt_compression")

MOST_ELEMENTS = 1 << 24
"""Elements of an accessor that no buffer backs (all zeros, or sparse): beyond this it is an attack, not a mesh."""


class Compressed(MovesetError):
    """The numbers are there, in a compression that is not read."""


class Accessors:
    """All accessors of a document. `decode` gives one as an array, `concatenate` many end to end."""

    def __init__(self, document: Document) -> None:
        self._document = weakref.proxy(document)  # which owns this: a circle would outlive its last use
        self._entries = document.table("accessors")
        self._cache: dict[int, np.ndarray] = {}
        self._present: dict[str, set[str]] = {}
        self._columns()

    def __len__(self) -> int:
        return len(self._entries)

    def decode(self, index: int, widths: tuple[int, ...] = (), what: str = "it") -> np.ndarray:
        """(count, width) numbers; normalized integers become float32. `widths` says which widths will do."""
        if widths and self.width[index] not in widths:
            kind = self._entries[index].get("type")
            raise self._document.error(f"{what} cannot be of type {kind!r}", f"accessors[{index}]")
        if index not in self._cache:
            self._cache[index] = self._decode(index)
        return self._cache[index]

    def concatenate(self, indices: np.ndarray) -> np.ndarray:
        """(sum of counts, width) values of accessors of one width, end to end."""
        kinds = self.component[indices]
        if not (self.plain[indices].all() and (kinds == kinds[0]).all()):
            return np.concatenate([self.decode(int(i)) for i in indices])
        content, dtype = self._document.buffer(0), np.dtype(COMPONENTS[int(kinds[0])])
        starts = self.start[indices]
        ends = starts + self.count[indices] * self.stride[indices]
        joined = b"".join([content[a:b] for a, b in zip(starts.tolist(), ends.tolist())])
        values = np.frombuffer(joined, dtype).reshape(-1, self.width[indices[0]])
        return _as_fraction(values) if self.normalized[indices].any() else values

    def _columns(self) -> None:
        document, entries = self._document, self._entries
        self.count = self._column("accessors", "count")
        self.view = self._column("accessors", "bufferView", default=-1)
        offset = self._column("accessors", "byteOffset", default=0)
        self.component, self.width, size, padded, step = _layouts(entries).T

        views = document.size("bufferViews")
        view_buffer = self._column("bufferViews", "buffer", below=document.size("buffers"), of="buffers")
        view_offset = self._column("bufferViews", "byteOffset", default=0)
        view_length = self._column("bufferViews", "byteLength")
        view_stride = self._column("bufferViews", "byteStride", default=0)
        compressed = self._flags("bufferViews", "extensions", _compressed)
        declared = self._column("buffers", "byteLength")

        backed = self.view >= 0
        self._out_of_range = self.view >= views
        view = np.where(backed & ~self._out_of_range, self.view, 0)
        if not views:
            backed = np.zeros(len(entries), dtype=bool)
            view_buffer = view_offset = view_length = view_stride = np.zeros(1, dtype=np.int64)
            compressed = np.zeros(1, dtype=bool)
        self.buffer = np.where(backed, view_buffer[view], -1)
        self.start = view_offset[view] + offset
        self.stride = np.where(view_stride[view] > 0, view_stride[view], padded)
        self.compressed = compressed[view] & backed
        end = np.where(self.count > 0, (self.count - 1).astype(np.float64) * self.stride + padded, 0)
        ends = declared[self.buffer] if len(declared) else np.zeros(len(entries), dtype=np.int64)
        too_long = (offset + end > view_length[view]) | (view_offset[view] + view_length[view] > ends)
        self._too_long = backed & ~self.compressed & too_long
        normalized = self._flags("accessors", "normalized", lambda entry: entry.get("normalized") is True)
        self.normalized = normalized & (self.component != 5126)
        sparse = self._flags("accessors", "sparse", lambda entry: "sparse" in entry)
        unreadable = sparse | self.compressed | self._too_long | self._out_of_range
        readable = (self.buffer == 0) & (self.width > 0) & ~unreadable
        self.plain = readable & (self.stride == size) & (self.start % step == 0)

    def _flags(self, table: str, key: str, holds: Callable[[dict], bool]) -> np.ndarray:
        """Whether each entry has `key` and `holds` is true of it."""
        entries = self._document.table(table)
        if key not in self._keys(table):
            return np.zeros(len(entries), dtype=bool)
        return np.array([holds(entry) for entry in entries], dtype=bool)

    def _column(
        self, table: str, key: str, *, default: int | None = None, below: int = 1 << 40, of: str = ""
    ) -> np.ndarray:
        """One integer of every entry; `default` None: it must be there."""
        entries = self._document.table(table)
        least = 0 if default is None else min(default, 0)
        if default is not None and key not in self._keys(table):
            return np.full(len(entries), default, dtype=np.int64)
        try:
            if default is None:
                values = list(map(itemgetter(key), entries))
            else:
                values = [entry.get(key, default) for entry in entries]
            array = np.array(values) if values else np.zeros(0, dtype=np.int64)
            whole = array.dtype.kind == "i" and array.ndim == 1
            if whole and (not len(array) or (array.min() >= least and array.max() < below)):
                return array
        except (KeyError, ValueError, OverflowError):
            pass  # found and named entry by entry below
        args: dict[str, Any] = {} if default is None else {"default": default}
        checked = [
            self._document.integer(entry, key, f"{table}[{i}]", below=below, of=of, **args)
            for i, entry in enumerate(entries)
        ]
        return np.array(checked, dtype=np.int64)

    def _keys(self, table: str) -> set[str]:
        """Keys that occur in any entry: most files leave most out, which then cost nothing."""
        if table not in self._present:
            self._present[table] = set().union(*self._document.table(table))
        return self._present[table]

    def _decode(self, index: int) -> np.ndarray:
        document, where, entry = self._document, f"accessors[{index}]", self._entries[index]
        count, width = int(self.count[index]), int(self.width[index])
        if not width:
            kind, component = entry.get("type"), entry.get("componentType")
            raise document.error(f"type {kind!r} of component type {component!r} is unknown", where)
        dtype = np.dtype(COMPONENTS[int(self.component[index])])
        if self._out_of_range[index]:
            views = document.size("bufferViews")
            raise document.error(f"bufferView is {self.view[index]}; there are {views}", where)
        if self.compressed[index]:
            raise Compressed(
                f"{where} is compressed with {MESHOPT[0]}, which is not read",
                file=document.path,
                do="export the file without compression, or run: gltfpack -i IN.glb -o OUT.glb -noq",
            )
        if self.view[index] < 0:
            if count * width > MOST_ELEMENTS:
                raise document.error(f"{count} elements, and no buffer that holds them", where)
            values = np.zeros((count, width), dtype=dtype)
        else:
            if self._too_long[index]:
                raise document.error(f"{count} elements reach beyond the end of its buffer view", where)
            content = document.buffer(int(self.buffer[index]))
            values = _strided(
                content, int(self.start[index]), count, int(self.stride[index]), entry["type"], dtype
            )
        if "sparse" in entry:
            values = self._overlay(values, document.mapping(entry, "sparse", where), f"{where}.sparse")
        if self.normalized[index]:
            values = _as_fraction(values)
        values.flags.writeable = False
        return values

    def _overlay(self, values: np.ndarray, sparse: dict, where: str) -> np.ndarray:
        document = self._document
        count = document.integer(sparse, "count", where, least=1, below=len(values) + 1)
        places = self._sparse_part(sparse, "indices", count, 1, where)[:, 0].astype(np.int64)
        if places.max() >= len(values):
            raise document.error(f"index {places.max()} of {len(values)} elements", where)
        out = values.copy()
        out[places] = self._sparse_part(sparse, "values", count, values.shape[1], where, values.dtype)
        return out

    def _sparse_part(
        self, sparse: dict, key: str, count: int, width: int, where: str, dtype: np.dtype | None = None
    ) -> np.ndarray:
        document, part, where = (
            self._document,
            document_part(self._document, sparse, key, where),
            f"{where}.{key}",
        )
        view = document.table("bufferViews")[document.reference(part, "bufferView", "bufferViews", where)]
        if dtype is None:
            kind = document.integer(part, "componentType", where)
            if kind not in (5121, 5123, 5125):
                raise document.error(f"componentType {kind} cannot hold indices", where)
            dtype = np.dtype(COMPONENTS[kind])
        offset = document.integer(part, "byteOffset", where, default=0)
        start = document.integer(view, "byteOffset", where, default=0) + offset
        length = document.integer(view, "byteLength", where)
        content = document.buffer(document.reference(view, "buffer", "buffers", where))
        if offset + count * width * dtype.itemsize > length or start + count * width * dtype.itemsize > len(
            content
        ):
            raise document.error(f"{count} elements reach beyond the end of its buffer view", where)
        return np.frombuffer(content, dtype=dtype, count=count * width, offset=start).reshape(count, width)


def document_part(document: Document, entry: dict, key: str, where: str) -> dict:
    """An object that must be there."""
    if key not in entry:
        raise document.error(f"{key} is missing", where)
    return document.mapping(entry, key, where)


def _compressed(view: dict) -> bool:
    extensions = view.get("extensions")
    return isinstance(extensions, dict) and any(name in extensions for name in MESHOPT)


def _layouts(entries: list[dict]) -> np.ndarray:
    """(A, 5) row of `_LAYOUTS` for each accessor."""
    kinds = [(entry.get("type"), entry.get("componentType")) for entry in entries]
    try:
        rows = [_LAYOUT_OF.get(kind, _UNKNOWN) for kind in kinds]
    except TypeError:
        rows = [_LAYOUT_OF.get(kind, _UNKNOWN) if _hashable(kind) else _UNKNOWN for kind in kinds]
    return _LAYOUTS[rows]


def _hashable(kind: tuple) -> bool:
    return not any(isinstance(part, list | dict) for part in kind)


def _as_fraction(values: np.ndarray) -> np.ndarray:
    """Normalized integers as the float32 numbers they stand for."""
    return np.maximum(values / np.float32(np.iinfo(values.dtype).max), np.float32(-1))


def _padded_size(kind: str, component: int) -> int:
    """Bytes of one element; the columns of small matrices start at multiples of 4."""
    size = np.dtype(COMPONENTS[component]).itemsize
    if kind.startswith("MAT"):
        rows = int(kind[3])
        return rows * (rows * size + -(rows * size) % 4)
    return size * WIDTHS[kind]


_LAYOUT_OF: dict[tuple, int] = {kind: row for row, kind in enumerate(itertools.product(WIDTHS, COMPONENTS))}
_UNKNOWN = len(_LAYOUT_OF)
_LAYOUTS = np.array(
    [
        (
            c,
            WIDTHS[kind],
            WIDTHS[kind] * np.dtype(COMPONENTS[c]).itemsize,
            _padded_size(kind, c),
            np.dtype(COMPONENTS[c]).itemsize,
        )
        for kind, c in _LAYOUT_OF
    ]
    + [(0, 0, 0, 0, 1)]
)
"""A row for each type: component type, components, bytes of an element without and with padding, of a component.
The last row is that of unknown types."""


def _strided(
    content: memoryview, start: int, count: int, stride: int, kind: str, dtype: np.dtype
) -> np.ndarray:
    """(count, width) elements that lie `stride` bytes apart."""
    width = WIDTHS[kind]
    if not count:
        return np.zeros((0, width), dtype=dtype)
    if kind.startswith("MAT") and _padded_size(kind, _code(dtype)) != width * dtype.itemsize:
        rows = int(kind[3])
        column = rows * dtype.itemsize + -(rows * dtype.itemsize) % 4
        shape, strides = (count, rows, rows), (stride, column, dtype.itemsize)
    else:
        shape, strides = (count, width), (stride, dtype.itemsize)
    raw = np.ndarray(shape, dtype=dtype, buffer=content, offset=start, strides=strides)
    return raw.reshape(count, width)


def _code(dtype: np.dtype) -> int:
    return next(code for code, kind in COMPONENTS.items() if np.dtype(kind) == dtype)
