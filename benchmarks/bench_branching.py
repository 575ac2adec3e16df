"""Where the future branches: what flow matching gives that regression does not, on combat and gestures.

    python benchmarks/bench_branching.py [combat] [gestures] [--minutes 0.5] [--keep FOLDER]

Single actions of the data pack (MOVESET_DATA, default ../shared/data) are chained in random order, so that at the end
of each any other may follow. A regression with roll-outs, a flow, its one-step student and a mean flow are trained on
the same set with nobody steering, and then left to themselves beside motion matching. Run it with OMP_NUM_THREADS=1;
`--keep` keeps sets, trainings and bundles and goes on from them.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from moveset.bundle import Bundle, open_bundle
from moveset.edit.chain import random_chains
from moveset.features.pose import pose_space
from moveset.geometry.quaternion import Array
from moveset.learn.data import open_training_set
from moveset.learn.loop import TrainConfig
from moveset.learn.models import distill, flow, meanflow, regression
from moveset.learn.models.autoencoder import AutoencoderConfig
from moveset.learn.models.detail import Detail
from moveset.learn.models.small_decoder import SmallDecoderConfig
from moveset.library.training_set import SetClip, write_set
from moveset.motion import Clip, measure
from moveset.motion.resample import resample
from moveset.runtime.control import uncontrolled
from moveset.runtime.controller import Controller
from moveset.runtime.course import drive
from moveset.runtime.crowd import Crowd
from moveset.runtime.database import build_database
from moveset.runtime.learned import LearnedConfig, LearnedController
from moveset.runtime.matching import MotionMatching
from moveset.workflows.load import load
from moveset.workflows.train import train_autoencoder
from moveset.workflows.training.controllers import ControllerTraining
from moveset.workflows.training.how import How
from moveset.workflows.training.usual import in_place

DATA = Path(os.environ.get("MOVESET_DATA", Path(__file__).parents[2] / "shared" / "data"))
COMBAT = (
    "LightIdle", "Slash1", "Slash2", "Slash3", "SlashL1", "SlashUppercut", "Stab1", "Heavy1", "HeavyUppercut",
    "ShieldBash", "ThrowR", "UsePotion",
)  # fmt: skip
GESTURES = (
    "Idle Listening", "Angry", "Bow", "Confused", "Consume Item", "Defend", "Dizzy", "Greeting", "Head Nod", "Reject",
    "Throw Object", "Victory", "Victory Fist Pump", "Kneeling Tired",
)  # fmt: skip
SECONDS = {"combat": 600.0, "gestures": 900.0}
"""Of chained actions."""
LATENTS = 24
FPS = 30.0
MOMENT = 0.5
"""Length of a moment [s]: shorter than the shortest action."""
NEAR = 0.10
"""A moment this near to one of a clip, root mean square over its joints [m], is in the clip's neighbourhood."""
STILL = 0.03
"""Mean speed of the joints against the ground frame below which a figure is frozen [m/s]."""
CHARACTERS = 8
WIDTH = 384


def settings(steps: int, batch: int, rate: float) -> TrainConfig:
    """How long a training takes is a number of steps, not a time."""
    return TrainConfig(steps=steps, batch=batch, learning_rate=rate, picture_every=0)


STEPS = {
    "poses": settings(800, 128, 2e-3),
    "regression": settings(1000, 96, 1e-3),
    "flow": settings(9000, 192, 2e-3),
    "distilled": settings(1200, 96, 5e-4),
    "mean flow": settings(3000, 192, 2e-3),
}


def combat() -> list[Clip]:
    """Actions of the melee library (CC0), in place."""
    return named("catprisbrey/melee-library.glb", COMBAT)


def gestures() -> list[Clip]:
    """Bows, greetings, nods, cheers of Mesh2Motion (CC0)."""
    return named("mesh2motion/human-addon-animations.glb", GESTURES)


def named(path: str, names: Sequence[str]) -> list[Clip]:
    """Clips of a file by name, at the rate of the training."""
    clips = {clip.name: clip for clip in load(str(DATA / "game" / path)).clips}
    return [resample(clips[name], FPS) for name in names]


