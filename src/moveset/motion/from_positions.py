"""Joint rotations from joint positions: what generators and trackers that speak in points leave open."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.geometry.vector import unit
from moveset.motion.kinematics import inverse_kinematics
from moveset.motion.skeleton import Skeleton

_LEAST_SPREAD = 0.1
"""Second over first singular value of the bones below a joint from which they fix its whole rotation."""
_LEAST_BONE = 1e-4


def rotations_from_positions(positions: Array, skeleton: Skeleton) -> tuple[Array, Array]:
    """Local rotations (F, J, 4) and translations (F, J, 3) whose joints stand at `positions` (F, J, 3) [m].

    A joint with two or more bones in different directions gets the rotation that fits them best (Kabsch 1976);
    a joint with one bone turns it the shortest way and otherwise follows its parent. Each frame stands alone and
    no direction of the world is special, so the result is as right at every heading.

    Joints above the hips only place the body: they keep their rest rotation. Bones keep their rest length. Twist
    that points cannot show (forearms, head) stays that of the parent.
    """
    positions = np.asarray(positions, dtype=float)
    offsets, rest = skeleton.rest_translations, skeleton.rest_rotations
    world = np.empty((*positions.shape[:-1], 4))
    fixed = np.zeros(len(skeleton), dtype=bool)
    placing = _above_hips(skeleton)
    world[:, placing] = skeleton.rest_world[0][placing]
    fixed[placing] = True
    for joint in np.flatnonzero(~fixed).tolist():
        bones = _bones(skeleton, joint)
        if _spread(offsets[bones]) > _LEAST_SPREAD:
            world[:, joint] = _best_fit(offsets[bones], positions[:, bones] - positions[:, [joint]])
            fixed[joint] = True

    for joint in reversed(range(len(skeleton))):  # above the first fixed joint of a branch: follow it
        parent = skeleton.parents[joint]
        if fixed[joint] and parent >= 0 and not fixed[skeleton.lineage(parent)].any():
            follow = quaternion.multiply(world[:, joint], quaternion.conjugate(rest[joint]))
            world[:, parent] = _swing(skeleton, positions, parent, follow)
            fixed[parent] = True

    for joint, parent in enumerate(skeleton.parents):
        if not fixed[joint]:
            follow = np.broadcast_to(rest[joint], world[:, joint].shape)
            if parent >= 0:
                follow = quaternion.multiply(world[:, parent], follow)
            world[:, joint] = _swing(skeleton, positions, joint, follow)

    rotations, between = inverse_kinematics(world, positions, skeleton.parents)
    free = [*skeleton.roots, *(child for joint in placing for child in skeleton.children[joint])]
    translations = np.repeat(offsets[None], len(positions), axis=0)
    translations[:, free] = between[:, free]
    return quaternion.unroll(rotations), translations


def fit_skeleton(positions: Array, skeleton: Skeleton) -> Skeleton:
    """The skeleton with the bones that `positions` (F, J, 3) [m] show; roots and their way of turning stay.

    A joint with several bones holds them rigidly: their shape is the median of those seen, turned to where the
    skeleton has them. A single bone keeps its direction and gets its median length.
    """
    offsets = skeleton.rest_translations.copy()
    for joint in range(len(skeleton)):
        children = list(skeleton.children[joint])
        bones = positions[:, children] - positions[:, [joint]]
        if _spread(offsets[children]) > _LEAST_SPREAD:
            turn = _best_fit(offsets[children], bones)[:, None]
            offsets[children] = np.median(quaternion.inverse_rotate(turn, bones), axis=0)
        elif children:
            lengths = np.median(np.linalg.norm(bones, axis=-1), axis=0)
            offsets[children] = unit(offsets[children]) * lengths[:, None]
    return replace(skeleton, rest_translations=offsets)


def _above_hips(skeleton: Skeleton) -> list[int]:
    """Joints between a root and the hips, the hips not among them."""
    hips = skeleton.by_role.get("hips")
    return [] if hips is None else skeleton.lineage(hips)[1:]


def _bones(skeleton: Skeleton, joint: int) -> list[int]:
    """Children of `joint` that are away from it."""
    lengths = np.linalg.norm(skeleton.rest_translations, axis=-1)
    return [child for child in skeleton.children[joint] if lengths[child] > _LEAST_BONE]


def _spread(offsets: Array) -> float:
    """How far directions (K, 3) are from lying on one line, 0 to 1."""
    if len(offsets) < 2:
        return 0.0
    values = np.linalg.svd(offsets / np.linalg.norm(offsets, axis=-1, keepdims=True), compute_uv=False)
    return float(values[1] / values[0])


def _best_fit(offsets: Array, bones: Array) -> Array:
    """(F, 4) rotations that turn directions of `offsets` (K, 3) to those of `bones` (F, K, 3), long ones first."""
    covariance = np.einsum("fki,kj->fij", unit(bones), offsets)
    u, _, vt = np.linalg.svd(covariance)
    u[..., 2] *= np.linalg.det(u @ vt)[..., None]
    return quaternion.from_matrix(u @ vt)


def _swing(skeleton: Skeleton, positions: Array, joint: int, rotation: Array) -> Array:
    """`rotation` (F, 4) of `joint`, turned the shortest way so that its longest bone points where it should."""
    bones = _bones(skeleton, joint)
    if not bones:
        return rotation
    longest = max(bones, key=lambda child: float(np.linalg.norm(skeleton.rest_translations[child])))
    expected = quaternion.rotate(
        rotation, np.broadcast_to(skeleton.rest_translations[longest], rotation[:, :3].shape)
    )
    return quaternion.multiply(
        quaternion.between(expected, positions[:, longest] - positions[:, joint]), rotation
    )
