"""From a training set to a bundle: train, export, measure."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from moveset.bundle import Bundle, open_bundle, write_measures
from moveset.errors import MovesetError
from moveset.learn.autoencoders import write_autoencoder
from moveset.learn.config import TrainConfig, adjusted
from moveset.learn.data import TrainingSet, open_training_set
from moveset.learn.distributed import ranks
from moveset.learn.loop import train
from moveset.learn.models import autoencoder
from moveset.learn.models.autoencoder import AutoencoderConfig, AutoencoderTask
from moveset.library.split import HELD_OUT
from moveset.progress import Track, untracked
from moveset.workflows.evaluate_autoencoder import evaluate_autoencoder

Say = Callable[[str], object]
T = TypeVar("T")


def train_autoencoder(
    training: TrainingSet | str | os.PathLike[str],
    output: str | os.PathLike[str],
    preset: str = "small",
    *,
    config: AutoencoderConfig | None = None,
    settings: TrainConfig | None = None,
    seed: int = 0,
    steps: int | None = None,
    device: str = "cpu",
    threads: int = 1,
    resume: bool = False,
    track: Track = untracked,
    say: Say = lambda text: None,
) -> Bundle:
    """Train an autoencoder on a training set and write it as the bundle `output`, measured on the held-out clips.

    `config` and `settings` stand in for those of the preset, `steps` for how long it trains. What is kept to go on
    from (`resume`), the log, curves and pictures lie beside the bundle, in `output` with the suffix .training.
    """
    data = training if isinstance(training, TrainingSet) else open_training_set(Path(training))
    own, usual = preset_of(autoencoder.PRESETS, preset)
    settings = adjusted(settings or usual, steps=steps, seed=seed, device=device, threads=threads)
    task = AutoencoderTask(config or own, data, seed)

    def export() -> Bundle:
        task.finish()
        bundle = write_autoencoder(output, task, settings, report)
        say("\n".join(bundle.describe()))
        if HELD_OUT in data.view.splits:
            bundle = write_measures(bundle, autoencoder_measures(bundle, data))
        return bundle

    with ranks(device) as us:
        report = train(task, settings, work_folder(output), track, say, resume)
        return us.once(export, lambda: open_bundle(output, "autoencoder"))


def autoencoder_measures(bundle: Bundle, data: TrainingSet) -> dict[str, Any]:
    """What stands in the bundle about it: errors on held-out clips beside those of principal components."""
    found = evaluate_autoencoder(bundle, data)
    about = ("latents", "mean", "p99", "angle", "angle_p99", "contact_f1", "contact_accuracy")
    return {
        "held_out": {coding.name: {key: getattr(coding, key) for key in about} for coding in found.codings},
        "networks": found.networks,
    }


def preset_of(presets: Mapping[str, T], name: str) -> T:
    """A preset by name."""
    if name not in presets:
        raise MovesetError(f"there is no preset {name!r}", do=f"choose from {', '.join(presets)}")
    return presets[name]


def work_folder(output: str | os.PathLike[str]) -> Path:
    """Where a training keeps what it goes on from: beside its bundle."""
    target = Path(output)
    return target.with_name(f"{target.name}.training")
