"""FBX: a batch of 1,000 files of which three take the reader down, speed, and what becomes of odd files.

    OMP_NUM_THREADS=1 python benchmarks/bench_fbx.py

Batch: copies of FBX of the data pack, three of them made to crash the reading process, to keep it busy for ever, to
ask it for a terabyte (words at their end that a worker of this script obeys). Speed: processor time of both processes
(on Linux; the clock's elsewhere), mean of ten, in processes that are warm. With MOVESET_BLENDER=PYTHON_WITH_BPY Blender's importer reads the same files in the same run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from moveset import formats
from moveset.errors import MovesetError
from moveset.formats.fbx import process
from moveset.formats.process.reader import Reader
from moveset.formats.process.worker import SECONDS
from moveset.workflows.batch import attempt

DATA = Path(os.environ.get("MOVESET_DATA", Path(__file__).parents[2] / "shared" / "data"))
FILES = (
    "game/ozz-pab/walk.fbx",
    "game/kaykit-legacy-fbx/Single Animations/Walk.fbx",
    "game/kaykit-legacy-fbx/KayKit Animated Character_v1.2.fbx",
    "game/mesh2motion/cmu-fbx/91_54.fbx",
    "game/quaternius/fbx/Wolf.fbx",
    "game/quaternius/fbx/KnightCharacter.fbx",
)
SPOILT = {100: b";abort\n", 500: b";hang\n", 900: b";hoard\n"}
_BLENDER = """
import sys, time, bpy
for file in sys.argv[1:]:
    best = 1e9
    for _ in range(3):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        start = time.process_time()
        bpy.ops.import_scene.fbx(filepath=file)
        best = min(best, time.process_time() - start)
    print("@", best)
"""


def worker() -> None:
    """The reading process, which does what words at the end of a file say."""
    from moveset.formats.fbx.extract import read_fbx
    from moveset.formats.process.messages import Message
    from moveset.formats.process.worker import main

    def read(data: bytes) -> Message:
        if data.endswith(SPOILT[100]):
            os.abort()
        if data.endswith(SPOILT[500]):
            while True:
                pass
        if data.endswith(SPOILT[900]):
            bytearray(1 << 40)
        return read_fbx(data)

    main(lambda: read)


def batch(folder: Path) -> None:
    """1,000 copies, three of them spoilt."""
    contents = [(DATA / file).read_bytes() for file in FILES[:2] + FILES[4:5]]
    size = 0
    for i in range(1000):
        data = contents[i % len(contents)] + SPOILT.get(i, b"")
        size += len(data)
        (folder / f"{i:04d}.fbx").write_bytes(data)
    process._reader = Reader((sys.executable, __file__, "--worker"), "FBX", process.INSTALL)
    expected = [len(formats.read(folder / f"{i:04d}.fbx").clips) for i in range(len(contents))]
    start, used = time.perf_counter(), _used()
    results = [attempt(lambda file=file: formats.read(file), file) for file in formats.list_files(folder)]
    took = time.perf_counter() - start
    process._reader.close()
    used = _used() - used - SECONDS  # of the hang
    errors = [str(r).replace(str(folder), "...") for r in results if isinstance(r, MovesetError)]
    right = sum(
        not isinstance(r, MovesetError) and len(r.clips) == expected[i % len(contents)]
        for i, r in enumerate(results)
    )
    print(
        f"batch: {right} of 1000 right, {len(errors)} refused, {took:.1f} s, of which the hang {SECONDS:.0f} s"
    )
    rest = took - SECONDS
    print(
        f"  {997 / rest:.0f} files a second by the clock, {997 / used:.0f} a second of processor time, {size / 1e6:.0f} MB"
    )
    for error in errors:
        print("  " + error)


def _used() -> float:
    """Processor time of this process and of those that it started and that have ended."""
    return sum(os.times()[:4])


def busy(reader: Reader) -> float:
    """Seconds of processor time that this process and the reader's have had."""
    try:
        fields = Path(f"/proc/{reader._process.pid}/stat").read_text().rpartition(")")[2].split()  # type: ignore[union-attr]
    except (OSError, AttributeError):
        return time.perf_counter()
    return time.process_time() + (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cost(work: Callable[[], object], reader: Reader) -> float:
    """Seconds of processor time of one call."""
    work()
    start = busy(reader)
    for _ in range(10):
        work()
    return (busy(reader) - start) / 10


def speed() -> None:
    """Milliseconds a file, beside Blender."""
    files = [DATA / file for file in FILES]
    theirs = [""] * len(files)
    if blender := os.environ.get("MOVESET_BLENDER"):
        run = subprocess.run(
            [blender, "-c", _BLENDER, *map(str, files)], capture_output=True, text=True, check=True
        )
        theirs = [f"{1000 * float(line[1:]):.0f}" for line in run.stdout.splitlines() if line.startswith("@")]
    process._reader = Reader(process.COMMAND, "FBX", process.INSTALL)
    print(f"\n{'file':34s} {'MB':>5s} {'clips':>5s} {'frames':>6s} {'joints':>6s} {'ms':>6s} {'Blender':>8s}")
    for file, other in zip(files, theirs):
        asset = formats.read(file)
        took = cost(lambda file=file: formats.read(file), process._reader)
        frames = sum(len(clip) for clip in asset.clips)
        joints = len(asset.characters[0].skeleton)
        print(
            f"{file.name:34s} {file.stat().st_size / 1e6:5.2f} {len(asset.clips):5d} {frames:6d} {joints:6d} "
            f"{1000 * took:6.1f} {other:>8s}"
        )
    process._reader.close()
    start = time.perf_counter()
    Reader(process.COMMAND, "FBX", process.INSTALL).read(files[0].read_bytes())
    print(f"the first file of a process: {1000 * (time.perf_counter() - start):.0f} ms")


def odd() -> None:
    """What becomes of the odd files."""
    print()
    for folder in sorted((DATA / "odd").glob("fbx-*")):
        counts: Counter[str] = Counter()
        for file in sorted(folder.rglob("*")):
            if file.suffix.lower() == ".fbx":
                try:
                    formats.read(file)
                    counts["read"] += 1
                except MovesetError:
                    counts["refused in a sentence"] += 1
                except Exception:
                    counts["otherwise"] += 1
        print(f"{folder.name:12s}", ", ".join(f"{what} {n}" for what, n in sorted(counts.items())))


if __name__ == "__main__":
    if "--worker" in sys.argv:
        worker()
    with tempfile.TemporaryDirectory() as name:
        batch(Path(name))
    speed()
    odd()
