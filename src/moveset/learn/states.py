"""States: what a controller steps through. The latents of a pose, standardised, then how the ground frame moves.

Every frame of a training set becomes one, and each remembers where its clip went: that is what a controller is asked
for while it learns.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from moveset.geometry.quaternion import Array
from moveset.learn.data import TrainingSet
from moveset.learn.models.autoencoder import Autoencoder
from moveset.motion.ground import integrate

_ROOT_MEAN = (0.0, 1.3, 0.0)
_ROOT_SCALE = (0.15, 0.35, 0.25)
"""Side and forward velocity [m/s], turn [rad/s]. The scales are small: steering errors shall weigh."""
ROOT = 3
"""The last numbers of a state."""
_RANGE = (0.0005, 0.9995)
_MARGIN = 0.05
"""States are clamped to these quantiles of the data, widened by a share of their distance."""
_PART = 8192
_ONWARD = 8
"""A clip is taken to go on as it went over its last frames."""


class StateSpace(nn.Module):
    """What the numbers of a state mean. Buffers only: part of every network that takes or gives states."""

    latent_mean: Tensor
    latent_scale: Tensor
    root_mean: Tensor
    root_scale: Tensor
    low: Tensor
    high: Tensor

    def __init__(self, latents: int) -> None:
        super().__init__()
        self.latents, self.width = latents, latents + ROOT
        self.register_buffer("latent_mean", torch.zeros(latents))
        self.register_buffer("latent_scale", torch.ones(latents))
        self.register_buffer("root_mean", torch.tensor(_ROOT_MEAN))
        self.register_buffer("root_scale", torch.tensor(_ROOT_SCALE))
        self.register_buffer("low", torch.full((self.width,), -torch.inf))
        self.register_buffer("high", torch.full((self.width,), torch.inf))

    def fit(self, latents: Tensor, root: Tensor) -> None:
        """Mean and deviation of latents (R, L), range of the states of them and of root velocities (R, 3)."""
        self.latent_mean.copy_(latents.mean(dim=0))
        self.latent_scale.copy_(latents.std(dim=0).clamp(min=1e-3))
        states = self.states(latents, root).numpy()
        low, high = np.quantile(states, _RANGE, axis=0)
        margin = _MARGIN * (high - low)
        self.low.copy_(torch.from_numpy(low - margin))
        self.high.copy_(torch.from_numpy(high + margin))

    def states(self, latents: Tensor, root: Tensor) -> Tensor:
        """(..., L) and root velocities (..., 3) [m/s, m/s, rad/s] -> (..., L + 3)."""
        return torch.cat(
            ((latents - self.latent_mean) / self.latent_scale, (root - self.root_mean) / self.root_scale),
            dim=-1,
        )

    def latents_of(self, states: Tensor) -> Tensor:
        """(..., L) as the autoencoder has them."""
        return states[..., : self.latents] * self.latent_scale + self.latent_mean

    def root_of(self, states: Tensor) -> Tensor:
        """(..., 3) side, forward [m/s] and turn [rad/s]."""
        return states[..., self.latents :] * self.root_scale + self.root_mean

    def with_root(self, states: Tensor, root: Tensor) -> Tensor:
        """`states` (..., S) that move with root velocities (..., 3)."""
        scaled = (root - self.root_mean) / self.root_scale
        return torch.cat((states[..., : self.latents], scaled), dim=-1)

    def clamp(self, states: Tensor) -> Tensor:
        """States no further out than the data."""
        return torch.minimum(torch.maximum(states, self.low), self.high)


@dataclass(frozen=True, eq=False)
class Motion:
    """The R frames of a training set as states, clip after clip."""

    space: StateSpace
    states: Tensor
    """(R, S)"""
    contacts: Tensor
    """(R, K) 0 or 1."""
    tracks: Tensor
    """(R, 3) float64: x, z [m] and heading [rad] of the ground frame; each clip begins at the origin."""
    last: Tensor
    """(R,) the last row of each row's clip."""
    onward: Tensor
    """(R, 3) how far the ground frame of each row's clip goes a frame once the clip has ended."""
    fps: float

    def windows(self, rows: Tensor, frames: int, ahead: int) -> dict[str, Tensor]:
        """B windows of `frames` frames from `rows` (B,) on: states (B, F, S), contacts (B, F, K), and tracks
        (B, F + ahead, 3) seen from where each window begins, which go on after the end of a clip.
        """
        inside = rows[:, None] + torch.arange(frames)
        every = rows[:, None] + torch.arange(frames + ahead)
        last = self.last[rows][:, None]
        over = (every - last).clamp(min=0)
        tracks = self.tracks[torch.minimum(every, last)] + over[..., None] * self.onward[rows][:, None]
        start = self.tracks[rows][:, None] * torch.tensor((1.0, 1.0, 0.0), dtype=torch.float64)
        return {
            "states": self.states[inside],
            "contacts": self.contacts[inside],
            "tracks": (tracks - start).float(),
        }


@torch.no_grad()
def encoded(training: TrainingSet, autoencoder: Autoencoder) -> Motion:
    """A training set as states; scales and ranges are those of its training clips."""
    view, layout = training.view, training.space.layout
    vectors = training.tensor()
    root = vectors[:, layout.slices["root"]].clone()
    poses = vectors[:, layout.slices["root"].stop :]
    latents = torch.cat([autoencoder.encode(part) for part in poses.split(_PART)])
    space = StateSpace(latents.shape[1])
    fitted = torch.from_numpy(training.windows(1))
    space.fit(latents[fitted], root[fitted])
    tracks, onward = zip(
        *(_track(root[start:stop].numpy(), view.fps) for start, stop in pairwise(view.starts))
    )
    lengths = np.diff(view.starts)
    return Motion(
        space=space,
        states=space.states(latents, root),
        contacts=vectors[:, layout.slices["contacts"]].clone(),
        tracks=torch.from_numpy(np.concatenate(tracks)),
        last=torch.from_numpy(np.repeat(view.starts[1:] - 1, lengths)),
        onward=torch.from_numpy(np.repeat(onward, lengths, axis=0)),
        fps=view.fps,
    )


def _track(root: Array, fps: float) -> tuple[Array, Array]:
    """(F, 3) x, z, heading of root velocities (F, 3), and (3,) how they go on a frame after the end."""
    ground = integrate(root.astype(np.float64) / fps)
    track = np.column_stack((ground.positions[:, [0, 2]], ground.headings))
    span = min(_ONWARD, len(track) - 1)
    return track, (track[-1] - track[-1 - span]) / max(span, 1)
