"""What a model must answer to be trained by `loop.train`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from torch import Tensor, nn

from moveset.learn.draw import Draw

Batch = dict[str, Tensor]
Terms = dict[str, Tensor]


@dataclass(frozen=True)
class DataFacts:
    """What a model is trained on, for people and for provenance."""

    hash: str
    """A run goes on only with the data it began with."""
    license: str = ""
    """The strictest of the clips; empty when one is unknown."""
    clips: int = 0
    frames: int = 0
    seconds: Mapping[str, float] = field(default_factory=dict)
    """By kind of clip, e.g. real, mirrored, bent."""


class Task(Protocol):
    """One model, its data and its loss.

    | member     | who asks, when                                                       |
    |------------|----------------------------------------------------------------------|
    | `name`     | what is trained, e.g. "autoencoder": in the log and the errors       |
    | `settings` | plain values (the model's config): a run goes on only with the same  |
    | `data`     | said at the start, kept in checkpoint and bundle                     |
    | `module`   | its parameters are trained; holds the averaged weights at the end    |
    | `batch`    | every step, then `loss` of what it gave                              |
    | `picture`  | every `picture_every` steps: averaged weights, eval mode, on the CPU |
    """

    @property
    def name(self) -> str:
        """What is trained."""
        ...

    @property
    def settings(self) -> Mapping[str, object]:
        """Plain values."""
        ...

    @property
    def data(self) -> DataFacts:
        """On what."""
        ...

    @property
    def module(self) -> nn.Module:
        """With the weights; `loss` may call any part of it."""
        ...

    def batch(self, draw: Draw) -> Batch:
        """The rows of this rank, on the CPU. All chance, also of the loss, comes from `draw`."""
        ...

    def loss(self, batch: Batch, progress: float) -> tuple[Tensor, Terms]:
        """What is minimised, a mean over the rows, and named parts of it: the same names at every step.

        Batch, module and whatever else is a module among the attributes of the task are on one device.
        `progress` is the share of the steps that are done, for losses that change on the way.
        """
        ...

    def picture(self) -> np.ndarray | None:
        """(H, W, 3 or 4) sRGB: prediction beside truth."""
        ...
