"""NumPy's .npy and .npz, read without NumPy's loader: no pickle is ever opened, no size is believed unchecked."""

from __future__ import annotations

import ast
import io
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from moveset.errors import MovesetError
from moveset.formats.limits import refuse_bloat

_MAGIC = b"\x93NUMPY"
_LONGEST_HEADER = 1 << 16
_PLAIN = re.compile(r"[<>|=]?([biuf][1248]|[US][0-9]{1,6})")
_SAVE_AGAIN = "save plain number arrays with numpy.save or numpy.savez"


def read_npy(data: bytes | memoryview, path: str, where: str | None = None) -> np.ndarray:
    """The array of an .npy: numbers, booleans or strings."""
    view = memoryview(data)
    header, start = _header(view, path, where)
    dtype, shape = _dtype(header.get("descr"), path, where), header.get("shape")
    if not (isinstance(shape, tuple) and all(type(n) is int and n >= 0 for n in shape) and len(shape) <= 32):
        raise MovesetError("the array states no shape", file=path, where=where, do=_SAVE_AGAIN)
    count = 1
    for n in shape:
        count *= n
    if start + count * dtype.itemsize > len(view):
        raise MovesetError(
            f"the array states the shape {shape}, which is more than the file holds",
            file=path,
            where=where,
            do="fetch it again: it was cut off, or its header is wrong",
        )
    flat = np.frombuffer(view, dtype, count, start) if count * dtype.itemsize else np.zeros(count, dtype)
    return flat.reshape(shape, order="F" if header.get("fortran_order") is True else "C")


def npy_shape(stream: BinaryIO) -> tuple[int, ...] | None:
    """The shape that an open .npy states; None where it is none."""
    try:
        shape = _header(memoryview(stream.read(_LONGEST_HEADER)), "", None)[0].get("shape")
    except MovesetError:
        return None
    return shape if isinstance(shape, tuple) and all(type(n) is int for n in shape) and shape else None


@dataclass(frozen=True, eq=False)
class Npz:
    """The arrays of an .npz; each is unpacked when asked for."""

    path: str
    size: int
    """Bytes of the file."""
    archive: zipfile.ZipFile
    members: Mapping[str, zipfile.ZipInfo]
    """By array name."""

    @classmethod
    def parse(cls, data: bytes, path: str) -> Npz:
        """Open the archive."""
        try:
            archive = zipfile.ZipFile(io.BytesIO(data))
            members = {i.filename.removesuffix(".npy"): i for i in archive.infolist()}
        except (zipfile.BadZipFile, EOFError, OSError, ValueError, NotImplementedError, struct.error):
            raise MovesetError(
                "is no readable .npz archive", file=path, do="fetch or save it again"
            ) from None
        return cls(path, len(data), archive, members)

    def __contains__(self, name: str) -> bool:
        return name in self.members

    def __getitem__(self, name: str) -> np.ndarray:
        """The array `name`."""
        info = self.members.get(name)
        if info is None:
            raise MovesetError(f"holds no array {name!r}", file=self.path, do=_SAVE_AGAIN)
        if info.flag_bits & 1:
            raise MovesetError("the archive is encrypted", file=self.path, where=name, do="unpack it first")
        refuse_bloat(info.file_size, self.size, self.path, f"the array {name!r}")
        try:
            content = self.archive.read(info)
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            OSError,
            ValueError,
            NotImplementedError,
            struct.error,
        ):
            raise MovesetError(
                "the archive is damaged here", file=self.path, where=name, do="fetch or save it again"
            ) from None
        return read_npy(content, self.path, name)

    def numbers(self, name: str, *shape: int | None) -> np.ndarray:
        """The array `name` as floats, of that shape; None stands for any length. NaN and infinity are refused."""
        array = self[name]
        fits = array.ndim == len(shape) and all(want in (None, n) for want, n in zip(shape, array.shape))
        if array.dtype.kind not in "biuf" or not fits:
            wanted = ", ".join("any" if n is None else str(n) for n in shape)
            raise MovesetError(
                f"has the shape {array.shape} of {array.dtype}, not ({wanted}) numbers",
                file=self.path,
                where=name,
                do=_SAVE_AGAIN,
            )
        refuse_bloat(8 * array.size, self.size, self.path, f"the numbers of {name!r}")
        return finite(as_floats(array), self.path, name)

    def text(self, name: str) -> str:
        """A string array of one entry; empty where there is none (a pickled one counts as none)."""
        try:
            array = self[name] if name in self else np.zeros(0)
        except MovesetError:
            return ""
        if array.size != 1 or array.dtype.kind not in "US":
            return ""
        item = array.reshape(-1)[0]
        return item.decode("utf-8", "replace") if isinstance(item, bytes) else str(item)


def array_names(stream: BinaryIO) -> set[str] | None:
    """Names of the arrays in an open .npz; None where it is damaged."""
    try:
        return {name.removesuffix(".npy") for name in zipfile.ZipFile(stream).namelist()}
    except (zipfile.BadZipFile, EOFError, OSError, ValueError, NotImplementedError, struct.error):
        return None


def as_floats(array: np.ndarray) -> np.ndarray:
    """The array as float64; a signalling NaN, which a broken file may hold, becomes a quiet one."""
    with np.errstate(invalid="ignore"):
        return array.astype(np.float64)


def finite(array: np.ndarray, path: str, where: str) -> np.ndarray:
    """The array; one that holds NaN or infinity is refused with its first bad frame. Frames come first."""
    if not np.isfinite(array).all():
        bad = np.flatnonzero(~np.isfinite(array.reshape(len(array), -1)).all(axis=1)) if array.ndim else [0]
        raise MovesetError(
            f"{len(bad)} of {len(array) if array.ndim else 1} rows hold NaN or infinity, the first is {bad[0]}",
            file=path,
            where=where,
            do="cut these frames out, or leave the clip out",
        )
    return array


def save_npz(arrays: Mapping[str, np.ndarray]) -> bytes:
    """Bytes of a compressed .npz of plain arrays."""
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)  # pyright: ignore[reportArgumentType]
    return out.getvalue()


def _header(view: memoryview, path: str, where: str | None) -> tuple[dict, int]:
    """The header and where the numbers begin."""
    broken = MovesetError("is no .npy array", file=path, where=where, do=_SAVE_AGAIN)
    if bytes(view[:6]) != _MAGIC or len(view) < 12:
        raise broken
    wide = view[6] >= 2
    start = 12 if wide else 10
    length = int.from_bytes(view[8:start], "little")
    if view[6] not in (1, 2) or length > _LONGEST_HEADER or start + length > len(view):
        raise broken
    text = re.sub(r"(\d)L\b", r"\1", bytes(view[start : start + length]).decode("latin-1"))
    try:
        header = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        raise broken from None
    if not isinstance(header, dict):
        raise broken
    return header, start + length


def _dtype(stated: object, path: str, where: str | None) -> np.dtype:
    if isinstance(stated, str) and _PLAIN.fullmatch(stated):
        try:
            return np.dtype(stated)
        except (TypeError, ValueError):
            pass
    holds = (
        "pickled Python objects, which could run code"
        if "O" in str(stated)
        else f"elements of {stated!r:.60}"
    )
    raise MovesetError(f"holds {holds}", file=path, where=where, do=_SAVE_AGAIN)
