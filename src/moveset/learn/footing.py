"""Feet on the floor, for losses: how far they slide while they stand, and their skate."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from moveset.learn.feet import Feet
from moveset.learn.states import Motion
from moveset.learn.steering import world_from_ground
from moveset.motion.measure import SKATE_HEIGHT

_PART = 8192
_TINY = 1e-8
"""Keeps the gradient of a length finite where the length is zero [m^2]."""


def in_world(feet: Tensor, places: Tensor, headings: Tensor) -> Tensor:
    """(B, F, K, 3) in the world of feet seen from ground frames at `places` (B, F, 2) that face `headings` (B, F)."""
    level = world_from_ground(feet[..., ::2], headings[..., None]) + places[..., None, :]
    return torch.stack((level[..., 0], feet[..., 1], level[..., 1]), dim=-1)


def slide(feet: Tensor, contacts: Tensor) -> Tensor:
    """Mean distance a frame [m] of feet (B, F, K, 3) in the world that have contacts (B, F, K) in both frames."""
    both = contacts[:, 1:] * contacts[:, :-1]
    return (_length(feet.diff(dim=1)) * both).sum() / both.sum().clamp(min=1)


def skate(feet: Tensor, standing: Tensor, fps: float) -> Tensor:
    """(B, F - 2, K) horizontal speed [m/s] of feet (B, F, K, 3) in the world, weighted by nearness to the floor: the
    terms of `motion.measure.foot_skate`, first and last frame left out. `standing` (K,) are their heights [m]."""
    speeds = _length((feet[:, 2:] - feet[:, :-2])[..., ::2]) * (fps / 2)
    return speeds * (2 - torch.exp2((feet[:, 1:-1, :, 1] - standing) / SKATE_HEIGHT)).clamp(0, 1)


@dataclass(frozen=True, eq=False)
class ClipFeet:
    """The feet of the R frames of a training set."""

    places: Tensor
    """(R, K, 3) in the ground frame [m]."""
    standing: Tensor
    """(K,) heights at which they bear [m]."""
    skate: Tensor
    """(R, K) terms of foot skate [m/s]."""

    @classmethod
    @torch.no_grad()
    def of(cls, feet: Feet, motion: Motion) -> ClipFeet:
        """As `feet` decodes them."""
        places = torch.cat([feet(motion.space.latents_of(part))[0] for part in motion.states.split(_PART)])
        standing = _standing(places[..., 1], motion.contacts)
        tracks = motion.tracks.float()[None]
        terms = torch.zeros(places.shape[:2])
        terms[1:-1] = skate(in_world(places[None], tracks[..., :2], tracks[..., 2]), standing, motion.fps)[0]
        last = motion.last.unique()
        terms[last] = terms[(last + 1) % len(terms)] = 0.0  # not from one clip to the next
        return cls(places, standing, terms)


def _standing(heights: Tensor, contacts: Tensor) -> Tensor:
    """(K,) low end of `heights` (R, K) at which feet have contacts (R, K); of one that never does, -inf."""
    low = [height[bears > 0.5] for height, bears in zip(heights.T, contacts.T)]
    return torch.stack(
        [own.kthvalue(1 + len(own) // 10)[0] if len(own) else own.new_tensor(-torch.inf) for own in low]
    )


def _length(vectors: Tensor) -> Tensor:
    return (vectors.square().sum(dim=-1) + _TINY).sqrt()
