"""The network that answers with the next states: in one pass, or by following a flow from chance to an answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from moveset.bundle import Bundle, ControllerSpec, LevelOfDetail
from moveset.geometry.quaternion import Array
from moveset.runtime.controller import draw

Network = Callable[..., tuple[Array, ...]]


@dataclass(frozen=True, eq=False)
class Predictor:
    """One level of detail of a controller."""

    network: Network
    chunk: int
    """States that it answers with (K)."""
    width: int
    """Numbers of chance that it takes (Z), 0 for none."""
    steps: int
    """Euler steps of a flow that are taken here; 0 for a network that answers in one pass."""
    noise: float
    """Size of the chance."""

    @property
    def numbers(self) -> int:
        """Draws that one answer uses up."""
        return self.width + self.width % 2 if self.noise else 0

    def chance(self, seeds: np.ndarray, draws: np.ndarray) -> Array:
        """(N, Z) normal numbers of characters with `seeds` (N,) that have drawn `draws` (N,) numbers so far."""
        if not self.numbers:
            return np.zeros((len(seeds), self.width), dtype=np.float32)
        # Box and Muller 1958: two normal numbers of two even ones
        counters = draws[:, None] + np.arange(self.numbers, dtype=np.uint64)
        even = draw(seeds[:, None], counters).reshape(len(seeds), 2, -1)
        radius, angle = np.sqrt(-2 * np.log1p(-even[:, 0])), 2 * np.pi * even[:, 1]
        normal = np.concatenate((radius * np.cos(angle), radius * np.sin(angle)), axis=1)
        return (self.noise * normal[:, : self.width]).astype(np.float32)

    def predict(self, context: Array, offsets: Array, turns: Array, free: np.ndarray, chance: Array) -> Array:
        """(N, K, S) next states after `context` (N, C, S), for what is asked."""
        inputs = {
            "context": context,
            "offsets": offsets.astype(np.float32),
            "turns": turns.astype(np.float32),
            "free": free[:, None].astype(np.float32),
        }
        if not self.steps:
            if self.width:
                inputs["noise"] = chance
            return self.network(**inputs)[0]
        sample = chance
        for step in range(self.steps):
            time = np.full((len(context), 1), step / self.steps, dtype=np.float32)
            sample = sample + self.network(**inputs, sample=sample, time=time)[0] / np.float32(self.steps)
        return sample.reshape(len(context), self.chunk, -1)


def open_predictor(bundle: Bundle, spec: ControllerSpec, level: LevelOfDetail, noise: float) -> Predictor:
    """The predictor of a level of detail."""
    # a network that is given its noise takes the steps of its flow within its graph
    steps = 0 if level.noise else level.steps
    width = spec.chunk * spec.states if steps else level.noise
    return Predictor(bundle.network(level.predictor), spec.chunk, width, steps, noise)
