"""One-step controllers distilled from a flow: what a denoiser finds in several steps, a smaller network gives in one.

The denoiser is frozen. The student rolls out on its own states; at every chunk the denoiser is asked from the same
context, control and noise, and its answer is the student's target. The noise stays an input, so that the student
branches as its teacher does. Where a path is asked the clip itself is a target too, with the losses of the
regression: place on the path, feet that stand, second differences. Where nothing is asked the teacher alone is heard,
by the distance of a whole answer rather than by its square (compare Song and Dhariwal 2023, "Improved Techniques for
Training Consistency Models"): of two futures that a student cannot tell apart yet, the square asks for their mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

import torch
from torch import Tensor, nn
from torch.nn import functional

from moveset.learn.data import TrainingSet
from moveset.learn.draw import Draw, seeded
from moveset.learn.footing import in_world, slide
from moveset.learn.loop import TrainConfig
from moveset.learn.models.autoencoder import Autoencoder, PoseDecoder
from moveset.learn.models.detail import Detail
from moveset.learn.models.flow import Denoiser, FlowPredictor
from moveset.learn.models.regression import RegressionConfig, RegressionTask, second_difference
from moveset.learn.models.small_decoder import SmallDecoderConfig
from moveset.learn.rollout import Given
from moveset.learn.states import Motion
from moveset.learn.task import Batch, Terms


@dataclass(frozen=True, kw_only=True)
class DistillConfig(RegressionConfig):
    """A student, its roll-outs, and what its losses weigh."""

    noise: float = 0.2
    free: float = 0.1
    position_weight: float = 6.0
    """Of the square of the distance from the asked place [m^2]."""
    rounds: tuple[int, int] = (2, 4)
    teacher_steps: int = 8
    """In which the denoiser finds its answer."""
    chance: float = 0.3
    """As for the flow."""
    truth: float = 0.5
    """Share of the clip in the target of the states where a path is asked; the rest is the teacher's."""


@dataclass(frozen=True, kw_only=True)
class DistillPreset:
    """How students are trained."""

    model: DistillConfig = field(default_factory=DistillConfig)
    train: TrainConfig = field(default_factory=TrainConfig)
    levels: tuple[Detail, ...] = (Detail(),)
    """A width of 0 is that of the teacher, whose weights such a student begins with."""


_LEVELS = (Detail(), Detail(width=256), Detail(width=144, decoder=SmallDecoderConfig()))
PRESETS = {
    "tiny": DistillPreset(train=TrainConfig(steps=400, batch=48, picture_every=0)),
    "small": DistillPreset(
        train=TrainConfig(steps=1500, batch=64, learning_rate=5e-4, picture_every=0), levels=_LEVELS
    ),
    "base": DistillPreset(
        train=TrainConfig(steps=20_000, batch=256, learning_rate=5e-4, average=0.999), levels=_LEVELS
    ),
}
_NEAR = 0.05
"""Root mean square distance of an answer from its teacher's below which its square counts, unasked [deviations]."""
_FARTHEST = 0.2
"""Squared distance from the path [m^2] from which on the loss pulls no harder."""


class OneStep(nn.Module):
    """Context, offsets, turns, free, noise -> the next states, in one pass of a network told `times`."""

    def __init__(self, network: Denoiser, times: tuple[float, ...]) -> None:
        super().__init__()
        self.network, self.times = network, times

    def forward(self, context: Tensor, offsets: Tensor, turns: Tensor, free: Tensor, noise: Tensor) -> Tensor:
        """(N, C, S), (N, T, 2) [m], (N, T) [rad], (N, 1), (N, K S) -> (N, K, S), within the range of the data."""
        return self.network.space.clamp(self.unclamped(context, offsets, turns, free, noise))

    def unclamped(
        self, context: Tensor, offsets: Tensor, turns: Tensor, free: Tensor, noise: Tensor
    ) -> Tensor:
        """The same, wherever it leads."""
        network = self.network
        times = [torch.full_like(free, time) for time in self.times]
        known = network.known(context, offsets, turns, free)
        return network.states_of(network(known, noise, *times))


