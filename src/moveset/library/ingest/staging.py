"""A library appears whole or not at all: it is written to a folder beside it and renamed.

    NAME.library.partial-PID   being written by process PID
    NAME.library.old-PID       the library before, between the two renames of the exchange

A process that is killed leaves one of them behind; the next build or opening puts things right.
"""

from __future__ import annotations

import glob
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PARTIAL, _OLD = ".partial-", ".old-"


@contextmanager
def staged(target: Path) -> Iterator[Path]:
    """An empty folder to write to, which takes the place of `target` in the end, or goes if that is not reached."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f"{target.name}{_PARTIAL}{os.getpid()}")
    partial.mkdir()
    try:
        yield partial
        _exchange(partial, target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _exchange(partial: Path, target: Path) -> None:
    old = target.with_name(f"{target.name}{_OLD}{os.getpid()}")
    if target.exists():
        target.rename(old)
    partial.rename(target)
    if old.exists():
        shutil.rmtree(old)


def recover(target: Path) -> None:
    """Undo what processes that are gone left half done: bring the old library back, remove partial ones."""
    if not target.parent.is_dir():
        return
    for leftover in sorted(target.parent.glob(f"{glob.escape(target.name)}.*-*")):
        kind, _, process = leftover.name.removeprefix(target.name).rpartition("-")
        if f"{kind}-" not in (_PARTIAL, _OLD) or not process.isdigit() or _alive(int(process)):
            continue
        if f"{kind}-" == _OLD and not target.exists():
            leftover.rename(target)
        else:
            shutil.rmtree(leftover, ignore_errors=True)


def _alive(process: int) -> bool:
    if process == os.getpid():
        return False  # whatever this process began, it is not at it now
    if os.name == "nt":
        return True  # there, signal 0 is no question; leftovers stay for a person to remove
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
