"""The pose autoencoder: a pose as a few numbers in which a controller can steer.

Encoder and decoder are a linear map, which begins as the principal components of the data, and a network beside it
that learns what the map misses. Training begins where linear coding ends: it needs a tenth of the steps that a bare
network needs.

The root block of a pose vector stays outside: how the ground frame moves is what a controller is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass

import numpy as np
import torch
from torch import Tensor, nn

from moveset.errors import MovesetError
from moveset.features.layout import Layout
from moveset.features.pose import PoseSpace
from moveset.features.principal import fit_principal_components, without_root, without_root_block
from moveset.learn.body import Body
from moveset.learn.data import TrainingSet
from moveset.learn.draw import Draw
from moveset.learn.loop import TrainConfig
from moveset.learn.pictures import beside_truth
from moveset.learn.task import Batch, Terms
from moveset.library.split import HELD_OUT, TRAIN
from moveset.motion.contacts import feet

_LEAST_DEVIATION = 1e-2
"""A latent that hardly varies is not blown up to deviation 1."""
_SAMPLE = 40_000
"""Rows that tell means, scales and principal components."""


@dataclass(frozen=True, kw_only=True)
class AutoencoderConfig:
    """Size and loss of a pose autoencoder."""

    latents: int = 150
    """L"""
    width: int = 512
    """Of the hidden layers."""
    decoder_width: int = 0
    """Of those of the decoder, which runs at every frame; 0 is `width`."""
    layers: int = 2
    """Hidden layers of encoder and of decoder."""
    noise: float = 0.03
    """Deviation of what is added to the latents in training, where they have deviation 1."""
    value: float = 1.0
    """Weight of the squared error of the normalised vector ..."""
    delta: float = 1.0
    """... of its change from frame to frame, in the same unit ..."""
    positions: float = 12.0
    """... of the mean distance along an axis of the joints [m], by forward kinematics ..."""
    speeds: float = 0.4
    """... and of that of their velocities [m/s]."""
    feet: float = 3.0
    """How many times as much ankles and toes count there."""
    spread: float = 0.1
    """Weight of the deviation of the latents from mean 0 and deviation 1 ..."""
    sparsity: float = 1e-3
    """... of their mean size ..."""
    smoothness: float = 0.02
    """... and of their squared change from frame to frame."""

    def __post_init__(self) -> None:
        for name in ("latents", "width", "layers"):
            if getattr(self, name) < 1:
                raise MovesetError(
                    f"{name} of the autoencoder is {getattr(self, name)}", do="give at least 1"
                )
        for name, value in asdict(self).items():
            if not value >= 0:
                raise MovesetError(f"{name} of the autoencoder is {value}", do="give a number from 0 on")


PRESETS: Mapping[str, tuple[AutoencoderConfig, TrainConfig]] = {
    "tiny": (
        AutoencoderConfig(latents=32, width=128),
        TrainConfig(steps=1000, batch=64, learning_rate=3e-3, picture_every=0),
    ),
    "small": (
        AutoencoderConfig(latents=64, width=384, decoder_width=256),
        TrainConfig(steps=2000, batch=256, learning_rate=2e-3, warmup=0.1),
    ),
    "base": (
        AutoencoderConfig(),
        TrainConfig(steps=10_000, batch=256, learning_rate=1.5e-3, warmup=0.1),
    ),
}


class Autoencoder(nn.Module):
    """Pose vectors without root block (..., D) <-> latents (..., L). Normalisation is inside."""

    mean: Tensor
    """(D,)"""
    scale: Tensor
    """(D,)"""

    def __init__(self, config: AutoencoderConfig, layout: Layout) -> None:
        """`layout` is that of the pose space, with its root block."""
        super().__init__()
        self.config, self.layout = config, without_root(layout)
        width, latents = self.layout.width, config.latents
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("scale", torch.ones(width))
        self.encoder = SkipNetwork(width, config.width, config.layers, latents)
        self.decoder = SkipNetwork(latents, config.decoder_width or config.width, config.layers, width)

    def encode(self, poses: Tensor) -> Tensor:
        """(..., D) -> (..., L)."""
        return self.encoder(self.normalize(poses))

    def decode(self, latents: Tensor) -> Tensor:
        """(..., L) -> (..., D)."""
        return self.denormalize(self.decoder(latents))

    def normalize(self, poses: Tensor) -> Tensor:
        """(..., D): squared differences of these numbers are the value loss."""
        return (poses - self.mean) / self.scale

    def denormalize(self, normalized: Tensor) -> Tensor:
        """The inverse of `normalize`."""
        return normalized * self.scale + self.mean

    def fit(self, poses: np.ndarray, space: PoseSpace) -> None:
        """Begin with scales and principal components of pose vectors (R, D)."""
        start = fit_principal_components(poses, space, self.config.latents)
        self.mean.copy_(torch.from_numpy(start.mean))
        self.scale.copy_(torch.from_numpy(start.scale))
        self.encoder.start(start.components / start.deviations)
        self.decoder.start((start.components * start.deviations).T)

    @torch.no_grad()
    def standardize(self, poses: Tensor) -> None:
        """Give the latents of pose vectors (R, D) mean 0 and deviation 1; what is decoded stays as it is."""
        latents = self.encode(poses)
        mean, deviation = latents.mean(dim=0), latents.std(dim=0).clamp(min=_LEAST_DEVIATION)
        self.encoder.scale_output(mean, deviation)
        self.decoder.scale_input(mean, deviation)


class SkipNetwork(nn.Module):
    """A linear map and, beside it, a network (SiLU) for what the map misses."""

    def __init__(self, inputs: int, width: int, layers: int, outputs: int) -> None:
        super().__init__()
        self.line = nn.Linear(inputs, outputs)
        hidden: list[nn.Module] = []
        for layer in range(layers):
            hidden += [nn.Linear(width if layer else inputs, width), nn.SiLU()]
        self.network = nn.Sequential(*hidden, nn.Linear(width, outputs))

    def forward(self, x: Tensor) -> Tensor:
        """(..., inputs) -> (..., outputs)."""
        return self.line(x) + self.network(x)

    @property
    def first(self) -> tuple[nn.Linear, nn.Linear]:
        """The layers that see the input."""
        return self.line, self.network[0]  # type: ignore[return-value]

    @property
    def last(self) -> tuple[nn.Linear, nn.Linear]:
        """The layers that give the output."""
        return self.line, self.network[-1]  # type: ignore[return-value]

    @torch.no_grad()
    def only(self, rows: Sequence[int]) -> SkipNetwork:
        """A copy that gives these of its outputs alone."""
        copied = deepcopy(self)
        for layer in copied.last:
            layer.weight = nn.Parameter(layer.weight[rows].clone())
            layer.bias = nn.Parameter(layer.bias[rows].clone())
            layer.out_features = len(rows)
        return copied

    @torch.no_grad()
    def start(self, matrix: np.ndarray) -> None:
        """Begin as `x @ matrix` (inputs, outputs), the network hardly heard."""
        self.line.weight.copy_(torch.from_numpy(np.ascontiguousarray(matrix.T)))
        self.line.bias.zero_()
        self.last[1].weight.mul_(0.05)
        self.last[1].bias.zero_()

    @torch.no_grad()
    def scale_output(self, mean: Tensor, deviation: Tensor) -> None:
        """Give (y - mean) / deviation from now on."""
        for layer in self.last:
            layer.weight.div_(deviation[:, None])
            layer.bias.div_(deviation)
        self.line.bias.sub_(mean / deviation)

    @torch.no_grad()
    def scale_input(self, mean: Tensor, deviation: Tensor) -> None:
        """Take (x - mean) / deviation from now on."""
        for layer in self.first:
            layer.bias.add_(layer.weight @ mean)
            layer.weight.mul_(deviation)


class Encoder(nn.Module):
    """Pose vectors without root block (N, D) -> latents (N, L)."""

    def __init__(self, autoencoder: Autoencoder) -> None:
        super().__init__()
        self.autoencoder = autoencoder

    def forward(self, pose: Tensor) -> Tensor:
        """See above."""
        return self.autoencoder.encode(pose)


_PLAYED = ("rotations", "translations", "contacts")


class PoseDecoder(nn.Module):
    """What a player needs of a decoder: latents (N, L) -> rotations (N, A, 6), translations (N, M, 3) [m], contacts (N, K).

    The last layers lack the rows of all else.
    """

    def __init__(self, autoencoder: Autoencoder) -> None:
        super().__init__()
        slices = autoencoder.layout.slices
        rows = [row for name in _PLAYED for row in range(slices[name].start, slices[name].stop)]
        self.widths = [slices[name].stop - slices[name].start for name in _PLAYED]
        self.network = autoencoder.decoder.only(rows)
        self.register_buffer("mean", autoencoder.mean[rows].clone())
        self.register_buffer("scale", autoencoder.scale[rows].clone())

    def forward(self, latent: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Contacts are clamped to 0..1."""
        numbers = self.network(latent) * self.scale + self.mean
        rotations, translations, contacts = numbers.split(self.widths, dim=-1)
        return rotations.unflatten(-1, (-1, 6)), translations.unflatten(-1, (-1, 3)), contacts.clamp(0, 1)


