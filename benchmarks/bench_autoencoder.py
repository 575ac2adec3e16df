"""The pose autoencoder: what each part of its recipe brings, three seeds, other bodies.

    python benchmarks/bench_autoencoder.py [SET] [--variants NAME ...] [--steps 300] [--seeds 0 1 2] [--preset small]

SET is a training set (`workflows.training.sets.write_training_set`); without one it is made of the Bandai-Namco clips
of bench_matching.py. Run it with OMP_NUM_THREADS=1. Times are processor time of one thread. Errors are those of `workflows.evaluate_autoencoder` on the held-out clips.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import torch
from bench_matching import bandai

from moveset.features import principal
from moveset.learn.autoencoders import write_autoencoder
from moveset.learn.data import TrainingSet, open_training_set
from moveset.learn.loop import TrainConfig, train
from moveset.learn.models.autoencoder import PRESETS, AutoencoderConfig, AutoencoderTask
from moveset.workflows.evaluation.autoencoder import AutoencoderEvaluation, evaluate_autoencoder
from moveset.workflows.training.sets import write_training_set

Change = Callable[[AutoencoderConfig, TrainConfig], tuple[AutoencoderConfig, TrainConfig]]


def model(**changes: object) -> Change:
    """Another model or loss."""
    return lambda config, settings: (replace(config, **changes), settings)  # type: ignore[arg-type]


def training(**changes: object) -> Change:
    """Another training."""
    return lambda config, settings: (config, replace(settings, **changes))  # type: ignore[arg-type]


VARIANTS: dict[str, Change] = {
    "as it is": model(),
    "no noise": model(noise=0.0),
    "noise 0.1": model(noise=0.1),
    "no smoothness": model(smoothness=0.0),
    "smoothness 0.1": model(smoothness=0.1),
    "no forward kinematics": model(positions=0.0, speeds=0.0),
    "feet 1": model(feet=1.0),
    "width 256": model(width=256),
    "width 512": model(width=512),
    "layers 1": model(layers=1),
    "layers 3": model(layers=3),
    "latents 32": model(latents=32),
    "latents 48": model(latents=48),
    "latents 96": model(latents=96),
    "batch 128, twice the steps": lambda c, s: (c, replace(s, batch=128, steps=2 * s.steps)),
    "rate 1e-3": training(learning_rate=1e-3),
    "rate 4e-3": training(learning_rate=4e-3),
    "no average": training(average=0.0),
}


def run(
    data: TrainingSet, config: AutoencoderConfig, settings: TrainConfig
) -> tuple[AutoencoderEvaluation, float]:
    """Train once and judge; processor seconds of the training."""
    with tempfile.TemporaryDirectory() as folder:
        task = AutoencoderTask(config, data, settings.seed)
        report = train(task, settings, Path(folder) / "training")
        task.finish()
        bundle = write_autoencoder(Path(folder) / "bundle", task, settings, report)
        return evaluate_autoencoder(bundle, data), report.process_seconds


def row(name: str, found: AutoencoderEvaluation, seconds: float) -> str:
    """A line of the table."""
    own, facts = found.codings[0], found.latents
    return (
        f"| {name} | {1000 * own.mean:.2f} | {1000 * own.p99:.1f} | {math.degrees(own.angle):.2f} | "
        f"{math.degrees(own.angle_p99):.1f} | {100 * own.contact_accuracy:.1f} | {facts.step[1]:.2f} | "
        f"{facts.furthest:.1f} | {seconds:.0f} |"
    )


def main() -> None:
    """Read the options and print one table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("set", nargs="?")
    parser.add_argument("--variants", nargs="*", default=["as it is"])
    parser.add_argument("--steps", type=int)
    parser.add_argument("--seeds", type=int, nargs="*", default=[0])
    parser.add_argument("--preset", default="small")
    parser.add_argument("--lever", type=float, help="another principal.LEAST_LEVER")
    options = parser.parse_args()
    if options.lever is not None:
        principal.LEAST_LEVER = options.lever
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        if options.set is None:
            write_training_set(Path(folder) / "set", *bandai())
        table(open_training_set(options.set or Path(folder) / "set"), options)


def table(data: TrainingSet, options: argparse.Namespace) -> None:
    """Print a line a variant and seed."""
    print(
        "| variant, seed | mean mm | p99 mm | mean deg | p99 deg | contacts % | latent step | furthest | s |"
    )
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    for name in options.variants or VARIANTS:
        for seed in options.seeds:
            config, settings = PRESETS[options.preset]
            settings = replace(settings, seed=seed, picture_every=0, steps=options.steps or settings.steps)
            found, seconds = run(data, *VARIANTS[name](config, settings))
            print(row(f"{name}, {seed}", found, seconds), flush=True)
            line = found.codings[1]
    print(
        f"\nprincipal components, {line.latents}: {1000 * line.mean:.2f} / {1000 * line.p99:.1f} mm, "
        f"{math.degrees(line.angle):.2f} degrees; {found.clips} clips, {found.frames} frames, {found.joints} joints"
    )


if __name__ == "__main__":
    main()
