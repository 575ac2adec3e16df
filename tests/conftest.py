"""Fixtures that every room's tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("MOVESET_DATA", Path(__file__).parents[1].parent / "shared" / "data"))


@pytest.fixture(scope="session")
def pack() -> Path:
    """The data pack; tests that need it skip by name where it is absent."""
    if not (DATA / "README.md").exists():
        pytest.skip(f"data pack not found at {DATA} (set MOVESET_DATA)")
    return DATA
