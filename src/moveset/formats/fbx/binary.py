"""A tree of records as binary FBX 7400.

The file is a list of records. A record has a name, properties (typed values, encoded here as they lie in the file)
and records below it; it begins with the place in the file where it ends, so that readers can pass over it.
Autodesk publishes no description; Blender's does: "FBX binary file format specification" (2013).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from moveset.errors import MovesetError

VERSION = 7400
FILE_ID = bytes.fromhex("28b32aebb624ccc2bfc8b02aa92bfcf1")
CREATION_TIME = "1970-01-01 10:00:00:000"
"""The SDK checks the footer against these two; a fixed time makes equal scenes equal files."""

_MAGIC = b"Kaydara FBX Binary  \x00\x1a\x00"
_FOOTER = bytes.fromhex("fabcab09d0c8d466b176fb831cf7267e")
_END = bytes.fromhex("f85a8c6adef5d97eece90ce3758f290b")
_SENTINEL = bytes(13)
_ALWAYS_NESTED = frozenset(("AnimationStack", "AnimationLayer"))
"""Records that the SDK expects to end with a sentinel although nothing lies below them."""
_COMPRESS_FROM = 128
"""Bytes from which an array is compressed: what the SDK does."""
_MOST = 0xFFFFFFFF
_ARRAYS = {"f4": b"f", "f8": b"d", "i8": b"l", "i4": b"i", "b1": b"b"}


@dataclass(frozen=True, slots=True)
class Node:
    """A record."""

    name: str
    properties: tuple[bytes, ...] = ()
    children: Sequence[Node] = ()


def node(name: str, *properties: bytes, children: Sequence[Node] = ()) -> Node:
    """A record with properties that the functions below encode."""
    return Node(name, properties, children)


def int16(value: int) -> bytes:
    """A two-byte whole number."""
    return struct.pack("<ch", b"Y", value)


def int32(value: int) -> bytes:
    """A four-byte whole number."""
    return struct.pack("<ci", b"I", value)


def int64(value: int) -> bytes:
    """An eight-byte whole number: times and identities."""
    return struct.pack("<cq", b"L", value)


def double(value: float) -> bytes:
    """An eight-byte number."""
    return struct.pack("<cd", b"D", value)


def boolean(value: bool) -> bytes:
    """A truth value."""
    return struct.pack("<c?", b"C", value)


def raw(value: bytes) -> bytes:
    """Bytes, e.g. of an image."""
    return struct.pack("<cI", b"R", len(value)) + value


def text(value: str) -> bytes:
    """UTF-8."""
    encoded = value.encode("utf-8", "replace")
    return struct.pack("<cI", b"S", len(encoded)) + encoded


def named(name: str, kind: str) -> bytes:
    """The name of an object and its class, as binary files spell them."""
    return text(f"{name}\x00\x01{kind}")


def array(values: np.ndarray) -> bytes:
    """Any number of values, flattened: float32, float64, int32, int64 or bool."""
    values = np.ascontiguousarray(values)
    code = _ARRAYS[values.dtype.str[1:]]
    content = values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes()
    if len(content) < _COMPRESS_FROM:
        return code + struct.pack("<III", values.size, 0, len(content)) + content
    packed = zlib.compress(content, 1)
    return code + struct.pack("<III", values.size, 1, len(packed)) + packed


def serialize(nodes: Sequence[Node]) -> bytes:
    """The file of these top records."""
    out = [_MAGIC, struct.pack("<I", VERSION)]
    end = _append(nodes, len(_MAGIC) + 4, out)
    if end > _MOST:
        raise MovesetError(
            "the file would be larger than the 4 GiB that FBX 7400 can address", do="write fewer clips a file"
        )
    end += len(_FOOTER) + 4
    out += [_FOOTER, bytes(4), bytes(16 - end % 16), struct.pack("<I", VERSION), bytes(120), _END]
    return b"".join(out)


def _append(nodes: Sequence[Node], start: int, out: list[bytes]) -> int:
    """Records of one level from offset `start`, and the sentinel that ends them; where they end."""
    for each in nodes:
        name, properties = each.name.encode(), b"".join(each.properties)
        head = len(out)
        out.append(b"")
        end = start + 13 + len(name) + len(properties)
        if each.children or not each.properties or each.name in _ALWAYS_NESTED:
            end = _append(each.children, end, out)
        out[head] = b"%b%b%b" % (
            struct.pack("<IIIB", min(end, _MOST), len(each.properties), len(properties), len(name)),
            name,
            properties,
        )
        start = end
    out.append(_SENTINEL)
    return start + 13
