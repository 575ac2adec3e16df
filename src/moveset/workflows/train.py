"""From a training set to a bundle: train, export, measure.

What can be refused is refused before any time is spent; what has been trained stays, whatever happens afterwards.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from moveset.bundle import Bundle, is_bundle, open_bundle, refuse_other, write_measures
from moveset.bundle.kinds import AUTOENCODER, CONTROLLER
from moveset.errors import MovesetError
from moveset.learn.autoencoders import write_autoencoder
from moveset.learn.config import TrainConfig, adjusted
from moveset.learn.data import TrainingSet, open_training_set
from moveset.learn.distributed import ranks
from moveset.learn.loop import train
from moveset.learn.models import autoencoder
from moveset.learn.models.autoencoder import AutoencoderConfig, AutoencoderTask
from moveset.learn.models.regression import RegressionConfig
from moveset.library.split import HELD_OUT
from moveset.library.store import is_library
from moveset.library.training_set import is_training_set
from moveset.motion.skeleton import same_bones
from moveset.progress import Track, untracked
from moveset.runtime.evaluation.reference import STORED_POSES, to_manifest
from moveset.workflows.batch import attempt
from moveset.workflows.evaluation.autoencoder import evaluate_autoencoder
from moveset.workflows.evaluation.real_clips import clips_of_set

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
    refuse_place(output, AUTOENCODER)
    own, usual = preset_of(autoencoder.PRESETS, preset)
    settings = adjusted(settings or usual, steps=steps, seed=seed, device=device, threads=threads)
    task = AutoencoderTask(config or own, data, seed)

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

    with ranks(device) as us:
        report = train(task, settings, work_folder(output), track, say, resume)
        return us.once(export, lambda: open_bundle(output, AUTOENCODER))


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


def refuse_place(output: str | os.PathLike[str], kind: str) -> None:
    """Raise where a bundle of `kind` would take the place of something else, or lie within what is replaced whole."""
    refuse_other(output, kind)
    for folder in Path(output).resolve().parents:
        if is_bundle(folder) or is_library(folder) or is_training_set(folder):
            raise MovesetError(
                f"lies in {folder}, which is replaced as a whole", file=output, do="give another output"
            )


def beside(output: str | os.PathLike[str], suffix: str) -> Path:
    """What is made for a bundle NAME.controller, or only NAME: NAME + `suffix`, e.g. ".autoencoder"."""
    target = Path(output)
    stem = next(
        (
            target.name.removesuffix(f".{kind}")
            for kind in (AUTOENCODER, CONTROLLER)
            if target.suffix == f".{kind}"
        ),
        target.name,
    )
    place = target.with_name(f"{stem}{suffix}")
    if place == target:
        raise MovesetError(
            f"is where what the bundle stands on goes ({suffix})",
            file=target,
            do="name the output NAME.controller",
        )
    return place


def in_proportion(settings: TrainConfig, steps: int | None, usual: int) -> TrainConfig:
    """`settings` for a part of a model whose main part trains for `steps` in place of the `usual` ones."""
    return (
        settings if steps is None else replace(settings, steps=max(1, round(settings.steps * steps / usual)))
    )


@contextmanager
def kept(output: str | os.PathLike[str]) -> Iterator[None]:
    """Writing a bundle after its training: an error says that nothing is lost, and how to go on."""
    on = f"what was trained is kept in {work_folder(output)}: go on with --resume"
    try:
        yield
    except MovesetError as error:
        do = f"{error.do}; {on}" if error.do else on
        raise MovesetError(error.message, file=error.file or output, where=error.where, do=do) from error
    except OSError as error:
        raise MovesetError(
            f"cannot be written: {error.strerror or error}", file=output, do=f"make room for it; {on}"
        ) from error
    except Exception as error:
        raise MovesetError(
            f"Moveset failed to write it: {type(error).__name__}: {error}",
            file=output,
            do=f"report this; {on}",
        ) from error


def autoencoder_for(
    data: TrainingSet,
    output: str | os.PathLike[str],
    preset: str,
    given: Bundle | str | os.PathLike[str] | None = None,
    *,
    resume: bool = False,
    say: Say = lambda text: None,
    **how: Any,
) -> Bundle:
    """The autoencoder that a controller `output` stands on: the `given` one, or one trained beside the output."""
    place = beside(output, ".autoencoder")
    if given is None and is_bundle(place):
        if not resume:
            raise MovesetError(
                "an autoencoder is there already",
                file=place,
                do=f"take it with --autoencoder {place}, go on with --resume, or name another output",
            )
        if not work_folder(place).exists():
            given = place
    if given is None:
        given = train_autoencoder(data, place, preset, resume=resume, say=say, **how)
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


def longest_window(model: RegressionConfig, fps: float) -> int:
    """Frames that a clip must have for a controller to be trained and to begin in it."""
    rollout = model.context + (max(model.rounds) - 1) * model.execute + model.chunk
    return max(rollout, model.context + round(max(model.times) * fps))


def measured_set(data: TrainingSet, say: Say) -> tuple[dict[str, object], dict[str, Any]] | None:
    """The measures of the real clips that a controller carries; None where they cannot be measured."""
    found = attempt(lambda: to_manifest(clips_of_set(data.folder).measured(STORED_POSES)), str(data.folder))
    if isinstance(found, MovesetError):
        say(f"the bundle carries no measures of real clips: {found}")
        return None
    return found
