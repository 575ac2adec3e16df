"""glTF speed: reading a real character, writing and reading back long clips.

    python benchmarks/bench_gltf.py [DATA_PACK]

Reading is shown beside the time that `json.loads` takes for the same file: how busy the machine is changes both. Where pygltflib is installed it loads the same file, in the same process, turn by turn.
"""

from __future__ import annotations

import importlib.util
import json
import os
import struct
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from moveset import formats
from moveset.geometry import quaternion
from moveset.motion import Asset, Clip
from moveset.motion.canonical import canonical_skeleton

DATA = Path(os.environ.get("MOVESET_DATA", Path(__file__).parents[1].parent / "shared" / "data"))
KNIGHT = "game/kaykit-adventurers/Knight.glb"


def best(*functions: Callable[[], object], rounds: int = 15) -> list[float]:
    """Shortest processor time of each function [s], called turn by turn; other work on the machine does not count."""
    shortest = [float("inf")] * len(functions)
    for _ in range(rounds):
        for i, function in enumerate(functions):
            start = time.process_time()
            function()
            shortest[i] = min(shortest[i], time.process_time() - start)
    return shortest


def reading(pack: Path) -> None:
    path = pack / KNIGHT
    data = path.read_bytes()
    (length,) = struct.unpack_from("<I", data, 12)
    text = data[20 : 20 + length]
    asset = formats.read(path)
    ours, floor = best(lambda: formats.read(path), lambda: json.loads(text))
    frames = sum(map(len, asset.clips))
    print(f"{path.name}: {len(asset.clips)} clips, {frames} frames, {len(data) / 1e6:.1f} MB")
    print(f"  formats.read        {ours * 1e3:8.1f} ms   {frames / ours:10.0f} frames/s")
    print(f"  json.loads alone    {floor * 1e3:8.1f} ms   ratio {ours / floor:.2f}")
    if importlib.util.find_spec("pygltflib"):
        import pygltflib  # type: ignore[import-not-found]

        (peer,) = best(lambda: pygltflib.GLTF2().load(str(path)), rounds=1)
        print(f"  pygltflib, no arrays{peer * 1e3:8.1f} ms   ratio {peer / ours:.1f}")
    files = [
        p for p in sorted((pack / "game").rglob("*")) if p.suffix in formats.FORMATS and p.suffix != ".bvh"
    ]
    (seconds,) = best(lambda: [formats.read(p) for p in files], rounds=2)
    size = sum(p.stat().st_size for p in files) / 1e6
    print(f"all {len(files)} glTF files of the pack: {seconds:.2f} s, {size / seconds:.0f} MB/s")


def long_clip(frames: int) -> Clip:
    skeleton, rng = canonical_skeleton(), np.random.default_rng(0)
    turns = np.cumsum(rng.normal(size=(frames, len(skeleton), 3)) * 0.02, axis=0)
    places = np.tile(skeleton.rest_translations, (frames, 1, 1))
    places[:, 0] += np.cumsum(rng.normal(size=(frames, 3)) * 0.01, axis=0)
    return Clip(skeleton, quaternion.from_rotation_vector(turns), places, 30.0, "long")


def writing(pack: Path, folder: Path, frames: int = 20_000) -> None:
    clip = long_clip(frames)
    target = folder / "long.glb"
    write, read = best(
        lambda: formats.write(Asset(clips=(clip,)), target), lambda: formats.read(target), rounds=7
    )
    print(f"{frames} frames x {len(clip.skeleton)} joints, {target.stat().st_size / 1e6:.1f} MB")
    print(f"  build and write     {write * 1e3:8.1f} ms   {frames / write:10.0f} frames/s")
    print(f"  read back           {read * 1e3:8.1f} ms   {frames / read:10.0f} frames/s")
    if not (pack / KNIGHT).exists():
        return
    knight = formats.read(pack / KNIGHT)
    count = sum(map(len, knight.clips))
    patched = folder / "patched.glb"
    again, built = best(
        lambda: formats.write(knight, patched),
        lambda: formats.write(replace(knight, source=None), folder / "built.glb"),
        rounds=5,
    )
    print(f"{KNIGHT.rpartition('/')[2]}, 76 clips")
    print(f"  patch and write     {again * 1e3:8.1f} ms   {count / again:10.0f} frames/s")
    print(f"  build and write     {built * 1e3:8.1f} ms   {count / built:10.0f} frames/s")


if __name__ == "__main__":
    pack = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA
    if (pack / KNIGHT).exists():
        reading(pack)
    with tempfile.TemporaryDirectory() as folder:
        writing(pack, Path(folder))
