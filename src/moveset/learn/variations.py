"""Windows of clips that turn and change speed as nobody recorded it."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from moveset.learn.draw import Draw

_CORNER_SECONDS = (0.12, 0.35)
"""Deviation of the turn rate of a corner in time."""
_RISE_SECONDS = 0.1


@dataclass(frozen=True, kw_only=True)
class Variations:
    """How many windows are varied, and how far."""

    bent: float = 0.4
    """Share of the windows whose path is bent, half of them around a corner, half for good."""
    corner: float = 0.9
    """Deviation of the angle of corners [rad]."""
    curve: float = 0.6
    """Deviation of the turn rate of curves [rad/s]."""
    paced: float = 0.25
    """Share of the windows that grow faster or slower at some moment ..."""
    pace: float = 0.12
    """... deviation of the share by which they do."""

    def drawn(self, draw: Draw, frames: int, fps: float) -> tuple[Tensor, Tensor]:
        """(B, F) turn rates [rad/s] that are added to windows, and (B, F) factors of their speed.

        Recordings hold few turns and changes of speed, above all few sharp ones; a body that is asked for one does
        about what it does without, and the loss of sliding feet mends the rest.
        """
        kind, paced, middle, width, side = (draw.uniform(1) for _ in range(5))
        size, faster = draw.normal(1).clamp(-2, 2), draw.normal(1).clamp(-2, 2)
        time = torch.arange(frames) / fps
        since = time - middle * time[-1]
        deviation = _CORNER_SECONDS[0] + (_CORNER_SECONDS[1] - _CORNER_SECONDS[0]) * width
        bump = torch.exp(-0.5 * (since / deviation).square()) / (deviation * (2 * torch.pi) ** 0.5)
        rise = torch.sigmoid(torch.where(side < 0.5, since, -since) / _RISE_SECONDS)
        corner, curve = kind < self.bent / 2, kind < self.bent
        turns = torch.where(
            corner, self.corner * size * bump, torch.where(curve, self.curve * size * rise, 0.0)
        )
        return turns, torch.where(paced < self.paced, 1 + self.pace * faster * rise, 1.0)
