"""Whatever the bytes are, the answer is a clip or one MovesetError, in time."""

from __future__ import annotations

import time

import numpy as np
import pytest
from bvh_text import FIGURE, random_values, text_of
from hypothesis import given, settings
from hypothesis import strategies as st

from moveset.errors import MovesetError
from moveset.formats import bvh

GOOD = text_of(FIGURE, random_values(FIGURE, frames=3)).encode()


def read_or_refuse(data: bytes) -> None:
    try:
        asset = bvh.read(data, path="a.bvh")
    except MovesetError as error:
        assert error.file == "a.bvh" and str(error)
    else:
        clip = asset.clips[0]
        assert np.isfinite(clip.rotations).all() and np.isfinite(clip.translations).all()


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_mutations(data):
    """Bytes overwritten, cut out, doubled, shuffled between places."""
    text = bytearray(GOOD)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, max(len(text) - 1, 0)))
        length = data.draw(st.integers(0, 40))
        kind = data.draw(st.sampled_from(["write", "cut", "double", "end"]))
        if kind == "write":
            text[start : start + length] = data.draw(
                st.one_of(
                    st.binary(max_size=12),
                    st.sampled_from([b"{", b"}", b"\n", b"MOTION", b"OFFSET", b"9" * 400, b"1e999"]),
                )
            )
        elif kind == "cut":
            del text[start : start + length]
        elif kind == "double":
            text[start:start] = text[start : start + length]
        else:
            del text[start:]
    read_or_refuse(bytes(text))


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=200))
def test_noise(data):
    read_or_refuse(data)
    read_or_refuse(b"HIERARCHY\n" + data)
    read_or_refuse(GOOD[: GOOD.index(b"MOTION") + 6] + data)


@pytest.mark.parametrize("count", [b"99999999999999999999", b"-5", b"1e400", b"1.5", b"ten"])
def test_absurd_counts(count):
    asset = bvh.read(GOOD.replace(b"Frames: 3", b"Frames: " + count), path="a.bvh", unit="cm", up="Y")
    assert len(asset.clips[0]) == 3 and asset.findings[0].check == "header_mismatch"


def chain(joints: int, rows: str, channels: str = "") -> bytes:
    blocks = "".join(f"JOINT j{k}\n{{\nOFFSET 0 1 0\n" for k in range(joints))
    root = f"HIERARCHY\nROOT r\n{{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n{channels}"
    return f"{root}{blocks}{'}' * joints}}}\nMOTION\nFrames: 1\nFrame Time: 0.1\n{rows}".encode()


def test_deep_trees():
    start = time.perf_counter()
    asset = bvh.read(chain(5_000, "5\n"), path="a.bvh")
    assert len(asset.clips[0].skeleton) == 5_001
    assert time.perf_counter() - start < 10


def test_joints_without_channels_cannot_fill_the_memory():
    with pytest.raises(MovesetError, match="would take"):
        bvh.read(chain(20_000, "5\n" * 50_000), path="a.bvh")


def test_numbers_that_overflow():
    read_or_refuse(GOOD.replace(b"12.5", b"1e308"))
    read_or_refuse(GOOD.replace(b"12.5", b"1e999"))
