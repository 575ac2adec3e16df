"""Where the feet of latents are: what losses of feet need, and nothing of the rest of the body."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from torch import Tensor, nn

from moveset.features.pose import PoseSpace
from moveset.learn.body import Body
from moveset.learn.models.autoencoder import PoseDecoder
from moveset.motion.contacts import feet


class Feet(nn.Module):
    """Latents (..., L) -> places of the feet (..., K, 3) in the ground frame [m], in the order of `contacts.feet`, and
    their contacts (..., K).

    A frozen copy of a decoder whose last layers keep only the rows of the legs.
    """

    def __init__(self, decoder: PoseDecoder, space: PoseSpace) -> None:
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

        rotations, translations, contacts = decoder.widths
        rows = [*_rows(0, turning, 6), *_rows(rotations, moving, 3)]
        self._local = len(rows)
        rows += range(rotations + translations, rotations + translations + contacts)
        self._decoder = decoder.network.only(rows)
        self.register_buffer("_mean", decoder.get_buffer("mean")[rows].clone())
        self.register_buffer("_scale", decoder.get_buffer("scale")[rows].clone())
        self.requires_grad_(False)

    def forward(self, latents: Tensor) -> tuple[Tensor, Tensor]:
        """See above."""
        numbers = self._decoder(latents.flatten(0, -2)) * self._scale + self._mean
        rotations = numbers[:, : self._rotations].unflatten(1, (-1, 6))
        translations = numbers[:, self._rotations : self._local].unflatten(1, (-1, 3))
        positions = self._body(rotations, translations)[:, self._feet].permute(2, 1, 0)
        shape = latents.shape[:-1]
        return positions.unflatten(0, shape), numbers[:, self._local :].unflatten(0, shape)


def _rows(start: int, items: list[int], width: int) -> list[int]:
    """Numbers of a vector that hold `items` of the block that begins at `start`."""
    return [start + width * item + k for item in items for k in range(width)]
