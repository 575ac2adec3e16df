"""A small library that the tests of this room share."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from strolls import TOOLS, stroll

from moveset.library.ingest.build import build
from moveset.library.store import Library
from moveset.motion import Event


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """Four strolls, one of them with events, curves and a moving joint."""
    clips = [stroll(seed=s, name=f"stroll_{s}", frames=40 + s) for s in range(3)]
    odd = stroll(seed=9, name="odd")
    translations = odd.translations.copy()
    translations[:, 5, 1] += np.linspace(0, 0.01, len(odd))
    odd = replace(
        odd,
        translations=translations,
        events=(Event(0.5, "hit", "rightHand"),),
        curves={"a/b": np.arange(60.0)},
    )
    path = tmp_path_factory.mktemp("library") / "small.library"
    build(path, tools=TOOLS, clips=[*clips, odd])
    return Library.open(path)
