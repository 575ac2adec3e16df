"""A function mapped over many items by worker processes, results in the order of the items.

A worker that dies (a crash in a native reader, the kernel's memory killer) costs the item it was at, not the batch.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

WORTH = 3
"""Items a worker below which starting it does not pay."""
MOST = 4
"""Workers a core, however many are asked for."""
_MOST_ON_WINDOWS = 61

AHEAD = 4
"""Items a worker that may be under way or done before their turn: it bounds the memory that waits."""


def map_in_order(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    workers: int,
    crashed: Callable[[Item], Result],
) -> Iterator[Result]:
    """`work(item)` for each item; `crashed(item)` for one that took its worker down. One worker: this process.

    A script that asks for more must keep its own start behind `if __name__ == "__main__":`, since workers import it.
    """
    workers = min(workers, len(items) // WORTH, MOST * (os.cpu_count() or 1), _MOST_ON_WINDOWS)
    if workers <= 1:
        yield from map(work, items)
        return
    pool = _pool(workers)
    waiting: deque[tuple[Item, Future[Result]]] = deque()
    todo = iter(items)
    try:
        while True:
            while len(waiting) < AHEAD * workers and (item := next(todo, None)) is not None:
                with _unheard_by_workers():
                    waiting.append((item, pool.submit(work, item)))
            if not waiting:
                return
            item, future = waiting.popleft()
            try:
                result = future.result()
            except BrokenProcessPool:
                # any of those under way may be the culprit: each that has no result is tried in a pool of its own
                pool.shutdown(wait=False, cancel_futures=True)
                pool = _pool(workers)
                result = _alone(work, item, crashed)
                broken, waiting = waiting, deque()
                yield result
                for item, future in broken:
                    finished = future.done() and not future.cancelled() and future.exception() is None
                    yield future.result() if finished else _alone(work, item, crashed)
                continue
            yield result
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _alone(work: Callable[[Item], Result], item: Item, crashed: Callable[[Item], Result]) -> Result:
    with _pool(1) as pool:
        try:
            return pool.submit(work, item).result()
        except BrokenProcessPool:
            return crashed(item)


@contextmanager
def _unheard_by_workers() -> Iterator[None]:
    """Processes that are started within never hear Ctrl-C, which is this process's to answer; it hears it after."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_parent() -> None:
    """A worker whose parent was killed has nobody to work for."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _pool(workers: int) -> ProcessPoolExecutor:
    # a forked copy of a process with threads (numba, DuckDB) may hang
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_end_with_parent)
