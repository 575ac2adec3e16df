"""Frames a second of the renderer, one thread, skinning included, beside a plain z-buffer without shading.

    OMP_NUM_THREADS=1 NUMBA_NUM_THREADS=1 python benchmarks/bench_render.py

The yardstick is the smallest rasterizer one would write with numba (flat shade, one sample, no shadow, floor,
texture or smooth light; NumPy skinning), run in turn with ours in the same process.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numba import njit

from moveset.formats import read
from moveset.motion import Character, Clip
from moveset.motion.canonical import canonical_skeleton
from moveset.render.camera import Camera
from moveset.render.framing import extent, heading, shots
from moveset.render.model import build_model
from moveset.render.picture import Canvas, Look, draw
from moveset.render.skinning import joint_matrices
from moveset.rigs.mannequin import mannequin

DATA = Path(os.environ.get("MOVESET_DATA", Path(__file__).parents[1].parent / "shared" / "data"))
SIZE = (256, 256)
ROUNDS = 7


@njit(cache=True)
def plain(screen, triangles, shade, out, depth):
    """Flat-shaded triangles into `out` (H, W), nearest wins."""
    height, width = out.shape
    depth[:] = np.inf
    out[:] = 0
    for t in range(len(triangles)):
        a, b, c = screen[triangles[t, 0]], screen[triangles[t, 1]], screen[triangles[t, 2]]
        area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
        if area == 0:
            continue
        for y in range(max(int(min(a[1], b[1], c[1])), 0), min(int(max(a[1], b[1], c[1])) + 1, height)):
            for x in range(max(int(min(a[0], b[0], c[0])), 0), min(int(max(a[0], b[0], c[0])) + 1, width)):
                u = ((b[0] - x) * (c[1] - y) - (c[0] - x) * (b[1] - y)) / area
                v = ((c[0] - x) * (a[1] - y) - (a[0] - x) * (c[1] - y)) / area
                w = 1 - u - v
                if u >= 0 and v >= 0 and w >= 0:
                    z = u * a[2] + v * b[2] + w * c[2]
                    if z < depth[y, x]:
                        depth[y, x] = z
                        out[y, x] = shade[t]


def best(run: Callable[[], None], frames: int) -> float:
    """Frames a second of one run over all frames, by processor time: other programs do not count."""
    start = time.process_time()
    run()
    return frames / (time.process_time() - start)


def measure(label: str, clip: Clip, character: Character, frames: int = 60) -> None:
    """Print the rates for one character."""
    model = build_model([character])
    at = np.arange(frames) % len(clip)
    order = [clip.skeleton.index[n] for n in character.skeleton.names]
    worlds = joint_matrices(clip, at)[:, order]
    places = extent(character).places(worlds)
    cameras = shots(
        "three-quarter", (places.min(1) + places.max(1)) / 2, places, 1, clip.fps, SIZE, heading(clip)
    )
    runs = {}
    for name, look in {
        "1 sample": Look(samples=1),
        "4 samples a pixel": Look(samples=2),
        "1 sample, transparent": Look(samples=1, background=None),
    }.items():
        canvas = Canvas(model, SIZE, look.samples)

        def ours(look: Look = look, canvas: Canvas = canvas) -> None:
            posed = joint_matrices(clip, at)[:, order]
            for world, camera in zip(posed, cameras):
                draw(model, [world], camera, look, canvas)

        runs[name] = ours
    runs["plain"] = lambda: plain_frames(model, worlds, cameras)
    rates = dict.fromkeys(runs, 0.0)
    for _ in range(ROUNDS):
        for name, run in runs.items():
            rates[name] = max(rates[name], best(run, frames))
    print(
        f"{label}: {len(model.surface.triangles):,} triangles, {len(model.positions):,} vertices, {SIZE[0]} x {SIZE[1]}"
    )
    for name, rate in rates.items():
        print(f"  {name:24} {rate:7.0f} frames/s  {rate / rates['plain']:5.2f} x plain")


def plain_frames(model, worlds: np.ndarray, cameras: Sequence[Camera]) -> None:
    """The yardstick: NumPy skinning, one light, one color."""
    shape = (SIZE[1], SIZE[0])
    out, depth = np.zeros(shape), np.zeros(shape)
    homogeneous = np.concatenate((model.positions, np.ones((len(model.positions), 1), np.float32)), axis=1)
    for world, camera in zip(worlds, cameras):
        rows = [world[s.joints] @ s.inverse_binds for s in model.skins]
        palette = np.concatenate([*rows, np.eye(3, 4)[None]])
        blended = np.einsum("vk,vkab->vab", model.weights, palette[model.joints])
        points = np.einsum("vab,vb->va", blended, homogeneous)
        matrix = camera.matrix(SIZE)
        screen = points @ matrix[:3, :3].T + matrix[:3, 3]
        screen[:, :2] /= screen[:, 2:]
        a, b, c = (points[model.surface.triangles[:, k]] for k in range(3))
        normal = np.cross(b - a, c - a)
        shade = np.abs(normal[:, 1]) / np.maximum(np.linalg.norm(normal, axis=1), 1e-12)
        plain(screen, model.surface.triangles, shade, out, depth)


def main() -> None:
    """Measure the mannequin, and KayKit's knight where the data pack is."""
    skeleton = canonical_skeleton()
    rotations = np.repeat(skeleton.rest_rotations[None], 60, axis=0)
    translations = np.repeat(skeleton.rest_translations[None], 60, axis=0)
    measure("mannequin", Clip(skeleton, rotations, translations, 30.0), mannequin(skeleton))
    knight = DATA / "game" / "kaykit-adventurers" / "Knight.glb"
    if knight.exists():
        asset = read(str(knight))
        clip = next(c for c in asset.clips if c.name == "Running_A")
        measure("Knight.glb, Running_A", clip, next(c for c in asset.characters if c.meshes))


if __name__ == "__main__":
    main()
