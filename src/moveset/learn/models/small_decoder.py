"""A small decoder for characters far away: latents to poses, learnt from the autoencoder's decoder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from moveset.learn.body import Body
from moveset.learn.data import TrainingSet
from moveset.learn.draw import Draw, seeded
from moveset.learn.loop import TrainConfig
from moveset.learn.models.autoencoder import Autoencoder, PoseDecoder, SkipNetwork
from moveset.learn.states import Motion
from moveset.learn.task import Batch, Terms

_POSITIONS = 8.0
"""Weight of the distance of joints [m] beside the squared error of the normalised numbers."""


@dataclass(frozen=True, kw_only=True)
class SmallDecoderConfig:
    """Size and training."""

    width: int = 96
    """Of its one hidden layer."""
    noise: float = 0.1
    """Deviation of what is added to the states: a controller does not give those of the data."""
    train: TrainConfig = field(
        default_factory=lambda: TrainConfig(steps=1500, batch=256, learning_rate=3e-3, picture_every=0)
    )


class SmallDecoder(PoseDecoder):
    """As the autoencoder's `PoseDecoder`, with one narrow hidden layer. It begins as the linear part of that."""

    def __init__(self, config: SmallDecoderConfig, autoencoder: Autoencoder) -> None:
        super().__init__(autoencoder)
        large = self.network.line
        self.network = SkipNetwork(large.in_features, config.width, 1, large.out_features)
        self.network.start(large.weight.detach().numpy().T)


class SmallDecoderTask:
    """Train a SmallDecoder to give what the large one gives."""

    name = "small decoder"

    def __init__(
        self,
        config: SmallDecoderConfig,
        training: TrainingSet,
        autoencoder: Autoencoder,
        motion: Motion,
        seed: int = 0,
    ) -> None:
        self.config, self.training, self.motion, self.data = config, training, motion, training.facts
        self.truth = PoseDecoder(autoencoder).requires_grad_(False)
        self.body = Body(training.space)
        with seeded(seed):
            self.module = SmallDecoder(config, autoencoder)

    @property
    def settings(self) -> Mapping[str, object]:
        """The configuration."""
        return {"width": self.config.width, "noise": self.config.noise}

    def batch(self, draw: Draw) -> Batch:
        """`latents` (B, L) near those of the data."""
        rows = torch.from_numpy(draw.mine(self.training.draw(draw.rng, draw.size, 1)))
        states = self.motion.states[rows] + self.config.noise * draw.normal(self.motion.space.width)
        return {"latents": self.motion.space.latents_of(states)}

    def loss(self, batch: Batch, progress: float) -> tuple[Tensor, Terms]:
        """Squared error of rotations and contacts, distance of the joints [m]."""
        rotations, translations, contacts = self.module(batch["latents"])
        with torch.no_grad():
            true_rotations, true_translations, true_contacts = self.truth(batch["latents"])
            places = self.body(true_rotations, true_translations)
        terms = {
            "rotations": (rotations - true_rotations).square().mean(),
            "contacts": (contacts - true_contacts).square().mean(),
            "positions": (self.body(rotations, translations) - places).abs().mean(),
        }
        return terms["rotations"] + 0.1 * terms["contacts"] + _POSITIONS * terms["positions"], terms

    def picture(self) -> np.ndarray | None:
        """None: its poses are those of the autoencoder or wrong."""
        return None
