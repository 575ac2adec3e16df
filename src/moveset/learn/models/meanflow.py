"""A flow that answers in one step without a teacher: the mean velocity over a stretch of time, learnt directly.

With u(x, t, s) the mean velocity of the way from time t to s, (s - t) u is the integral of the velocity v from t on;
its derivative along the way gives u = v + (s - t) du/dt. Geng et al. 2025, "Mean Flows for One-step Generative
Modeling". Where s = t this is flow matching. The paper takes du/dt by forward-mode differentiation; a difference over a
short time is as exact as the training needs, and on a CPU five times as quick. The network answers with the end of the
way, as that of the flow does: y = x + (1 - t) u.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

import torch
from torch import Tensor

from moveset.learn.draw import Draw
from moveset.learn.loop import TrainConfig
from moveset.learn.models.distill import OneStep
from moveset.learn.models.flow import Denoiser, FlowConfig, FlowTask
from moveset.learn.rollout import Given
from moveset.learn.task import Batch, Terms

_STEP = 2e-3
"""Time over which the mean velocity is differentiated."""
_NEAR = 0.02
"""Where less time than this is left, an error of the end counts as if so much were."""
TIMES = (0.0, 1.0)
"""From noise to motion in one step."""


@dataclass(frozen=True, kw_only=True)
class MeanFlowConfig(FlowConfig):
    """As for the flow."""

    apart: float = 0.5
    """Share of the rows in which the stretch of time is longer than nothing."""


@dataclass(frozen=True, kw_only=True)
class MeanFlowPreset:
    """A size of the model and how it is trained."""

    model: MeanFlowConfig = field(default_factory=MeanFlowConfig)
    train: TrainConfig = field(default_factory=TrainConfig)


PRESETS = {
    "tiny": MeanFlowPreset(
        model=MeanFlowConfig(width=256), train=TrainConfig(steps=1000, batch=128, learning_rate=2e-3)
    ),
    "small": MeanFlowPreset(train=TrainConfig(steps=4000, batch=192)),
    "base": MeanFlowPreset(
        model=MeanFlowConfig(width=1024, layers=4),
        train=TrainConfig(steps=100_000, batch=512, learning_rate=5e-4, average=0.9995),
    ),
}


def mean_flow_error(
    network: Denoiser, known: Tensor, start: Tensor, end: Tensor, time: Tensor, until: Tensor
) -> Tensor:
    """(N, K S) squared errors of the mean velocity from `time` t to `until` s (N, 1) against its own identity.

    For the end y of the way and the true end x1 that identity reads
    (1 - t) (y - x1) = (s - t) (y - x1) + (1 - t) (s - t) dy/dt.
    """
    velocity = end - start
    sample = start + time * velocity
    found = network(known, sample, time, until)
    with torch.no_grad():
        along = (network(known, sample + _STEP * velocity, time + _STEP, until) - found) / _STEP
        left = 1 - time
        target = end + (until - time) * ((found - end) / left.clamp(min=_STEP) + along)
    return ((found - target) / left.clamp(min=_NEAR)).square()


class MeanFlowTask(FlowTask):
    """Train a network of mean velocities on the motion of a training set."""

    name = "controller, mean flow"
    config: MeanFlowConfig

    def make(self) -> Denoiser:
        """Told two times."""
        return Denoiser(self.config, self.motion.space, clocks=2)

    @property
    def settings(self) -> Mapping[str, object]:
        """Family and configuration."""
        return {"family": "mean flow", **asdict(self.config)}

    @property
    def predictor(self) -> OneStep:
        """What is exported."""
        return OneStep(self.module, TIMES)

    def answer(self, given: Given, noise: Tensor) -> Tensor:
        """In one step."""
        return self.predictor.unclamped(*given, noise)

    def batch(self, draw: Draw) -> Batch:
        """As for the flow, with an end to the stretch of time."""
        batch = super().batch(draw)
        time, other = batch["time"], draw.uniform(1)
        longer = (draw.uniform(1) < self.config.apart).float()
        early, late = torch.minimum(time, other), torch.maximum(time, other)
        return {
            **batch,
            "time": early * longer + time * (1 - longer),
            "until": late * longer + time * (1 - longer),
        }

    def loss(self, batch: Batch, progress: float) -> tuple[Tensor, Terms]:
        """Squared errors, rows with large ones held back (adaptive weight of the paper, p = 1)."""
        errors = mean_flow_error(self.module, *self.line(batch), batch["time"], batch["until"])
        row = errors.detach().mean(dim=1, keepdim=True)
        total, terms = self.weighted(errors)
        held, _ = self.weighted(errors / (row + 1e-2))
        return held, {**terms, "velocity": total}
