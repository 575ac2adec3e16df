"""From a training set to a bundle: train, export, measure."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

import torch

from moveset import __version__
from moveset.bundle import Bundle, latent_signature, write_bundle, write_measures
from moveset.errors import MovesetError
from moveset.features.pose import PoseSpace
from moveset.learn.data import TrainingSet, open_training_set
from moveset.learn.export import check_onnx, to_onnx
from moveset.learn.loop import TrainConfig, TrainReport, train
from moveset.learn.models import autoencoder
from moveset.learn.models.autoencoder import (
    Autoencoder,
    AutoencoderConfig,
    AutoencoderTask,
    Encoder,
    PoseDecoder,
)
from moveset.library.split import HELD_OUT
from moveset.progress import Track, untracked
from moveset.workflows.evaluate_autoencoder import evaluate_autoencoder

Say = Callable[[str], object]
T = TypeVar("T")
_CHECKED = 256
"""Poses on which networks are compared with torch."""


def train_autoencoder(
    training: TrainingSet | str | os.PathLike[str],
    output: str | os.PathLike[str],
    preset: str = "small",
    *,
    config: AutoencoderConfig | None = None,
    settings: TrainConfig | None = None,
    seed: int = 0,
    device: str = "cpu",
    resume: bool = False,
    track: Track = untracked,
    say: Say = lambda text: None,
) -> Bundle:
    """Train an autoencoder on a training set and write it as the bundle `output`, measured on the held-out clips.

    `config` and `settings` stand in for those of the preset. What is kept to go on from (`resume`), the log, curves
    and pictures lie beside the bundle, in `output` with the suffix .training.
    """
    data = training if isinstance(training, TrainingSet) else open_training_set(Path(training))
    own, usual = preset_of(autoencoder.PRESETS, preset)
    config, settings = config or own, replace(settings or usual, seed=seed, device=device)
    task = AutoencoderTask(config, data, seed)
    report = train(task, settings, work_folder(output), track, say, resume)
    task.module.cpu()
    task.finish()
    bundle = write_autoencoder(output, task, settings, report)
    say("\n".join(bundle.describe()))
    if len(data.windows(1, HELD_OUT)):
        bundle = write_measures(bundle, autoencoder_measures(bundle, data))
    return bundle


def write_autoencoder(
    output: str | os.PathLike[str], task: AutoencoderTask, settings: TrainConfig, report: TrainReport
) -> Bundle:
    """Export what a task has trained; both networks are checked against torch on poses of the set."""
    module, space = task.module, task.space
    weights = {name: tensor.detach().cpu().numpy() for name, tensor in module.state_dict().items()}
    latent = latent_signature(weights)
    poses = task.poses[torch.from_numpy(task.training.windows(1)[:_CHECKED])]
    with torch.no_grad():
        latents = module.encode(poses)
    networks = {}
    for name, network, inputs, outputs in (
        ("encoder.onnx", Encoder(module), {"pose": poses}, ("latent",)),
        ("decoder.onnx", PoseDecoder(module), {"latent": latents}, ("rotations", "translations", "contacts")),
    ):
        networks[name] = to_onnx(network, inputs, outputs, {"latent": latent})
        check_onnx(networks[name], network, inputs)
    return write_bundle(
        output,
        "autoencoder",
        {
            "skeleton": space.skeleton,
            "pose_space": space.to_json(),
            "layouts": {"pose": [asdict(field) for field in module.layout.fields]},
            "networks": _AUTOENCODER_PORTS,
            "latent": latent,
            "config": {"model": asdict(task.config), "training": asdict(settings)},
            "seeds": {"training": settings.seed},
            "data": asdict(task.data) | {"fps": task.training.fps},
            "stands_on": {},
            "license": task.data.license,
            "provenance": provenance(report),
            "measures": {},
        },
        networks,
        weights=weights,
    )


def open_autoencoder(bundle: Bundle) -> Autoencoder:
    """The module of a bundle, for controllers that train on its latents."""
    space = PoseSpace.from_json(bundle.manifest["pose_space"])
    module = Autoencoder(AutoencoderConfig(**bundle.manifest["config"]["model"]), space.layout)
    module.load_state_dict({name: torch.from_numpy(array) for name, array in bundle.weights().items()})
    return module.eval().requires_grad_(False)


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


def provenance(report: TrainReport) -> dict[str, Any]:
    """How a model came to be."""
    return {
        "moveset": __version__,
        "torch": torch.__version__,
        "steps": report.steps,
        "parameters": report.parameters,
        "process_seconds": round(report.process_seconds, 1),
        "losses": report.losses,
    }


_AUTOENCODER_PORTS = {
    "encoder.onnx": {
        "inputs": {"pose": {"unit": "see layouts", "meaning": "pose vector without its root block"}},
        "outputs": {"latent": {"unit": "", "meaning": "mean 0, deviation 1 on the training frames"}},
    },
    "decoder.onnx": {
        "inputs": {"latent": {"unit": "", "meaning": "as the encoder gives it"}},
        "outputs": {
            "rotations": {
                "unit": "",
                "meaning": "of the turning joints: first two columns of the local rotation matrices, not orthonormal; "
                "of roots, in the ground frame",
            },
            "translations": {
                "unit": "m",
                "meaning": "local, of the moving joints; of roots, in the ground frame",
            },
            "contacts": {"unit": "", "meaning": "of the foot roles, 0 to 1; above 0.5 the foot bears"},
        },
    },
}
