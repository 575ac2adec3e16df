"""A controller by regression: the last states and where to be become the next states in one pass.

It learns on its own roll-outs: a window starts from a noisy state of a clip, the network moves the character, is asked
anew from where it got to, and answers for where that leads. Without either the noise or the roll-outs such a network
freezes into a statue that glides along the path (docs/bench/controller_recipes.md). Compare Holden et al. 2020,
"Learned Motion Matching", whose stepper is trained on its own predictions too, and Bengio et al. 2015, "Scheduled
Sampling".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from moveset.learn.data import TrainingSet
from moveset.learn.draw import Draw, seeded
from moveset.learn.feet import Feet
from moveset.learn.footing import ClipFeet, in_world, skate, slide
from moveset.learn.loop import TrainConfig
from moveset.learn.models.autoencoder import Autoencoder, PoseDecoder
from moveset.learn.models.detail import Detail
from moveset.learn.models.residual import ResidualNetwork
from moveset.learn.models.small_decoder import SmallDecoderConfig
from moveset.learn.rollout import Rollout
from moveset.learn.sharpness import sharpest, softness
from moveset.learn.states import ROOT, Motion, StateSpace, encoded
from moveset.learn.steering import ControlEncoding, bent
from moveset.learn.task import Batch, Terms
from moveset.learn.variations import Variations


@dataclass(frozen=True, kw_only=True)
class RegressionConfig(Variations):
    """The network, its windows and what its losses weigh."""

    width: int = 512
    layers: int = 3
    times: tuple[float, ...] = (1 / 6, 1 / 3, 2 / 3, 1.0)
    """Seconds ahead at which it is told where to be."""
    context: int = 4
    chunk: int = 6
    execute: int = 4
    """Of the states that it answers with, so many are played before it is asked again: the same at run time."""

    noise: float = 0.25
    """Largest deviation of the noise on the context; each window draws its own up to this."""
    noisy: float = 0.7
    """Share of the windows that have any."""
    off_path: tuple[float, float] = (0.06, 0.06)
    """Deviation of position [m] and heading [rad] with which noisy windows start beside their path."""
    free: float = 0.05
    """Share of the windows in which nothing is asked."""
    rounds: tuple[int, int] = (3, 6)
    """Chunks of a roll-out, at first and later ..."""
    short: float = 0.4
    """... after this share of the steps."""
    lag: int = 2
    """Frames by which a roll-out may run ahead of its clip or behind it: the nearest moment is what it learns. Held to
    the very frame, a stride half a frame late would be taught the mean of two strides, which is softer than both."""

    root_weight: float = 3.0
    """Of the root velocities in the loss of the states."""
    position_weight: float = 1.0
    """Of the distance from the asked place [m]: by its square, two centimetres to the inside of every curve would weigh
    next to nothing."""
    heading_weight: float = 1.5
    slide_weight: float = 0.7
    """Of the speed of feet that stand [m/s]."""
    reach_weight: float = 6.0
    """Of the distance of the feet from where the clip has them, seen from the ground frame [m]."""
    skate_weight: float = 0.07
    """Of foot skate beyond that of the clip [m/s]."""
    contact_weight: float = 0.5
    """Of the squared error of the contacts that are decoded."""
    jolt_weight: float = 0.3
    """Of how far the windows that jolt most are softer or sharper than their clips; it grows to this over the training."""
    smooth_weight: float = 1.0
    """Of the second differences of the states that are played, the seams between chunks included."""

    def frames(self, rounds: int) -> int:
        """Of a window for a roll-out of so many chunks."""
        return self.context + (rounds - 1) * self.execute + self.chunk + self.lag

    def longest(self, fps: float) -> int:
        """Frames that a clip must have for a controller to be trained and to begin in it."""
        return max(self.frames(max(self.rounds)), self.context + round(max(self.times) * fps))


@dataclass(frozen=True, kw_only=True)
class RegressionPreset:
    """A size of the model and how it is trained."""

    model: RegressionConfig = field(default_factory=RegressionConfig)
    train: TrainConfig = field(default_factory=TrainConfig)
    levels: tuple[Detail, ...] = (Detail(),)


_LEVELS = (Detail(), Detail(width=224, steps=0.6), Detail(width=144, steps=0.6, decoder=SmallDecoderConfig()))
PRESETS = {
    "tiny": RegressionPreset(
        model=RegressionConfig(width=192), train=TrainConfig(steps=1500, batch=64, learning_rate=2e-3)
    ),
    "small": RegressionPreset(
        levels=_LEVELS,
        # alone, a wider network waits for its weights
        model=RegressionConfig(width=320),
        train=TrainConfig(steps=10_000, batch=96, learning_rate=2e-3, picture_every=0),
    ),
    "base": RegressionPreset(
        levels=_LEVELS,
        model=RegressionConfig(width=768),
        train=TrainConfig(steps=20_000, batch=256, average=0.999),
    ),
}
_LAG_COST = 0.03
"""By which share a fit must be better to be taken a frame further off."""
_NEAR = 0.01
"""Distance from the asked place [m] below which its square counts ..."""
_FARTHEST = 0.45
"""... and from which on the loss does not pull."""
_MATCHED = "walk"
"""Clips made by motion matching, whose jumps are nobody's jolts."""
_SHARPEST = 1 / 4
"""So many of the windows are to be as sharp as their clips: in steadier ones what is missing is mostly noise."""
_FEET_JOLT = 0.4
"""Weight of the sharpness of the feet beside that of the whole body."""


