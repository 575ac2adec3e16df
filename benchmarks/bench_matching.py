"""Motion matching: the cost of a search and of a character-frame, and how well it follows, on two libraries.

    python benchmarks/bench_matching.py [--seconds 60] [--speed] [--only synthetic|bandai]

Run it with OMP_NUM_THREADS=1.

Bandai-Namco clips come from the data pack (MOVESET_DATA, default ../shared/data); without it that part is left
out. Every ratio is to a peer in the same process, interleaved, best of several.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from moveset.motion import Clip, measure
from moveset.motion.mirror import find_symmetry, mirror
from moveset.runtime.course import follow
from moveset.runtime.crowd import Crowd, CrowdConfig
from moveset.runtime.evaluation.measures import measure_motion, measure_path
from moveset.runtime.evaluation.reference import Reference, reference
from moveset.runtime.evaluation.trials import run_trials, velocity_trial
from moveset.runtime.matching import MotionMatching
from moveset.runtime.path import PathFollower, circle, eight, line, square
from moveset.runtime.search import build_tree
from moveset.synthetic.corpus import corpus
from moveset.workflows.load import load
from moveset.workflows.locomotion import is_locomotion, one_body, widened

DATA = Path(os.environ.get("MOVESET_DATA", Path(__file__).parents[2] / "shared" / "data"))
BANDAI = DATA / "mocap" / "bandai-namco"
COURSES = {
    "walk": (1.2, (line(), circle(2), eight(2), square(4))),
    "run": (2.5, (line(), circle(2), eight(2), circle(6))),
}


def synthetic() -> tuple[list[Clip], list[Clip]]:
    """Plain locomotion of the synthetic corpus; nothing is held out but every eighth clip's distances."""
    clips = [clip for clip in corpus() if is_locomotion(clip.name, clip.tags.words)]
    return clips, clips[::8]


def bandai() -> tuple[list[Clip], list[Clip]]:
    """Set 2: walk, run, walk-turns of the normal and masculine styles; set 1: dash. Held out by the pack's split."""
    clips, held_out = [], []
    for archive in ("bandai-namco-2-subset", "bandai-namco-1"):
        with open(BANDAI / f"{archive}.csv", newline="", encoding="utf-8") as table:
            for row in csv.DictReader(table):
                wanted = (
                    row["content"] in ("walk", "run", "walk-turn-left", "walk-turn-right")
                    and row["style"] in ("normal", "masculine")
                    if archive.endswith("subset")
                    else row["content"] == "dash" and row["style"] == "normal"
                )
                if wanted:
                    (clips if row["split"] == "train" else held_out).append(
                        load(f"{BANDAI / archive}.zip/{row['clip']}").clips[0]
                    )
    return one_body(clips)[0], one_body(held_out)[0]


def best(*functions: Callable[[], object], rounds: int = 7) -> list[float]:
    """Seconds of processor time of each, interleaved, best of several: waiting for a busy machine does not count."""
    times = [np.inf] * len(functions)
    for _ in range(rounds):
        for k, function in enumerate(functions):
            began = time.thread_time()
            function()
            times[k] = min(times[k], time.thread_time() - began)
    return times