class AutoencoderTask:
    """Training of an autoencoder: pairs of neighbouring frames (t, t + 1)."""

    name = "autoencoder"

    def __init__(self, config: AutoencoderConfig, training: TrainingSet, seed: int = 0) -> None:
        self.config, self.training = config, training
        self.space, self.data = training.space, training.facts
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.module = Autoencoder(config, self.space.layout)
        sample = training.windows(1)
        sample = sample[:: -(-len(sample) // _SAMPLE)]
        self.module.fit(without_root_block(training.view.features[sample], self.space.layout), self.space)
        self.body = Body(self.space)
        self.poses = training.tensor()[:, self.space.layout.slices["root"].stop :]
        self._joint_weights = torch.ones(len(self.space.turning))
        self._joint_weights[_on_feet(self.space)] = config.feet
        self._joint_weights /= self._joint_weights.mean()

    @property
    def settings(self) -> Mapping[str, object]:
        """The config."""
        return asdict(self.config)

    def batch(self, draw: Draw) -> Batch:
        """`poses` (2 B, D), the frames t of all pairs, then the frames t + 1; `noise` (2 B, L)."""
        rows = torch.from_numpy(draw.mine(self.training.draw(draw.rng, draw.size, 2)))
        poses = self.poses[torch.cat((rows, rows + 1))]
        noise = draw.normal(2, self.config.latents).transpose(0, 1).reshape(len(poses), -1)
        return {"poses": poses, "noise": noise}

    def loss(self, batch: Batch, progress: float) -> tuple[Tensor, Terms]:
        """Terms: see `AutoencoderConfig`."""
        config, module = self.config, self.module
        truth = module.normalize(batch["poses"])
        latents = module.encoder(truth)
        decoded = module.decoder(latents + config.noise * batch["noise"])
        error = decoded - truth
        apart = self._places(module.denormalize(decoded)) - self._places(batch["poses"])  # (3, A, 2 B) [m]
        weights = self._joint_weights.to(apart)[:, None]
        terms = {
            "value": error.square().mean(),
            "delta": _step(error.T).square().mean(),
            "positions": (apart.abs() * weights).mean(),
            "speeds": (_step(apart).abs() * weights).mean() * self.training.fps,
            "spread": latents.mean(dim=0).square().mean() + (latents.std(dim=0) - 1).square().mean(),
            "sparsity": latents.abs().mean(),
            "smoothness": _step(latents.T).square().mean(),
        }
        total = sum((getattr(config, name) * term for name, term in terms.items()), torch.zeros(()))
        return total, terms

    def picture(self) -> np.ndarray | None:
        """Held-out poses above, the same from their latents below."""
        if HELD_OUT not in self.training.view.splits:
            return None
        rows = np.sort(self.training.windows(1, HELD_OUT))
        vectors = self.training.view.features[rows[:: max(len(rows) // 6, 1)][:6]]
        decoded = np.array(vectors)
        root = self.space.layout.slices["root"].stop
        with torch.no_grad():
            poses = torch.from_numpy(decoded[:, root:])
            decoded[:, root:] = self.module.decode(self.module.encode(poses)).numpy()
        return beside_truth(self.space, vectors, decoded)

    def finish(self) -> None:
        """Standardise the latents on the training frames, once training is over."""
        rows = self.training.windows(1, TRAIN)
        self.module.standardize(self.poses[torch.from_numpy(rows[:: -(-len(rows) // _SAMPLE)])])

    def _places(self, poses: Tensor) -> Tensor:
        """(3, A, N) positions of the joints of pose vectors (N, D) [m]."""
        slices = self.module.layout.slices
        rotations = poses[:, slices["rotations"]].unflatten(1, (-1, 6))
        translations = poses[:, slices["translations"]].unflatten(1, (-1, 3))
        return self.body(rotations, translations)


def _step(values: Tensor) -> Tensor:
    """(..., B) changes from frame t to t + 1 of values (..., 2 B)."""
    now, then = values.chunk(2, dim=-1)
    return then - now


def _on_feet(space: PoseSpace) -> np.ndarray:
    """(A,) bool: turning joints that are ankles or toes."""
    return np.isin(space.turning, space.skeleton.joints(feet(space.skeleton)))
