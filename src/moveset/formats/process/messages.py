"""What the reader's process and ours say to each other: a JSON header, then raw arrays; nothing that could run.

    magic (4 bytes) | length of the header (4) | length of the body (8) | header | body

The header's `arrays` lists name, type and shape of the arrays whose bytes the body holds end to end.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from typing import IO

import numpy as np

_MAGIC = b"MVS1"
_FRAME = struct.Struct("<4sIQ")
_TYPES = ("<f8", "<f4", "<i8", "<i4", "|u1")
_LONGEST_HEADER = 1 << 26
_LARGEST_BODY = 1 << 32

Message = tuple[dict, dict[str, np.ndarray]]


DAMAGED = "it is damaged; open it in Blender or Maya and export it again"


class Garbled(Exception):
    """What came is no message: the other side died in the middle of it, or is not what it should be."""


class Refused(Exception):
    """A file that cannot be read, with what to say about it."""

    def __init__(self, message: str, where: str | None = None, do: str | None = None) -> None:
        super().__init__(message)
        self.fields = {"message": message, "where": where, "do": do}


def send(
    stream: IO[bytes], header: Mapping[str, object], arrays: Mapping[str, np.ndarray] | None = None
) -> None:
    """Write one message."""
    listed, bodies = [], []
    for name, array in (arrays or {}).items():
        array = np.ascontiguousarray(array)
        listed.append([name, array.dtype.str, list(array.shape)])
        bodies.append(array)
    text = json.dumps({**header, "arrays": listed}).encode()
    stream.write(_FRAME.pack(_MAGIC, len(text), sum(array.nbytes for array in bodies)))
    stream.write(text)
    for array in bodies:
        stream.write(memoryview(array).cast("B") if array.size else b"")
    stream.flush()


def receive(stream: IO[bytes]) -> Message:
    """Read one message."""
    magic, header_length, body_length = _FRAME.unpack(_exactly(stream, _FRAME.size))
    if magic != _MAGIC or header_length > _LONGEST_HEADER or body_length > _LARGEST_BODY:
        raise Garbled("no message")
    try:
        header = json.loads(_exactly(stream, header_length))
        listed = [
            (str(name), np.dtype(kind), [int(n) for n in shape]) for name, kind, shape in header["arrays"]
        ]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise Garbled("no header") from None
    body = _exactly(stream, body_length)
    arrays, at = {}, 0
    for name, kind, shape in listed:
        count = math.prod(shape)
        end = at + count * kind.itemsize
        if kind.str not in _TYPES or any(n < 0 for n in shape) or end > len(body):
            raise Garbled("no array")
        arrays[name] = np.frombuffer(body, kind, count, at).reshape(shape)
        at = end
    return header, arrays


def _exactly(stream: IO[bytes], count: int) -> bytearray:
    """`count` bytes."""
    data = bytearray(count)
    view, got = memoryview(data), 0
    while got < count:
        step = stream.readinto(view[got:])  # type: ignore[attr-defined]
        if not step:
            raise Garbled("the other side is gone")
        got += step
    return data
