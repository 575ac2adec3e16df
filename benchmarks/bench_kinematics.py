"""Kinematics and rotations beside upc-pymotion and SciPy, all in one process, one thread, interleaved, best of several.

    OMP_NUM_THREADS=1 NUMBA_NUM_THREADS=1 python benchmarks/bench_kinematics.py

Bodies of 24 joints with random rotations. The peer gets its own conventions ready made (w first, offsets of one
skeleton); ours gets the same offsets as a broadcast view.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pymotion.ops.skeleton as pymotion
from scipy.spatial.transform import Rotation

from moveset.geometry import euler, quaternion, rotation6d
from moveset.motion import kinematics
from moveset.motion.canonical import canonical_skeleton
from moveset.motion.from_positions import rotations_from_positions
from moveset.motion.kinematics import forward_kinematics, inverse_kinematics

SKELETON = canonical_skeleton()
JOINTS = len(SKELETON)
SHAPES = [(1,), (16,), (1000,), (20_000,), (100_000,), (64, 1), (1000, 1)]
"""Frames of one character; then N characters with one frame each."""


def race(seconds: float, **runners: Callable[[], object]) -> dict[str, float]:
    """Best time of each runner [s] over turns that take about `seconds` in all, at least three."""
    for run in runners.values():
        run()
    best = dict.fromkeys(runners, float("inf"))
    end = time.perf_counter() + seconds
    turns = 0
    while turns < 3 or time.perf_counter() < end:
        for name, run in runners.items():
            start = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - start)
        turns += 1
    return best


def forward(shape: tuple[int, ...], dtype: type) -> None:
    """Our forward kinematics and the peer's, which must agree."""
    rng = np.random.default_rng(0)
    rotations = quaternion.normalize(rng.normal(size=(*shape, JOINTS, 4))).astype(dtype)
    offsets = SKELETON.rest_translations.astype(dtype)
    translations = np.broadcast_to(offsets, (*shape, JOINTS, 3))
    w_first, root = np.ascontiguousarray(np.roll(rotations, 1, axis=-1)), np.zeros((*shape, 3), dtype)
    parents = SKELETON.parents
    ours = forward_kinematics(rotations, translations, parents)[1]
    theirs = pymotion.fk(w_first, root + offsets[0], offsets, parents)[0]
    assert np.abs(ours - theirs).max() < 1e-5
    del ours, theirs
    best = race(
        1.0,
        ours=lambda: forward_kinematics(rotations, translations, parents),
        peer=lambda: pymotion.fk(w_first, root, offsets, parents),
    )
    ratio = best["peer"] / best["ours"]
    label = f"{shape[0]:,} x 1" if len(shape) == 2 else f"{shape[0]:,}"
    print(
        f"| {label} | {dtype.__name__} | {best['ours'] * 1e6:,.1f} | {best['peer'] * 1e6:,.1f} | {ratio:.1f} |",
        flush=True,
    )


def others() -> None:
    """480,000 rotations at a time."""
    rng = np.random.default_rng(0)
    q = quaternion.normalize(rng.normal(size=(20_000, JOINTS, 4)))
    translations = np.broadcast_to(SKELETON.rest_translations, (*q.shape[:-1], 3))
    angles = rng.uniform(-3, 3, translations.shape)
    world = forward_kinematics(q, translations, SKELETON.parents)
    flat, flat_angles = q.reshape(-1, 4), angles.reshape(-1, 3)
    scipy = Rotation.from_quat(flat)
    matrices = quaternion.to_matrix(q)
    six = rotation6d.from_quaternion(q)
    rows: list[tuple[str, Callable[[], object], Callable[[], object] | None]] = [
        ("inverse kinematics", lambda: inverse_kinematics(*world, SKELETON.parents), None),
        (
            "Euler ZXY to quaternion",
            lambda: euler.to_quaternion(angles, "ZXY"),
            lambda: Rotation.from_euler("ZXY", flat_angles).as_quat(),
        ),
        (
            "quaternion to Euler ZXY",
            lambda: euler.from_quaternion(q, "ZXY"),
            lambda: Rotation.from_quat(flat).as_euler("ZXY"),
        ),
        ("multiply", lambda: quaternion.multiply(q, q[::-1]), lambda: scipy * scipy),
        ("rotate", lambda: quaternion.rotate(q, angles), lambda: scipy.apply(flat_angles)),
        ("to matrix", lambda: quaternion.to_matrix(q), lambda: scipy.as_matrix()),
        (
            "from matrix",
            lambda: quaternion.from_matrix(matrices),
            lambda: Rotation.from_matrix(matrices.reshape(-1, 3, 3)),
        ),
        ("6D to quaternion", lambda: rotation6d.to_quaternion(six), None),
        ("slerp", lambda: quaternion.slerp(q, q[::-1], 0.3), None),
        ("rotations from positions", lambda: rotations_from_positions(world[1], SKELETON), None),
    ]
    for name, ours, peer in rows:
        best = race(0.5, ours=ours, **({"peer": peer} if peer else {}))
        there = f"{best['peer'] * 1e3:,.1f} | {best['peer'] / best['ours']:.1f}" if peer else "- | -"
        print(f"| {name} | {best['ours'] * 1e3:,.1f} | {there} |", flush=True)


def main() -> None:
    """Print the tables of docs/bench/kinematics.md."""
    poses = SKELETON.rest_rotations, SKELETON.rest_translations, SKELETON.parents
    while kinematics._kernels is None:  # past the point where the kernels load
        forward_kinematics(*poses)
    print("| frames | precision | Moveset [us] | upc-pymotion [us] | ratio |\n|---|---|---|---|---|")
    for shape in SHAPES:
        for dtype in (np.float32, np.float64):
            forward(shape, dtype)
    print("\n| 480,000 rotations | Moveset [ms] | SciPy [ms] | ratio |\n|---|---|---|---|")
    others()


if __name__ == "__main__":
    main()
