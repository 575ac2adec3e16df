"""Principal components of pose vectors: where learned coding of poses begins, and the yardstick that it has to beat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from moveset.features.layout import Layout
from moveset.features.normalizer import SMALLEST_SCALE
from moveset.features.pose import PoseSpace
from moveset.geometry.quaternion import Array
from moveset.motion.kinematics import forward_kinematics

BLOCK_WEIGHTS: Mapping[str, float] = {"velocities": 0.2, "contacts": 0.2}
"""Of squared errors; 1 for every other block. A decoder is asked for poses, from which velocities follow."""
LEAST_LEVER = 0.2
"""What a joint turns even if no joint hangs on it: its own mesh [m]."""
_LEAST_VARIANCE = 1e-6
"""Directions with less than this share of the first one's variance have no say."""


@dataclass(frozen=True, eq=False)
class PrincipalComponents:
    """Pose vectors without their root block (..., D) as L numbers of mean 0 and deviation 1, by a linear map."""

    mean: Array
    """(D,)"""
    scale: Array
    """(D,)"""
    components: Array
    """(D, L) orthonormal directions of the normalised vectors; zeros where there are no more."""
    deviations: Array
    """(L,) of the data along them; 1 where there are no more."""

    def encode(self, poses: Array) -> Array:
        """(..., D) -> (..., L)."""
        return (poses - self.mean) / self.scale @ self.components / self.deviations

    def decode(self, latents: Array) -> Array:
        """(..., L) -> (..., D), as near to what was encoded as a linear map gets."""
        return (latents * self.deviations) @ self.components.T * self.scale + self.mean


def fit_principal_components(poses: Array, space: PoseSpace, count: int) -> PrincipalComponents:
    """The first `count` components of pose vectors without root block (R, D)."""
    mean, scale = mean_and_scale(poses, space)
    normalized = (poses - mean) / scale
    variances, directions = np.linalg.eigh(normalized.T @ normalized / len(poses))
    variances, directions = variances[::-1][:count], directions[:, ::-1][:, :count]
    kept = variances > _LEAST_VARIANCE * max(variances[0], 1e-30)
    components, deviations = np.zeros((len(mean), count)), np.ones(count)
    components[:, : len(kept)] = directions * kept
    deviations[: len(kept)] = np.sqrt(np.where(kept, variances, 1.0))
    return PrincipalComponents(mean, scale, components, deviations)


def mean_and_scale(poses: Array, space: PoseSpace) -> tuple[Array, Array]:
    """(D,) mean and scale of pose vectors without root block (R, D): one scale a block, smaller where a number
    weighs more.

    Rotations weigh by what hangs on their joint: an error of the spine moves head and hands.
    """
    layout = without_root(space.layout)
    mean, variance = poses.mean(axis=0, dtype=np.float64), poses.var(axis=0, dtype=np.float64)
    scale = np.ones(layout.width)
    for name, block in layout.slices.items():
        weight = np.full(block.stop - block.start, BLOCK_WEIGHTS.get(name, 1.0))
        if name == "rotations":
            lever = np.repeat(levers(space), 6)
            weight *= lever**2 / np.mean(lever**2)
        if len(weight):
            spread = np.sqrt(np.sum(weight * variance[block]) / np.sum(weight))
            scale[block] = max(float(spread), SMALLEST_SCALE) / np.sqrt(weight)
    return mean, scale


def levers(space: PoseSpace) -> Array:
    """(A,) root of the summed squares of the distances from each turning joint to those that hang on it [m]."""
    skeleton = space.skeleton
    positions = forward_kinematics(space.rotations, space.translations, skeleton.parents)[1]
    squares = np.full(len(skeleton), LEAST_LEVER**2)
    for joint in space.turning:
        for above in skeleton.lineage(int(joint))[1:]:
            squares[above] += np.sum((positions[joint] - positions[above]) ** 2)
    return np.sqrt(squares[space.turning])


def without_root(layout: Layout) -> Layout:
    """The layout of pose vectors without their first block, the root."""
    return Layout(layout.name, layout.fields[1:])


def without_root_block(vectors: Array, layout: Layout) -> Array:
    """(..., D) pose vectors without their root block."""
    return vectors[..., layout.slices["root"].stop :]
