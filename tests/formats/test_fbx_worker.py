"""The process that FBX files are read in: whatever a file does to it costs that file only."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import fbx_bad_worker as bad
import numpy as np
import pytest
from fbx_text import FbxText

from moveset import formats
from moveset.errors import MovesetError
from moveset.formats.fbx import process
from moveset.formats.process import reader as our_side
from moveset.formats.process.messages import Garbled, receive, send
from moveset.formats.process.reader import Reader
from moveset.workflows.batch import attempt

COMMAND = (sys.executable, str(Path(bad.__file__)))


def a_file(name: str = "Root") -> bytes:
    file = FbxText()
    root = file.node(name)
    (layer,) = file.stack("Walk", 0, 1)
    file.curve(layer, root, "Lcl Translation", (0, 1), X=(0, 1))
    return file.data()


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    reader = Reader(COMMAND, "FBX", process.INSTALL)
    yield reader
    reader.close()


def names(message) -> list[str]:
    return [node["name"] for node in message[0]["nodes"]]


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        (bad.ABORT, "crashes the FBX reader (SIGABRT)"),
        (bad.LEAVE, "crashes the FBX reader (exit code 3)"),
        (bad.HANG, "takes longer than 1 s to read"),
        (bad.HOARD, "asks for far more memory than its"),
        (bad.STUMBLE, "what it holds makes no sense (KeyError)"),
    ],
)
def test_a_bad_file_is_a_sentence_and_the_next_is_read(reader, word, sentence, monkeypatch):
    if word == bad.HANG:
        monkeypatch.setattr(our_side, "SECONDS", 1.0)
    with pytest.raises(MovesetError) as caught:
        reader.read(a_file() + word)
    assert sentence in str(caught.value) and "export it again" in str(caught.value)
    monkeypatch.undo()
    assert names(reader.read(a_file("After"))) == ["After"]


def test_a_process_is_kept_and_replaced_when_it_has_served(reader):
    reader.close()
    processes = []
    for _ in range(60):
        reader.read(a_file())
        processes.append(None if reader._process is None else reader._process.pid)
    assert len(set(processes[:49])) == 1 and processes[49] is None
    assert len(set(processes[50:])) == 1 and processes[50] != processes[0]


def test_a_worn_process_is_not_the_files_fault(reader):
    """A process that dies between two files: the second is tried on a fresh one."""
    reader.read(a_file())
    os.kill(reader._process.pid, signal.SIGKILL)
    assert names(reader.read(a_file("Second"))) == ["Second"]


def test_many_threads_may_ask(reader):
    results: dict[int, list[str]] = {}

    def ask(i: int) -> None:
        results[i] = names(reader.read(a_file(f"Root{i}")))

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {i: [f"Root{i}"] for i in range(16)}


def test_an_interrupt_does_not_mix_up_answers(reader, monkeypatch):
    """Ctrl-C while waiting: the next file must not get the answer of this one."""
    reader.read(a_file())

    def interrupted(stream):
        raise KeyboardInterrupt

    monkeypatch.setattr(our_side, "receive", interrupted)
    with pytest.raises(KeyboardInterrupt):
        reader.read(a_file("Interrupted"))
    monkeypatch.undo()
    assert names(reader.read(a_file("Next"))) == ["Next"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_copy_starts_a_process_of_its_own(reader):
    reader.read(a_file())
    mine = reader._process.pid
    read_end, write_end = os.pipe()
    child = os.fork()
    if not child:
        ok = names(reader.read(a_file("Child"))) == ["Child"] and reader._process.pid != mine
        reader.close()
        os.write(write_end, b"y" if ok else b"n")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read_end, 1) == b"y"
    os.close(read_end), os.close(write_end)
    assert names(reader.read(a_file("Parent"))) == ["Parent"] and reader._process.pid == mine


def test_a_process_that_does_not_start_is_said():
    with pytest.raises(MovesetError, match="does not start"):
        Reader((sys.executable, "-c", "raise SystemExit(1)"), "FBX", "").read(a_file())


@pytest.mark.parametrize("cut", [0, 3, 16, 30, -1])
def test_half_a_message_is_none(cut):
    stream = io.BytesIO()
    send(stream, {"a": 1}, {"x": np.arange(6.0).reshape(2, 3), "y": np.zeros(0, np.uint8)})
    whole = stream.getvalue()
    header, arrays = receive(io.BytesIO(whole))
    assert (
        header["a"] == 1
        and np.array_equal(arrays["x"], np.arange(6.0).reshape(2, 3))
        and arrays["y"].shape == (0,)
    )
    with pytest.raises(Garbled):
        receive(io.BytesIO(whole[:cut]))


@pytest.mark.parametrize("shape", [[-1, 3], [1 << 40], [2, 1 << 62]])
def test_an_array_that_is_not_there_is_none(shape):
    stream = io.BytesIO()
    send(stream, {}, {"x": np.arange(6.0)})
    whole = stream.getvalue()
    at = whole.index(b"[6]")
    text = str(shape).encode()
    spoilt = bytearray(whole[:at] + text + whole[at + 3 :])
    spoilt[4:8] = (int.from_bytes(whole[4:8], "little") + len(text) - 3).to_bytes(4, "little")
    with pytest.raises(Garbled):
        receive(io.BytesIO(bytes(spoilt)))


@pytest.mark.slow
def test_a_thousand_files_of_which_three_crash(tmp_path, monkeypatch):
    """997 are read right, three give a sentence each, and the batch goes on."""
    reader = Reader(COMMAND, "FBX", process.INSTALL)
    monkeypatch.setattr(process, "_reader", reader)
    monkeypatch.setattr(our_side, "SECONDS", 2.0)
    for i in range(1000):
        word = {100: bad.ABORT, 500: bad.HANG, 900: bad.HOARD}.get(i, b"")
        (tmp_path / f"{i:04d}.fbx").write_bytes(a_file(f"Root{i}") + word)
    start = time.monotonic()
    files = formats.list_files(tmp_path)
    results = [attempt(lambda file=file: formats.read(file), file) for file in files]
    errors = [str(result) for result in results if isinstance(result, MovesetError)]
    good = [
        i
        for i, r in enumerate(results)
        if not isinstance(r, MovesetError) and r.clips[0].skeleton.names == (f"Root{i}",)
    ]
    assert len(good) == 997 and len(errors) == 3
    assert all(f"{i:04d}.fbx" in error for i, error in zip((100, 500, 900), errors))
    assert time.monotonic() - start < 120
    reader.close()
