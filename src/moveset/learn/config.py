"""How a model is trained, and what its training came to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from moveset.errors import MovesetError
from moveset.learn.checkpoint import FILE
from moveset.learn.task import DataFacts

MAY_CHANGE = ("device", "threads", "log_every", "checkpoint_every", "picture_every")
"""Settings that may be others when a run goes on: what it learns is the same up to rounding."""


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """How a model is trained. Its presets stand beside the model."""

    steps: int = 3000
    batch: int = 256
    """Rows a step, over all ranks."""
    learning_rate: float = 1e-3
    """At its highest."""
    warmup: float = 0.05
    """Share of the steps in which the learning rate rises; 0.3 makes it a one-cycle schedule."""
    floor: float = 0.03
    """Where the learning rate ends, as a share of its highest."""
    weight_decay: float = 1e-4
    """Of matrices; biases and scales of normalisations are left alone."""
    clip: float = 1.0
    """Longest gradient."""
    average: float = 0.99
    """How much of the running average of the weights stays at each step. The average is what is exported."""
    seed: int = 0
    device: str = "cpu"
    threads: int = 1
    log_every: int = 10
    checkpoint_every: int = 500
    picture_every: int = 500
    """0 draws none."""

    def __post_init__(self) -> None:
        ranges = {
            "steps": (1, None), "batch": (1, None), "learning_rate": (0, None), "warmup": (0, 1), "floor": (0, 1),
            "weight_decay": (0, None), "clip": (0, None), "average": (0, 1), "seed": (0, None), "threads": (1, None),
            "log_every": (1, None), "checkpoint_every": (1, None), "picture_every": (0, None),
        }  # fmt: skip
        for name, (low, high) in ranges.items():
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= low and (high is None or value <= high)):
                limits = f"at least {low}" if high is None else f"from {low} to {high}"
                raise MovesetError(f"{name} of the training is {value}", do=f"give {limits}")


@dataclass(frozen=True)
class TrainReport:
    """What a training came to."""

    name: str
    folder: Path
    steps: int
    parameters: int
    losses: Mapping[str, float]
    """Total and terms, means over the last steps."""
    seconds: float
    """Of all its parts, if it was stopped and went on."""
    process_seconds: float
    """Of the processor, on the first rank."""
    data: DataFacts

    @property
    def checkpoint(self) -> Path:
        """Where the state is kept."""
        return self.folder / FILE


def adjusted(config: TrainConfig, **settings: object) -> TrainConfig:
    """The config with other settings; those that are None stay as they are."""
    return replace(config, **{name: value for name, value in settings.items() if value is not None})
