"""Runs the command line in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from moveset import cli


@dataclass(frozen=True)
class Run:
    """What a command did."""

    code: int
    out: str
    err: str


@pytest.fixture
def moveset(monkeypatch, capsys) -> Callable[..., Run]:
    """`moveset("info", path)` as in a terminal that is 200 columns wide."""

    def run(*arguments: object) -> Run:
        monkeypatch.setenv("COLUMNS", "200")
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            cli.main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Run(int(stopped.value.code or 0), out, err)

    return run
