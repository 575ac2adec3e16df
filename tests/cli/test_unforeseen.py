"""Whatever goes wrong, a person reads one line."""

from __future__ import annotations

import pytest

from moveset import cli


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (PermissionError(13, "Permission denied", "clips"), "clips: Permission denied -- check the path"),
        (OSError(28, "No space left on device"), "No space left on device -- check the path"),
        (MemoryError(), "not enough memory -- ask for less at once"),
        (IndexError("list index"), "Moveset failed: IndexError: list index -- report this"),
    ],
)
def test_one_line(monkeypatch, moveset, error, said):
    def failing(arguments):
        raise error

    monkeypatch.setattr(cli, "app", failing)
    run = moveset("info")
    assert run.code == 2
    assert run.err.startswith(f"moveset: {said}") and run.err.count("\n") == 1
    monkeypatch.setenv("MOVESET_DEBUG", "1")
    with pytest.raises(type(error)):
        cli.main(["info"])


def test_a_negative_limit_drops_no_rows_in_silence(moveset):
    run = moveset("query", "my.library", "true", "--limit", "-1")
    assert run.code == 2 and run.err == "moveset: --limit is -1 -- give a number of rows, 0 for all\n"
