"""From a training set and its autoencoder to a controller: train each level of detail, export them as one bundle."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import torch

from moveset.bundle import Bundle, open_bundle
from moveset.errors import MovesetError
from moveset.learn.controllers import Level, StateDecoder, write_controller
from moveset.learn.data import TrainingSet, open_training_set
from moveset.learn.draw import Draw
from moveset.learn.loop import TrainConfig, train
from moveset.learn.models import regression
from moveset.learn.models.autoencoder import PoseDecoder
from moveset.learn.models.regression import RegressionConfig, RegressionTask
from moveset.learn.models.small_decoder import SmallDecoderTask
from moveset.learn.states import encoded
from moveset.progress import Track, untracked
from moveset.workflows.train import open_autoencoder, preset_of, provenance, train_autoencoder, work_folder

_ASKED_STEPS = 40
"""Batches of the training that tell how far what was asked reached."""


def train_controller(
    training: TrainingSet | str | os.PathLike[str],
    output: str | os.PathLike[str],
    preset: str = "small",
    *,
    autoencoder: Bundle | str | os.PathLike[str] | None = None,
    model: RegressionConfig | None = None,
    settings: TrainConfig | None = None,
    seed: int = 0,
    device: str = "cpu",
    resume: bool = False,
    track: Track = untracked,
    say: Callable[[str], object] = lambda text: None,
) -> Bundle:
    """Train a controller by regression on a training set and write it as the bundle `output`.

    Without an `autoencoder` one is trained first, of the same preset, beside the output. `model` and `settings` stand
    in for those of the preset.
    """
    data = training if isinstance(training, TrainingSet) else open_training_set(Path(training))
    chosen = preset_of(regression.PRESETS, preset)
    model = model or chosen.model
    settings = replace(settings or chosen.train, seed=seed, device=device)
    if autoencoder is None:
        beside = Path(output).with_suffix(".autoencoder")
        autoencoder = train_autoencoder(
            data, beside, preset, seed=seed, device=device, resume=resume, track=track, say=say
        )
    below = autoencoder if isinstance(autoencoder, Bundle) else open_bundle(autoencoder, "autoencoder")
    coding = open_autoencoder(below)
    _refuse_other_poses(coding.layout.width, data, below)
    motion = encoded(data, coding)
    decoders = {"decoder.onnx": StateDecoder(motion.space, PoseDecoder(coding))}
    levels, reports = [], []
    for number, size in enumerate(chosen.levels):
        task = RegressionTask(replace(model, width=size.width or model.width), data, coding, motion, seed)
        steps = max(1, round(size.steps * settings.steps))
        folder = work_folder(output) / f"lod{number}"
        reports.append(train(task, replace(settings, steps=steps), folder, track, say, resume))
        decoder = "decoder.onnx"
        if size.decoder:
            decoder = f"decoder{number}.onnx"
            small = SmallDecoderTask(size.decoder, data, coding, motion, seed)
            folder = work_folder(output) / f"decoder{number}"
            reports.append(
                train(
                    small, replace(size.decoder.train, seed=seed, device=device), folder, track, say, resume
                )
            )
            decoders[decoder] = StateDecoder(motion.space, small.module.cpu())
        levels.append(Level(f"LOD{number}", task.module.cpu(), decoder))
    asked = RegressionTask(model, data, coding, motion, seed)
    batches = [asked.batch(Draw(step, settings.batch, 1.0, seed)) for step in range(_ASKED_STEPS)]
    bundle = write_controller(
        Path(output),
        levels,
        decoders,
        data,
        motion,
        below,
        torch.cat([batch["tracks"] for batch in batches]),
        family="regression",
        times=model.times,
        context=model.context,
        chunk=model.chunk,
        execute=model.execute,
        config={"preset": preset, "model": asdict(model), "training": asdict(settings)},
        seed=seed,
        provenance={report.folder.name: provenance(report) for report in reports},
    )
    say("\n".join(bundle.describe()))
    return bundle


def _refuse_other_poses(width: int, data: TrainingSet, autoencoder: Bundle) -> None:
    if width != data.space.layout.width - 3:
        raise MovesetError(
            f"speaks of poses of {width} numbers, the training set {data.folder} of {data.space.layout.width - 3}",
            file=autoencoder.path,
            do="train an autoencoder on this training set, or leave it out: one is trained then",
        )
