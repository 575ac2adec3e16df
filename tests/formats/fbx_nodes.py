"""A plain reader of binary FBX: records as (name, properties, children), written apart from the writer."""

from __future__ import annotations

import struct
import zlib
from typing import NamedTuple

import numpy as np

SCALARS = {"Y": "<h", "C": "<?", "I": "<i", "F": "<f", "D": "<d", "L": "<q"}
ARRAYS = {"f": "<f4", "d": "<f8", "l": "<i8", "i": "<i4", "b": "?"}


class Record(NamedTuple):
    name: str
    properties: list
    children: list

    def find(self, *names):
        """The first record down the path of `names`."""
        record = self
        for name in names:
            record = next(child for child in record.children if child.name == name)
        return record

    def all(self, name):
        return [child for child in self.children if child.name == name]

    def values(self):
        """Properties70 as a dict: the values of each."""
        return {p.properties[0]: p.properties[4:] for p in self.find("Properties70").children}


def parse(data: bytes) -> Record:
    assert data[:23] == b"Kaydara FBX Binary  \0\x1a\0" and struct.unpack_from("<I", data, 23)[0] == 7400
    records, at = read_level(data, 27)
    footer = data[at:]
    assert footer[:16].hex() == "fabcab09d0c8d466b176fb831cf7267e" and (len(data) - 140) % 16 == 0
    assert footer[-16:].hex() == "f85a8c6adef5d97eece90ce3758f290b"
    assert footer[-140:-136] == struct.pack("<I", 7400) and not any(footer[-136:-16])
    return Record("", [], records)


def read_level(data, at):
    records = []
    while True:
        end, count, length, name_length = struct.unpack_from("<IIIB", data, at)
        if end == 0:
            return records, at + 13
        name = data[at + 13 : at + 13 + name_length].decode()
        start = at + 13 + name_length
        properties = read_properties(data[start : start + length], count)
        children, after = ([], start + length) if start + length == end else read_level(data, start + length)
        assert after == end, name
        records.append(Record(name, properties, children))
        at = end


def read_properties(data, count):
    out, at = [], 0
    for _ in range(count):
        code = chr(data[at])
        at += 1
        if code in SCALARS:
            out.append(struct.unpack_from(SCALARS[code], data, at)[0])
            at += struct.calcsize(SCALARS[code])
        elif code in "RS":
            (size,) = struct.unpack_from("<I", data, at)
            content = data[at + 4 : at + 4 + size]
            out.append(content if code == "R" else content.decode())
            at += 4 + size
        else:
            size, packed, stored = struct.unpack_from("<III", data, at)
            content = data[at + 12 : at + 12 + stored]
            out.append(np.frombuffer(zlib.decompress(content) if packed else content, ARRAYS[code]))
            assert len(out[-1]) == size
            at += 12 + stored
    assert at == len(data)
    return out
