"""Training controllers of every family on one training set and one autoencoder, and writing them as bundles."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

from moveset.bundle import Bundle, open_bundle
from moveset.bundle.kinds import CONTROLLER
from moveset.errors import MovesetError
from moveset.learn.autoencoders import open_autoencoder, provenance
from moveset.learn.config import adjusted
from moveset.learn.controllers import Level, StateDecoder, write_controller
from moveset.learn.data import TrainingSet
from moveset.learn.distributed import ranks
from moveset.learn.loop import TrainConfig, TrainReport, train
from moveset.learn.models import distill, flow, meanflow, regression
from moveset.learn.models.autoencoder import PoseDecoder
from moveset.learn.models.detail import Detail
from moveset.learn.models.distill import DistillConfig, DistillPreset, DistillTask
from moveset.learn.models.flow import FlowConfig, FlowPredictor, FlowPreset, FlowTask
from moveset.learn.models.meanflow import MeanFlowPreset, MeanFlowTask
from moveset.learn.models.regression import RegressionPreset, RegressionTask
from moveset.learn.models.small_decoder import SmallDecoderTask
from moveset.learn.states import encoded
from moveset.learn.task import Task
from moveset.progress import Track, untracked
from moveset.runtime.evaluation.reference import STORED_POSES, to_manifest
from moveset.workflows.batch import attempt
from moveset.workflows.evaluation.real_clips import clips_of_set
from moveset.workflows.training.how import AS_USUAL, How
from moveset.workflows.training.place import kept, work_folder

_OFTEN = 0.5
"""One that was asked for nothing more often than this wanders by itself, others by futures of the data."""
STEPS = (4, 8, 2, 1)
"""Euler steps that a flow is exported with, a level of detail each; the first is what plays unless told otherwise."""

Preset = RegressionPreset | FlowPreset | DistillPreset | MeanFlowPreset
Say = Callable[[str], object]
T = TypeVar("T", bound=RegressionTask)


class ControllerTraining:
    """A training set as states of an autoencoder, on which controllers are trained.

    Every method trains one and writes it as a bundle; what it goes on from lies beside it, in OUTPUT.training.
    """

    def __init__(
        self,
        training: TrainingSet,
        autoencoder: Bundle,
        *,
        how: How = AS_USUAL,
        length: float = 1.0,
        track: Track = untracked,
        say: Say = lambda text: None,
    ) -> None:
        """`length`: steps of each training as a share of those in its preset, in place of `how.steps`."""
        self.training, self.bundle, self.how, self.seed = training, autoencoder, how, how.seed
        self.autoencoder = open_autoencoder(autoencoder)
        self.motion = encoded(training, self.autoencoder)
        self._track, self._say, self._length = track, say, length

    def regression(
        self, output: str | os.PathLike[str], preset: RegressionPreset = regression.PRESETS["small"]
    ) -> Bundle:
        """The mean of what may follow, in one pass, for each level of detail."""

        def task(detail: Detail, decoder: PoseDecoder | None) -> RegressionTask:
            model = replace(preset.model, width=detail.width or preset.model.width)
            return RegressionTask(model, self.training, self.autoencoder, self.motion, self.seed, decoder)

        def level(name: str, task: RegressionTask, decoder: str) -> Level:
            return Level(name, task.module.cpu(), decoder)

        return self._each_detail(output, "regression", preset, task, level)

    def flow(
        self, output: str | os.PathLike[str], preset: FlowPreset = flow.PRESETS["small"]
    ) -> tuple[Bundle, FlowTask]:
        """Flow matching; its task can teach `students`."""
        task = FlowTask(preset.model, self.training, self.autoencoder, self.motion, self.seed)
        report = self._train(task, preset.train, output, "flow")
        levels = [
            Level(
                f"{steps} step{'s' * (steps > 1)}",
                FlowPredictor(task.module, steps),
                noise=task.module.numbers,
            )
            for steps in STEPS
        ]
        return self._write(output, "flow", levels, task, [report], preset), task

    def students(
        self,
        output: str | os.PathLike[str],
        teacher: FlowTask,
        preset: DistillPreset = distill.PRESETS["small"],
    ) -> Bundle:
        """The denoiser of a flow frozen, a one-step network for each level of detail."""

        def task(detail: Detail, decoder: PoseDecoder | None) -> DistillTask:
            model = replace(preset.model, width=detail.width or teacher.config.width)
            known = (self.training, self.autoencoder, self.motion, self.seed, decoder)
            return DistillTask(model, teacher.module, *known)

        def level(name: str, task: DistillTask, decoder: str) -> Level:
            return Level(name, task.module.cpu(), decoder, noise=task.module.network.numbers)

        return self._each_detail(output, "distilled", preset, task, level)

    def mean_flow(
        self, output: str | os.PathLike[str], preset: MeanFlowPreset = meanflow.PRESETS["small"]
    ) -> Bundle:
        """One step without a teacher."""
        task = MeanFlowTask(preset.model, self.training, self.autoencoder, self.motion, self.seed)
        report = self._train(task, preset.train, output, "mean flow")
        levels = [Level("LOD0", task.predictor, noise=task.module.numbers)]
        return self._write(output, "mean flow", levels, task, [report], preset)

    def _each_detail(
        self,
        output: str | os.PathLike[str],
        family: str,
        preset: RegressionPreset | DistillPreset,
        make: Callable[[Detail, PoseDecoder | None], T],
        level: Callable[[str, T, str], Level],
    ) -> Bundle:
        """Train what `make` gives for each level of detail, and before it the decoder that some of them have of their own."""
        levels, tasks, reports, decoders = [], [], [], {}
        for number, detail in enumerate(preset.levels):
            decoder, small = "decoder.onnx", None
            if detail.decoder:  # first: the feet of what is predicted are those that it gives
                decoder = f"decoder{number}.onnx"
                learns = SmallDecoderTask(
                    detail.decoder, self.training, self.autoencoder, self.motion, self.seed
                )
                reports.append(self._train(learns, detail.decoder.train, output, f"decoder{number}"))
                small = learns.module.cpu()
                decoders[decoder] = StateDecoder(self.motion.space, small)
            task = make(detail, small)
            reports.append(self._train(task, preset.train, output, f"lod{number}", detail.steps))
            levels.append(level(f"LOD{number}", task, decoder))
            tasks.append(task)
        return self._write(output, family, levels, tasks[0], reports, preset, decoders)

    def _train(
        self,
        task: Task,
        settings: TrainConfig,
        output: str | os.PathLike[str],
        name: str,
        share: float = 1.0,
    ) -> TrainReport:
        steps = max(1, round(share * self._length * settings.steps))
        settings = adjusted(
            settings, steps=steps, seed=self.seed, device=self.how.device, threads=self.how.threads
        )
        return train(task, settings, work_folder(output) / name, self._track, self._say, self.how.resume)

    def _write(
        self,
        output: str | os.PathLike[str],
        family: str,
        levels: Sequence[Level],
        task: RegressionTask,
        reports: Sequence[TrainReport],
        preset: Preset,
        decoders: dict[str, StateDecoder] | None = None,
    ) -> Bundle:
        """Under torchrun the first process alone writes; all open it."""
        config = task.config
        task.module.cpu()
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
                    task.tracks(self.seed),
                    family=family,
                    wanders=family != "regression" and config.free > _OFTEN,
                    chance=config.chance if isinstance(config, FlowConfig | DistillConfig) else 0.0,
                    times=config.times,
                    context=config.context,
                    chunk=config.chunk,
                    execute=config.execute,
                    config=asdict(preset),
                    seed=self.seed,
                    provenance={report.folder.name: provenance(report) for report in reports},
                    real=_measured(self.training, self._say),
                )

        with ranks(self.how.device) as us:
            bundle = us.once(export, lambda: open_bundle(output, CONTROLLER))
        self._say("\n".join(bundle.describe()))
        return bundle


def _measured(data: TrainingSet, say: Say) -> tuple[dict[str, object], dict[str, Any]] | None:
    """The measures of the real clips that a controller carries; None where they cannot be measured."""
    found = attempt(lambda: to_manifest(clips_of_set(data.folder).measured(STORED_POSES)), str(data.folder))
    if isinstance(found, MovesetError):
        say(f"the bundle carries no measures of real clips: {found}")
        return None
    return found