class Library:
    """What roll-outs are measured against."""

    def __init__(self, clips: Sequence[Clip], chains: Sequence[Clip]) -> None:
        moments = [measure.moments(clip, MOMENT) for clip in clips]
        self.names = [clip.name for clip in clips]
        self.owner = np.repeat(np.arange(len(clips)), [len(m) for m in moments])
        self.clips = np.concatenate(moments)
        self.all = np.concatenate([measure.moments(clip, MOMENT)[::2] for clip in chains])
        self.diversity = measure.diversity(np.concatenate([measure.moments(c, MOMENT) for c in chains]), 2000)
        self.jerk = float(np.mean([measure.jerk(clip) for clip in chains]))

    def row(self, runs: Sequence[Clip]) -> dict[str, float]:
        """The figures of clips that somebody made."""
        moments = [measure.moments(clip, MOMENT)[::3] for clip in runs]
        together = np.concatenate(moments)
        off = np.concatenate([nearest(rows, self.all)[0] for rows in moments])
        visited = [self.visited(rows) for rows in moments]
        return {
            "diversity": measure.diversity(together, 2000) / self.diversity,
            "off": 100 * float(np.median(off)),
            "off p95": 100 * float(np.percentile(off, 95)),
            "on data": float((off < NEAR).mean()),
            "jerk": float(np.mean([measure.jerk(clip) for clip in runs])) / self.jerk,
            "frozen": float(np.mean([frozen(clip) for clip in runs])),
            "clips each": float(np.mean([len(names) for names in visited])),
            "clips all": len(set().union(*visited)),
        }

    def visited(self, moments: Array) -> set[int]:
        """Clips in whose neighbourhood a run was for a third of a second or more in all."""
        distances, rows = nearest(moments, self.clips)
        counts = np.bincount(self.owner[rows[distances < NEAR]], minlength=len(self.names))
        return set(np.flatnonzero(counts >= 3).tolist())


def nearest(moments: Array, known: Array) -> tuple[Array, np.ndarray]:
    """Distance (N,) from each moment to the nearest of the known ones, and which that is; hundreds of numbers each, where
    a tree is slower than a product."""
    squares = np.square(moments).sum(axis=1)[:, None] + np.square(known).sum(axis=1) - 2 * moments @ known.T
    rows = squares.argmin(axis=1)
    return np.sqrt(squares[np.arange(len(rows)), rows].clip(min=0)), rows


def frozen(clip: Clip) -> float:
    """Share of the frames in which the body hardly moves for a second around."""
    positions, _ = measure.ground_poses(clip)
    speed = np.linalg.norm(np.diff(positions, axis=0), axis=-1).mean(axis=1) * clip.fps
    window = np.lib.stride_tricks.sliding_window_view(speed, round(clip.fps))
    return float((window.max(axis=1) < STILL).mean())


def alone(controller: Controller, minutes: float) -> list[Clip]:
    """What characters do whom nobody steers."""
    crowd = Crowd(controller, CHARACTERS, seed=1)
    return list(drive(crowd, lambda _: crowd.control(uncontrolled()), 60 * minutes).clips)


