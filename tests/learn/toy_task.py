"""A small regression as a Task: noisy points of a curve.

As a script it trains: `python toy_task.py FOLDER [kill-at-step | kill-at-rename]`. Under torchrun it saves its weights.
"""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import nn

from moveset.learn.draw import seeded
from moveset.learn.loop import TrainConfig, train
from moveset.learn.task import DataFacts

CONFIG = TrainConfig(
    steps=60, batch=32, learning_rate=1e-2, average=0.9, log_every=5, checkpoint_every=20, picture_every=30
)
KILLED_AT = 47


def network(dropout: float = 0.1) -> nn.Module:
    with seeded(3):
        return nn.Sequential(nn.Linear(2, 16), nn.SiLU(), nn.Dropout(dropout), nn.Linear(16, 1))


DATA = DataFacts("abc", "CC0-1.0", 2, 300, {"real": 7.0, "bent": 3.0})


@dataclass
class ToyTask:
    module: nn.Module = field(default_factory=network)
    name: str = "toy"
    data: DataFacts = DATA
    settings: dict = field(default_factory=lambda: {"hidden": 16})
    at_step: dict = field(default_factory=dict)
    """Functions of the batch that are called at a step."""

    def batch(self, draw):
        x = draw.uniform(2)
        batch = {"x": x, "y": torch.sin(3 * x[:, :1]) * x[:, 1:] + 0.01 * draw.normal(1)}
        self.at_step.get(draw.step, lambda batch: None)(batch)
        return batch

    def loss(self, batch, progress):
        value = (self.module(batch["x"]) - batch["y"]).square().mean()
        size = 1e-3 * torch.stack([w.square().mean() for w in self.module.parameters()]).sum()
        return value + size, {"value": value, "size": size}

    def picture(self):
        assert not self.module.training
        shown = self.module(torch.full((64, 2), 0.5))[:, 0].reshape(8, 8).numpy()
        return np.repeat(np.uint8(np.clip(shown * 255, 0, 255))[..., None], 3, axis=2)


def die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main(folder: str, how: str = "") -> None:
    task = ToyTask()
    if how == "kill-at-step":
        task.at_step[KILLED_AT] = die
    if how == "kill-at-rename":  # the second checkpoint is written to the side when it happens

        def kill_at_second_checkpoint(batch):
            if (Path(folder) / "checkpoint.pt").exists():
                Path.replace = die

        task.at_step[35] = kill_at_second_checkpoint
    if how == "ranks":
        task = ToyTask(network(dropout=0))
    train(task, CONFIG, folder, say=print)
    if how == "ranks" and os.environ["RANK"] == "1":
        torch.save(task.module.state_dict(), Path(folder) / "weights-1.pt")


if __name__ == "__main__":
    main(*sys.argv[1:])
