"""A place for compiled kernels where Numba finds none: a read-only package and a user without a home."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "NUMBA_CACHE_DIR"


def provide(package: Path) -> None:
    """Numba refuses to compile what it cannot keep, so a folder is made that goes when this process ends."""
    if VARIABLE in os.environ or _writable(package) or _writable(Path(os.path.expanduser("~"), ".cache")):
        return
    import atexit
    import shutil
    import tempfile

    folder = tempfile.mkdtemp(prefix="moveset-kernels-")  # of this user alone: what lies there is run
    os.environ[VARIABLE] = folder
    atexit.register(shutil.rmtree, folder, ignore_errors=True)


def _writable(folder: Path) -> bool:
    """Whether `folder` could be written to or made."""
    while not os.path.exists(folder) and folder != folder.parent:
        folder = folder.parent
    return os.access(folder, os.W_OK | os.X_OK)
