"""Our side of the reader's process: one is kept at hand, ended when a file is too much for it, started again."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

import numpy as np

import moveset
from moveset.errors import MovesetError
from moveset.formats.process.messages import Garbled, Message, receive, send

SECONDS = 60.0
"""By the clock that a file may take, beside `SECONDS_A_BYTE` for each of its bytes: the process itself ends before,
counting processor time (worker.py), where the system can do that.
"""
SECONDS_A_BYTE = 1e-5
_DAMAGED = "it is probably damaged; open it in Blender or Maya and export it again"
STARTING = 60.0
"""Seconds that a process may take to start."""


class Reader:
    """Reads files one after another; any thread may ask."""

    def __init__(self, command: tuple[str, ...], what: str, install: str) -> None:
        self._command, self._what, self._install = command, what, install
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._served = 0
        self._lock = threading.Lock()

    def read(self, data: bytes) -> Message:
        """What the file holds, as plain numbers."""
        with self._lock:
            if self._owner != os.getpid():  # a forked copy must not talk to its parent's process
                self._process = None
            worn = self._process is not None and self._served > 0
            try:
                return self._ask(data)
            except _Crashed as crash:
                if not worn:
                    raise crash.error(self._what) from None
            try:  # an earlier file may be to blame
                return self._ask(data)
            except _Crashed as crash:
                raise crash.error(self._what) from None

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):
                stream.close()  # type: ignore[union-attr]

    def _ask(self, data: bytes) -> Message:
        process = self._started()
        allowed = SECONDS + SECONDS_A_BYTE * len(data)
        header, arrays = self._exchange(process, allowed, np.frombuffer(data, np.uint8))
        self._served += 1
        if header.get("last"):
            self.close()
        error = header.get("error")
        if not error:
            return header, arrays
        if error.get("memory"):
            raise MovesetError(
                f"asks for far more memory than its {len(data):,} bytes can mean",
                do="it is damaged; export it again",
            )
        raise MovesetError(error["message"], where=error["where"], do=error["do"])

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None:
            return self._process
        package = str(Path(moveset.__file__).parents[1])
        paths = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
        process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )
        self._process, self._owner, self._served = process, os.getpid(), 0
        try:
            header, _ = self._exchange(process, STARTING, None)
        except _Crashed:
            raise MovesetError(
                f"the process that reads {self._what} files does not start", do="run `moveset doctor`"
            ) from None
        if not header["ready"]:
            self.close()
            raise MovesetError(
                f"reading {self._what} files needs {header['missing']}, which is not installed",
                do=self._install,
            )
        return process

    def _exchange(self, process: subprocess.Popen[bytes], seconds: float, data: np.ndarray | None) -> Message:
        """Send `data` (nothing: only listen) and wait for the answer; no answer in time is the process's end."""
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(seconds, end)
        timer.daemon = True
        timer.start()
        try:
            assert process.stdin is not None and process.stdout is not None
            if data is not None:
                send(process.stdin, {}, {"file": data})
            return receive(process.stdout)
        except (Garbled, OSError):
            self.close()
            raise _Crashed(process.returncode, seconds if late.is_set() else None) from None
        except BaseException:  # Ctrl-C in between: the next answer would be to the wrong question
            self.close()
            raise
        finally:
            timer.cancel()


class _Crashed(Exception):
    """The process ended without an answer."""

    def __init__(self, code: int | None, seconds: float | None) -> None:
        super().__init__()
        self.code, self.seconds = code, seconds

    def error(self, kind: str) -> MovesetError:
        if self.seconds is not None:
            what = f"takes longer than {self.seconds:.0f} s to read"
        else:
            if self.code == -getattr(signal, "SIGXCPU", 0):
                return MovesetError("takes too long to read", do=_DAMAGED)
            cause = f"exit code {self.code}"
            if self.code and self.code < 0:
                with suppress(ValueError):
                    cause = signal.Signals(-self.code).name
            what = f"crashes the {kind} reader ({cause})"
        return MovesetError(what, do=_DAMAGED)
