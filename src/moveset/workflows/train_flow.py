"""From a training set and its autoencoder to controllers by flow: a denoiser, then students that need one step."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from moveset.bundle import Bundle, open_bundle
from moveset.bundle.kinds import CONTROLLER
from moveset.learn.autoencoders import open_autoencoder, provenance
from moveset.learn.config import adjusted
from moveset.learn.controllers import Level, StateDecoder, write_controller
from moveset.learn.data import TrainingSet, open_training_set
from moveset.learn.distributed import ranks
from moveset.learn.loop import TrainConfig, TrainReport, train
from moveset.learn.models import distill, flow, meanflow
from moveset.learn.models.autoencoder import PoseDecoder
from moveset.learn.models.distill import DistillPreset, DistillTask
from moveset.learn.models.flow import FlowPredictor, FlowPreset, FlowTask
from moveset.learn.models.meanflow import MeanFlowPreset, MeanFlowTask
from moveset.learn.models.regression import RegressionTask
from moveset.learn.models.small_decoder import SmallDecoderTask
from moveset.learn.states import encoded
from moveset.learn.task import Task
from moveset.progress import Track, untracked
from moveset.workflows.train import (
    autoencoder_for,
    beside,
    in_proportion,
    kept,
    longest_window,
    measured_set,
    preset_of,
    refuse_place,
    work_folder,
)

STEPS = (4, 8, 2, 1)
"""Euler steps that a flow is exported with, a level of detail each; the first is what plays unless told otherwise."""


FAMILIES = ("flow", "distilled", "mean-flow")


def train_flow(
    training: TrainingSet | str | os.PathLike[str],
    output: str | os.PathLike[str],
    preset: str = "small",
    *,
    family: str = "flow",
    autoencoder: str | os.PathLike[str] | None = None,
    seed: int = 0,
    steps: int | None = None,
    device: str = "cpu",
    threads: int = 1,
    resume: bool = False,
    track: Track = untracked,
    say: Callable[[str], object] = lambda text: None,
) -> Bundle:
    """Train a controller of one of `FAMILIES`; its autoencoder first, if none is given.

    `steps` is for how long the flow trains; its students train in proportion.
    """
    data = training if isinstance(training, TrainingSet) else open_training_set(Path(training))
    refuse_place(output, CONTROLLER)
    chosen = preset_of(meanflow.PRESETS if family == "mean-flow" else flow.PRESETS, preset)
    students = preset_of(distill.PRESETS, preset) if family == "distilled" else None
    teacher = beside(output, ".flow") if students else output
    refuse_place(teacher, CONTROLLER)
    how = {"seed": seed, "device": device, "threads": threads, "resume": resume, "track": track, "say": say}
    data.windows(longest_window(chosen.model, data.fps))  # refused now, not after the training
    with ranks(device):
        below = autoencoder_for(data, output, preset, autoencoder, **how)
        flows = FlowTraining(data, below, steps=steps, usual=chosen.train.steps, **how)
        if isinstance(chosen, MeanFlowPreset):
            return flows.mean_flow(output, chosen)
        bundle, task = flows.flow(teacher, chosen)
        return flows.students(output, task, students) if students else bundle


class FlowTraining:
    """A training set and an autoencoder, encoded once, on which the controllers of the flow family are trained.

    Every method trains one and writes it as a bundle; what it goes on from lies beside it, in OUTPUT.training.
    """

    def __init__(
        self,
        training: TrainingSet,
        autoencoder: Bundle,
        *,
        seed: int = 0,
        steps: int | None = None,
        usual: int = flow.PRESETS["small"].train.steps,
        device: str = "cpu",
        threads: int = 1,
        resume: bool = False,
        track: Track = untracked,
        say: Callable[[str], object] = lambda text: None,
    ) -> None:
        """`steps`, if given, stand in for the `usual` ones of the flow, and for others in proportion."""
        self.training, self.bundle, self.seed, self.resume = training, autoencoder, seed, resume
        self.autoencoder = open_autoencoder(autoencoder)
        self.motion = encoded(training, self.autoencoder)
        self._track, self._say = track, say
        self._steps, self._usual = steps, usual
        self._adjusted = {"seed": seed, "device": device, "threads": threads}

    def flow(
        self, output: str | os.PathLike[str], preset: FlowPreset = flow.PRESETS["small"]
    ) -> tuple[Bundle, FlowTask]:
        """Stage 1: flow matching."""
        task = FlowTask(preset.model, self.training, self.autoencoder, self.motion, self.seed)
        report = self._train(task, preset.train, output, "flow")
        levels = [
            Level(f"{steps} steps", FlowPredictor(task.module, steps), noise=task.module.numbers)
            for steps in STEPS
        ]
        return self._write(output, "flow", levels, [task], [report], preset), task

    def students(
        self,
        output: str | os.PathLike[str],
        teacher: FlowTask,
        preset: DistillPreset = distill.PRESETS["small"],
    ) -> Bundle:
        """Stage 2: the denoiser frozen, a one-step network for each level of detail."""
        levels, tasks, reports, decoders = [], [], [], {}
        for number, size in enumerate(preset.levels):
            model = replace(preset.model, width=size.width or teacher.config.width)
            task = DistillTask(model, teacher.module, self.training, self.autoencoder, self.motion, self.seed)
            reports.append(self._train(task, preset.train, output, f"lod{number}"))
            decoder = "decoder.onnx"
            if size.decoder:
                decoder = f"decoder{number}.onnx"
                small = SmallDecoderTask(
                    size.decoder, self.training, self.autoencoder, self.motion, self.seed
                )
                reports.append(self._train(small, size.decoder.train, output, f"decoder{number}"))
                decoders[decoder] = StateDecoder(self.motion.space, small.module.cpu())
            levels.append(
                Level(f"LOD{number}", task.module.cpu(), decoder, noise=task.module.network.numbers)
            )
            tasks.append(task)
        return self._write(output, "distilled", levels, tasks, reports, preset, decoders)

    def mean_flow(
        self, output: str | os.PathLike[str], preset: MeanFlowPreset = meanflow.PRESETS["small"]
    ) -> Bundle:
        """One step without a teacher."""
        task = MeanFlowTask(preset.model, self.training, self.autoencoder, self.motion, self.seed)
        report = self._train(task, preset.train, output, "mean flow")
        levels = [Level("LOD0", task.predictor, noise=task.module.numbers)]
        return self._write(output, "mean flow", levels, [task], [report], preset)

    def _train(
        self, task: Task, settings: TrainConfig, output: str | os.PathLike[str], name: str
    ) -> TrainReport:
        folder = work_folder(output) / name
        settings = in_proportion(adjusted(settings, **self._adjusted), self._steps, self._usual)
        return train(task, settings, folder, self._track, self._say, self.resume)

    def _write(
        self,
        output: str | os.PathLike[str],
        family: str,
        levels: Sequence[Level],
        tasks: Sequence[RegressionTask],
        reports: Sequence[TrainReport],
        preset: FlowPreset | DistillPreset | MeanFlowPreset,
        decoders: dict[str, StateDecoder] | None = None,
    ) -> Bundle:
        config = tasks[0].config
        tasks[0].module.cpu()
        whole = {"decoder.onnx": StateDecoder(self.motion.space, PoseDecoder(self.autoencoder))}

        def export() -> Bundle:
            with kept(output):
                return write_controller(
                    Path(output),
                    levels,
                    whole | (decoders or {}),
                    self.training,
                    self.motion,
                    self.bundle,
                    tasks[0].tracks(self.seed),
                    family=family,
                    times=config.times,
                    context=config.context,
                    chunk=config.chunk,
                    execute=config.execute,
                    config=asdict(preset),
                    seed=self.seed,
                    provenance={report.folder.name: provenance(report) for report in reports},
                    real=measured_set(self.training, self._say),
                )

        with ranks(self._adjusted["device"]) as us:
            bundle = us.once(export, lambda: open_bundle(output, CONTROLLER))
        self._say("\n".join(bundle.describe()))
        return bundle
