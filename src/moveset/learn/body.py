"""Where the joints of a pose space are: forward kinematics for losses, written for speed under autograd.

The batch lies on the last axis and joints of one depth are turned at once, so that a product of 3 x 3 matrices is
long additions instead of thousands of small products.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from moveset.features.pose import PoseSpace
from moveset.geometry import quaternion

_TINY = 1e-12
"""Keeps the gradient of a length finite where the length is zero."""


class Body(nn.Module):
    """Forward kinematics of a pose space: what turns and moves is given, the rest keeps its local pose."""

    fixed_rotations: Tensor
    """(3, 3, R, 1) local rotation matrices of the joints on the way that do not turn."""
    fixed_translations: Tensor
    """(3, T, 1) [m] of those that do not move."""

    def __init__(self, space: PoseSpace) -> None:
        super().__init__()
        parents = space.skeleton.parents
        spoken = [*space.turning, *space.moving]
        joints = sorted({j for spoke in spoken for j in space.skeleton.lineage(int(spoke))})
        fixed = [j for j in joints if j not in set(space.turning.tolist())]
        still = [j for j in joints if j not in set(space.moving.tolist())]
        matrices = np.moveaxis(quaternion.to_matrix(space.rotations[fixed]), 0, -1)[..., None]
        self.register_buffer("fixed_rotations", torch.tensor(matrices, dtype=torch.float32), persistent=False)
        offsets = space.translations[still].T[..., None]
        self.register_buffer(
            "fixed_translations", torch.tensor(offsets, dtype=torch.float32), persistent=False
        )

        depths = [len(space.skeleton.lineage(j)) for j in joints]
        levels = [[j for j, d in zip(joints, depths) if d == depth] for depth in range(1, max(depths) + 1)]
        rotation_at = {int(j): k for k, j in enumerate([*space.turning, *fixed])}
        translation_at = {int(j): k for k, j in enumerate([*space.moving, *still])}
        self._rotations = [[rotation_at[j] for j in level] for level in levels]
        self._translations = [[translation_at[j] for j in level] for level in levels]
        self._above = [[above.index(int(parents[j])) for j in level] for above, level in pairwise(levels)]
        order = [j for level in levels for j in level]
        self._turning = [order.index(int(j)) for j in space.turning]

    def forward(self, rotations: Tensor, translations: Tensor) -> Tensor:
        """Positions (3, A, N) in the ground frame [m] of the turning joints; rotations (N, A, 6), translations (N, M, 3)."""
        batch = len(rotations)
        turned = matrices(rotations.permute(2, 1, 0).contiguous())
        local = torch.cat((turned, self.fixed_rotations.expand(-1, -1, -1, batch)), dim=2)
        offsets = torch.cat(
            (translations.permute(2, 1, 0), self.fixed_translations.expand(-1, -1, batch)), dim=1
        )
        world = _pick(local, self._rotations[0], 2)
        position = _pick(offsets, self._translations[0], 1)
        positions = [position]
        last = len(self._above)
        for level, above in enumerate(self._above, start=1):
            frame = _pick(world, above, 2)
            position = _pick(position, above, 1) + (
                frame * _pick(offsets, self._translations[level], 1).unsqueeze(0)
            ).sum(dim=1)
            positions.append(position)
            if level < last:
                below = _pick(local, self._rotations[level], 2)
                world = (frame.unsqueeze(2) * below.unsqueeze(0)).sum(dim=1)
        return _pick(torch.cat(positions, dim=1), self._turning, 1)


def matrices(rotations: Tensor) -> Tensor:
    """(6, ...) first two columns -> (3, 3, ...) rotation matrices by Gram-Schmidt, as `rotation6d.to_matrix`."""
    x = _unit(rotations[:3])
    y = _unit(rotations[3:] - (x * rotations[3:]).sum(dim=0) * x)
    return torch.stack((x, y, torch.linalg.cross(x, y, dim=0)), dim=1)


def _unit(vectors: Tensor) -> Tensor:
    return vectors * torch.rsqrt((vectors * vectors).sum(dim=0) + _TINY)


def _pick(values: Tensor, index: Sequence[int], dim: int) -> Tensor:
    return values.index_select(dim, torch.tensor(index, device=values.device))
