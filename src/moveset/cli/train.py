"""`moveset train autoencoder|controller`: a library to a bundle."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from moveset.bundle.kinds import AUTOENCODER, CONTROLLER
from moveset.cli.options import Flag, Output
from moveset.cli.printing import note, print_json
from moveset.cli.progress import track
from moveset.workflows.training.how import How

if TYPE_CHECKING:
    from moveset.bundle import Bundle

train = App(name="train")


@dataclass(frozen=True, kw_only=True)
class TrainOptions(How):
    """Options of both."""

    output: Output
    """The bundle, a folder: NAME.autoencoder, NAME.controller. The training set is written beside it, as NAME.set."""
    preset: Literal["tiny", "small", "base"] = "small"
    """Size of the model and length of its training: a minute or two, twenty minutes, hours."""
    where: str = ""
    """Which clips of a library, in SQL; without it those of plain locomotion."""
    everything: Flag = False
    """Take all clips, not only those whose names and tags speak of walking, running, standing."""
    resume: Flag = False
    """Go on where a training of the same output was stopped."""
    json: Flag = False
    """Print what the bundle is as JSON; notes go to stderr."""


@dataclass(frozen=True, kw_only=True)
class ControllerOptions(TrainOptions):
    """Options of `moveset train controller`."""

    autoencoder: str | None = None
    """A bundle that was trained on the same clips; without one it is trained first, as NAME.autoencoder."""
    family: Literal["regression", "flow", "distilled", "mean-flow"] | None = None
    """How it is trained; the flows draw one of several futures. Without it what measures best: regression where clips
    travel, a flow where they act in place."""


@train.command
def autoencoder(*sources: str, options: Annotated[TrainOptions, Parameter(name="*")]) -> None:
    """Poses as a few numbers: the ground on which controllers are trained.

    Example: `moveset train autoencoder my.library -o walks.autoencoder --preset small`

    Parameters
    ----------
    sources
        A NAME.library; or files, folders and archives with clips; or a training set.
    """
    from moveset.workflows.train import train_autoencoder

    _train(AUTOENCODER, train_autoencoder, sources, options)


@train.command
def controller(*sources: str, options: Annotated[ControllerOptions, Parameter(name="*")]) -> None:
    """A character that goes where it is asked to, frame by frame.

    Example: `moveset train controller my.library -o walks.controller --preset small`

    Parameters
    ----------
    sources
        A NAME.library; or files, folders and archives with clips; or a training set.
    """
    from moveset.workflows.train import train_controller

    _train(
        CONTROLLER, train_controller, sources, options, autoencoder=options.autoencoder, family=options.family
    )


def _train(
    kind: str, workflow: Callable[..., Bundle], sources: Sequence[str], options: TrainOptions, **more: object
) -> None:
    """Sources to a training set, that to a bundle; under torchrun the first process alone speaks."""
    from moveset.bundle import open_bundle
    from moveset.learn.config import TrainConfig, adjusted
    from moveset.learn.distributed import usable_device
    from moveset.learn.run import refuse_started
    from moveset.workflows.training.place import beside, refuse_place, work_folder
    from moveset.workflows.training.sources import training_set_of

    # found out now, not when minutes have been spent
    refuse_place(options.output, kind)
    if more.get("autoencoder"):
        open_bundle(str(more["autoencoder"]), AUTOENCODER)
    usable_device(options.device)
    adjusted(TrainConfig(), steps=options.steps, seed=options.seed, threads=options.threads)
    if not options.resume:
        refuse_started(work_folder(options.output))
    first = os.environ.get("RANK", "0") == "0"
    say = (note if options.json else print) if first else _silence
    try:
        training = training_set_of(
            sources, beside(options.output, ".set"), options.preset, where=options.where,
            everything=options.everything, device=options.device, seed=options.seed, track=track, say=say,
        )  # fmt: skip
        bundle = workflow(training, options.output, options.preset, how=options, track=track, say=say, **more)
    except KeyboardInterrupt as stop:  # of the steps of a training it says more
        raise KeyboardInterrupt(str(stop) or f"{options.output}: stopped; go on with --resume") from None
    if options.json and first:
        print_json({"path": str(bundle.path), "kind": bundle.kind, "hash": bundle.hash, **bundle.manifest})


def _silence(text: str) -> None:
    return None
