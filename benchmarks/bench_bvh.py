"""BVH reading and writing beside pybvh: frames a second and ratios, all in one process, best of several.

    OMP_NUM_THREADS=1 python benchmarks/bench_bvh.py

The file: 24 joints, 75 channels, ZXY, six decimals, 20,000 frames at 60 fps (about 15 MB), computed here.
"""

from __future__ import annotations

import io
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pybvh

from moveset import formats
from moveset.formats import bvh
from moveset.formats.bvh.text import number_block

PARENTS = (-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19, 20, 21)
"""A tree of 24 joints like SMPL's."""


def make_file(path: Path, frames: int) -> None:
    """A file of smooth random motion."""
    rng = np.random.default_rng(0)
    children: dict[int, list[int]] = {}
    for j, p in enumerate(PARENTS):
        children.setdefault(p, []).append(j)
    lines = ["HIERARCHY"]

    def block(j: int, depth: int) -> None:
        pad = "\t" * depth
        lines.extend((f"{pad}{'ROOT' if j == 0 else 'JOINT'} joint{j}", pad + "{"))
        lines.append(pad + "\tOFFSET " + " ".join(f"{x:.6f}" for x in rng.normal(0, 10, 3)))
        positions = "Xposition Yposition Zposition " if j == 0 else ""
        lines.append(f"{pad}\tCHANNELS {6 if j == 0 else 3} {positions}Zrotation Xrotation Yrotation")
        for child in children.get(j, ()):
            block(child, depth + 1)
        if j not in children:
            lines.extend(
                (pad + "\tEnd Site", pad + "\t{", pad + "\t\tOFFSET 0.000000 5.000000 0.000000", pad + "\t}")
            )
        lines.append(pad + "}")

    block(0, 0)
    times = np.arange(frames)[:, None] / 60
    phases, rates = rng.uniform(0, 2 * np.pi, 75), rng.uniform(0.2, 2, 75)
    values = rng.uniform(10, 60, 75) * np.sin(rates * times + phases)
    rows = io.StringIO()
    np.savetxt(rows, values, fmt="%.6f")
    lines.extend(("MOTION", f"Frames: {frames}", "Frame Time: 0.016667"))
    path.write_text("\n".join(lines) + "\n" + rows.getvalue(), encoding="utf-8")


def race(runners: dict[str, Callable[[], object]], rounds: int = 7) -> dict[str, float]:
    """Best seconds of each, taking turns so that a busy moment hits all alike."""
    best = dict.fromkeys(runners, float("inf"))
    for _ in range(rounds):
        for name, run in runners.items():
            start = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def report(title: str, seconds: dict[str, float], frames: int, peer: str) -> None:
    """A table row a runner."""
    print(f"\n{title}")
    for name, took in seconds.items():
        ratio = seconds[peer] / took
        print(f"  {name:<44} {took * 1e3:8.1f} ms {frames / took:12,.0f} frames/s  {ratio:5.2f} x {peer}")


def main(frames: int = 20_000) -> None:
    """Run the races."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder, "motion.bvh"), Path(folder, "out.bvh")
        make_file(path, frames)
        print(f"{frames} frames, 75 channels, {path.stat().st_size / 1e6:.1f} MB")
        asset, theirs = formats.read(path), pybvh.read_bvh_file(path, world_up="+y")
        touched = replace(asset, clips=(replace(asset.clips[0], rotations=asset.clips[0].rotations.copy()),))
        values = asset.source.document.values
        report(
            "read",
            race(
                {
                    "pybvh": lambda: pybvh.read_bvh_file(path, world_up="+y"),
                    "moveset, numbers only (bvh.parse)": lambda: bvh.parse(path.read_bytes()),
                    "moveset, to quaternions (formats.read)": lambda: formats.read(path),
                    "moveset, to quaternions, unit and up given": lambda: formats.read(
                        path, unit="cm", up="Y"
                    ),
                }
            ),
            frames,
            "pybvh",
        )
        report(
            "write",
            race(
                {
                    "pybvh": lambda: pybvh.write_bvh_file(theirs, out),
                    "moveset, untouched clip": lambda: formats.write(asset, out),
                    "moveset, from quaternions": lambda: formats.write(touched, out),
                    "moveset, numbers only": lambda: out.write_bytes(number_block(values, 6)),
                }
            ),
            frames,
            "pybvh",
        )


if __name__ == "__main__":
    main()