def search(matching: MotionMatching, rows: int = 100_000) -> None:
    """One query over `rows` rows, against two ways in NumPy; queries mix the pose of one row with another's path."""
    database = matching.database
    vectors = matching.scaled[database.searchable]
    vectors = np.ascontiguousarray(np.tile(vectors, (-(-rows // len(vectors)), 1))[:rows])
    tree = build_tree(vectors)
    rng = np.random.default_rng(0)
    queries = vectors[rng.integers(0, rows, 64)].copy()
    path = matching.layout.slices["path_positions"].start
    queries[:, path:] = vectors[rng.integers(0, rows, 64)][:, path:]
    norms = np.einsum("rd,rd->r", vectors, vectors)
    ours, gemv, naive = best(
        lambda: tree.nearest(queries),
        lambda: [np.argmin(norms - 2 * (vectors @ query)) for query in queries[:16]],
        lambda: [np.argmin(((vectors - query) ** 2).sum(axis=1)) for query in queries[:4]],
    )
    ours, gemv, naive = ours / 64, gemv / 16, naive / 4
    print(
        f"search {rows} x {vectors.shape[1]}: {1e3 * ours:.3f} ms exact; GEMV with stored norms {1e3 * gemv:.3f} ms "
        f"({gemv / ours:.1f} x), naive NumPy {1e3 * naive:.3f} ms ({naive / ours:.0f} x)"
    )


def cost(matching: MotionMatching) -> None:
    """Microseconds a character and frame, controls and foot lock included."""
    for count, frames in ((1, 60), (64, 30), (512, 12)):
        follower = PathFollower(circle(2), 1.2, np.arange(count) * 0.2)
        crowd = Crowd(matching, count)
        crowd.place(*follower.place())
        clock = iter(range(10**6))

        def some(crowd: Crowd = crowd, follower: PathFollower = follower, frames: int = frames) -> None:
            for _ in range(frames):
                crowd.control(follower.control(next(clock) / 30, matching.times))  # noqa: B023
                crowd.step(1 / 30)

        (took,) = best(some, rounds=12)
        print(f"cost of {count:3d}: {1e6 * took / frames / count:6.1f} us a character-frame")


def course(matching: MotionMatching, real: dict[str, Reference], seconds: float) -> None:
    """The table."""
    columns = "path_distance path_distance_p95 path_error heading_error foot_skate planted_speed jerk_ratio pose_ratio"
    print("\n| gait, foot lock | err m | p95 m | lag m | head deg | skate cm/s | plant cm/s | jerk | pose |")
    print("|---|---|---|---|---|---|---|---|---|")
    for gait, (speed, paths) in COURSES.items():
        own = real[gait]
        print(
            f"| {gait}: clips | - | - | - | - | {100 * own.foot_skate:.1f} | {100 * own.planted_speed:.1f} | 1 | 1 |"
        )
        for name, config in (
            ("no", CrowdConfig(foot_lock=False)),
            ("yes", CrowdConfig()),
            ("yes, nudge 0.1", CrowdConfig(nudge=0.1)),
        ):
            rows = []
            for path in paths:
                run, follower = follow(matching, path, speed, seconds, 1, 0, config)
                figures = measure_path(run, follower, matching.fps) | measure_motion(run.clips, own)
                rows.append([figures[c] for c in columns.split()])
            units = np.array([1, 1, 1, np.degrees(1), 100, 100, 1, 1])
            cells = np.mean(rows, axis=0) * units
            shown = (
                [f"{v:.3f}" for v in cells[:3]]
                + [f"{v:.1f}" for v in cells[3:6]]
                + [f"{v:.2f}" for v in cells[6:]]
            )
            print(f"| {gait}: {name} | " + " | ".join(shown) + " |", flush=True)
    by_course(matching, seconds)
    print("\n| asked speeds m/s | velocity error m/s | 90 % after s | reached |\n|---|---|---|---|")
    for speeds in ((0.85, 1.45), (2.2, 3.0), (0.9, 2.8)):
        trial = velocity_trial("", speeds)
        figures = trial.judge(run_trials(matching, [trial], seconds)[trial.name])
        print(
            f"| {speeds[0]} - {speeds[1]} | {figures['velocity_error']:.2f} | {figures['response_seconds']:.2f} | "
            f"{figures['reached']:.2f} |",
            flush=True,
        )


def by_course(matching: MotionMatching, seconds: float) -> None:
    """Path and heading error of each course, with foot lock."""
    print("\n| course | err m | p95 m | lag m | head deg |\n|---|---|---|---|---|")
    for gait, (speed, paths) in COURSES.items():
        for path in paths:
            run, follower = follow(matching, path, speed, seconds)
            m = measure_path(run, follower, matching.fps)
            print(
                f"| {gait} {path.name} | {m['path_distance']:.3f} | {m['path_distance_p95']:.3f} | "
                f"{m['path_error']:.3f} | {np.degrees(m['heading_error']):.1f} |",
                flush=True,
            )


def speed_of(clip: Clip) -> float:
    """Mean speed of the hips [m/s]."""
    hips = clip.world_positions[:, clip.skeleton.joint("hips")]
    return measure.path_length(hips) / max(clip.seconds, 1e-6)


def report(name: str, clips: list[Clip], held_out: list[Clip], seconds: float) -> None:
    """All figures of one library."""
    began = time.perf_counter()
    everything = widened(clips)
    matching = MotionMatching.from_clips(everything)
    database = matching.database
    print(
        f"\n## {name}: {len(clips)} clips, with mirrored and bent copies {len(database.names)}; "
        f"{len(database.rotations)} rows, built in {time.perf_counter() - began:.1f} s"
    )
    search(matching)
    cost(matching)
    if not seconds:
        return
    symmetry = find_symmetry(clips[0].skeleton, clips[:40])
    own = {id(clip) for clip in held_out}
    known = [clip for clip in clips if id(clip) not in own]
    known += [mirror(clip, symmetry) for clip in known]
    gaits = {"walk": (0.8, 1.7), "run": (1.9, 3.4)}
    real = {
        gait: reference(known, [c for c in held_out if low < speed_of(c) < high] or held_out)
        for gait, (low, high) in gaits.items()
    }
    course(matching, real, seconds)


def main() -> None:
    """Run all parts that there is data for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--speed", action="store_true", help="only what it costs")
    parser.add_argument("--only", choices=("synthetic", "bandai"))
    options = parser.parse_args()
    if options.only != "bandai":
        report("Synthetic corpus", *synthetic(), 0 if options.speed else options.seconds)
    if options.only != "synthetic" and BANDAI.is_dir():
        report("Bandai-Namco", *bandai(), 0 if options.speed else options.seconds)


if __name__ == "__main__":
    main()
