"""Is this machine fit for Moveset? Every engine and device that is found computes something whose result is known.

A library that imports, or a device that is listed, proves nothing: memory is allocated and a real operation run.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import numpy as np

from moveset import __version__
from moveset.library.schema import sql_types
from moveset.library.tables import read_columns, write_columns

OK, MISSING, BROKEN = "ok", "missing", "broken"

REQUIRED = {
    "duckdb": "build, query, play",
    "numba": "render, play, convert",
    "onnxruntime": "play and evaluate with trained networks",
    "pillow": "render, audit --html, build with thumbnails, textures of GLB files",
}
"""Commands that a package of the base install is for; those that are not named are for all."""

OPTIONAL = {
    "torch": "training",
    "safetensors": "training on from a bundle's weights",
    "onnx": "writing trained networks",
    "ufbx": "reading FBX files",
}
"""Packages that some command may use, and for what."""

_SIZE = 256
_LEAST_DISK = 1 << 30


@dataclass(frozen=True)
class Outcome:
    """One thing that was looked at."""

    topic: str
    """packages, compute, files or machine."""
    name: str
    state: str
    """ok; missing: absent, and nothing that was asked of Moveset needs it; broken."""
    said: str
    do: str = ""


def examine_machine() -> Iterator[Outcome]:
    """Everything that is looked at, one by one."""
    yield from _packages()
    yield from _compute()
    yield from _files()
    yield from _machine()


def is_fit(outcomes: list[Outcome]) -> bool:
    """Whether nothing is broken."""
    return all(outcome.state != BROKEN for outcome in outcomes)


def _packages() -> Iterator[Outcome]:
    system = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    yield Outcome("packages", "python", OK, system)
    yield Outcome("packages", "moveset", OK, __version__)
    for name in _required():
        try:
            yield Outcome("packages", name, OK, version(name))
        except PackageNotFoundError:
            said = f"not installed; needed by {REQUIRED.get(name, 'every command')}"
            yield Outcome("packages", name, BROKEN, said, f"pip install {name}")
    for name, purpose in OPTIONAL.items():
        try:
            yield Outcome("packages", name, OK, f"{version(name)}, for {purpose}")
        except PackageNotFoundError:
            extra = _extra_with(name)
            do = f"pip install 'moveset[{extra}]'" if extra else ""
            said = f"not installed; for {purpose}" + (
                "" if extra else ", which no command of this version does"
            )
            yield Outcome("packages", name, MISSING, said, do)


def _required() -> list[str]:
    """Names of the packages that the base install asks for."""
    return [_name(line) for line in requires("moveset") or () if "extra ==" not in line]


def _extra_with(package: str) -> str:
    """The extra of Moveset that brings a package to its users."""
    extras = (
        line.rpartition("extra ==")[2].strip().strip("'\"")
        for line in requires("moveset") or ()
        if _name(line) == package and "extra ==" in line
    )
    return next((extra for extra in extras if extra != "dev"), "")


def _name(requirement: str) -> str:
    return next(
        part for part in requirement.replace(">", " ").replace("=", " ").replace("<", " ").split(" ") if part
    )


def _compute() -> Iterator[Outcome]:
    yield _run("compute", "numpy", _with_numpy)
    yield _run("compute", "numba", _with_numba)
    yield _run("compute", "duckdb", _with_duckdb)
    yield _run("compute", "pillow", _with_pillow)
    if importlib.util.find_spec("onnxruntime"):
        yield _run("compute", "onnxruntime", _with_onnxruntime)
    if importlib.util.find_spec("torch"):
        try:
            devices = _torch_devices()
        except Exception as error:
            yield Outcome(
                "compute", "torch", BROKEN, f"{type(error).__name__}: {error}", "install torch again"
            )
            return
        for device in devices:
            yield _run("compute", f"torch {device}", lambda device=device: _with_torch(device))


def _run(topic: str, name: str, work: Callable[[], str]) -> Outcome:
    """What `work` says and how long it took; whatever it raises is an outcome."""
    began = time.perf_counter()
    try:
        said = work()
    except Exception as error:
        message = " ".join(str(error).split())[:200]
        advice = (
            "free memory on it, or leave it out"
            if "memory" in message.lower()
            else f"install {name.split()[0]} again"
        )
        return Outcome(topic, name, BROKEN, f"{type(error).__name__}: {message}", advice)
    return Outcome(topic, name, OK, f"{said}, {time.perf_counter() - began:.2f} s")


def _factors() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two matrices of small whole numbers and their product, exact in float32 whatever the order of summation."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(-8, 9, (2, _SIZE, _SIZE))
    return a.astype(np.float32), b.astype(np.float32), (a @ b).astype(np.float32)


def _agree(found: np.ndarray) -> None:
    if not np.array_equal(found, _factors()[2]):
        off = np.abs(found - _factors()[2]).max()
        raise ArithmeticError(f"the product of two matrices is wrong by {off:g}")


def _with_numpy() -> str:
    a, b, _ = _factors()
    _agree(a @ b)
    return "float32 product exact"


def _with_numba() -> str:
    import numba

    @numba.njit
    def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        out = np.zeros((a.shape[0], b.shape[1]), dtype=a.dtype)
        for i in range(a.shape[0]):
            for k in range(a.shape[1]):
                for j in range(b.shape[1]):
                    out[i, j] += a[i, k] * b[k, j]
        return out

    a, b, _ = _factors()
    _agree(multiply(a, b))
    return f"a kernel compiled and run, {numba.get_num_threads()} threads"


def _with_duckdb() -> str:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "frames.parquet"
        speeds = np.linspace(0, 1, 1000, dtype=np.float32)
        columns: dict[str, np.ndarray | None] = dict.fromkeys(sql_types("frames"))
        columns |= {"clip": np.array(["a"] * 1000, dtype=object), "frame": np.arange(1000), "speed": speeds}
        write_columns(file, "frames", columns)
        if not np.array_equal(read_columns(file)["speed"], speeds):
            raise ArithmeticError("a Parquet file comes back with other numbers")
    return "a Parquet file written and read"


def _with_pillow() -> str:
    import io

    from PIL import Image

    pixels = np.random.default_rng(0).integers(0, 256, (32, 32, 4), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    if not np.array_equal(np.asarray(Image.open(file)), pixels):
        raise ArithmeticError("a PNG comes back with other pixels")
    return "a PNG written and read"


def _with_onnxruntime() -> str:
    import onnxruntime  # pyright: ignore[reportMissingImports]

    a, b, _ = _factors()
    session = onnxruntime.InferenceSession(_matmul_model(), providers=["CPUExecutionProvider"])
    _agree(np.asarray(session.run(None, {"a": a, "b": b})[0]))
    others = [
        p.removesuffix("ExecutionProvider") for p in onnxruntime.get_available_providers() if p[:3] != "CPU"
    ]
    return "a network run on the CPU" + (f"; also listed: {', '.join(others)}" if others else "")


def _torch_devices() -> list[str]:
    import torch  # pyright: ignore[reportMissingImports]

    devices = ["cpu"]
    if torch.cuda.is_available():
        devices += [f"cuda:{i}" for i in range(torch.cuda.device_count())]
    if torch.backends.mps.is_available():
        devices.append("mps")
    return devices


def _with_torch(device: str) -> str:
    import torch  # pyright: ignore[reportMissingImports]

    a, b, _ = _factors()
    _agree((torch.from_numpy(a).to(device) @ torch.from_numpy(b).to(device)).cpu().numpy())
    # a step of training, too: forward, backward, and memory for it
    weights = torch.from_numpy(b).to(device).requires_grad_()
    (torch.from_numpy(a).to(device) @ weights).sum().backward()
    gradient = weights.grad
    if gradient is None or not np.array_equal(gradient.cpu().numpy()[:, 0], a.sum(axis=0)):
        raise ArithmeticError("the gradient of a product is wrong")
    if device.startswith("cuda"):
        free, total = torch.cuda.mem_get_info(device)
        return f"{torch.cuda.get_device_name(device)}, {free / 2**30:.1f} of {total / 2**30:.1f} GiB free"
    return (
        f"product and gradient exact, {torch.get_num_threads()} threads"
        if device == "cpu"
        else "gradient exact"
    )


def _files() -> Iterator[Outcome]:
    yield _run("files", "temporary folder", lambda: _write_and_rename(None))
    yield _run("files", "this folder", lambda: _write_and_rename(Path.cwd()))
    for name, place in (("disk, temporary", Path(tempfile.gettempdir())), ("disk, here", Path.cwd())):
        free = shutil.disk_usage(place).free
        state = OK if free > _LEAST_DISK else BROKEN
        yield Outcome(
            "files", name, state, f"{free / 2**30:.1f} GiB free", "" if state == OK else "make room"
        )


def _write_and_rename(place: Path | None) -> str:
    """What building a library does: write a folder beside the target, exchange it by renaming."""
    with tempfile.TemporaryDirectory(dir=place, prefix=".moveset-doctor-") as base:
        partial, target = Path(base) / "partial", Path(base) / "target"
        partial.mkdir()
        (partial / "file").write_bytes(b"moveset")
        partial.rename(target)
        if (target / "file").read_bytes() != b"moveset":
            raise OSError("a file that was written and renamed reads differently")
    return "written, renamed, read"


def _machine() -> Iterator[Outcome]:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    yield Outcome("machine", "cores", OK, f"{usable} of {os.cpu_count()} usable")
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
        state = OK if memory > 2 else BROKEN
        yield Outcome(
            "machine", "memory", state, f"{memory:.1f} GiB", "" if state == OK else "2 GiB are needed"
        )
    limits = {
        name: os.environ[name] for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS") if name in os.environ
    }
    said = ", ".join(f"{name}={value}" for name, value in limits.items()) or "none set"
    yield Outcome("machine", "thread limits", OK, said)


def _matmul_model() -> bytes:
    """c = a @ b as an ONNX file, written by hand: the `onnx` package is not needed for three messages."""

    def text(number: int, value: bytes) -> bytes:
        return bytes(((number << 3) | 2, len(value))) + value

    def whole(number: int, value: int) -> bytes:
        return bytes((number << 3, value))

    def tensor(name: bytes) -> bytes:  # ValueInfoProto of a float matrix of any size
        shape = text(1, text(2, b"m")) + text(1, text(2, b"n"))
        return text(1, name) + text(2, text(1, whole(1, 1) + text(2, shape)))

    node = text(1, b"a") + text(1, b"b") + text(2, b"c") + text(4, b"MatMul")
    graph = (
        text(1, node)
        + text(2, b"g")
        + text(11, tensor(b"a"))
        + text(11, tensor(b"b"))
        + text(12, tensor(b"c"))
    )
    return whole(1, 8) + text(7, graph) + text(8, whole(2, 13))
