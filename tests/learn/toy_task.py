"""A small regression as a Task: noisy points of a curve, known exactly."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch
from torch import nn

from moveset.learn.draw import seeded
from moveset.learn.task import DataFacts


def network() -> nn.Module:
    with seeded(3):
        return nn.Sequential(nn.Linear(2, 16), nn.SiLU(), nn.Dropout(0.1), nn.Linear(16, 1))


@dataclass
class ToyTask:
    module: nn.Module = field(default_factory=network)
    name: str = "toy"
    data: DataFacts = field(
        default_factory=lambda: DataFacts("abc", "CC0-1.0", 2, 300, {"real": 7.0, "bent": 3.0})
    )
    settings: dict = field(default_factory=lambda: {"hidden": 16})
    poison: int = -1
    """From this step on the data hold NaN."""

    def batch(self, draw):
        x = draw.uniform(2)
        if 0 <= self.poison <= draw.step:
            x[0, 0] = float("nan")
        return {"x": x, "y": torch.sin(3 * x[:, :1]) * x[:, 1:] + 0.01 * draw.normal(1)}

    def loss(self, batch, progress):
        value = (self.module(batch["x"]) - batch["y"]).square().mean()
        size = 1e-3 * torch.stack([w.square().mean() for w in self.module.parameters()]).sum()
        return value + size, {"value": value, "size": size}

    def picture(self):
        assert not self.module.training
        x = torch.rand(64, 2)
        shown = self.module(x)[:, 0].reshape(8, 8).numpy()
        return np.repeat(np.uint8(np.clip(shown * 255, 0, 255))[..., None], 3, axis=2)
