"""AdamW, its learning rate over time, and the running average of the weights."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import get_ema_multi_avg_fn


def adamw(weights: Sequence[nn.Parameter], decay: float) -> torch.optim.AdamW:
    """The optimizer, with weight decay on matrices only: biases and scales of normalisations are not to shrink."""
    matrices = [w for w in weights if w.ndim >= 2]
    others = [w for w in weights if w.ndim < 2]
    groups = [{"params": matrices, "weight_decay": decay}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW([group for group in groups if group["params"]], fused=True)


def learning_rate(step: int, steps: int, highest: float, warmup: float, floor: float) -> float:
    """Up in a half cosine for a share of the steps, then down in one to a share of the highest."""
    # 1) on the way up; the first step already learns
    rising = warmup * steps
    if step < rising:
        return highest * 0.5 * (1 - math.cos(math.pi * (step + 1) / (rising + 1)))
    # 2) on the way down
    passed = (step - rising) / max(steps - 1 - rising, 1)
    return highest * (floor + (1 - floor) * 0.5 * (1 + math.cos(math.pi * min(passed, 1.0))))


class WeightAverage:
    """Exponential moving average of weights (Polyak and Juditsky 1992), quicker while it is young."""

    def __init__(self, weights: Sequence[nn.Parameter], decay: float) -> None:
        self._weights, self._decay = weights, decay
        self.mean: list[Tensor] = [w.detach().clone() for w in weights]

    def update(self, step: int) -> None:
        """Take in the weights after a step; 0 was the first."""
        decay = min(self._decay, (1 + step) / (10 + step))
        get_ema_multi_avg_fn(decay)(self.mean, list(self._weights), None)

    def load(self, mean: Sequence[Tensor]) -> None:
        """Go on from an average that was saved."""
        for own, saved in zip(self.mean, mean, strict=True):
            own.copy_(saved)

    def swap(self) -> None:
        """Exchange weights and average; twice changes nothing. Costs nothing: no number is copied."""
        for index, weight in enumerate(self._weights):
            weight.data, self.mean[index] = self.mean[index], weight.data

    @contextmanager
    def shown_by(self, module: nn.Module) -> Iterator[None]:
        """Inside, the module has the averaged weights and is in eval mode."""
        self.swap()
        module.eval()
        try:
            with torch.no_grad():
                yield
        finally:
            self.swap()
            module.train()