class Predictor(nn.Module):
    """Context, offsets, turns, free -> the next states."""

    def __init__(self, config: RegressionConfig, space: StateSpace) -> None:
        super().__init__()
        self.config, self.space = config, space
        self.control = ControlEncoding(config.times)
        width = config.context * space.width + self.control.width + 1
        # at first the character goes on as it is
        self.network = ResidualNetwork(width, config.chunk * space.width, config.width, config.layers)

    def forward(self, context: Tensor, offsets: Tensor, turns: Tensor, free: Tensor) -> Tensor:
        """(N, C, S), (N, T, 2) [m], (N, T) [rad], (N, 1) 0 or 1 -> (N, K, S), within the range of the data."""
        return self.space.clamp(self.unclamped(context, offsets, turns, free))

    def unclamped(self, context: Tensor, offsets: Tensor, turns: Tensor, free: Tensor) -> Tensor:
        """What the loss of the states sees, so that a state out of range still learns."""
        control = self.control(offsets, turns) * (1 - free)
        change = self.network(torch.cat((context.flatten(1), control, free), dim=1))
        return context[:, -1:] + change.reshape(-1, self.config.chunk, self.space.width)


class RegressionTask:
    """Train a Predictor on the motion of a training set."""

    name = "controller, regression"

    def __init__(
        self,
        config: RegressionConfig,
        training: TrainingSet,
        autoencoder: Autoencoder,
        motion: Motion | None = None,
        seed: int = 0,
        decoder: PoseDecoder | None = None,
    ) -> None:
        """`motion`: the set as states of this autoencoder, if it was encoded before. `decoder`: with which the states will
        be played, if not with that of the autoencoder."""
        self.config, self.training, self.data = config, training, training.facts
        self.motion = motion or encoded(training, autoencoder)
        whole = PoseDecoder(autoencoder)
        self.feet = Feet(decoder or whole, training.space)
        self._clips = ClipFeet.of(Feet(whole, training.space), self.motion)
        self._matched = torch.from_numpy(
            np.repeat(np.array(training.kinds) == _MATCHED, np.diff(training.view.starts))
        )
        self._weights = torch.cat(
            (importance(autoencoder, self.motion), torch.full((ROOT,), config.root_weight))
        )
        with seeded(seed):
            self.module = Predictor(config, self.motion.space)
        self.rollout = Rollout(
            self.motion.space, config.context, config.execute, config.times, self.motion.fps
        )

    @property
    def settings(self) -> Mapping[str, object]:
        """Family and configuration."""
        return {"family": "regression", **asdict(self.config)}

    def batch(self, draw: Draw) -> Batch:
        """Windows of the motion, some bent, and how each begins: noise on its context, beside its path, unasked."""
        config = self.config
        rounds = config.rounds[draw.progress >= config.short]
        frames = config.frames(rounds)
        rows = draw.mine(self.training.draw(draw.rng, draw.size, frames))
        window = self.motion.windows(torch.from_numpy(rows), frames, max(self.rollout.ahead))
        turns, pace = config.drawn(draw, window["tracks"].shape[1], self.motion.fps)
        window["tracks"] = bent(window["tracks"], turns[:, 1:] / self.motion.fps, pace[:, 1:])
        velocities = self.motion.space.root_of(window["states"])
        level = velocities[..., :2] * pace[:, :frames, None]
        velocities = torch.cat((level, velocities[..., 2:] + turns[:, :frames, None]), dim=-1)
        window["states"] = self.motion.space.with_root(window["states"], velocities)
        noise = config.noise * draw.uniform(1, 1) * (draw.uniform(1, 1) < config.noisy)
        noisy = (noise[:, 0] > 0).float()
        place, turn = config.off_path
        every = torch.from_numpy(rows)[:, None] + torch.arange(frames)
        return {
            **window,
            "feet": self._clips.places[every],
            "skate": self._clips.skate[every],
            "matched": self._matched[every[:, 0]],
            "noise": noise * draw.normal(config.context, self.motion.space.width),
            "place": place * noisy * draw.normal(2),
            "turn": (turn * noisy * draw.normal(1))[:, 0],
            "free": (draw.uniform(1) < config.free).float(),
        }

    def loss(self, batch: Batch, progress: float) -> tuple[Tensor, Terms]:
        """Means over windows, chunks and frames of what `RegressionConfig` weighs."""
        config, space = self.config, self.module.space
        context_frames, execute, chunk = config.context, config.execute, config.chunk
        truth, tracks, steered = batch["states"], batch["tracks"], 1 - batch["free"]
        rounds = (truth.shape[1] - context_frames - chunk - config.lag) // execute + 1
        weights = self._weights.to(truth)

        chunks = self.rollout.run(lambda number, given: self.module.unclamped(*given), batch, rounds)
        states, position, heading, moments = [], [], [], []
        for number, made in enumerate(chunks):
            shift = self._lags(made.answer, truth, made.first, min(number, config.lag))
            moment = made.first + shift
            target = self._at(truth, moment + torch.arange(chunk, device=moment.device), made.first)
            moments.append(moment + torch.arange(execute, device=moment.device))
            states.append((functional.huber_loss(made.answer, target, reduction="none") * weights).mean())
            wanted = tracks[:, made.first : made.first + chunk]
            off = (made.places - wanted[..., :2]).square().sum(dim=-1).clamp(max=_FARTHEST**2)
            position.append((((off + _NEAR**2).sqrt() - _NEAR) * steered).mean())
            heading.append(((made.headings - wanted[..., 2]).square() * steered).mean())

        run, places, turned = self.rollout.played(chunks)
        bend = second_difference(torch.cat((chunks[0].given[0][:, -2:], run), dim=1))
        moments = torch.cat(moments, dim=1)
        bend_truth = self._at(second_difference(truth), moments - 2, context_frames - 2)
        half = slice(0, (len(run) + 1) // 2)  # the feet of half of the windows tell as much
        feet, contacts = self.feet(space.latents_of(run[half]))
        own = {name: frames_at(batch[name][half], moments[half]) for name in ("feet", "skate", "contacts")}
        stepped = in_world(feet, places[half], turned[half])
        skated = skate(stepped, self._clips.standing.to(feet), self.motion.fps).mean(dim=(1, 2))
        terms = {
            "states": torch.stack(states).mean(),
            "position": torch.stack(position).mean(),
            "heading": torch.stack(heading).mean(),
            "slide": slide(stepped, own["contacts"]) * self.motion.fps,
            "reach": (feet - own["feet"]).abs().mean(),
            "skate": (skated - own["skate"][:, 1:-1].mean(dim=(1, 2))).clamp(min=0).mean(),
            "contact": (contacts - own["contacts"]).square().mean(),
            "jolt": self._softness(run, feet, batch),
            "smooth": ((bend - bend_truth).square() * weights).mean(),
        }
        total = (
            terms["states"]
            + config.position_weight * terms["position"]
            + config.heading_weight * terms["heading"]
            + config.slide_weight * terms["slide"]
            + config.reach_weight * terms["reach"]
            + config.skate_weight * terms["skate"]
            + config.contact_weight * terms["contact"]
            + config.jolt_weight * progress * terms["jolt"]
            + config.smooth_weight * terms["smooth"]
        )
        return total, terms

    def _softness(self, run: Tensor, feet: Tensor, batch: Batch) -> Tensor:
        """How much softer or sharper a roll-out `run` (B, F, S) with `feet` (B / 2, F, K, 3) is than its clips, after the
        first answer, which has to work off the noise of the beginning."""
        latents, skipped = self.module.space.latents, self.config.execute
        frames = slice(self.config.context + skipped, self.config.context + run.shape[1])
        weights = self._weights[:latents].to(run)
        made, real = run[:, skipped:, :latents], batch["states"][:, frames, :latents]
        which = sharpest(real * weights, _SHARPEST, batch["matched"])
        own = which[which < len(feet)]
        total = softness(made[which], real[which], weights)
        if len(own):
            real_feet = batch["feet"][own][:, frames]
            total = total + _FEET_JOLT * softness(feet[own][:, skipped:].flatten(2), real_feet.flatten(2))
        return total

    @torch.no_grad()
    def _lags(self, answer: Tensor, truth: Tensor, first: int, most: int) -> Tensor:
        """(B, 1) by how many frames, `most` at most, each clip is to be shifted to meet the poses of `answer` best."""
        shifts = torch.arange(-most, most + 1, device=truth.device)
        poses, weights = (
            slice(self.module.space.latents),
            self._weights.to(truth)[: self.module.space.latents],
        )
        apart = [
            (answer[..., poses] - truth[:, first + shift : first + shift + answer.shape[1], poses]).square()
            for shift in shifts.tolist()
        ]
        cost = torch.stack([(gap * weights).mean(dim=(1, 2)) for gap in apart], dim=1)
        return shifts[(cost * (1 + _LAG_COST * shifts.abs())).argmin(dim=1)][:, None]

    def _at(self, truth: Tensor, moments: Tensor, first: int) -> Tensor:
        """Poses of `truth` (B, F, S) at `moments` (B, K), with the root velocities of the K frames from `first` on:
        where a character should be is a matter of time, not of its stride."""
        latents = self.module.space.latents
        poses = frames_at(truth[..., :latents], moments)
        return torch.cat((poses, truth[:, first : first + moments.shape[1], latents:]), dim=-1)

    def tracks(self, seed: int = 0) -> Tensor:
        """(B, F, 3) where windows went that training sees: how far the asked reaches."""
        return self.batch(Draw(0, _SEEN, 1.0, seed))["tracks"]

    def picture(self) -> np.ndarray | None:
        """None: evaluation shows what a controller does."""
        return None


@torch.no_grad()
def importance(autoencoder: Autoencoder, motion: Motion) -> Tensor:
    """(L,) how much a pose changes with each latent, mean 1: the weights of their losses.

    By their deviation alone, numbers that hardly show would count as much as the stride.
    """
    latents = motion.space.latents_of(motion.states[:: max(1, len(motion.states) // _SAMPLE)])
    step = torch.diag(motion.space.latent_scale)
    changed = [autoencoder.decoder(latents + row) - autoencoder.decoder(latents - row) for row in step]
    size = torch.stack([change.square().mean().sqrt() for change in changed])
    return size / size.mean()


def frames_at(frames: Tensor, moments: Tensor) -> Tensor:
    """(B, K, ...) of `frames` (B, F, ...) at `moments` (B, K)."""
    return frames[torch.arange(len(frames), device=moments.device)[:, None], moments]


_SAMPLE = 256
_SEEN = 4096


def second_difference(x: Tensor) -> Tensor:
    """(B, F - 2, S) of (B, F, S): how much a motion bends."""
    return x[:, 2:] - 2 * x[:, 1:-1] + x[:, :-2]
