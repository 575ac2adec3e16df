"""Local poses to world poses and back."""

from __future__ import annotations

import numpy as np

from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array


def forward_kinematics(
    local_rotations: Array, local_translations: Array, parents: np.ndarray, local_scales: Array | None = None
) -> tuple[Array, Array]:
    """World rotations (..., J, 4) and positions (..., J, 3) [m] of local poses.

    `parents` (J,) comes sorted, -1 for roots. A joint's scale (..., J, 3) acts on the offsets of its children;
    scales multiply down the tree by component, so shear, which a rigid pose cannot hold, is left out.
    """
    leading = np.broadcast_shapes(local_rotations.shape[:-2], local_translations.shape[:-2])
    joints = len(parents)
    rotations = np.empty((*leading, joints, 4), dtype=local_rotations.dtype)
    positions = np.empty((*leading, joints, 3), dtype=local_rotations.dtype)
    scales = None if local_scales is None else np.empty((*leading, joints, 3), dtype=local_rotations.dtype)
    for j, p in enumerate(parents):
        rotation, translation = local_rotations[..., j, :], local_translations[..., j, :]
        if p < 0:
            rotations[..., j, :], positions[..., j, :] = rotation, translation
            if scales is not None:
                scales[..., j, :] = local_scales[..., j, :]
            continue
        if scales is not None:
            translation = translation * scales[..., p, :]
            scales[..., j, :] = scales[..., p, :] * local_scales[..., j, :]
        rotations[..., j, :] = quaternion.multiply(rotations[..., p, :], rotation)
        positions[..., j, :] = positions[..., p, :] + quaternion.rotate(rotations[..., p, :], translation)
    return rotations, positions


def inverse_kinematics(
    world_rotations: Array, world_positions: Array, parents: np.ndarray
) -> tuple[Array, Array]:
    """Local rotations and translations of world poses: the inverse of `forward_kinematics` without scales."""
    parents = np.asarray(parents)
    inner = np.flatnonzero(parents >= 0)
    above = parents[inner]
    rotations, translations = world_rotations.copy(), world_positions.copy()
    parent_rotations = world_rotations[..., above, :]
    rotations[..., inner, :] = quaternion.inverse_multiply(parent_rotations, world_rotations[..., inner, :])
    translations[..., inner, :] = quaternion.inverse_rotate(
        parent_rotations, world_positions[..., inner, :] - world_positions[..., above, :]
    )
    return rotations, translations
