"""Nodes that do not inherit their parent's scale, or inherit it along their own axes, as plain nodes.

FBX composes worlds in one of three ways: with R, S the rotation and scale of a parent and r, s those of a node,
R S r s (as everywhere), R r s (Maya's segment scale compensation) or R r S s. The last two equal the first for a
node with the linear part S^-1 r s or S^-1 r S s, whose offset stays the same. That is again a rotation and a scale
wherever S is uniform; elsewhere it shears, which a node cannot hold: then the place and the nearest rotation and
scale are kept.
"""

from __future__ import annotations

import numpy as np

from moveset.formats.scene.nodes import compose, polar
from moveset.geometry import quaternion

NORMAL, IGNORED, BY_COMPONENT = range(3)
_UNIFORM = 1e-6


def plain_poses(
    poses: np.ndarray, parents: np.ndarray, order: tuple[int, ...], modes: np.ndarray
) -> tuple[np.ndarray, float]:
    """Local transforms (..., N, 10: translation, rotation, scale) that compose as R S r s to the same worlds; and the shear
    that they leave out, as a share of the largest axis.
    """
    own = poses[..., 7:]
    inherited, offered = np.ones_like(own), own.copy()
    source = np.full(len(parents), -1)
    for node in order:
        parent = int(parents[node])
        if modes[node] == NORMAL or parent < 0:
            continue
        source[node] = parent if modes[node] == BY_COMPONENT else source[parent]
        if source[node] >= 0:
            inherited[..., node, :] = offered[..., source[node], :]
        offered[..., node, :] = own[..., node, :] * inherited[..., node, :]
    above = np.where((modes[:, None] != NORMAL) & (parents[:, None] >= 0), offered[..., parents, :], 1.0)
    mean = above.mean(axis=-1, keepdims=True)
    plain = poses.copy()
    with np.errstate(divide="ignore", invalid="ignore"):
        plain[..., 7:] = np.where(mean != 0, offered / mean, 0)
    uneven = (
        np.any(np.abs(above - mean) > _UNIFORM * np.abs(mean), axis=-1).reshape(-1, len(parents)).any(axis=0)
    )
    if uneven.any():
        return plain, _fit(plain, poses, offered, above, uneven, parents, order)
    return plain, 0.0


def _fit(
    plain: np.ndarray,
    poses: np.ndarray,
    offered: np.ndarray,
    above: np.ndarray,
    uneven: np.ndarray,
    parents: np.ndarray,
    order: tuple[int, ...],
) -> float:
    """Put into `plain` the nearest transforms of nodes that are `uneven` and of all below them; returns the misfit."""
    rotations = quaternion.normalize(poses[..., 3:7])
    exact = compose(poses[..., :3], rotations, offered)
    with np.errstate(divide="ignore"):
        exact[..., :3, :3] *= np.where(above != 0, 1 / above, 0)[..., :, None]
    world, ours = exact, compose(plain[..., :3], rotations, plain[..., 7:])
    fitted = uneven.copy()
    for node in order:
        parent = int(parents[node])
        if parent < 0:
            continue
        world[..., node, :, :] = world[..., parent, :, :] @ world[..., node, :, :]
        fitted[node] |= fitted[parent]
        if fitted[node]:
            local = np.linalg.pinv(ours[..., parent, :, :]) @ world[..., node, :, :]
            rotation = polar(local[..., :3, :3])[0]
            plain[..., node, :3] = local[..., :3, 3]
            plain[..., node, 3:7] = quaternion.from_matrix(rotation)
            plain[..., node, 7:] = np.einsum("...ji,...ji->...i", rotation, local[..., :3, :3])
            ours[..., node, :, :] = compose(*(plain[..., node, a:b] for a, b in ((0, 3), (3, 7), (7, 10))))
        ours[..., node, :, :] = ours[..., parent, :, :] @ ours[..., node, :, :]
    size = np.abs(world[..., :3, :3]).max(axis=(-1, -2), initial=0)
    apart = np.abs(world - ours)[..., :3, :3].max(axis=(-1, -2), initial=0)
    return float(np.max(np.divide(apart, size, out=np.zeros_like(size), where=size > 0), initial=0))
