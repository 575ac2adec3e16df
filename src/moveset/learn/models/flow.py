"""A controller by flow matching: from chance to one of the motions that may come next.

A network leads a random sample along a straight line to the next states of a clip (Lipman et al. 2023, "Flow Matching
for Generative Modeling"; Liu et al. 2023, "Flow Straight and Fast"). Where the data branches, e.g. in an idle before
any of twenty attacks, regression answers with the mean of all that may follow; a flow follows one of them, another
with other chance.

The network answers with the end of the line, not with its direction (compare Karras et al. 2022, "EDM"; Li and He
2025, "Back to Basics: Let Denoising Generative Models Denoise"). So it need not carry the numbers of the noise, which
are more than a layer is wide, to its output, and the last of a few steps lands on what it answers: no noise is left in
the motion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

import torch
from torch import Tensor, nn

from moveset.learn.data import TrainingSet
from moveset.learn.draw import Draw, seeded
from moveset.learn.loop import TrainConfig
from moveset.learn.models.autoencoder import Autoencoder
from moveset.learn.models.regression import RegressionConfig, RegressionTask, frames_at
from moveset.learn.models.residual import ResidualNetwork
from moveset.learn.rollout import Given
from moveset.learn.states import ROOT, Motion, StateSpace
from moveset.learn.steering import FEEDBACK_SECONDS, ControlEncoding, steps_of
from moveset.learn.task import Batch, Terms

_BANDS = 5
"""Waves by which the network is told the time of the flow."""
_TURN_SECONDS = 0.2
"""Time constant in which a heading that is off goes back."""
_OWN_STEPS = 2
"""Euler steps of the answers on which a training goes on."""


@dataclass(frozen=True, kw_only=True)
class FlowConfig(RegressionConfig):
    """The windows are those of the regression."""

    noise: float = 0.3
    off_path: tuple[float, float] = (0.1, 0.1)
    """The clip is made to come back to its path as it is asked to."""
    free: float = 0.1
    rounds: tuple[int, int] = (1, 3)
    """Where something is asked, a window goes on to its first, second or third chunk by the network's own answers: what
    it makes of a state that it brought about itself is learnt there."""
    chance: float = 0.3
    """Size of the chance when it plays: on a path more of it shakes the body, and asks nobody where to go."""


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
    """What is known and a sample at a time of the flow -> where the flow from there leads, on average.

    A sample (N, K S) is the next K states; at time 0 it is white noise.
    """

    def __init__(self, config: RegressionConfig, space: StateSpace, clocks: int = 1) -> None:
        """`clocks`: how many times the network is told."""
        super().__init__()
        self.config, self.space = config, space
        self.numbers = config.chunk * space.width
        """Of chance, K S."""
        self.control = ControlEncoding(config.times)
        known = config.context * space.width + self.control.width + 1
        self.network = ResidualNetwork(
            known + self.numbers + clocks * 2 * _BANDS, self.numbers, config.width, config.layers
        )

    def forward(self, known: Tensor, sample: Tensor, *times: Tensor) -> Tensor:
        """Motion (N, K S) at the end of the way of a sample (N, K S) at `times` (N, 1), 0 for noise, 1 for motion; of
        two times, at the end of a way that goes on as it does on average from the one to the other."""
        waves = [_waves(time) for time in times]
        width, context = self.space.width, self.config.context
        last = known[:, (context - 1) * width : context * width]
        change = self.network(torch.cat((known, sample, *waves), dim=1))
        return last.repeat(1, self.config.chunk) + change

    def known(self, context: Tensor, offsets: Tensor, turns: Tensor, free: Tensor) -> Tensor:
        """What does not change along the flow (N, C S + ...): (N, C, S), (N, T, 2) [m], (N, T) [rad], (N, 1)."""
        control = self.control(offsets, turns) * (1 - free)
        return torch.cat((context.flatten(1), control, free), dim=1)

    def states_of(self, sample: Tensor) -> Tensor:
        """(N, K, S) of a sample (N, K S)."""
        return sample.unflatten(1, (self.config.chunk, -1))


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
        sample = noise
        for step in range(self.steps):
            end = denoiser(known, sample, torch.full_like(free, step / self.steps))
            sample = sample + (end - sample) / (self.steps - step)
        return denoiser.states_of(sample)


def _waves(time: Tensor) -> Tensor:
    """(N, 1) -> (N, 2 BANDS)."""
    phases = time * (torch.pi / 2 * 2.0 ** torch.arange(_BANDS, device=time.device))
    return torch.cat((torch.sin(phases), torch.cos(phases)), dim=1)


def flow_error(denoiser: Denoiser, known: Tensor, start: Tensor, end: Tensor, time: Tensor) -> Tensor:
    """(N, K S) squared errors of the end of the straight way from `start` to `end` (N, K S), seen at `time` (N, 1)."""
    return (denoiser(known, start + time * (end - start), time) - end).square()


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
        since = torch.arange(config.chunk + 1)[:, None] / self.motion.fps
        self._left = torch.exp(-since / torch.tensor((FEEDBACK_SECONDS, FEEDBACK_SECONDS, _TURN_SECONDS)))

    def make(self) -> Denoiser:
        """The module that is trained."""
        return Denoiser(self.config, self.motion.space)

    @property
    def settings(self) -> Mapping[str, object]:
        """Family and configuration."""
        return {"family": "flow", **asdict(self.config)}

    def answer(self, given: Given, noise: Tensor) -> Tensor:
        """(N, K, S) by which a window goes on."""
        return FlowPredictor(self.module, _OWN_STEPS).unclamped(*given, noise)

    def batch(self, draw: Draw) -> Batch:
        """As in the regression, with chance and times of the flow, and how far each window goes on by itself."""
        batch = super().batch(draw)
        rounds, numbers = self.config.rounds[draw.progress >= self.config.short], self.module.numbers
        return {
            **batch,
            "start": draw.normal(numbers),
            "time": draw.uniform(1),
            "chance": draw.normal(rounds, numbers),
            "onward": (draw.uniform(1) * rounds * (1 - batch["free"])).long(),
        }

    def loss(self, batch: Batch, progress: float) -> tuple[Tensor, Terms]:
        """Mean squared error of the motion that is seen at a random time of the flow."""
        return self.weighted(flow_error(self.module, *self.line(batch), batch["time"]))

    def weighted(self, errors: Tensor) -> tuple[Tensor, Terms]:
        """Mean of errors (B, K S) by the weight of each number of a state, and of latents and root apart."""
        errors = errors.unflatten(1, (self.config.chunk, -1))
        terms = {"latents": errors[..., :-ROOT].mean(), "root": errors[..., -ROOT:].mean()}
        return (errors * self._weights.to(errors)).mean(), terms

    def line(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """What is known, where the flow starts, and where it ends: at the clip's next states.

        A character beside its path is asked to come back in a certain way, and the clip is led that way.
        """
        truth, tracks = batch["states"], batch["tracks"]
        given, off, first, shift = self._begun(batch)
        frames = torch.arange(-1, self.config.chunk, device=truth.device)
        way = frames_at(tracks, first + frames) + off[:, None] * self._left.to(off)
        states = self.motion.space.with_root(
            frames_at(truth, first + shift + frames[1:]), steps_of(way) * self.motion.fps
        )
        return self.module.known(*given), batch["start"], states.flatten(1)

    @torch.no_grad()
    def _begun(self, batch: Batch) -> tuple[Given, Tensor, Tensor, Tensor]:
        """What each window is given at the chunk to which it goes on; how far it is off its path there (B, 3); the frame
        that follows (B, 1), and by how many frames its stride has run ahead (B, 1)."""
        config, tracks, rounds = self.config, batch["tracks"], batch["chance"].shape[1]

        def answer(number: int, given: Given) -> Tensor:
            if number == rounds - 1:  # nobody goes on from there
                return given[0][:, -1:].expand(-1, config.chunk, -1)
            return self.answer(given, batch["chance"][:, number])

        chunks = self.rollout.run(answer, batch, rounds)
        beside = torch.cat((batch["place"], batch["turn"][:, None]), dim=1) * (1 - batch["free"])
        off, shift = [beside], []
        for number, made in enumerate(chunks):
            now = made.first + config.execute - 1
            reached = torch.cat((made.places, made.headings[..., None]), dim=-1)[:, config.execute - 1]
            off.append(reached - tracks[:, now])
            before = made.first - config.context
            shift.append(self._lags(made.given[0], batch["states"], before, min(number, config.lag)))
        which = batch["onward"]

        def chosen(parts: Sequence[Tensor]) -> Tensor:
            return frames_at(torch.stack(list(parts), dim=1), which)[:, 0]

        context, offsets, turns, free = (chosen(parts) for parts in zip(*(made.given for made in chunks)))
        first = config.context + config.execute * which
        return (context, offsets, turns, free), chosen(off[:rounds]), first, chosen(shift)
