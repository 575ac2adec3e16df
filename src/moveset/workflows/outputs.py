"""Where nothing may be written: inside what is replaced, or checked, as a whole."""

from __future__ import annotations

import os
from pathlib import Path

from moveset.bundle import is_bundle
from moveset.errors import MovesetError
from moveset.library.store import is_library
from moveset.library.training_set import is_training_set


def refuse_within(output: str | os.PathLike[str]) -> None:
    """Raise where `output` would lie in a bundle, a library or a training set."""
    for folder in Path(output).resolve().parents:
        if is_bundle(folder) or is_library(folder) or is_training_set(folder):
            raise MovesetError(
                f"lies in {folder}, which is replaced as a whole", file=output, do="give another output"
            )
