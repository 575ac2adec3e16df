"""Marker files are refused with what is in them."""

from __future__ import annotations

import struct

import pytest

from moveset.errors import MovesetError
from moveset.formats import c3d


def file_of(machine: int, rate: bytes, order: str) -> bytes:
    head = bytes((2, 0x50)) + struct.pack(f"{order}4H", 53, 0, 1, 240) + bytes(10) + rate
    return head.ljust(512, b"\0") + bytes((1, 0x50, 1, machine)) + bytes(508)


@pytest.mark.parametrize(
    "data",
    [
        file_of(84, struct.pack("<f", 120), "<"),
        file_of(86, struct.pack(">f", 120), ">"),
        file_of(85, struct.pack("<f", 480)[2:] + struct.pack("<f", 480)[:2], "<"),
    ],
    ids=["intel", "mips", "dec"],
)
def test_what_it_holds_is_told(data):
    with pytest.raises(
        MovesetError, match=r"53 markers in 240 frames at 120 Hz, and no skeleton -- solve it"
    ):
        c3d.read(data, path="a.c3d")


@pytest.mark.parametrize("data", [b"", b"\x02P", bytes(600)])
def test_what_is_none(data):
    with pytest.raises(MovesetError, match="is no C3D"):
        c3d.read(data, path="a.c3d")