class DistillTask(RegressionTask):
    """Train a one-step student of a denoiser."""

    name = "controller, distilled"
    config: DistillConfig
    module: OneStep

    def __init__(
        self,
        config: DistillConfig,
        teacher: Denoiser,
        training: TrainingSet,
        autoencoder: Autoencoder,
        motion: Motion | None = None,
        seed: int = 0,
        decoder: PoseDecoder | None = None,
    ) -> None:
        """A student as wide as its teacher begins with the teacher's weights: with a flow in one step."""
        super().__init__(config, training, autoencoder, motion, seed, decoder)
        self.teacher = FlowPredictor(teacher, config.teacher_steps).eval().requires_grad_(False)
        with seeded(seed):
            student = Denoiser(config, self.motion.space)
        if config.width == teacher.config.width:
            student.load_state_dict(teacher.state_dict())
        self.module = OneStep(student, (0.0,))

    @property
    def settings(self) -> Mapping[str, object]:
        """Family and configuration."""
        return {"family": "distilled", **asdict(self.config)}

    def batch(self, draw: Draw) -> Batch:
        """As in the regression, with chance for every chunk."""
        batch = super().batch(draw)
        rounds = self.config.rounds[draw.progress >= self.config.short]
        return {**batch, "chance": draw.normal(rounds, self.module.network.numbers)}

    def loss(self, batch: Batch, progress: float) -> tuple[Tensor, Terms]:
        """Means over windows, chunks and frames of what `DistillConfig` weighs."""
        config, module = self.config, self.module
        length, execute, space = config.context, config.execute, module.network.space
        truth, tracks, free = batch["states"], batch["tracks"], batch["free"]
        weights = self._weights.to(truth)
        steered, alone = (1 - free)[..., None], free[:, 0]

        def answer(number: int, given: Given) -> Tensor:
            return module.unclamped(*given, batch["chance"][:, number])

        chunks = self.rollout.run(answer, batch, batch["chance"].shape[1])
        states, smooth, position, heading = [], [], [], []
        for number, made in enumerate(chunks):
            with torch.no_grad():
                taught = self.teacher.unclamped(*made.given, batch["chance"][:, number])
            first, context = made.first, made.given[0]
            wanted = slice(first, first + config.chunk)
            off = (1 - config.truth) * functional.huber_loss(made.answer, taught, reduction="none")
            off = off + config.truth * functional.huber_loss(made.answer, truth[:, wanted], reduction="none")
            apart = ((made.answer - taught).square() * weights).mean(dim=(1, 2))
            unasked = (apart + _NEAR**2).sqrt() - _NEAR
            states.append(((off * weights).mean(dim=(1, 2)) * (1 - alone) + unasked * alone).mean())

            bend = second_difference(torch.cat((context[:, -2:], made.states[:, :execute]), dim=1))
            guide = second_difference(truth[:, first - 2 : first + execute])
            smooth.append(((bend - guide).square() * weights * steered).mean())

            beside = (made.places - tracks[:, wanted, :2]).square().sum(dim=-1)
            position.append((beside.clamp(max=_FARTHEST) * (1 - free)).mean())
            heading.append(((made.headings - tracks[:, wanted, 2]).square() * (1 - free)).mean())

        run, places, turned = self.rollout.played(chunks)
        half = slice(0, (len(truth) + 1) // 2)
        flags = batch["contacts"][:, length : length + run.shape[1]] * steered
        feet, _ = self.feet(space.latents_of(run[half]))
        sliding = slide(in_world(feet, places[half], turned[half]), flags[half])
        terms = {
            "states": torch.stack(states).mean(),
            "position": torch.stack(position).mean(),
            "heading": torch.stack(heading).mean(),
            "slide": sliding * self.motion.fps,
            "smooth": torch.stack(smooth).mean(),
        }
        total = (
            terms["states"]
            + config.position_weight * terms["position"]
            + config.heading_weight * terms["heading"]
            + config.slide_weight * terms["slide"]
            + config.smooth_weight * terms["smooth"]
        )
        return total, terms
