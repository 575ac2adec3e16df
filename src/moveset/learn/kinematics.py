"""Torch twin of `motion.kinematics`, for any quaternion pose. Losses of networks that give 6D use `learn.body`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from moveset.learn import quaternion


def forward_kinematics(
    local_rotations: Tensor,
    local_translations: Tensor,
    parents: Sequence[int] | np.ndarray,
    joints: Sequence[int] | np.ndarray | None = None,
) -> tuple[Tensor, Tensor]:
    """World rotations (..., J, 4) and positions (..., J, 3) [m] of local poses.

    `parents` (J,) comes sorted, -1 for roots. With `joints` (K,) only these and what they hang on are computed,
    and the results are (..., K, 4) and (..., K, 3) in that order. Joints of one depth are turned at once.
    """
    wanted = tuple(range(len(parents))) if joints is None else tuple(map(int, joints))
    levels, order = _levels(tuple(map(int, parents)), wanted)
    rotations: list[Tensor] = []
    positions: list[Tensor] = []
    for at, above in levels:
        rotation, position = _pick(local_rotations, at), _pick(local_translations, at)
        if rotations:
            frame = _pick(rotations[-1], above)
            position = _pick(positions[-1], above) + quaternion.rotate(frame, position)
            rotation = quaternion.multiply(frame, rotation)
        rotations.append(rotation)
        positions.append(position)
    return _pick(torch.cat(rotations, dim=-2), order), _pick(torch.cat(positions, dim=-2), order)


def inverse_kinematics(
    world_rotations: Tensor, world_positions: Tensor, parents: Sequence[int] | np.ndarray
) -> tuple[Tensor, Tensor]:
    """Local rotations and translations of world poses: the inverse of `forward_kinematics`."""
    above = torch.as_tensor(np.array(parents), device=world_rotations.device)
    inner, safe = (above >= 0)[:, None], above.clamp(min=0)
    frame = world_rotations[..., safe, :]
    rotations = quaternion.inverse_multiply(frame, world_rotations)
    offsets = quaternion.inverse_rotate(frame, world_positions - world_positions[..., safe, :])
    return torch.where(inner, rotations, world_rotations), torch.where(inner, offsets, world_positions)


def _pick(values: Tensor, joints: list[int]) -> Tensor:
    return values.index_select(-2, torch.tensor(joints, device=values.device))


@lru_cache(maxsize=64)
def _levels(
    parents: tuple[int, ...], joints: tuple[int, ...]
) -> tuple[list[tuple[list[int], list[int]]], list[int]]:
    """A pair a depth: joints there, and where in the level above their parents are; then where `joints` come."""
    depths: dict[int, int] = {}
    for joint in joints:
        chain = [joint]
        while (parent := parents[chain[-1]]) >= 0:
            chain.append(parent)
        depths.update({j: depth for depth, j in enumerate(reversed(chain))})
    levels: list[tuple[list[int], list[int]]] = []
    for depth in range(max(depths.values()) + 1):
        at = sorted(j for j, d in depths.items() if d == depth)
        levels.append((at, [levels[-1][0].index(parents[j]) for j in at] if levels else []))
    everything = [j for at, _ in levels for j in at]
    return levels, [everything.index(j) for j in joints]
