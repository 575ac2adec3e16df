"""Local poses to world poses and back.

The functions choose between NumPy, which starts at once, and compiled kernels (motion/kernels.py). Both give the same
bits, and each pose is computed alone, so a pose in a batch equals the pose by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from types import ModuleType

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
    translations = np.asarray(local_translations)
    if local_scales is not None:
        translations = scaled_offsets(translations, np.asarray(local_scales), parents)
    return _transformed("forward", _forward, np.asarray(local_rotations), translations, parents)


def inverse_kinematics(
    world_rotations: Array, world_positions: Array, parents: np.ndarray
) -> tuple[Array, Array]:
    """Local rotations and translations of world poses: the inverse of `forward_kinematics` without scales."""
    return _transformed(
        "inverse", _inverse, np.asarray(world_rotations), np.asarray(world_positions), parents
    )


def _transformed(
    name: str, reference: Callable[..., None], rotations: Array, positions: Array, parents: np.ndarray
) -> tuple[Array, Array]:
    """The result of the kernel `name`, or of its NumPy `reference` while that is the quicker choice."""
    dtype, shape = rotations.dtype, rotations.shape
    if positions.dtype != dtype:
        positions = positions.astype(dtype)
    if positions.shape[:-1] != shape[:-1]:
        shape = (*np.broadcast_shapes(shape[:-1], positions.shape[:-1]), 4)
        rotations = np.broadcast_to(rotations, shape)
        positions = np.broadcast_to(positions, (*shape[:-1], 3))
    parents = np.ascontiguousarray(parents, dtype=np.int64)
    result = np.empty(shape, dtype), np.empty((*shape[:-1], 3), dtype)
    kernels = _compiled(len(parents), rotations.size) if dtype.char in "fd" else None
    if kernels is None:
        reference(rotations, positions, parents, *result)
    elif len(shape) == 3:
        getattr(kernels, name)(rotations, positions, parents, *result)
    else:
        rows = (-1, len(parents))
        flat = (rotations.reshape(*rows, 4), positions.reshape(*rows, 3))
        getattr(kernels, name)(*flat, parents, result[0].reshape(*rows, 4), result[1].reshape(*rows, 3))
    return result


def _forward(
    rotations: Array, translations: Array, parents: np.ndarray, world_rotations: Array, world_positions: Array
) -> None:
    """Forward kinematics into the last two arrays, a joint at a time."""
    for j, p in enumerate(parents):
        rotation, translation = rotations[..., j, :], translations[..., j, :]
        if p >= 0:
            parent = world_rotations[..., p, :]
            translation = world_positions[..., p, :] + quaternion.rotate(parent, translation)
            rotation = quaternion.multiply(parent, rotation)
        world_rotations[..., j, :], world_positions[..., j, :] = rotation, translation


def _inverse(
    rotations: Array, positions: Array, parents: np.ndarray, local_rotations: Array, local_translations: Array
) -> None:
    """Inverse kinematics into the last two arrays, all joints at once."""
    local_rotations[:], local_translations[:] = rotations, positions
    inner = np.flatnonzero(parents >= 0)
    above = parents[inner]
    turned = rotations[..., above, :]
    local_rotations[..., inner, :] = quaternion.inverse_multiply(turned, rotations[..., inner, :])
    local_translations[..., inner, :] = quaternion.inverse_rotate(
        turned, positions[..., inner, :] - positions[..., above, :]
    )


def scaled_offsets(translations: Array, scales: Array, parents: np.ndarray) -> Array:
    """Offsets multiplied by the scales of all joints above."""
    above = np.ones(np.broadcast_shapes(translations.shape, scales.shape))
    for j, p in enumerate(parents):
        if p >= 0:
            above[..., j, :] = above[..., p, :] * scales[..., p, :]
    return translations * above


_LOADING = 0.7 if find_spec("numba") else float("inf")
_PER_JOINT, _PER_NUMBER = 3e-5, 2.5e-8
"""Seconds: loading the kernels; NumPy's price per joint of a call and per number of its rotations."""
_spent = 0.0
_kernels: ModuleType | None = None


def _compiled(joints: int, numbers: int) -> ModuleType | None:
    """The compiled kernels once NumPy has cost about as much as loading them would, else None.

    A short program never pays for numba's start-up, a long one pays at most twice (the ski-rental rule).
    """
    global _spent, _kernels
    if _kernels is None:
        _spent += joints * _PER_JOINT + numbers * _PER_NUMBER
        if _spent > _LOADING:
            from moveset.motion import kernels as _kernels
    return _kernels
