"""Files and folders that appear whole or not at all, and never on top of what they are made from.

A folder is written beside its place and renamed, so two things may lie beside NAME after a kill:

    NAME.partial-PID   being written by process PID
    NAME.old-PID       the folder before, between the two renames of the exchange

`recover` puts that right; whoever writes or opens such a folder calls it first.
"""

from __future__ import annotations

import glob
import os
import shutil
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from moveset.errors import MovesetError

_PARTIAL, _OLD = ".partial-", ".old-"


def write_whole(path: str | os.PathLike[str], data: bytes) -> Path:
    """Write `data` to the side and rename, making the folder: a full disk or a kill leaves no half a file."""
    target = Path(path)
    partial = target.with_name(f".{os.getpid()}-{threading.get_ident()}.partial")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            partial.write_bytes(data)
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise MovesetError(
            f"cannot be written: {error.strerror}", file=target, do="give another output, or make room for it"
        ) from None
    return target


def make_folder(path: str | os.PathLike[str]) -> Path:
    """The folder `path` to write to, made if need be, found out before work is done that would be lost."""
    target = Path(path)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = "is there and is no folder" if target.exists() else f"cannot be made: {error.strerror}"
        raise MovesetError(what, file=target, do="give another output") from None
    return target


def refuse_input(output: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]]) -> None:
    """Raise when `output` is one of the files `inputs`."""
    target = Path(output)
    if any(target.resolve() == Path(file).resolve() for file in inputs):
        raise MovesetError("is an input and would be overwritten", file=target, do="give another output")


@contextmanager
def staged(target: Path) -> Iterator[Path]:
    """An empty folder to write to, which takes the place of `target` in the end, or goes if that is not reached."""
    make_folder(target.parent)
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


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Inside, no other process is in here with this folder, which is made if need be; a kill lets go of it."""
    make_folder(folder)
    try:
        import fcntl
    except ImportError:  # Windows has no such locks; there, two processes are not told of each other
        yield
        return
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(held)
        raise MovesetError(
            "another process is at work in it", file=folder, do="wait for it, or name another output"
        ) from None
    except OSError:  # a disk without locks, e.g. far away
        pass
    try:
        yield
    finally:
        os.close(held)


def recover(target: Path) -> None:
    """Undo what processes that are gone left half done: bring the old folder back, remove partial ones."""
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
