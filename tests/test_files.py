"""Files appear whole or not at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from moveset.errors import MovesetError
from moveset.files import alone_in, refuse_input, write_whole


def test_a_file_replaces_the_one_before_and_makes_its_folder(tmp_path):
    file = tmp_path / "a" / "b" / "c.bin"
    for data in (b"one", b"two"):
        assert write_whole(file, data).read_bytes() == data
    assert [f.name for f in file.parent.iterdir()] == ["c.bin"]


def test_a_full_disk_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    file = write_whole(tmp_path / "c.bin", b"old")

    def half(self, data):
        with self.open("wb") as out:
            out.write(data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", half)
    with pytest.raises(MovesetError, match=r"c.bin: cannot be written: No space left on device -- "):
        write_whole(file, b"new content")
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_folder_of_that_name_stays(tmp_path):
    (tmp_path / "out.glb").mkdir()
    with pytest.raises(MovesetError, match="cannot be written"):
        write_whole(tmp_path / "out.glb", b"data")
    assert [f.name for f in tmp_path.iterdir()] == ["out.glb"]


def test_an_interrupt_leaves_nothing(tmp_path, monkeypatch):
    def stopped(self, target):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", stopped)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "c.bin", b"data")
    assert not list(tmp_path.iterdir())


def test_a_name_as_long_as_the_disk_allows(tmp_path):
    assert write_whole(tmp_path / ("a" * 251 + ".glb"), b"data").is_file()


def test_inputs_are_not_written_over(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = write_whole("clip.bvh", b"data")
    (tmp_path / "link.bvh").symlink_to(file)
    for output in ("clip.bvh", tmp_path / "." / "clip.bvh", "link.bvh"):
        with pytest.raises(MovesetError, match="is an input and would be overwritten"):
            refuse_input(output, [file])
    refuse_input("other.bvh", [file])


def test_two_processes_are_not_in_one_folder(tmp_path):
    folder = tmp_path / "run"
    code = f"""
import subprocess
import sys
from pathlib import Path
from moveset.files import alone_in
with alone_in(Path({str(folder)!r})):
    print("in", flush=True)
    input()
"""
    other = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout and other.stdout.readline() == "in\n"
    with (
        pytest.raises(MovesetError, match="another process is at work in it -- wait for it"),
        alone_in(folder),
    ):
        pass
    other.kill()
    other.communicate()
    with alone_in(folder):
        pass
    (tmp_path / "file").touch()
    with pytest.raises(MovesetError, match="cannot be made"), alone_in(tmp_path / "file" / "run"):
        pass
