"""The body that all controllers share: one layer in, residual layers, one layer out."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class ResidualNetwork(nn.Module):
    """(N, inputs) -> (N, outputs) through layers of x + SiLU(LayerNorm(W x)). At first it gives nearly zero."""

    def __init__(self, inputs: int, outputs: int, width: int, layers: int) -> None:
        super().__init__()
        self.first = _Layer(inputs, width)
        self.others = nn.ModuleList(_Layer(width, width) for _ in range(layers - 1))
        self.last = nn.Linear(width, outputs)
        with torch.no_grad():
            self.last.weight *= 0.1
            self.last.bias.zero_()

    def forward(self, x: Tensor) -> Tensor:
        """See above."""
        x = self.first(x)
        for layer in self.others:
            x = x + layer(x)
        return self.last(x)


class _Layer(nn.Sequential):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__(nn.Linear(inputs, outputs), nn.LayerNorm(outputs), nn.SiLU())
