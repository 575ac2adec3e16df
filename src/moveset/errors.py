"""The one exception that Moveset raises for what a user can mend."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


class MovesetError(Exception):
    """What is wrong, in which file, where in it, and what to do about it.

    The command line prints it as one line and exits with status 2; a batch records it and goes on.
    """

    def __init__(
        self, message: str, *, file: object = None, where: str | None = None, do: str | None = None
    ) -> None:
        self.message = message
        self.file = None if file is None else str(file)
        self.where = where
        self.do = do
        super().__init__(message)

    def __str__(self) -> str:
        place = ", ".join(part for part in (self.file, self.where) if part)
        text = f"{place}: {self.message}" if place else self.message
        text = f"{text} -- {self.do}" if self.do else text
        return _CONTROL.sub(" ", text)  # what a file calls things must not leave its line or steer a terminal

    def __reduce__(self) -> tuple[object, ...]:  # survives the way back from a worker process
        return _rebuild, (self.message, self.file, self.where, self.do)

    def within(self, file: object) -> MovesetError:
        """The same error, naming `file` if it named none."""
        return MovesetError(self.message, file=self.file or file, where=self.where, do=self.do)


def _rebuild(message: str, file: str | None, where: str | None, do: str | None) -> MovesetError:
    return MovesetError(message, file=file, where=where, do=do)
