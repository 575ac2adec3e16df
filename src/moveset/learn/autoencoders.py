"""An autoencoder as a bundle, and back: what its training hands on, and what controllers are trained on."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import Any

import torch

from moveset import __version__
from moveset.bundle import Bundle, latent_signature, write_bundle
from moveset.bundle.kinds import AUTOENCODER
from moveset.learn.export import check_onnx, to_onnx
from moveset.learn.loop import TrainConfig, TrainReport
from moveset.learn.models.autoencoder import (
    Autoencoder,
    AutoencoderConfig,
    AutoencoderTask,
    Encoder,
    PoseDecoder,
)

_CHECKED = 256
"""Poses on which networks are compared with torch."""


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
        AUTOENCODER,
        {
            "skeleton": space.skeleton,
            "pose_space": space,
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
    config = AutoencoderConfig(**bundle.manifest["config"]["model"])
    module = Autoencoder(config, bundle.pose_space.layout)
    module.load_state_dict({name: torch.from_numpy(array) for name, array in bundle.weights().items()})
    return module.eval().requires_grad_(False)


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
