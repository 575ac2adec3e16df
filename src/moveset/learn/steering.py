"""What a controller is asked, in torch: the same in training, from the future of a clip, as at run time, from a path.

The feedback that brings a character back onto its path is that of `runtime.behaviors`; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

FEEDBACK_SECONDS = 0.5
FEEDBACK_REACH = 0.5
"""Time constant [s] and longest error [m] of the way back to the path, as in `runtime.behaviors`."""

_MEAN_VELOCITY = (0.0, 1.5)
_VELOCITY_SCALE = (0.4, 0.7)
"""Side and forward [m/s] as the network sees them: fixed, so that a library of runs gives what one of walks does."""
_ANGLE_SCALE = 2.0


def world_from_ground(vectors: Tensor, headings: Tensor) -> Tensor:
    """Floor vectors (..., 2) seen from ground frames that face `headings` (...) [rad], in the world."""
    sine, cosine = torch.sin(headings), torch.cos(headings)
    x, z = vectors[..., 0], vectors[..., 1]
    return torch.stack((x * cosine + z * sine, z * cosine - x * sine), dim=-1)


def ground_from_world(vectors: Tensor, headings: Tensor) -> Tensor:
    """The inverse of `world_from_ground`."""
    return world_from_ground(vectors, -headings)


def asked(
    now: Tensor, ahead: Tensor, positions: Tensor, headings: Tensor, times: Tensor
) -> tuple[Tensor, Tensor]:
    """Offsets (B, T, 2) [m] and turns (B, T) [rad] that keep characters at `positions` (B, 2), `headings` (B,) on track.

    `now` (B, 3) and `ahead` (B, T, 3) are where they should be, x, z and heading, now and after `times` (T,) [s].
    """
    errors = now[:, :2] - positions
    distance = torch.linalg.vector_norm(errors, dim=-1, keepdim=True).clamp(min=1e-9)
    pull = errors * (FEEDBACK_REACH / distance).clamp(max=1)
    back = pull[:, None] * (1 - torch.exp(-times / FEEDBACK_SECONDS))[:, None]
    offsets = ground_from_world(ahead[..., :2] - now[:, None, :2] + back, headings[:, None])
    turns = ahead[..., 2] - headings[:, None]
    return offsets, turns - 2 * torch.pi * torch.round(turns / (2 * torch.pi))


def walked(steps: Tensor, positions: Tensor, headings: Tensor) -> tuple[Tensor, Tensor]:
    """Positions (B, K, 2) and headings (B, K) after each of `steps` (B, K, 3): side, forward [m], turn [rad].

    A step is seen from the frame before it, as in `motion.ground.GroundFrame.displacements`.
    """
    turned = headings[:, None] + torch.cumsum(steps[..., 2], dim=1)
    before = torch.cat((headings[:, None], turned[:, :-1]), dim=1)
    moved = torch.cumsum(world_from_ground(steps[..., :2], before), dim=1)
    return positions[:, None] + moved, turned


def steps_of(tracks: Tensor) -> Tensor:
    """The steps (B, F - 1, 3) of tracks (B, F, 3): the inverse of `walked`."""
    moved = ground_from_world(tracks[..., :2].diff(dim=1), tracks[:, :-1, 2])
    return torch.cat((moved, tracks[..., 2:].diff(dim=1)), dim=-1)


def bent(tracks: Tensor, turns: Tensor, pace: Tensor | float = 1.0) -> Tensor:
    """Tracks (B, F, 3) that turn by `turns` (B, F - 1) [rad] more from frame to frame, their steps `pace` times as long."""
    steps = steps_of(tracks)
    level = steps[..., :2] * torch.as_tensor(pace)[..., None]
    steps = torch.cat((level, steps[..., 2:] + turns[..., None]), dim=-1)
    places, turned = walked(steps, tracks[:, 0, :2], tracks[:, 0, 2])
    return torch.cat((tracks[:, :1], torch.cat((places, turned[..., None]), dim=-1)), dim=1)


class ControlEncoding(nn.Module):
    """Offsets and turns as numbers that a network takes: mean velocities to the asked places, turns on the circle."""

    times: Tensor
    mean: Tensor
    scale: Tensor

    def __init__(self, times: Sequence[float]) -> None:
        super().__init__()
        self.width = 4 * len(times)
        self.register_buffer("times", torch.tensor(times, dtype=torch.float32)[:, None])
        self.register_buffer("mean", torch.tensor(_MEAN_VELOCITY))
        self.register_buffer("scale", torch.tensor(_VELOCITY_SCALE))

    def forward(self, offsets: Tensor, turns: Tensor) -> Tensor:
        """(N, T, 2) and (N, T) -> (N, 4 T)."""
        velocities = (offsets / self.times - self.mean) / self.scale
        circle = torch.cat((torch.sin(turns), torch.cos(turns) - 1), dim=-1)
        return torch.cat((velocities.flatten(-2), _ANGLE_SCALE * circle), dim=-1)
