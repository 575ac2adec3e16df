"""docs/audit.md describes every check."""

from __future__ import annotations

import re
from pathlib import Path

from moveset.audit import CHECKS, SET_CHECKS

PAGE = Path(__file__).parents[2] / "docs" / "audit.md"


def test_every_check_has_its_row():
    rows = set(re.findall(r"^\| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.M))
    assert rows - {"in_place"} == {check.name for check in (*CHECKS, *SET_CHECKS)}
