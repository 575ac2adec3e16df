"""The one buffer of a file being written: bytes, buffer views and accessors grow together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER = 34962, 34963

_COMPONENT_OF = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}
_KIND_OF = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class Binary:
    """Appends to `accessors` and `views`, the JSON tables of the file."""

    def __init__(self, accessors: list[dict], views: list[dict]) -> None:
        self.accessors = accessors
        self.views = views
        self._chunks: list[bytes] = []
        self._length = 0

    def bytes(self) -> bytes:
        """All that was appended."""
        return b"".join(self._chunks)

    def view(self, content: bytes | bytearray | memoryview, **entry: object) -> int:
        """A new buffer view of `content`, aligned to 4 bytes."""
        size = len(content)
        self.views.append({"buffer": 0, "byteOffset": self._length, "byteLength": size, **entry})
        self._chunks += [bytes(content), b"\0" * (-size % 4)]
        self._length += size + -size % 4
        return len(self.views) - 1

    def array(self, array: np.ndarray, bounds: bool = False, target: int | None = None) -> int:
        """The accessor of one array (n,) or (n, width) in a buffer view of its own."""
        view = self.view(array.tobytes(), **({} if target is None else {"target": target}))
        self.accessors.append(_entry(array, view, bounds))
        return len(self.accessors) - 1

    def rows(self, blocks: Sequence[np.ndarray]) -> range:
        """Accessors of all rows of blocks (K, n, width) of numbers, which share one buffer view."""
        contents = [np.asarray(block, dtype=np.float32) for block in blocks]
        view = self.view(b"".join([block.tobytes() for block in contents]))
        first, offset = len(self.accessors), 0
        for block in contents:
            rows, count, width = block.shape
            size = 4 * count * width
            kind = {"bufferView": view, "componentType": 5126, "count": count, "type": _KIND_OF[width]}
            starts = range(offset, offset + rows * size, size)
            self.accessors += [{**kind, "byteOffset": start} for start in starts]
            offset += rows * size
        return range(first, len(self.accessors))


def _entry(array: np.ndarray, view: int, bounds: bool) -> dict:
    flat = array.reshape(len(array), -1)
    entry: dict = {
        "bufferView": view,
        "componentType": _COMPONENT_OF[array.dtype.str[1:]],
        "count": len(array),
        "type": _KIND_OF[flat.shape[1]],
    }
    if bounds:
        entry["min"], entry["max"] = flat.min(axis=0).tolist(), flat.max(axis=0).tolist()
    return entry
