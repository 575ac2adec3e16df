"""The process that files are read in: files in, plain numbers out."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable
from typing import IO

from moveset.formats.process.messages import DAMAGED, Garbled, Message, Refused, receive, send

MOST_FILES = 500
"""After so many files a worker makes room for a fresh one,"""
MOST_GROWTH = 300 << 20
"""or after it has grown by so many bytes."""
MEMORY = 512 << 20
"""Bytes that reading a file may take, beside `MEMORY_A_BYTE` for each of its own."""
MEMORY_A_BYTE = 30
SECONDS, SECONDS_A_BYTE = 10, 2e-6
"""Of processor time that a file may take, beside so much for each of its bytes."""

Read = Callable[[bytes], Message]


def serve(read: Read, requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer requests until there are no more, or until it is time for a fresh process."""
    send(answers, {"ready": True})
    before = _memory()
    for served in range(1, MOST_FILES + 1):
        try:
            _, arrays = receive(requests)
        except Garbled:
            return
        data = arrays["file"].tobytes()
        _limit(len(data))
        try:
            header, out = read(data)
        except Refused as refused:
            header, out = {"error": refused.fields}, {}
        except MemoryError:
            header, out = {"error": {"memory": True}}, {}
        except Exception as error:  # whatever a damaged file brings about in what walks it
            message = f"what it holds makes no sense ({type(error).__name__})"
            header, out = {"error": {"message": message, "where": None, "do": DAMAGED}}, {}
        _limit(None)
        last = served == MOST_FILES or _memory() - before > MOST_GROWTH
        send(answers, {**header, "last": last}, out)
        if last:
            return


def main(reader: Callable[[], Read]) -> None:
    """Serve on standard input and output, which nothing else gets to use. `reader` imports what reads."""
    gc.disable()  # it would walk all that a library never gives back
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer: it ends this process
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    try:
        try:
            read = reader()
        except ImportError as error:
            send(answers, {"ready": False, "missing": error.name or "a library"})
            return
        serve(read, requests, answers)
    finally:
        os._exit(0)  # what a library never gives back must not be cleaned up


def _memory() -> int:
    """Bytes that this process has had at most; 0 where that cannot be asked."""
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _limit(size: int | None) -> None:
    """Let the process grow by what a file of `size` bytes may take and no more; None lifts the limit.

    Its time is counted by the processor: on a busy machine a sound file may take long by the clock.
    """
    try:
        import resource
    except ImportError:  # Windows: there the parent's clock alone holds a file in bounds
        return
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    _set(resource.RLIMIT_CPU, None if size is None else int(used + SECONDS + size * SECONDS_A_BYTE))
    try:
        with open("/proc/self/statm") as file:
            now = int(file.read().split()[0]) * resource.getpagesize()
    except OSError:  # macOS, which does not hold a process to such a limit either
        return
    _set(resource.RLIMIT_AS, None if size is None else now + MEMORY + MEMORY_A_BYTE * size)


def _set(limit: int, most: int | None) -> None:
    """Set the soft limit, within the hard one."""
    import resource

    hard = resource.getrlimit(limit)[1]
    soft = hard if most is None else most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(limit, (soft, hard))
