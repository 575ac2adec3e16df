"""Files that appear whole or not at all, and never on top of what they are made from."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from pathlib import Path

from moveset.errors import MovesetError


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


def refuse_input(output: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]]) -> None:
    """Raise when `output` is one of the files `inputs`."""
    target = Path(output)
    if any(target.resolve() == Path(file).resolve() for file in inputs):
        raise MovesetError("is an input and would be overwritten", file=target, do="give another output")
