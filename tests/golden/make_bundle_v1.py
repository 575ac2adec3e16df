"""Makes bundle-v1: an autoencoder and a controller of format 1, and what their networks answer.

    python tests/golden/make_bundle_v1.py FOLDER

It made the files that lie here once and for all; later formats get a script and a folder of their own. The networks
are made by hand: legs that swing with a phase, hips that go where they are asked.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from moveset.bundle import latent_signature, open_bundle, write_bundle
from moveset.features.pose import PoseSpace
from moveset.learn.export import to_onnx
from moveset.motion import Skeleton

FPS, TIMES, CONTEXT, CHUNK, EXECUTE, LATENTS = 30.0, (1 / 3, 2 / 3, 1.0), 4, 8, 4, 4
CADENCE = 2 * np.pi / 32  # rad a frame
FOLLOWS = 0.2  # share of the asked change of velocity taken up in a frame
MEAN, SCALE = (0.0, 1.0, 0.0), (0.3, 0.5, 0.5)  # of the root velocities in a state

JOINTS = (
    # name and role, parent, translation [m], how phase (cos, sin), lean and bob turn it about its x axis
    ("hips", -1, (0, 0.9, 0), (0, 0, 0.1, 0)),
    ("spine", 0, (0, 0.2, 0), (0, 0.05, 0.1, 0)),
    ("head", 1, (0, 0.4, 0), None),
    ("leftUpperLeg", 0, (0.1, -0.05, 0), (0, 0.4, 0, 0)),
    ("leftLowerLeg", 3, (0, -0.42, 0), (0.3, 0.1, 0, 0.1)),
    ("leftFoot", 4, (0, -0.4, 0), (0.1, -0.2, 0, 0)),
    ("rightUpperLeg", 0, (-0.1, -0.05, 0), (0, -0.4, 0, 0)),
    ("rightLowerLeg", 6, (0, -0.42, 0), (-0.3, -0.1, 0, 0.1)),
    ("rightFoot", 7, (0, -0.4, 0), (-0.1, 0.2, 0, 0)),
)


def space() -> PoseSpace:
    names = tuple(joint[0] for joint in JOINTS)
    rest = np.tile([0.0, 0, 0, 1], (len(JOINTS), 1))
    rest[2] = (0.0, 0.6, 0.0, 0.8)  # the head looks aside and stays so
    translations = np.array([joint[2] for joint in JOINTS], dtype=float)
    skeleton = Skeleton(names, np.array([joint[1] for joint in JOINTS]), rest, translations, names)
    turning = np.array([j for j, joint in enumerate(JOINTS) if joint[3]])
    return PoseSpace(skeleton, turning, np.array([0]), rest, translations)


class PoseDecoder(nn.Module):
    """Latents (cos, sin, lean, bob) -> rotations, translations, contacts, all of them linear."""

    def __init__(self) -> None:
        super().__init__()
        swings = torch.tensor([joint[3] for joint in JOINTS if joint[3]])
        weight, bias = torch.zeros(len(swings), 6, LATENTS), torch.zeros(len(swings), 6)
        bias[:, 0] = bias[:, 4] = 1
        weight[:, 5] = swings  # the y axis leans to z
        self.line = nn.Linear(LATENTS, 6 * len(swings) + 3 + 2)
        with torch.no_grad():
            hips, feet = torch.zeros(3, LATENTS), torch.zeros(2, LATENTS)
            hips[1, 3], feet[0, 0], feet[1, 0] = 0.02, -0.5, 0.5
            self.line.weight.copy_(torch.cat((weight.flatten(0, 1), hips, feet)))
            self.line.bias.copy_(torch.cat((bias.flatten(), torch.tensor([0, 0.9, 0, 0.5, 0.5]))))

    def forward(self, latent: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        blocks = self.line(latent)
        return (
            blocks[:, :-5].reshape(-1, 8, 6),
            blocks[:, -5:-2].reshape(-1, 1, 3),
            blocks[:, -2:].clamp(0.0, 1.0),
        )


class StateDecoder(PoseDecoder):
    def forward(self, state: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        return *super().forward(state[:, :LATENTS]), state[:, LATENTS:] * torch.tensor(SCALE) + torch.tensor(
            MEAN
        )


class Encoder(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.line = nn.Linear(width, LATENTS)
        with torch.no_grad():
            self.line.weight.copy_(torch.tensor(np.random.default_rng(0).normal(size=(LATENTS, width)) * 0.1))
            self.line.bias.zero_()

    def forward(self, pose: Tensor) -> Tensor:
        return self.line(pose)


class Predictor(nn.Module):
    """The phase runs on, the root takes up what is asked for the middle time."""

    def __init__(self) -> None:
        super().__init__()
        frames = torch.arange(1, CHUNK + 1)
        turn = torch.zeros(CHUNK, 2, 2)
        turn[:, 0, 0] = turn[:, 1, 1] = torch.cos(CADENCE * frames)
        turn[:, 1, 0] = torch.sin(CADENCE * frames)
        turn[:, 0, 1] = -turn[:, 1, 0]
        self.register_buffer("turn", turn.reshape(2 * CHUNK, 2).T.contiguous())
        self.register_buffer("taken", (1 - (1 - FOLLOWS) ** frames)[:, None].float())

    def forward(self, context: Tensor, offsets: Tensor, turns: Tensor, free: Tensor) -> Tensor:
        last = context[:, -1]
        phase = (last[:, :2] @ self.turn).reshape(-1, CHUNK, 2)
        root = last[:, None, LATENTS:]
        asked = torch.cat((offsets[:, 1], turns[:, 1:2]), dim=1) / TIMES[1]
        goal = (asked - torch.tensor(MEAN)) / torch.tensor(SCALE) * (1 - free) + root[:, 0] * free
        moved = (root + self.taken * (goal[:, None] - root)).clamp(-4.0, 4.0)
        lean_and_bob = torch.cat((moved[..., 1:2] * 0.5, phase[..., :1] * phase[..., 1:]), dim=-1)
        return torch.cat((phase, lean_and_bob, moved), dim=-1)


class Flow(Predictor):
    """Velocity that leads any sample to the answer of the Predictor."""

    def forward(
        self, context: Tensor, offsets: Tensor, turns: Tensor, free: Tensor, sample: Tensor, time: Tensor
    ) -> Tensor:
        return (super().forward(context, offsets, turns, free).flatten(1) - sample) / (1 - time)


def told(names: str) -> dict[str, dict[str, str]]:
    return {name: {"unit": "", "meaning": "see docs/bundle.md"} for name in names.split()}


def make(folder: Path) -> None:
    body, rng = space(), np.random.default_rng(1)
    width = body.layout.width - 3
    encoder, decoder = Encoder(width), PoseDecoder()
    weights = {f"encoder.{k}": v.numpy() for k, v in encoder.state_dict().items()}
    weights |= {f"decoder.{k}": v.numpy() for k, v in decoder.state_dict().items()}
    latent = latent_signature(weights)
    carried = {"latent": latent}
    shared = {
        "skeleton": body.skeleton, "pose_space": body.to_json(), "layouts": {"pose": body.layout.signature},
        "latent": latent, "config": {}, "seeds": {}, "data": {}, "license": "CC0-1.0", "measures": {},
        "provenance": {"script": "tests/golden/make_bundle_v1.py"},
    }  # fmt: skip
    blocks = ["rotations", "translations", "contacts"]
    autoencoder = write_bundle(
        folder / "walker.autoencoder",
        "autoencoder",
        {
            **shared,
            "stands_on": {},
            "networks": {
                "encoder.onnx": {"inputs": told("pose"), "outputs": told("latent")},
                "decoder.onnx": {"inputs": told("latent"), "outputs": told(" ".join(blocks))},
            },
        },
        {
            "encoder.onnx": to_onnx(encoder, {"pose": torch.zeros(2, width)}, ["latent"], carried),
            "decoder.onnx": to_onnx(decoder, {"latent": torch.zeros(2, LATENTS)}, blocks, carried),
        },
        weights=weights,
    )

    states, times = LATENTS + 3, len(TIMES)
    asked = {
        "context": torch.zeros(2, CONTEXT, states), "offsets": torch.zeros(2, times, 2),
        "turns": torch.zeros(2, times), "free": torch.zeros(2, 1),
    }  # fmt: skip
    flow = {**asked, "sample": torch.zeros(2, CHUNK * states), "time": torch.zeros(2, 1)}
    phases = rng.uniform(0, 2 * np.pi, (8, 1)) + CADENCE * np.arange(CONTEXT)
    roots = rng.normal(size=(8, 1, 3)).repeat(CONTEXT, axis=1)
    contexts = np.concatenate(
        (np.cos(phases)[..., None], np.sin(phases)[..., None], roots[..., :2], roots), axis=-1
    )
    velocities = roots[:, -1] * SCALE + MEAN
    ahead = np.array(TIMES)[:, None]
    reach = [[2.0 * t, 2.0 * t] for t in TIMES]
    write_bundle(
        folder / "walker.controller",
        "controller",
        {
            **shared,
            "stands_on": {"autoencoder": autoencoder.reference},
            "networks": {
                "lod0.onnx": {"inputs": told(" ".join(asked)), "outputs": told("states")},
                "lod1.onnx": {"inputs": told(" ".join(flow)), "outputs": told("velocity")},
                "decoder.onnx": {"inputs": told("state"), "outputs": told(" ".join((*blocks, "root")))},
            },
            "controller": {
                "family": "flow", "fps": FPS, "times": TIMES, "context": CONTEXT, "chunk": CHUNK,
                "execute": EXECUTE, "states": states, "noise": 1.0,
                "control_range": {
                    "offsets": {"low": (-np.array(reach)), "high": reach},
                    "turns": {"low": [-2 * t for t in TIMES], "high": [2 * t for t in TIMES]},
                },
                "lods": [
                    {"name": "LOD0", "predictor": "lod0.onnx", "decoder": "decoder.onnx", "steps": 0},
                    {"name": "LOD1", "predictor": "lod1.onnx", "decoder": "decoder.onnx", "steps": 2},
                ],
            },
        },
        {
            "lod0.onnx": to_onnx(Predictor(), asked, ["states"], carried),
            "lod1.onnx": to_onnx(Flow(), flow, ["velocity"], carried),
            "decoder.onnx": to_onnx(StateDecoder(), {"state": torch.zeros(2, states)}, [*blocks, "root"], carried),
        },
        {
            "starts": {
                "contexts": contexts.astype(np.float32),
                "offsets": (velocities[:, None, :2] * ahead).astype(np.float32),
                "turns": (velocities[:, 2:] * ahead[:, 0]).astype(np.float32),
            }
        },
    )  # fmt: skip

    answers = {}
    for name in ("walker.autoencoder", "walker.controller"):
        bundle = open_bundle(folder / name)
        for file in bundle.manifest["networks"]:
            network = bundle.network(file)
            inputs = {p.name: rng.uniform(0, 0.9, size=[3, *p.shape[1:]]) for p in network.inputs}
            inputs = {key: array.astype(np.float32) for key, array in inputs.items()}
            outputs = dict(zip([p.name for p in network.outputs], network(**inputs), strict=True))
            for side, arrays in (("in", inputs), ("out", outputs)):
                answers |= {f"{name}/{file}/{side}/{key}": array for key, array in arrays.items()}
    np.savez_compressed(folder / "answers.npz", **answers)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
