"""The log of a training: a table that any tool reads, and its curves."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from moveset.errors import MovesetError
from moveset.files import write_whole
from moveset.render.chart import Panel, chart
from moveset.render.encode import save_png

ABOUT = ("step", "seconds", "learning_rate")
"""Columns before those that are measured at each step."""


class Log:
    """Numbers of each step, written as one row of means every few steps."""

    def __init__(self, path: Path | None, upto: int) -> None:
        """`path` None writes nothing. Rows after step `upto`, left by a run that was killed, are dropped."""
        self.names: tuple[str, ...] = ()
        self._path = path
        self._pending: list[Tensor] = []
        if path is not None and path.exists():
            head, *rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8")))) or [[]]
            kept = [row for row in rows if len(row) == len(head) and int(row[0]) <= upto]
            write_whole(path, _text([head, *kept] if kept else []))

    def note(self, values: Mapping[str, Tensor]) -> None:
        """The numbers of one step, each a tensor of one number; they stay on their device until they are taken."""
        if self.names and self.names != tuple(values):
            raise MovesetError(
                f"the loss has the terms {', '.join(values)} after {', '.join(self.names)}",
                do="give the same terms at every step, 0 where one does not count",
            )
        self.names = tuple(values)
        self._pending.append(torch.stack([value.detach() for value in values.values()]))

    def take(self) -> Tensor:
        """(n, names) the numbers of the steps since they were last taken."""
        taken = torch.stack(self._pending)
        self._pending.clear()
        return taken

    def write(self, step: int, seconds: float, rate: float, values: Sequence[float]) -> None:
        """One row."""
        if self._path is None:
            return
        row = [step, f"{seconds:.3f}", *(f"{value:.9g}" for value in (rate, *values))]
        head = [] if self._path.exists() and self._path.stat().st_size else [[*ABOUT, *self.names]]
        with self._path.open("ab") as file:
            file.write(_text([*head, row]))


def read_log(path: Path) -> dict[str, np.ndarray]:
    """Columns of a log by name."""
    head, *rows = csv.reader(io.StringIO(path.read_text(encoding="utf-8")))
    return dict(zip(head, np.array(rows, dtype=np.float64).T))


def save_curves(log: Path, picture: Path) -> None:
    """Draw every column of a log over the steps."""
    columns = read_log(log)
    steps = columns.pop("step")
    del columns["seconds"]
    save_png(chart([Panel(name, steps, values) for name, values in columns.items()]), picture)


def _text(rows: Sequence[Sequence[object]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()
