"""What each kind of a training set adds: speeds, turns, feet and smoothness, beside the recorded clips.

    python benchmarks/bench_training_data.py [--only synthetic|bandai|cmu] [--pictures]

Run it with OMP_NUM_THREADS=1. Sets are written to a temporary folder. Bandai-Namco and CMU clips come from the data
pack (MOVESET_DATA, default ../shared/data); without it those parts are left out. --pictures draws
docs/pictures/training-data.png from synthetic clips.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import os
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from PIL import Image

from moveset.library.split import TRAIN
from moveset.library.training_set import SetClip, write_set
from moveset.motion import Clip, measure
from moveset.motion.contacts import standing_heights
from moveset.motion.ground import ground_frame
from moveset.render import contact_sheet, strip
from moveset.rigs.mannequin import mannequin
from moveset.synthetic.corpus import corpus
from moveset.workflows.load import load
from moveset.workflows.locomotion import is_locomotion, motion_of, one_body
from moveset.workflows.training.sets import LOCOMOTION, widened_set

DATA = Path(os.environ.get("MOVESET_DATA", Path(__file__).parents[2] / "shared" / "data"))
BANDAI = DATA / "mocap" / "bandai-namco"
PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
SPEEDS = (0.0, 0.1, 0.4, 0.8, 1.2, 1.6, 2.0, 2.4, 2.8, 3.2, 9.0)
TURNS = (0.0, 0.1, 0.25, 0.5, 0.8, 1.2, 9.0)


def bandai() -> tuple[list[Clip], list[Clip]]:
    """Set 2: walk, run, walk-turns of the normal and masculine styles, held out by the pack's split."""
    sides: dict[bool, list[Clip]] = {True: [], False: []}
    with open(BANDAI / "bandai-namco-2-subset.csv", newline="", encoding="utf-8") as table:
        for row in csv.DictReader(table):
            if row["content"] in ("walk", "run", "walk-turn-left", "walk-turn-right") and row["style"] in (
                "normal",
                "masculine",
            ):
                clip = load(f"{BANDAI / 'bandai-namco-2-subset.zip'}/{row['clip']}").clips[0]
                sides[row["split"] == TRAIN].append(clip)
    return one_body(sides[True])[0], one_body(sides[False])[0]


def eighths(clips: list[Clip]) -> tuple[list[Clip], list[Clip]]:
    """Every eighth clip held out."""
    return [clip for k, clip in enumerate(clips) if k % 8], clips[::8]


def synthetic() -> tuple[list[Clip], list[Clip]]:
    """Plain locomotion of the synthetic corpus."""
    return eighths([clip for clip in corpus() if is_locomotion(clip.name, clip.tags.words)])


def cmu() -> tuple[list[Clip], list[Clip]]:
    """Plain locomotion of several people, on one body."""
    clips, _ = motion_of([str(DATA / "mocap" / "cmu" / "cmu-asfamc-30fps.zip")])
    return eighths(one_body(clips)[0])


def paces(clip: Clip) -> np.ndarray:
    """(F - 1, 2) speed [m/s] and turning [rad/s] of the ground frame."""
    steps = ground_frame(clip).displacements[1:] * clip.fps
    return np.column_stack((np.hypot(steps[:, 0], steps[:, 1]), np.abs(steps[:, 2])))


def mean(values: list[float], clips: list[Clip]) -> float:
    """By length of the clips, of those that have the figure."""
    known = np.isfinite(values)
    return float(np.average(np.array(values)[known], weights=np.array([len(c) for c in clips])[known]))


