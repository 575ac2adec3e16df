"""Files broken on purpose, for every format: what a fuzzer does to a good one, and bombs made by hand."""

from __future__ import annotations

import io
import random
import struct
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from moveset.errors import MovesetError
from moveset.formats.locations import Beside, Location
from moveset.formats.registry import format_of
from moveset.motion import Asset

LONGEST = 10.0
"""Seconds that any file may take."""
TOKENS = (
    b"", b"\x00", b"\xff" * 8, b"{", b"}", b"[" * 50, b"]", b'"', b"\n", b",", b" ", b"-1", b"0", b"1e999", b"nan", b"inf",
    b"9" * 400, b"99999999", b"-2147483648", b"4294967295", b"null", b"true", b"../../etc/passwd", b"file:///etc/passwd",
    struct.pack("<I", 0xFFFFFFFF), struct.pack("<I", 0x7FFFFFFF), struct.pack("<Q", 1 << 62), struct.pack("<f", np.nan),
    struct.pack("<f", np.inf), struct.pack("<d", 1e300), b"\xef\xbb\xbf", "é".encode("latin-1"),
)  # fmt: skip
Change = tuple[str, float, int, bytes]
"""What is done, where (0 to 1), over how many bytes, and with what."""
KINDS = ("write", "flip", "cut", "double", "move", "end")


@dataclass(frozen=True)
class Sample:
    """A good file of a format, and those that lie beside it."""

    name: str
    data: bytes
    siblings: dict[str, bytes] = field(default_factory=dict)

    def read(self, data: bytes | None = None, **options: object) -> Asset:
        """The file, or other bytes in its place."""

        read = format_of(self.name).read
        assert read is not None
        return read(self.data if data is None else data, path=self.name, sibling=_Shelf(self), **options)


class _Shelf(Beside):
    """The siblings of a sample, as `formats.read` shows those of a file."""

    def __init__(self, sample: Sample):
        super().__init__(Location(Path(sample.name)))
        object.__setattr__(self, "sample", sample)

    def __call__(self, name: str) -> bytes:
        if name not in self.sample.siblings:
            raise MovesetError(f"refers to {name!r}, which is not there", file=self.sample.name)
        return self.sample.siblings[name]

    def names(self, suffix: str) -> list[str]:
        return [name for name in self.sample.siblings if name.endswith(suffix)]


def changes() -> st.SearchStrategy[list[Change]]:
    """A few changes for `spoilt`."""
    one = st.tuples(
        st.sampled_from(KINDS),
        st.floats(0, 1),
        st.integers(1, 40),
        st.one_of(st.sampled_from(TOKENS), st.binary(max_size=6)),
    )
    return st.lists(one, min_size=1, max_size=3)


def random_changes(rng: random.Random) -> list[Change]:
    """The same without hypothesis, for long runs."""
    return [
        (rng.choice(KINDS), rng.random(), rng.randint(1, 40), rng.choice((*TOKENS, rng.randbytes(3))))
        for _ in range(rng.choice((1, 1, 2, 3)))
    ]


def spoilt(good: bytes, what: list[Change]) -> bytes:
    """`good` with each of the changes made."""
    data = bytearray(good)
    for kind, where, length, token in what:
        at = int(where * len(data))
        if kind == "write":
            data[at : at + len(token)] = token
        elif kind == "flip" and at < len(data):
            data[at] ^= 1 << length % 8
        elif kind == "cut":
            del data[at : at + length]
        elif kind == "double":
            data[at:at] = data[at : at + length]
        elif kind == "move":
            data[at:at] = token
        elif kind == "end":
            del data[at:]
    return bytes(data)


def verdict(read: Callable[[], Asset], name: str) -> str:
    """ "read" or "refused". Anything else that can come of a file is an error of Moveset: a traceback, a wait, NaN."""
    start = time.monotonic()
    try:
        asset = read()
    except MovesetError as error:
        result = "refused"
        assert error.message, "an error that says nothing"
        assert "\n" not in str(error), f"more than a sentence: {error}"
    else:
        result = "read"
        for clip in asset.clips:
            assert clip.is_finite, f"{name}: {clip.name} holds NaN"
            norms = np.linalg.norm(clip.rotations, axis=-1)
            assert np.allclose(norms, 1, atol=1e-3), f"{name}: {clip.name} holds rotations of no unit length"
    assert time.monotonic() - start < LONGEST, f"{name} took too long"
    return result


def npz_of(arrays: dict[str, bytes]) -> bytes:
    """An .npz of members that need not be arrays."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in arrays.items():
            archive.writestr(f"{name}.npy", content)
    return out.getvalue()


def npy_of(header: str, content: bytes = b"") -> bytes:
    """An .npy with a header of one's own."""
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + content


def npz_bombs() -> Iterator[tuple[str, bytes]]:
    """Name and bytes of archives that are small and claim much, or hide code."""
    million = "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000, 72)}"
    yield "stated", npz_of({"poses": npy_of(million)})
    yield (
        "overflow",
        npz_of({"poses": npy_of("{'descr': '<f4', 'fortran_order': False, 'shape': (2**62, 72)}")}),
    )
    huge = "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 72)}"
    yield "beyond", npz_of({"poses": npy_of(huge)})
    yield "unpacked", npz_of({"poses": npy_of(million, bytes(4 * 72 * 1000000))})
    yield (
        "pickled",
        npz_of({"poses": npy_of("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", b"\x80\x04.")}),
    )
    yield "nested", npz_of({"poses": npy_of("(" * 5000)})
    yield "code", npz_of({"poses": npy_of("__import__('os').system('true')")})
    yield (
        "records",
        npz_of(
            {"poses": npy_of("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", b"0000")}
        ),
    )
