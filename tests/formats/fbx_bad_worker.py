"""The process that reads FBX, with words in a file that make it misbehave: what a file may do to it, on demand."""

from __future__ import annotations

import os
import time

from moveset.formats.fbx.extract import read_fbx
from moveset.formats.process import worker
from moveset.formats.process.messages import Message

ABORT, HANG, HOARD, LEAVE, STUMBLE = b";abort\n", b";hang\n", b";hoard\n", b";leave\n", b";stumble\n"
worker.MOST_FILES = 50


def read(data: bytes) -> Message:
    """Read, unless the file ends in one of the words."""
    if data.endswith(ABORT):
        os.abort()
    if data.endswith(HANG):
        time.sleep(1000)
    if data.endswith(HOARD):
        hoard = bytearray(b"1") * (1 << 40)
        del hoard
    if data.endswith(LEAVE):
        os._exit(3)
    if data.endswith(STUMBLE):
        raise KeyError("stumbled")
    return read_fbx(data)


if __name__ == "__main__":
    worker.main(lambda: read)
