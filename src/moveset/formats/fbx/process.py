"""Our side of the process that FBX files are read in."""

from __future__ import annotations

import atexit
import sys

from moveset.formats.process.messages import Message
from moveset.formats.process.reader import Reader

COMMAND = (sys.executable, "-m", "moveset.formats.fbx.worker")
INSTALL = "pip install ufbx==0.0.5"

_reader = Reader(COMMAND, "FBX", INSTALL)
atexit.register(_reader.close)


def read_scene(data: bytes) -> Message:
    """Read one FBX file in this process's reader."""
    return _reader.read(data)
