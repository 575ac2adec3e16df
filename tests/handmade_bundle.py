"""The controller made by hand as a bundle on disk: its networks as ONNX."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from handmade import HARMONICS, MEAN, SCALE, TIMES, Handmade
from moveset.bundle import Bundle, latent_signature, write_bundle
from moveset.learn.export import to_onnx


class Predictor(nn.Module):
    def __init__(self, made: Handmade) -> None:
        super().__init__()
        self.stiffness, self.chunk = made.stiffness, made.chunk
        self.rate = 2 * np.pi / made.walk.frames / 1.2
        self.register_buffer("mean", torch.tensor(MEAN, dtype=torch.float32))
        self.register_buffer("scale", torch.tensor(SCALE, dtype=torch.float32))

    def forward(self, context: Tensor, offsets: Tensor, turns: Tensor, free: Tensor) -> Tensor:
        cosine, sine = context[:, -1, 0:1], context[:, -1, 1:2]
        root = context[:, -1, 2:] * self.scale + self.mean
        goal = torch.cat((offsets[:, 1], turns[:, 1:2]), dim=1) / TIMES[1]
        goal = free * root + (1 - free) * goal
        states = []
        for _ in range(self.chunk):
            root = root + self.stiffness * (goal - root)
            angle = self.rate * root[:, 1:2]
            cosine, sine = (
                cosine * torch.cos(angle) - sine * torch.sin(angle),
                sine * torch.cos(angle) + cosine * torch.sin(angle),
            )
            size = torch.sqrt(cosine * cosine + sine * sine)
            cosine, sine = cosine / size, sine / size
            states.append(torch.cat((cosine, sine, (root - self.mean) / self.scale), dim=1))
        return torch.stack(states, dim=1)


class Decoder(nn.Module):
    def __init__(self, made: Handmade) -> None:
        super().__init__()
        rows = made.walk.space.layout.unpack(made.walk.rows)
        for name in ("rotations", "translations", "contacts"):
            self.register_buffer(name, torch.tensor(rows[name].copy(), dtype=torch.float32))
        self.register_buffer("mean", torch.tensor(MEAN, dtype=torch.float32))
        self.register_buffer("scale", torch.tensor(SCALE, dtype=torch.float32))

    def forward(self, state: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        size = torch.sqrt((state[:, :2] ** 2).sum(dim=1, keepdim=True) + 1e-9)
        c, s = state[:, 0:1] / size, state[:, 1:2] / size
        cosines, sines = [c], [s]
        for _ in range(HARMONICS - 1):
            cosines, sines = (
                [*cosines, cosines[-1] * c - sines[-1] * s],
                [*sines, sines[-1] * c + cosines[-1] * s],
            )
        waves = torch.cat((torch.ones_like(c), *cosines, *sines), dim=1)
        rotations = (waves @ self.rotations.flatten(1)).unflatten(1, self.rotations.shape[1:])
        translations = (waves @ self.translations.flatten(1)).unflatten(1, self.translations.shape[1:])
        return rotations, translations, waves @ self.contacts, state[:, 2:] * self.scale + self.mean


def write_handmade(path, made: Handmade, arrays=None, **manifest) -> Bundle:
    starts = made.arrays("starts")
    latent = latent_signature({"made": np.zeros(1)})
    some = {
        "context": torch.tensor(starts["contexts"][:3]),
        "offsets": torch.tensor(starts["offsets"][:3], dtype=torch.float32),
        "turns": torch.tensor(starts["turns"][:3], dtype=torch.float32),
        "free": torch.zeros(3, 1),
    }
    outputs = ("rotations", "translations", "contacts", "root")
    metadata = {"latent": latent}
    networks = {
        "lod0.onnx": to_onnx(Predictor(made), some, ("states",), metadata),
        "lod1.onnx": to_onnx(Predictor(made), some, ("states",), metadata),
        "decoder.onnx": to_onnx(Decoder(made), {"state": some["context"][:, -1]}, outputs, metadata),
    }

    def told(inputs, outputs):
        return {
            "inputs": {name: {"unit": "", "meaning": name} for name in inputs},
            "outputs": {name: {"unit": "", "meaning": name} for name in outputs},
        }

    said = {
        **made.manifest,
        "skeleton": made.walk.space.skeleton,
        "layouts": {},
        "latent": latent,
        "networks": {
            "lod0.onnx": told(some, ("states",)),
            "lod1.onnx": told(some, ("states",)),
            "decoder.onnx": told(("state",), outputs),
        },
        "config": {},
        "seeds": {},
        "data": {"clips": 1, "seconds": {"real": 5.0}},
        "stands_on": {},
        "license": "CC0-1.0",
        "provenance": {},
        "measures": {},
        **manifest,
    }
    return write_bundle(path, "controller", said, networks, {"starts": starts, **(arrays or {})})
