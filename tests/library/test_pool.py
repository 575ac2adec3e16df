"""Workers end with the process that started them, and leave Ctrl-C to it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

SCRIPT = """
import multiprocessing, time
from moveset.library.ingest.pool import map_in_order
results = map_in_order(time.sleep, [0, {rest}, {rest}, {rest}, {rest}, {rest}], 2, print)
next(results)
print(*(child.pid for child in multiprocessing.active_children()), flush=True)
list(results)
"""

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals")


def started(rest: float) -> tuple[subprocess.Popen, list[int]]:
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(rest=rest)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    return process, [int(pid) for pid in process.stdout.readline().split()]


def running(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="asks /proc")
def test_workers_end_when_their_parent_is_killed():
    process, workers = started(60)
    assert len(workers) == 2 and all(map(running, workers))
    process.kill()
    process.communicate()  # returns when no worker holds the pipe any more
    until = time.monotonic() + 10
    while any(map(running, workers)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(running, workers))


def test_only_the_parent_hears_ctrl_c():
    process, _ = started(0.7)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode in (1, -signal.SIGINT)
    assert said.count("KeyboardInterrupt") == 1
