"""Learned controllers against what was set as their goal, beside motion matching and the real clips.

    python benchmarks/bench_controller.py bandai --bundles a.controller b.controller c.controller -o out/bandai
    python benchmarks/bench_controller.py bandai --train 3 -o out/bandai
    python benchmarks/bench_controller.py cmu --train 1 -o out/cmu
    python benchmarks/bench_controller.py melee --train 1 -o out/melee

Run it with OMP_NUM_THREADS=1. Clips come from the data pack (MOVESET_DATA, default ../shared/data). Bundles of one
kind and other seeds stand in one column: median and, where they differ, the worst. `report.html` in the output has
every figure of every bundle.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from moveset.formats import list_files
from moveset.motion import Clip
from moveset.workflows.evaluation.bundles import evaluate_bundles
from moveset.workflows.evaluation.controller import FULL, QUICK
from moveset.workflows.evaluation.controller_figures import as_json
from moveset.workflows.evaluation.controller_report import write_evaluation
from moveset.workflows.load import load
from moveset.workflows.locomotion import is_locomotion, one_body
from moveset.workflows.training.sets import ANY_MOTION, LOCOMOTION, write_training_set

DATA = Path(os.environ.get("MOVESET_DATA", Path(__file__).parents[2] / "shared" / "data"))

Get = Callable[[dict[str, Any]], float | None]


def trial(gait: str, path: str, figure: str) -> Get:
    """A figure of one trial."""
    return lambda column: column["trials"].get(f"{gait} {path}", {}).get(figure)


def mean(gait: str, figure: str) -> Get:
    """A figure of the main paths of a gait."""
    return lambda column: column["summary"].get(gait, {}).get(figure)


def cost(key: str) -> Get:
    """Microseconds."""
    return lambda column: column["cost"].get(key)


def uncontrolled(figure: str) -> Get:
    """A figure of wandering."""
    return lambda column: (column["uncontrolled"] or {}).get(figure)


@dataclass(frozen=True)
class Goal:
    """A figure and what it should be."""

    about: str
    get: Get
    low: float = -float("inf")
    high: float = float("inf")
    factor: float = 1.0
    digits: int = 3
    only: str = ""
    """Of columns whose name ends so."""

    def met(self, value: float) -> bool:
        """Whether it is so, as far as it is printed."""
        return self.low <= round(value * self.factor, self.digits) <= self.high

    @property
    def asked(self) -> str:
        """In words."""
        if (self.low, self.high) == (-float("inf"), float("inf")):
            return ""
        if self.low == -float("inf"):
            return f"<= {self.high:g}"
        return f">= {self.low:g}" if self.high == float("inf") else f"{self.low:g} - {self.high:g}"


DEGREES = 57.29578
GOALS = [
    *(
        Goal(f"{gait} {path}: distance to the path [m]", trial(gait, path, "path_distance"), high=0.015)
        for gait in ("walk", "run")
        for path in ("line", "circle:2", "eight:2")
    ),
    *(
        goal
        for gait in ("walk", "run")
        for path in ("square:4", "kinks:4", "kinks:4, walkable")
        for goal in (
            Goal(f"{gait} {path}: distance to the path [m]", trial(gait, path, "path_distance"), high=0.04),
            Goal(f"{gait} {path}: heading [degrees]", trial(gait, path, "heading_error"), -1, 8, DEGREES, 1),
        )
    ),
    *(
        goal
        for gait in ("walk", "run")
        for goal in (
            Goal(f"{gait}: speed of planted toes, x real", mean(gait, "planted_ratio"), high=1, digits=2),
            Goal(f"{gait}: foot skate, x real", mean(gait, "skate_ratio"), high=1, digits=2),
            Goal(f"{gait}: jerk, x real", mean(gait, "jerk_ratio"), 0.85, 1.15, digits=2),
            Goal(f"{gait}: pose distance, x real", mean(gait, "pose_ratio"), high=1.2, digits=2),
        )
    ),
    Goal(
        "asked change of speed, walk: 90 % after [s]",
        trial("walk", "speeds 0.84-1.44", "response_seconds"),
        high=0.5,
        digits=2,
    ),
    Goal(
        "asked change of speed, run: 90 % after [s]",
        trial("run", "speeds 1.75-3", "response_seconds"),
        high=0.5,
        digits=2,
    ),
    Goal("targets reached within 0.1 m", trial("walk", "to targets", "arrived"), low=0.99),
    Goal("uncontrolled: steady", uncontrolled("steady"), low=1, digits=0),
    Goal("uncontrolled: diversity, x real", uncontrolled("diversity_ratio"), low=0.8, digits=2),
    Goal("networks alone [us]", cost("networks_1"), high=45, digits=1, only="LOD0"),
    Goal("networks in 64 [us]", cost("networks_64"), high=12, digits=1, only="LOD0"),
    Goal("networks alone [us]", cost("networks_1"), high=20, digits=1, only="LOD2"),
    Goal("networks in 64 [us]", cost("networks_64"), high=5, digits=1, only="LOD2"),
    Goal("all else in 64 [us]", cost("beside_64"), high=8, digits=1),
    Goal("all of it in 64 [us]", cost("all_64"), digits=1),
]


def bandai() -> tuple[list[Clip], list[Clip]]:
    """Locomotion of Bandai-Namco as in bench_matching."""
    from bench_matching import bandai

    return bandai()


def cmu() -> tuple[list[Clip], list[Clip]]:
    """Plain locomotion of the CMU part of the pack, every eighth clip held out."""
    clips = [
        clip
        for file in list_files([str(DATA / "mocap" / "cmu-asfamc")])
        for clip in load(file).clips
        if is_locomotion(clip.name, clip.tags.words)
    ]
    clips, _ = one_body(clips)
    return [c for k, c in enumerate(clips) if k % 8], clips[::8]


def melee() -> tuple[list[Clip], list[Clip]]:
    """All actions of the melee library, every eighth held out."""
    file = next(iter(sorted(DATA.rglob("melee-library.glb"))))
    clips, _ = one_body([clip for clip in load(str(file)).clips if not clip.additive])
    return [c for k, c in enumerate(clips) if k % 8], clips[::8]


SETS = {"bandai": (bandai, LOCOMOTION), "cmu": (cmu, LOCOMOTION), "melee": (melee, ANY_MOTION)}


def trained(folder: Path, data: str, preset: str, seeds: int) -> list[str]:
    """Bundles trained here, a seed each."""
    from moveset.workflows.train import train_controller
    from moveset.workflows.training.how import How

    bundles = []
    for seed in range(seeds):
        bundles.append(str(folder / f"seed{seed}.controller"))
        began = time.process_time()
        train_controller(data, bundles[-1], preset, how=How(seed=seed))
        print(f"seed {seed}: trained in {time.process_time() - began:.0f} s of processor time", flush=True)
    return bundles


def by_kind(columns: Sequence[dict[str, Any]], bundles: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Columns that differ in the seed alone, together."""
    names = sorted((Path(bundle).name.removesuffix(".controller") for bundle in bundles), key=len)[::-1]
    kinds: dict[str, list[dict[str, Any]]] = {}
    for column in columns[1:]:
        kind = column["name"]
        for name in names:
            kind = kind.removeprefix(f"{name} ")
        kinds.setdefault(kind, []).append(column)
    return kinds


