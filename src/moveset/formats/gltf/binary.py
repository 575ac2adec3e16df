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

    def pack(
        self, arrays: Sequence[np.ndarray], bounds: bool = False, target: int | None = None
    ) -> list[int]:
        """Accessors of arrays (n,) or (n, width) that share one buffer view, each aligned to 4 bytes."""
        arrays = [np.ascontiguousarray(array) for array in arrays]
        offsets = np.cumsum([0] + [array.nbytes + -array.nbytes % 4 for array in arrays]).tolist()
        content = b"".join(
            part for array in arrays for part in (array.tobytes(), b"\0" * (-array.nbytes % 4))
        )
        view = self.view(content, **({} if target is None else {"target": target}))
        for array, offset in zip(arrays, offsets):
            self.accessors.append(_entry(array, view, offset, bounds))
        return list(range(len(self.accessors) - len(arrays), len(self.accessors)))

    def array(self, array: np.ndarray, bounds: bool = False, target: int | None = None) -> int:
        """The accessor of one array in a buffer view of its own."""
        return self.pack([array], bounds, target)[0]


def _entry(array: np.ndarray, view: int, offset: int, bounds: bool) -> dict:
    flat = array.reshape(len(array), -1)
    entry: dict = {
        "bufferView": view,
        "componentType": _COMPONENT_OF[array.dtype.str[1:]],
        "count": len(array),
        "type": _KIND_OF[flat.shape[1]],
    }
    if offset:
        entry["byteOffset"] = offset
    if bounds:
        entry["min"], entry["max"] = flat.min(axis=0).tolist(), flat.max(axis=0).tolist()
    return entry
