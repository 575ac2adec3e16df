"""Kernels compile where nothing can be written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from moveset import kernel_cache


@pytest.mark.parametrize(
    ("closed", "made"), [((), False), (("package",), False), (("package", "home"), True)]
)
def test_a_folder_is_made_only_where_there_is_none(tmp_path, monkeypatch, closed, made):
    for name in ("package", "home"):
        (tmp_path / name).mkdir()
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name not in closed and access(path, mode))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv(kernel_cache.VARIABLE, "")
    monkeypatch.delenv(kernel_cache.VARIABLE)
    kernel_cache.provide(tmp_path / "package")
    folder = os.environ.get(kernel_cache.VARIABLE)
    assert (folder is not None) == made
    if folder:
        assert os.stat(folder).st_mode & 0o077 == 0
        os.rmdir(folder)
