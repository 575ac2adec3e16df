"""What every verb prints alike."""

from __future__ import annotations

import json

from moveset.cli.printing import count, print_json


def test_counts():
    assert [count(n, "clip") for n in (0, 1, 1234)] == ["0 clips", "1 clip", "1,234 clips"]


def test_json_has_no_numbers_that_json_does_not_have(capsys):
    print_json({"a": [float("nan"), 1.5], "b": {"c": (float("inf"), "ä")}})
    out = capsys.readouterr().out
    assert json.loads(out) == {"a": [None, 1.5], "b": {"c": [None, "ä"]}}
    assert "NaN" not in out and "ä" in out
