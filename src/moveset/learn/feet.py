"""Where the feet of latents are: what a loss of sliding feet needs, and nothing of the rest of the body."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from torch import Tensor, nn

from moveset.features.pose import PoseSpace
from moveset.learn.body import Body
from moveset.learn.models.autoencoder import Autoencoder
from moveset.motion.contacts import feet


class Feet(nn.Module):
    """Latents (..., L) -> places of the feet (..., K, 3) in the ground frame [m], in the order of `contacts.feet`.

    A frozen copy of the decoder whose last layers keep only the rows of the legs.
    """

    def __init__(self, autoencoder: Autoencoder, space: PoseSpace) -> None:
        super().__init__()
        skeleton = space.skeleton
        roles = skeleton.joints(feet(skeleton))
        legs = {joint for foot in roles for joint in skeleton.lineage(foot)}
        turning = [k for k, joint in enumerate(space.turning) if joint in legs]
        moving = [k for k, joint in enumerate(space.moving) if joint in legs]
        legs_only = replace(space, turning=space.turning[turning], moving=space.moving[moving])
        self._body = Body(legs_only)
        self._feet = [int(np.flatnonzero(legs_only.turning == foot)[0]) for foot in roles]
        self._rotations = 6 * len(turning)

        slices = autoencoder.layout.slices
        rows = [*_rows(slices["rotations"], turning, 6), *_rows(slices["translations"], moving, 3)]
        self._decoder = autoencoder.decoder.only(rows)
        self.register_buffer("_mean", autoencoder.mean[rows].clone())
        self.register_buffer("_scale", autoencoder.scale[rows].clone())
        self.requires_grad_(False)

    def forward(self, latents: Tensor) -> Tensor:
        """See above."""
        numbers = self._decoder(latents.flatten(0, -2)) * self._scale + self._mean
        rotations = numbers[:, : self._rotations].unflatten(1, (-1, 6))
        positions = self._body(rotations, numbers[:, self._rotations :].unflatten(1, (-1, 3)))
        return positions[:, self._feet].permute(2, 1, 0).unflatten(0, latents.shape[:-1])


def _rows(block: slice, items: list[int], width: int) -> list[int]:
    """Numbers of a vector that hold `items` of a block."""
    return [block.start + width * item + k for item in items for k in range(width)]
