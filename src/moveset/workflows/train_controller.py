"""From a training set and its autoencoder to a controller: train each level of detail, export them as one bundle."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

from moveset.bundle import Bundle, open_bundle
from moveset.bundle.kinds import CONTROLLER
from moveset.learn.autoencoders import open_autoencoder, provenance
from moveset.learn.config import TrainConfig, adjusted
from moveset.learn.controllers import Level, StateDecoder, write_controller
from moveset.learn.data import TrainingSet, open_training_set
from moveset.learn.distributed import ranks
from moveset.learn.loop import train
from moveset.learn.models import regression
from moveset.learn.models.autoencoder import PoseDecoder
from moveset.learn.models.regression import RegressionConfig, RegressionTask
from moveset.learn.models.small_decoder import SmallDecoderTask
from moveset.learn.states import encoded
from moveset.progress import Track, untracked
from moveset.workflows.train import (
    autoencoder_for,
    in_proportion,
    kept,
    longest_window,
    measured_set,
    preset_of,
    refuse_place,
    work_folder,
)


def train_controller(
    training: TrainingSet | str | os.PathLike[str],
    output: str | os.PathLike[str],
    preset: str = "small",
    *,
    autoencoder: Bundle | str | os.PathLike[str] | None = None,
    model: RegressionConfig | None = None,
    settings: TrainConfig | None = None,
    seed: int = 0,
    steps: int | None = None,
    device: str = "cpu",
    threads: int = 1,
    resume: bool = False,
    track: Track = untracked,
    say: Callable[[str], object] = lambda text: None,
) -> Bundle:
    """Train a controller by regression on a training set and write it as the bundle `output`.

    Without an `autoencoder` one is trained first, of the same preset, beside the output. `model` and `settings` stand
    in for those of the preset, `steps` for how long its first network trains, and the others in proportion.
    """
    data = training if isinstance(training, TrainingSet) else open_training_set(Path(training))
    chosen = preset_of(regression.PRESETS, preset)
    model = model or chosen.model
    settings = adjusted(settings or chosen.train, steps=steps, seed=seed, device=device, threads=threads)
    refuse_place(output, CONTROLLER)
    data.windows(longest_window(model, data.fps))  # refused now, not after the training
    with ranks(device) as us:
        below = autoencoder_for(
            data, output, preset, autoencoder, resume=resume, say=say,
            seed=seed, device=device, threads=threads, track=track,
        )  # fmt: skip
        coding = open_autoencoder(below)
        motion = encoded(data, coding)
        decoders = {"decoder.onnx": StateDecoder(motion.space, PoseDecoder(coding))}
        levels, reports = [], []
        for number, size in enumerate(chosen.levels):
            task = RegressionTask(replace(model, width=size.width or model.width), data, coding, motion, seed)
            folder = work_folder(output) / f"lod{number}"
            share = replace(settings, steps=max(1, round(size.steps * settings.steps)))
            reports.append(train(task, share, folder, track, say, resume))
            decoder = "decoder.onnx"
            if size.decoder:
                decoder = f"decoder{number}.onnx"
                small = SmallDecoderTask(size.decoder, data, coding, motion, seed)
                folder = work_folder(output) / f"decoder{number}"
                usual = adjusted(size.decoder.train, seed=seed, device=device, threads=threads)
                short = in_proportion(usual, steps, chosen.train.steps)
                reports.append(train(small, short, folder, track, say, resume))
                decoders[decoder] = StateDecoder(motion.space, small.module.cpu())
            levels.append(Level(f"LOD{number}", task.module.cpu(), decoder))
        asked = RegressionTask(model, data, coding, motion, seed)

        def export() -> Bundle:
            with kept(output):
                return write_controller(
                    Path(output),
                    levels,
                    decoders,
                    data,
                    motion,
                    below,
                    asked.tracks(seed),
                    family="regression",
                    times=model.times,
                    context=model.context,
                    chunk=model.chunk,
                    execute=model.execute,
                    config={"preset": preset, "model": asdict(model), "training": asdict(settings)},
                    seed=seed,
                    provenance={report.folder.name: provenance(report) for report in reports},
                    real=measured_set(data, say),
                )

        bundle = us.once(export, lambda: open_bundle(output, CONTROLLER))
        say("\n".join(bundle.describe()))
        return bundle
