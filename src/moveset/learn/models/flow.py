"""A controller by flow matching: from chance to one of the motions that may come next.

A network learns the velocity that carries a random sample along a straight line to the next states of a clip (Lipman
et al. 2023, "Flow Matching for Generative Modeling"; Liu et al. 2023, "Flow Straight and Fast"). Where the data
branches, e.g. in an idle before any of twenty attacks, regression answers with the mean of all that may follow;
a flow follows one of them, another with other chance.

Two things are peculiar here. A sample is a change against the last state, not a state: what is left of the noise after
a few steps is then small against a frame's motion. And the noise has the covariance of those changes, so it is itself
smooth in time and moves joints together; white noise would leave jitter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

import torch
from torch import Tensor, nn

from moveset.learn.data import TrainingSet
from moveset.learn.draw import Draw, seeded
from moveset.learn.loop import TrainConfig
from moveset.learn.models.autoencoder import Autoencoder
from moveset.learn.models.regression import RegressionConfig, RegressionTask
from moveset.learn.models.residual import ResidualNetwork
from moveset.learn.states import ROOT, Motion, StateSpace
from moveset.learn.steering import ControlEncoding, asked
from moveset.learn.task import Batch, Terms

_BANDS = 5
"""Waves by which the network is told the time of the flow."""
_CONTROL = 64
"""Numbers of the encoded control."""
_FITTED = 8192
"""Windows that tell mean and covariance of the changes."""


@dataclass(frozen=True, kw_only=True)
class FlowConfig(RegressionConfig):
    """The windows are those of the regression, a single chunk long."""

    noise: float = 0.2
    off_path: tuple[float, float] = (0.0, 0.0)
    """The clip goes on as it went: beside its path it would teach not to come back."""
    free: float = 0.1
    rounds: tuple[int, int] = (1, 1)


@dataclass(frozen=True, kw_only=True)
class FlowPreset:
    """A size of the model and how it is trained."""

    model: FlowConfig = field(default_factory=FlowConfig)
    train: TrainConfig = field(default_factory=TrainConfig)


PRESETS = {
    "tiny": FlowPreset(
        model=FlowConfig(width=256), train=TrainConfig(steps=1500, batch=192, learning_rate=2e-3)
    ),
    "small": FlowPreset(train=TrainConfig(steps=6000, batch=256, learning_rate=1e-3)),
    "base": FlowPreset(
        model=FlowConfig(width=1024, layers=4),
        train=TrainConfig(steps=100_000, batch=512, learning_rate=5e-4, average=0.9995),
    ),
}


class Denoiser(nn.Module):
    """What is known and a sample at a time of the flow -> the sample's velocity.

    Samples (N, K S) are changes of the next K states against the last one, in units of their own deviation.
    """

    mean: Tensor
    spread: Tensor
    color: Tensor

    def __init__(self, config: RegressionConfig, space: StateSpace, clocks: int = 1) -> None:
        """`clocks`: how many times the network is told."""
        super().__init__()
        self.config, self.space = config, space
        numbers = config.chunk * space.width
        self.control = ControlEncoding(config.times)
        self.encoder = nn.Sequential(nn.Linear(self.control.width + 1, _CONTROL), nn.SiLU())
        known = config.context * space.width + _CONTROL
        self.network = ResidualNetwork(
            known + numbers + clocks * 2 * _BANDS, numbers, config.width, config.layers
        )
        self.register_buffer("mean", torch.zeros(numbers))
        self.register_buffer("spread", torch.ones(numbers))
        self.register_buffer("color", torch.eye(numbers))

    @property
    def numbers(self) -> int:
        """Of chance, K S."""
        return len(self.mean)

    @torch.no_grad()
    def fit(self, changes: Tensor) -> None:
        """Mean, deviation and covariance of changes (B, K S)."""
        self.mean.copy_(changes.mean(dim=0))
        self.spread.copy_(changes.std(dim=0).clamp(min=1e-3))
        scaled = (changes - self.mean) / self.spread
        variances, axes = torch.linalg.eigh(scaled.T @ scaled / len(scaled))
        self.color.copy_(axes * variances.clamp(min=0).sqrt())

    def start(self, noise: Tensor) -> Tensor:
        """Standard normal numbers (N, K S) as a sample at time 0."""
        return noise @ self.color.T

    def sample_of(self, context: Tensor, states: Tensor) -> Tensor:
        """(N, K S) of the states (N, K, S) that follow `context` (N, C, S)."""
        return ((states - context[:, -1:]).flatten(1) - self.mean) / self.spread

    def states_of(self, context: Tensor, sample: Tensor) -> Tensor:
        """The inverse of `sample_of`."""
        change = (sample * self.spread + self.mean).reshape(-1, self.config.chunk, self.space.width)
        return context[:, -1:] + change

    def known(self, context: Tensor, offsets: Tensor, turns: Tensor, free: Tensor) -> Tensor:
        """What does not change along the flow, encoded (N, ...)."""
        control = self.control(offsets, turns) * (1 - free)
        return torch.cat((context.flatten(1), self.encoder(torch.cat((control, free), dim=1))), dim=1)

    def forward(self, known: Tensor, sample: Tensor, *times: Tensor) -> Tensor:
        """Velocity (N, K S) of a sample (N, K S) at `times` (N, 1), 0 for noise, 1 for motion; of two times, the mean
        velocity from the one to the other."""
        waves = [_waves(time) for time in times]
        return _pull(times[0], times[-1]) * sample + self.network(torch.cat((known, sample, *waves), dim=1))


def _pull(time: Tensor, until: Tensor) -> Tensor:
    """(N, 1) mean velocity, by the sample, that would be right if the changes were normal and context told nothing.

    Noise and changes have one covariance, so each number is then scaled by sqrt((1 - t)^2 + t^2) along the flow. The
    network gives what is different from that: without this it had to carry every number of the noise from its input to
    its output, through layers that are narrower (compare the preconditioning of Karras et al. 2022, "EDM").
    """
    size, later = ((1 - t).square() + t.square() for t in (time, until))
    size, later = size.sqrt(), later.sqrt()
    return 2 * (time + until - 1) / (size * (size + later))


class FlowPredictor(nn.Module):
    """Context, offsets, turns, free, noise -> the next states, by Euler steps along the flow."""

    def __init__(self, denoiser: Denoiser, steps: int) -> None:
        super().__init__()
        self.denoiser, self.steps = denoiser, steps

    def forward(self, context: Tensor, offsets: Tensor, turns: Tensor, free: Tensor, noise: Tensor) -> Tensor:
        """(N, C, S), (N, T, 2) [m], (N, T) [rad], (N, 1), (N, K S) -> (N, K, S), within the range of the data."""
        return self.denoiser.space.clamp(self.unclamped(context, offsets, turns, free, noise))

    def unclamped(
        self, context: Tensor, offsets: Tensor, turns: Tensor, free: Tensor, noise: Tensor
    ) -> Tensor:
        """The same, wherever it leads."""
        denoiser = self.denoiser
        known = denoiser.known(context, offsets, turns, free)
        sample = denoiser.start(noise)
        for step in range(self.steps):
            time = torch.full_like(free, step / self.steps)
            sample = sample + denoiser(known, sample, time) / self.steps
        return denoiser.states_of(context, sample)


def _waves(time: Tensor) -> Tensor:
    """(N, 1) -> (N, 2 BANDS)."""
    phases = time * (torch.pi / 2 * 2.0 ** torch.arange(_BANDS, device=time.device))
    return torch.cat((torch.sin(phases), torch.cos(phases)), dim=1)


def velocity_error(denoiser: Denoiser, known: Tensor, start: Tensor, end: Tensor, time: Tensor) -> Tensor:
    """(N, K S) squared errors of the velocity at `time` (N, 1) of the straight way from `start` to `end` (N, K S)."""
    found = denoiser(known, start + time * (end - start), time)
    return (found - (end - start)).square()


class FlowTask(RegressionTask):
    """Train a Denoiser on the motion of a training set."""

    name = "controller, flow matching"
    config: FlowConfig
    module: Denoiser

    def __init__(
        self,
        config: FlowConfig,
        training: TrainingSet,
        autoencoder: Autoencoder,
        motion: Motion | None = None,
        seed: int = 0,
    ) -> None:
        """`motion`: the set as states of this autoencoder, if it was encoded before."""
        super().__init__(config, training, autoencoder, motion, seed)
        with seeded(seed):
            self.module = self.make()
        window = self.batch(Draw(0, _FITTED, seed=seed))
        context, chunk = window["states"][:, : config.context], window["states"][:, config.context :]
        self.module.fit((chunk - (context + window["noise"])[:, -1:]).flatten(1))

    def make(self) -> Denoiser:
        """The module that is trained."""
        return Denoiser(self.config, self.motion.space)

    @property
    def settings(self) -> Mapping[str, object]:
        """Family and configuration."""
        return {"family": "flow", **asdict(self.config)}

    def batch(self, draw: Draw) -> Batch:
        """As in the regression, with chance and times of the flow."""
        batch = super().batch(draw)
        return {**batch, "start": draw.normal(self.module.numbers), "time": draw.uniform(1)}

    def loss(self, batch: Batch, progress: float) -> tuple[Tensor, Terms]:
        """Mean squared error of the velocity at a random time of the flow."""
        return self.weighted(velocity_error(self.module, *self.line(batch), batch["time"]))

    def weighted(self, errors: Tensor) -> tuple[Tensor, Terms]:
        """Mean of errors (B, K S) by the weight of each number of a state, and of latents and root apart."""
        errors = errors.unflatten(1, (self.config.chunk, -1))
        terms = {"latents": errors[..., :-ROOT].mean(), "root": errors[..., -ROOT:].mean()}
        return (errors * self._weights.to(errors)).mean(), terms

    def line(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """What is known, where the flow starts, and where it ends: at the clip's next states."""
        length = self.config.context
        truth, tracks = batch["states"], batch["tracks"]
        context = truth[:, :length] + batch["noise"]
        now = tracks[:, length - 1]
        ahead = tracks[:, [length - 1 + frames for frames in self._ahead]]
        offsets, turns = asked(
            now,
            ahead,
            now[:, :2] + batch["place"],
            now[:, 2] + batch["turn"],
            self.module.control.times[:, 0],
        )
        known = self.module.known(context, offsets, turns, batch["free"])
        end = self.module.sample_of(context, truth[:, length:])
        return known, self.module.start(batch["start"]), end
