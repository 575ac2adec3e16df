"""Work on many files of which some are bad."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from moveset.errors import MovesetError

T = TypeVar("T")


def attempt(work: Callable[[], T], file: str) -> T | MovesetError:
    """The result of `work`, or the error that names `file`.

    A fault of Moveset itself counts against its file too: one of a thousand must not cost the other results.
    """
    try:
        return work()
    except MovesetError as error:
        return error.within(file)
    except Exception as error:
        return MovesetError(
            f"Moveset failed on it: {type(error).__name__}: {error}",
            file=file,
            do="report this with the file",
        )
