"""Local poses to world poses and back.

The functions choose between NumPy, which starts at once, and compiled kernels (motion/kernels.py), which do the
same operations in the same order, so results are equal to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

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
    if local_scales is not None:
        translations = _scaled_offsets(translations, np.asarray(local_scales), parents)
    dtype, shape = rotations.dtype, rotations.shape
    if translations.dtype != dtype:
        translations = translations.astype(dtype)
    if translations.shape[:-1] != shape[:-1]:
        shape = (*np.broadcast_shapes(shape[:-1], translations.shape[:-1]), 4)
        rotations = np.broadcast_to(rotations, shape)
        translations = np.broadcast_to(translations, (*shape[:-1], 3))
    world_rotations, world_positions = np.empty(shape, dtype), np.empty((*shape[:-1], 3), dtype)
    kernel = _compiled(len(parents), world_rotations.size) if dtype.char in "fd" else None
    if kernel is None:
        _forward(rotations, translations, parents, world_rotations, world_positions)
    elif len(shape) == 3:
        kernel(rotations, translations, _numbers(parents), world_rotations, world_positions)
    else:
        numbers, rows = _numbers(parents), (-1, len(parents))
        kernel(
            rotations.reshape(*rows, 4),
            translations.reshape(*rows, 3),
            numbers,
            world_rotations.reshape(*rows, 4),
            world_positions.reshape(*rows, 3),
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


def _numbers(parents: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(parents, dtype=np.int64)


_LOADING = 0.7 if find_spec("numba") else float("inf")
_PER_JOINT, _PER_NUMBER = 3e-5, 2.5e-8
"""Seconds: loading the kernels; NumPy's price per joint of a call and per number of its result."""
_spent = 0.0
_kernel: Callable[..., None] | None = None


def _compiled(joints: int, numbers: int) -> Callable[..., None] | None:
    """The compiled kernel once NumPy has cost about as much as loading it would, else None.

    A short program never pays for numba's start-up, a long one pays at most twice (the ski-rental rule).
    """
    global _spent, _kernel
    if _kernel is None:
        _spent += joints * _PER_JOINT + numbers * _PER_NUMBER
        if _spent > _LOADING:
            from moveset.motion.kernels import forward as _kernel
    return _kernel
