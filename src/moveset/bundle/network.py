"""Networks that run: ONNX Runtime behind one call."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from moveset.errors import MovesetError
from moveset.geometry.quaternion import Array

_BOUND = 64
"""Rows up to which a network keeps arrays for its calls; beyond, what a call costs by itself does not matter."""


@dataclass(frozen=True)
class Port:
    """An input or output of a network."""

    name: str
    shape: tuple[str | int, ...]
    """Numbers, and letters for what a call may choose: "N" characters."""


class Network:
    """A network that runs: `network(context=..., offsets=...)` gives a tuple of float32 arrays."""

    def __init__(self, model: bytes, name: str = "network", threads: int = 1) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3  # its warnings, of initializers nobody uses, are no user's business
        try:
            self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise MovesetError(f"{name} is no network that runs: {told(error)}") from None
        self.name, self.threads = name, threads
        self.kilobytes = len(model) / 1000
        self.inputs, self.outputs = (
            tuple(Port(port.name, tuple(port.shape)) for port in ports)
            for ports in (self._session.get_inputs(), self._session.get_outputs())
        )
        self._asked = [port.name for port in self.outputs]
        self._bound: dict[int, _Bound] = {}
        self._lock = threading.Lock()

    @cached_property
    def metadata(self) -> Mapping[str, str]:
        """What its maker wrote into the file."""
        return dict(self._session.get_modelmeta().custom_metadata_map)

    def __call__(self, **inputs: Array) -> tuple[Array, ...]:
        """Its outputs in their order for inputs by name. Any number of threads may call."""
        batch = len(next(iter(inputs.values()), ()))
        bound = self._bound.get(batch)
        if bound is not None and self._lock.acquire(blocking=False):
            try:
                found = bound.run(inputs)
            finally:
                self._lock.release()
            if found is not None:
                return found
        given = {name: np.asarray(array, np.float32) for name, array in inputs.items()}
        try:
            made: tuple[Any, ...] = tuple(self._session.run(self._asked, given))
        except Exception as error:
            shapes = ", ".join(f"{port.name} {_shape(port.shape)}" for port in self.inputs)
            got = ", ".join(f"{name} {_shape(array.shape)}" for name, array in given.items())
            raise MovesetError(f"{self.name} takes {shapes}; it was given {got}: {told(error)}") from None
        if 0 < batch <= _BOUND:
            self._bound.setdefault(batch, _Bound(self._session, given, dict(zip(self._asked, made))))
        return made

    def microseconds(self, batch: int = 1, calls: int = 200) -> float:
        """Median time [us] of a call with `batch` rows.

        On one thread it is the thread's own time, so that other work on the machine does not count.
        """
        clock = time.thread_time_ns if self.threads == 1 else time.perf_counter_ns
        rng = np.random.default_rng(0)
        inputs = {
            port.name: rng.normal(size=[n if isinstance(n, int) else batch for n in port.shape]).astype("f4")
            for port in self.inputs
        }
        spent = np.empty(calls)
        for k in range(-(calls // 10), calls):
            began = clock()
            self(**inputs)
            spent[k] = clock() - began  # the first ones, k < 0, are overwritten
        return float(np.median(spent)) / 1000


class _Bound:
    """Arrays of one batch size that a session reads and writes: a small call costs an eighth less than a plain `run`."""

    def __init__(self, session: Any, inputs: Mapping[str, Array], outputs: Mapping[str, Array]) -> None:
        self._session, self._binding = session, session.io_binding()
        self._inputs = {name: array.copy(order="C") for name, array in inputs.items()}
        made = {name: np.empty_like(array) for name, array in outputs.items()}
        self._outputs = list(made.values())
        for bind, arrays in ((self._binding.bind_input, self._inputs), (self._binding.bind_output, made)):
            for name, array in arrays.items():
                bind(name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)

    def run(self, inputs: Mapping[str, Array]) -> tuple[Array, ...] | None:
        """Copies of the outputs; None if the inputs are others than those it was made for."""
        if len(inputs) != len(self._inputs):
            return None
        for name, array in inputs.items():
            buffer = self._inputs.get(name)
            if buffer is None or np.shape(array) != buffer.shape:
                return None
            buffer[...] = array
        self._session.run_with_iobinding(self._binding)
        return tuple([array.copy() for array in self._outputs])


def _shape(shape: Sequence[str | int]) -> str:
    return f"({', '.join(map(str, shape))})"


def told(error: Exception) -> str:
    """An error of a library in one line."""
    return " ".join(str(error).split())[:200]