def trained(name: str, clips: Sequence[Clip], folder: Path) -> dict[str, tuple[Bundle, float]]:
    """Controllers of all families on chains of the clips, and the processor seconds that each took."""
    where = folder / f"{name}.set"
    if not where.exists():
        sets = [SetClip(clip, "real") for clip in clips]
        sets += [SetClip(clip, "chain") for clip in random_chains(clips, SECONDS[name], 0)]
        write_set(where, sets, {"real": 0.1, "chain": 0.9})
    data, made, spent = open_training_set(where), {}, {}

    def timed(label: str, make: Callable[[Path], object], kind: str = "controller") -> None:
        began, path = time.process_time(), folder / f"{name} {label}.{kind}"
        if not path.exists():
            make(path)
        made[label], spent[label] = open_bundle(path), time.process_time() - began
        print(f"{name} {label}: {spent[label]:.0f} s", flush=True)

    def make_poses(path: Path) -> None:
        config = AutoencoderConfig(latents=LATENTS, width=256)
        train_autoencoder(data, path, config=config, settings=STEPS["poses"], how=How(resume=True))

    timed("poses", make_poses, "autoencoder")
    training = ControllerTraining(data, made["poses"], how=How(resume=True))
    teacher: list[flow.FlowTask] = []

    def make_flow(path: Path) -> None:
        model = in_place(flow.FlowConfig(), width=WIDTH)
        teacher.append(training.flow(path, flow.FlowPreset(model=model, train=STEPS["flow"]))[1])

    def make_students(path: Path) -> None:
        if not teacher:  # goes on from the end of its training
            make_flow(folder / f"{name} flow.controller")
        levels = (Detail(), Detail(width=256), Detail(width=144, decoder=SmallDecoderConfig()))
        model = in_place(distill.DistillConfig())
        preset = distill.DistillPreset(model=model, train=STEPS["distilled"], levels=levels)
        training.students(path, teacher[0], preset)

    def make_mean_flow(path: Path) -> None:
        model = in_place(meanflow.MeanFlowConfig(), width=WIDTH)
        training.mean_flow(path, meanflow.MeanFlowPreset(model=model, train=STEPS["mean flow"]))

    def make_regression(path: Path) -> None:
        model = in_place(regression.RegressionConfig(), width=WIDTH)
        preset = regression.RegressionPreset(model=model, train=STEPS["regression"])
        training.regression(path, preset)

    timed("regression", make_regression)
    timed("flow", make_flow)
    timed("distilled", make_students)
    timed("mean flow", make_mean_flow)
    return {label: (made[label], spent[label]) for label in made if label != "poses"}


def report(name: str, clips: Sequence[Clip], folder: Path, minutes: float) -> None:
    """Train, let go, print the table."""
    clips = [replace(clip, skeleton=clips[0].skeleton, contacts=None) for clip in clips]
    # joints that no controller moves, such as a weapon's, must not tell clips from what is made of them
    space = pose_space(clips)
    clips = [space.clip(space.vectors(clip), clip.fps, name=clip.name) for clip in clips]
    library = Library(clips, random_chains(clips, SECONDS[name]))
    bundles = trained(name, clips, folder)
    print(f"\n## {name}: {len(clips)} clips, {sum(c.seconds for c in clips):.0f} s\n")
    print(
        "| | training s | diversity | off data cm | p95 | on data | jerk | frozen | clips each | clips all |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")

    def row(label: str, runs: Sequence[Clip], spent: str = "") -> None:
        f = library.row(runs)
        print(
            f"| {label} | {spent} | {f['diversity']:.2f} | {f['off']:.1f} | {f['off p95']:.1f} | {f['on data']:.2f} | "
            f"{f['jerk']:.2f} | {f['frozen']:.2f} | {f['clips each']:.1f} | {f['clips all']:.0f} of {len(clips)} |",
            flush=True,
        )

    row("other chains", random_chains(clips, 60.0 * CHARACTERS * minutes, 1))
    row("motion matching", alone(MotionMatching(build_database(clips, FPS, (1 / 6, 1 / 3))), minutes))
    for label, (bundle, spent) in bundles.items():
        for lod, level in enumerate(bundle.manifest["controller"]["lods"]):
            controller = LearnedController(bundle, lod)
            row(f"{label}, {level['name']}", alone(controller, minutes), "" if lod else f"{spent:.0f}")
        if label == "flow":
            still = LearnedController(bundle, 0, LearnedConfig(noise=0.0))
            row("flow, 4 steps, chance 0", alone(still, minutes))


def main() -> None:
    """Both sets, or those asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sets", nargs="*", default=["combat", "gestures"])
    parser.add_argument("--minutes", type=float, default=0.5)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for name in options.sets:
            report(name, {"combat": combat, "gestures": gestures}[name](), folder, options.minutes)


if __name__ == "__main__":
    main()