def table(kinds: dict[str, list[dict[str, Any]]]) -> str:
    """Markdown: the goal, and for every kind the figure, bold where the goal is missed."""
    head = ["", "goal", *(f"{k} ({len(c)})" if len(c) > 1 else k for k, c in kinds.items())]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for goal in GOALS:
        cells = [
            _cell(goal, [goal.get(column) for column in columns]) if kind.endswith(goal.only) else "-"
            for kind, columns in kinds.items()
        ]
        if any(cell != "-" for cell in cells):
            lines.append(f"| {goal.about} | {goal.asked} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(goal: Goal, values: Sequence[float | None]) -> str:
    known = [float(value) for value in values if value is not None]
    if not known:
        return "-"
    middle = statistics.median(known)
    shown = f"{goal.factor * middle:.{goal.digits}f}"
    if len(known) > 1:
        shown += f" ({goal.factor * min(known):.{goal.digits}f} - {goal.factor * max(known):.{goal.digits}f})"
    return shown if goal.met(middle) else f"**{shown}**"


def main() -> None:
    """Train or take bundles, evaluate, print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data", nargs="?", choices=SETS, default="bandai")
    parser.add_argument("--set", help="a training set that is there already")
    parser.add_argument("--bundles", nargs="*", default=[])
    parser.add_argument("--train", type=int, help="so many seeds; one without bundles")
    parser.add_argument("--preset", default="small")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("-o", "--output", type=Path, default=Path("out") / "bench_controller")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    data = options.set
    if data is None:
        clips, widening = SETS[options.data]
        data = str(options.output / "set")
        report = write_training_set(data, *clips(), widening)
        print(f"{report.frames:,} frames, {report.license}")
    seeds = options.train if options.train is not None else int(not options.bundles)
    bundles = [*options.bundles, *trained(options.output, data, options.preset, seeds)]
    found = evaluate_bundles(bundles, [data], QUICK if options.quick else FULL, say=print)
    write_evaluation(found, options.output, pictures=options.data != "melee")
    said = as_json(found)
    print(
        f"\nevaluated in {found.seconds:.0f} s of processor time\n\n{table(by_kind(said['columns'], bundles))}"
    )


if __name__ == "__main__":
    main()
