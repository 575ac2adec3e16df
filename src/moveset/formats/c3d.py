"""C3D: markers of a capture, not joints. What is in a file is told, and what to do with it."""

from __future__ import annotations

import struct
from collections.abc import Callable

from moveset.errors import MovesetError
from moveset.formats.registry import Format
from moveset.motion import Asset

_KEY = 0x50
_BLOCK = 512
_INTEL, _DEC, _MIPS = 84, 85, 86
_DO = (
    "solve it to a skeleton in the program that recorded it (Vicon, Motive, Qualisys) or in MotionBuilder, "
    "and export BVH or FBX"
)


def read(data: bytes, *, path: str, sibling: Callable[[str], bytes] | None = None) -> Asset:
    """Always a MovesetError: bones cannot be told from markers alone."""
    if len(data) < _BLOCK or data[1] != _KEY:
        raise MovesetError("is no C3D file", file=path, do="fetch it again")
    start = _BLOCK * (data[0] - 1)
    machine = data[start + 3] if 0 <= start < len(data) - 4 else _INTEL
    order = ">" if machine == _MIPS else "<"
    markers, _, first, last = struct.unpack(f"{order}4H", data[2:10])
    rate = _rate(data[20:24], machine)
    at = f" at {rate:g} Hz" if 0 < rate < 1e5 else ""
    raise MovesetError(
        f"holds the paths of {markers} markers in {max(last - first + 1, 0)} frames{at}, and no skeleton",
        file=path,
        do=_DO,
    )


def _rate(raw: bytes, machine: int) -> float:
    if machine == _DEC:  # 16-bit halves the other way round, exponent biased by two more
        raw = raw[2:] + raw[:2]
        return struct.unpack("<f", raw)[0] / 4
    return struct.unpack(">f" if machine == _MIPS else "<f", raw)[0]


FORMAT = Format("c3d", (".c3d",), read, holds_meshes=False)