def table(made: list[SetClip]) -> None:
    """A row a kind."""
    kinds = dict.fromkeys("held out" if s.split != TRAIN else s.kind for s in made)
    rows = {
        kind: [s.clip for s in made if (s.kind if s.split == TRAIN else "held out") == kind] for kind in kinds
    }
    standing = np.median([standing_heights(clip) for clip in rows["real"]], axis=0)
    print(
        "\n| kind | seconds | skate cm/s | plant cm/s | slide cm | jerk m/s^3 | speeds p1 p50 p99 | turn p99 |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for kind, clips in rows.items():
        pace = np.concatenate([paces(clip) for clip in clips])
        figures = (
            100 * mean([measure.foot_skate(c, standing) for c in clips], clips),
            100 * mean([measure.planted_speed(c) for c in clips], clips),
            100 * mean([measure.slide_per_support(c, standing) for c in clips], clips),
        )
        speeds = " ".join(f"{v:.2f}" for v in np.percentile(pace[:, 0], (1, 50, 99)))
        print(
            f"| {kind} | {sum(c.seconds for c in clips):.0f} | "
            + " | ".join(f"{v:.1f}" for v in figures)
            + f" | {mean([measure.jerk(c) for c in clips], clips):.0f} | {speeds} |"
            f" {np.percentile(pace[:, 1], 99):.2f} |",
            flush=True,
        )


def histogram(
    made: list[SetClip], shares: Mapping[str, float], column: int, edges: tuple[float, ...]
) -> None:
    """Percent of frames in each stretch: of the recorded clips, and of a batch."""
    counts = {}
    for kind in shares:
        values = np.concatenate(
            [paces(s.clip)[:, column] for s in made if s.kind == kind and s.split == TRAIN]
        )
        counts[kind] = np.histogram(values, edges)[0] / len(values)
    batch = np.sum([share * counts[kind] for kind, share in shares.items()], axis=0)
    names = [f"{low:g}-{high:g}" if high < 9 else f"> {low:g}" for low, high in itertools.pairwise(edges)]
    print(f"\n| {('m/s', 'rad/s')[column]} | " + " | ".join(names) + " |\n|" + "---|" * len(edges))
    print("| recorded | " + " | ".join(f"{100 * v:.1f}" for v in counts["real"]) + " |")
    print("| a batch | " + " | ".join(f"{100 * v:.1f}" for v in batch) + " |", flush=True)


def report(name: str, train: list[Clip], held_out: list[Clip]) -> list[SetClip]:
    """All figures of one library."""
    began = time.process_time()
    made = widened_set(train, held_out)
    with tempfile.TemporaryDirectory() as folder:
        written = write_set(Path(folder) / "set", made, LOCOMOTION.shares)
    took = time.process_time() - began
    print(f"\n## {name}: {written.frames:,} frames, made and written in {took:.0f} s of one core")
    table(made)
    for column, edges in enumerate((SPEEDS, TURNS)):
        histogram(made, written.shares, column, edges)
    return made


def draw(made: list[SetClip]) -> None:
    """One strip a kind of clip, on the mannequin."""

    def first(kind: str, name: str) -> Clip:
        return next(s.clip for s in made if s.kind == kind and name in s.clip.name)

    stop, start = first("standing", "_stop"), first("standing", "_start")
    at = int(stop.name.split("_stop")[1])
    walk = first("walk", "walk")
    change = int(np.argmax(np.abs(np.convolve(paces(walk)[:, 0], np.repeat((1, -1), 25), "valid")))) + 2
    bent = next(s.clip for s in made if s.kind == "bent" and "run" in s.clip.name and abs(float(s.clip.name.split("_bent")[1])) > 0.9)  # fmt: skip
    aside = max(
        (s.clip for s in made if s.kind == "aside" and np.ptp(ground_frame(s.clip).headings) < 0.1),
        key=lambda c: abs(float(c.name.split("_aside")[1].split("_")[0])),
    )
    slow = min(
        (s.clip for s in made if s.kind == "retimed"),
        key=lambda c: float(c.name.split("_pace")[1].split("_")[0]),
    )
    shown = (
        ("a run bent into a curve, feet planted", bent, range(0, min(len(bent), 44), 4)),
        ("a walk that faces aside, from ahead", aside, range(0, min(len(aside), 48), 4)),
        ("a walk slowed down", slow, range(0, 60, 5)),
        ("a stop", stop, range(at - 10, at + 36, 4)),
        ("a start", start, range(len(start) - 96, len(start) - 44, 4)),
        ("a walk of motion matching that changes gait", walk, range(change, change + 48, 4)),
    )
    pictures = [
        strip(
            clip,
            mannequin(clip.skeleton, clip),
            frames=list(frames),
            camera=(0, 15) if clip is aside else "side",
            height=210,
        )
        for _, clip, frames in shown
    ]
    width = max(p.shape[1] for p in pictures)
    pictures = [np.pad(p, ((0, 0), (0, width - p.shape[1]), (0, 0)), mode="edge") for p in pictures]
    page = contact_sheet(pictures, 1, [label for label, *_ in shown])
    Image.fromarray(page).convert("RGB").quantize(96).save(PICTURES / "training-data.png", optimize=True)


def main() -> None:
    """Run all parts that there is data for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=("synthetic", "bandai", "cmu"))
    parser.add_argument("--pictures", action="store_true")
    options = parser.parse_args()
    parts = {"synthetic": synthetic} | ({"bandai": bandai, "cmu": cmu} if DATA.is_dir() else {})
    for name, clips in parts.items():
        if options.only in (None, name):
            made = report(name, *clips())
            if options.pictures and name == "synthetic":
                draw(made)


if __name__ == "__main__":
    main()
