"""Local poses to world poses and back.

The functions choose between NumPy, which starts at once, and compiled kernels (motion/kernels.py), which do the
same operations in the same order, so results are equal to the last bit.
"""

from __future__ import annotations

import importlib

import numpy as np

from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array


def forward_kinematics(
    local_rotations: Array, local_translations: Array, parents: np.ndarray, local_scales: Array | None = None
) -> tuple[Array, Array]:
    """World rotations (..., J, 4) and positions (..., J, 3) [m] of local poses.

    `parents` (J,) comes sorted, -1 for roots. A joint's scale (..., J, 3) acts on the offsets of its children and
    multiplies down the tree by component, as in glTF where scales are uniform. The shear that a non-uniform scale
    above a turned joint makes there has no place in a rigid pose and is left out.
    """
    rotations, translations = np.asarray(local_rotations), np.asarray(local_translations)
    parents = np.ascontiguousarray(parents, dtype=np.int64)
    if local_scales is not None:
        translations = _scaled_offsets(translations, np.asarray(local_scales), parents)
    leading = (
        rotations.shape[:-2]
        if rotations.shape[:-2] == translations.shape[:-2]
        else np.broadcast_shapes(rotations.shape[:-2], translations.shape[:-2])
    )
    dtype, joints = rotations.dtype, len(parents)
    translations = translations.astype(dtype, copy=False)
    if leading != rotations.shape[:-2]:
        rotations = np.broadcast_to(rotations, (*leading, joints, 4))
    if leading != translations.shape[:-2]:
        translations = np.broadcast_to(translations, (*leading, joints, 3))
    world_rotations, world_positions = (
        np.empty((*leading, joints, 4), dtype),
        np.empty((*leading, joints, 3), dtype),
    )
    kernels = _compiled(joints, world_rotations.size) if dtype.char in "fd" else None
    if kernels is None:
        _forward(rotations, translations, parents, world_rotations, world_positions)
    else:
        kernels.forward(
            rotations.reshape(-1, joints, 4),
            translations.reshape(-1, joints, 3),
            parents,
            world_rotations.reshape(-1, joints, 4),
            world_positions.reshape(-1, joints, 3),
        )
    return world_rotations, world_positions


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


def _forward(
    rotations: Array, translations: Array, parents: np.ndarray, world_rotations: Array, world_positions: Array
) -> None:
    """Forward kinematics in NumPy, into the last two arrays: the reference of the compiled kernel."""
    for j, p in enumerate(parents):
        rotation, translation = rotations[..., j, :], translations[..., j, :]
        if p >= 0:
            parent = world_rotations[..., p, :]
            translation = world_positions[..., p, :] + quaternion.rotate(parent, translation)
            rotation = quaternion.multiply(parent, rotation)
        world_rotations[..., j, :], world_positions[..., j, :] = rotation, translation


def _scaled_offsets(translations: Array, scales: Array, parents: np.ndarray) -> Array:
    """Offsets multiplied by the scales of all joints above."""
    above = np.ones(np.broadcast_shapes(translations.shape, scales.shape))
    for j, p in enumerate(parents):
        if p >= 0:
            above[..., j, :] = above[..., p, :] * scales[..., p, :]
    return translations * above


_LOADING = 0.3
_PER_JOINT, _PER_NUMBER = 3e-5, 2.5e-8
"""Seconds: loading the kernels; NumPy's price per joint of a call and per number of its result."""
_spent = 0.0


def _compiled(joints: int, numbers: int):  # noqa: ANN202
    """The compiled kernels once NumPy has cost about as much as loading them would, else None.

    A short program never pays for numba's start-up, a long one pays at most twice (the ski-rental rule).
    """
    global _spent
    _spent += joints * _PER_JOINT + numbers * _PER_NUMBER
    if _spent < _LOADING:
        return None
    return importlib.import_module("moveset.motion.kernels")
