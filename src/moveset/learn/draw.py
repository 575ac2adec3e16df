"""The chance of one training step: a pure function of the seed and the step.

Nothing is carried from step to step, so a run that was killed goes on with the very numbers that it would have drawn.
The numbers of a step are drawn for the whole batch on every rank, and each rank takes its rows: two processes see the
batch that one sees.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import torch

T = TypeVar("T", np.ndarray, torch.Tensor)


@dataclass(frozen=True)
class Draw:
    """Where a step stands and what it may roll dice with.

    `normal` and `uniform` are drawn in the order of the calls; call them in the same order at every step.
    """

    step: int
    """0 for the first."""
    size: int
    """B, rows of the batch over all ranks."""
    progress: float = 0.0
    """Share of the steps that are done, 0 to 1."""
    seed: int = 0
    rank: int = 0
    ranks: int = 1
    """How many processes share the batch; they divide its rows evenly."""

    @cached_property
    def rng(self) -> np.random.Generator:
        """The same on every rank. What is drawn from it is about the whole batch: see `mine`."""
        return np.random.default_rng((self.seed, self.step))

    def mine(self, rows: T) -> T:
        """The part of B rows that this rank works on."""
        share = self.size // self.ranks
        return rows[self.rank * share : (self.rank + 1) * share]

    def normal(self, *shape: int) -> torch.Tensor:
        """(B / ranks, *shape) numbers with mean 0 and deviation 1, a row for each of this rank."""
        drawn = self.rng.standard_normal((self.size, *shape), dtype=np.float32)
        return torch.from_numpy(self.mine(drawn))

    def uniform(self, *shape: int) -> torch.Tensor:
        """(B / ranks, *shape) numbers from 0 to 1."""
        return torch.from_numpy(self.mine(self.rng.random((self.size, *shape), dtype=np.float32)))

    def seed_torch(self, device: torch.device) -> None:
        """Make torch's own dice, e.g. of dropout, a function of seed, step and rank as well."""
        seed = int(np.random.SeedSequence((self.seed, self.step, self.rank)).generate_state(1)[0])
        torch.default_generator.manual_seed(
            seed
        )  # torch.manual_seed asks for every kind of device: 20 x as long
        if device.type == "cuda":
            torch.cuda.manual_seed(seed)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Inside, torch draws from `seed`, e.g. the first weights of a model; outside it goes on as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield
