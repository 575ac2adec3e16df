"""From a training set to a bundle: train, export, measure.

What can be refused is refused before any time is spent; what has been trained stays, whatever happens afterwards.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from moveset.bundle import Bundle, is_bundle, open_bundle, write_measures
from moveset.bundle.kinds import AUTOENCODER, CONTROLLER
from moveset.errors import MovesetError
from moveset.learn.autoencoders import write_autoencoder
from moveset.learn.config import TrainConfig, adjusted
from moveset.learn.data import TrainingSet, open_training_set
from moveset.learn.distributed import ranks
from moveset.learn.loop import train
from moveset.learn.models import autoencoder, distill, flow, meanflow, regression
from moveset.learn.models.autoencoder import AutoencoderConfig, AutoencoderTask
from moveset.learn.models.flow import FlowPreset
from moveset.learn.models.meanflow import MeanFlowPreset
from moveset.learn.models.regression import RegressionPreset
from moveset.library.split import HELD_OUT
from moveset.motion.roles import LEFT_LEG, RIGHT_LEG
from moveset.motion.skeleton import same_bones
from moveset.progress import Track, untracked
from moveset.workflows.batch import attempt
from moveset.workflows.evaluation.autoencoder import evaluate_autoencoder
from moveset.workflows.training.controllers import ControllerTraining
from moveset.workflows.training.how import AS_USUAL, How
from moveset.workflows.training.place import beside, kept, refuse_place, work_folder
from moveset.workflows.training.usual import share_that_travels, suited, usual_family

Say = Callable[[str], object]
T = TypeVar("T")

CONTROLLERS: Mapping[str, Mapping[str, RegressionPreset | FlowPreset | MeanFlowPreset]] = {
    "regression": regression.PRESETS,
    "flow": flow.PRESETS,
    "distilled": flow.PRESETS,
    "mean-flow": meanflow.PRESETS,
}
"""Presets by family; of distilled ones, those of the flow that teaches them."""


def train_autoencoder(
    training: TrainingSet | str | os.PathLike[str],
    output: str | os.PathLike[str],
    preset: str = "small",
    *,
    how: How = AS_USUAL,
    config: AutoencoderConfig | None = None,
    settings: TrainConfig | None = None,
    track: Track = untracked,
    say: Say = lambda text: None,
) -> Bundle:
    """Train an autoencoder on a training set and write it as the bundle `output`, measured on the held-out clips.

    `config` and `settings` stand in for those of the preset. What is kept to go on from, the log, curves and pictures
    lie beside the bundle, in `output` with the suffix .training.
    """
    data = training if isinstance(training, TrainingSet) else open_training_set(Path(training))
    refuse_place(output, AUTOENCODER)
    own, usual = preset_of(autoencoder.PRESETS, preset)
    settings = adjusted(
        settings or usual, steps=how.steps, seed=how.seed, device=how.device, threads=how.threads
    )
    task = AutoencoderTask(config or own, data, how.seed)

    def export() -> Bundle:
        task.finish()
        with kept(output):
            bundle = write_autoencoder(output, task, settings, report)
        say("\n".join(bundle.describe()))
        if HELD_OUT not in data.view.splits:
            return bundle
        measures = attempt(lambda: autoencoder_measures(bundle, data), "held-out clips")
        if isinstance(measures, MovesetError):
            say(f"not measured: {measures}")
            return bundle
        return write_measures(bundle, measures)

    with ranks(how.device) as us:
        report = train(task, settings, work_folder(output), track, say, how.resume)
        return us.once(export, lambda: open_bundle(output, AUTOENCODER))


def train_controller(
    training: TrainingSet | str | os.PathLike[str],
    output: str | os.PathLike[str],
    preset: str = "small",
    *,
    family: str | None = None,
    autoencoder: Bundle | str | os.PathLike[str] | None = None,
    how: How = AS_USUAL,
    track: Track = untracked,
    say: Say = lambda text: None,
) -> Bundle:
    """Train a controller on a training set and write it as the bundle `output`.

    Without a `family`, that which measures best on clips of their kind (workflows/training/usual.py). Without an
    `autoencoder` one is trained first, of the same preset, beside the output.
    """
    if family not in (None, *CONTROLLERS):
        raise MovesetError(f"there is no family {family!r}", do=f"choose from {', '.join(CONTROLLERS)}")
    data = training if isinstance(training, TrainingSet) else open_training_set(Path(training))
    travelling = share_that_travels(data)
    if family is None:
        family, why = usual_family(travelling)
        say(f"family {family}: {why}; --family decides otherwise")
    chosen = suited(preset_of(CONTROLLERS[family], preset), travelling)
    # refused now, not after the training
    refuse_place(output, CONTROLLER)
    teacher = beside(output, ".flow") if family == "distilled" else output
    refuse_place(teacher, CONTROLLER)
    _refuse_legless(data)
    data.windows(chosen.model.longest(data.fps))
    with ranks(how.device):
        whole = replace(how, steps=None)  # steps are those of the controller
        below = autoencoder_for(data, output, preset, autoencoder, how=whole, track=track, say=say)
        length = how.steps / chosen.train.steps if how.steps is not None else 1.0
        controllers = ControllerTraining(data, below, how=how, length=length, track=track, say=say)
        if isinstance(chosen, RegressionPreset):
            return controllers.regression(output, chosen)
        if isinstance(chosen, MeanFlowPreset):
            return controllers.mean_flow(output, chosen)
        bundle, task = controllers.flow(teacher, chosen)
        if family == "distilled":
            return controllers.students(output, task, suited(preset_of(distill.PRESETS, preset), travelling))
        return bundle


def _refuse_legless(data: TrainingSet) -> None:
    """A controller learns from feet that stand, and its foot lock bends knees."""
    missing = [role for role in LEFT_LEG[:3] + RIGHT_LEG[:3] if role not in data.space.skeleton.by_role]
    if missing:
        raise MovesetError(
            f"its skeleton has no joint with role {', '.join(missing)}: controllers are for bodies on two legs",
            file=data.folder,
            do="give the joints their roles; an autoencoder takes any body",
        )


def autoencoder_measures(bundle: Bundle, data: TrainingSet) -> dict[str, Any]:
    """What stands in the bundle about it: errors on held-out clips beside those of principal components."""
    found = evaluate_autoencoder(bundle, data)
    about = ("latents", "mean", "p99", "angle", "angle_p99", "contact_f1", "contact_accuracy")
    return {
        "held_out": {coding.name: {key: getattr(coding, key) for key in about} for coding in found.codings},
        "networks": found.networks,
    }


def autoencoder_for(
    data: TrainingSet,
    output: str | os.PathLike[str],
    preset: str,
    given: Bundle | str | os.PathLike[str] | None = None,
    *,
    how: How = AS_USUAL,
    track: Track = untracked,
    say: Say = lambda text: None,
) -> Bundle:
    """The autoencoder that a controller `output` stands on: the `given` one, or one trained beside the output."""
    place = beside(output, ".autoencoder")
    if given is None and is_bundle(place):
        if not how.resume:
            raise MovesetError(
                "an autoencoder is there already",
                file=place,
                do=f"take it with --autoencoder {place}, go on with --resume, or name another output",
            )
        if not work_folder(place).exists():
            given = place
    if given is None:
        given = train_autoencoder(data, place, preset, how=how, track=track, say=say)
    below = given if isinstance(given, Bundle) else open_bundle(given, AUTOENCODER)
    own, other = data.space, below.pose_space
    if not (
        same_bones(own.skeleton, other.skeleton)
        and np.array_equal(own.turning, other.turning)
        and np.array_equal(own.moving, other.moving)
    ):  # poses of other joints are other numbers, even where there are as many
        raise MovesetError(
            f"speaks of poses of other joints than the training set {data.folder}",
            file=below.path,
            do="train an autoencoder on this training set, or give none: one is trained then",
        )
    return below


def preset_of(presets: Mapping[str, T], name: str) -> T:
    """A preset by name."""
    if name not in presets:
        raise MovesetError(f"there is no preset {name!r}", do=f"choose from {', '.join(presets)}")
    return presets[name]
