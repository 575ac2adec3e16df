"""BVH: speed beside pybvh in one process, round trips and odd files of the data pack.

    OMP_NUM_THREADS=1 python benchmarks/bench_bvh.py

Speed: a file of 24 joints, 75 channels, ZXY, six decimals, 20,000 frames at 60 fps (15 MB), computed here; and 40
captured files of about 250 kB. pybvh keeps Euler angles in radians; a Clip holds quaternions in metres, Y up, so
reading is timed with and without that work.
"""

from __future__ import annotations

import io
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pybvh

from moveset import formats
from moveset.errors import MovesetError
from moveset.formats import bvh, locations
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


def small_files(files: list[str]) -> None:
    """Many files of a few seconds each, from disk."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"{k}.bvh") for k in range(len(files))]
        for path, file in zip(paths, files, strict=True):
            path.write_bytes(locations.read_bytes(locations.locate(file)))
        frames = sum(len(bvh.parse(path.read_bytes()).values) for path in paths)
        runners = {
            "pybvh": lambda: [pybvh.read_bvh_file(path, world_up="+y") for path in paths],
            "moveset, numbers only (bvh.parse)": lambda: [bvh.parse(path.read_bytes()) for path in paths],
            "moveset, to quaternions (formats.read)": lambda: [formats.read(path) for path in paths],
        }
        report(f"read {len(paths)} small files", race(runners), frames, "pybvh")


def round_trips(pack: Path) -> None:
    """World joint positions before and after a trip from quaternions through BVH text, every clip."""
    print("\nround trips (largest distance of any joint in any frame)")
    for archive in sorted((pack / "mocap").rglob("*.zip")):
        files = [f for f in _listed(archive) if f.endswith(".bvh")]
        worst = frames = 0
        for file in files:
            asset = formats.read(file)
            clip = asset.clips[0]
            foreign = replace(asset, clips=(replace(clip, rotations=clip.rotations.copy()),), source=None)
            again = bvh.read(bvh.write(foreign, path=file), path=file, unit="cm", up="Y").clips[0]
            worst = max(worst, np.abs(again.world_positions - clip.world_positions).max(initial=0))
            frames += len(clip)
        if files:
            print(f"  {archive.stem:<28} {len(files):5d} clips {frames:8,d} frames  {worst * 1000:.6f} mm")


def odd_files(pack: Path) -> None:
    """What becomes of the pack's odd BVH files."""
    print("\nodd files")
    for folder in ("bvh", "bvh-synthetic"):
        outcomes: Counter[str] = Counter()
        for file in formats.list_files(pack / "odd" / folder):
            try:
                found = {f.check for f in formats.read(file).findings} - {"unit_guess", "up_axis_guess"}
                outcomes["read, with a finding" if found else "read"] += 1
            except MovesetError as error:
                outcomes[
                    "refused with its line" if (error.where or "").startswith("line") else "refused"
                ] += 1
        print(f"  odd/{folder:<16} " + ", ".join(f"{count} {what}" for what, count in outcomes.most_common()))


def _listed(archive: Path) -> list[str]:
    try:
        return formats.list_files(archive)
    except MovesetError:
        return []


def main(frames: int = 20_000) -> None:
    """Run the races, then the pack if it is there."""
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
    pack = Path(os.environ.get("MOVESET_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if pack.exists():
        small_files(_listed(pack / "mocap" / "cmu" / "cmu-asfamc-30fps.zip")[:40])
        odd_files(pack)
        round_trips(pack)


if __name__ == "__main__":
    main()
