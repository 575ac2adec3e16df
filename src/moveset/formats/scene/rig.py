"""From nodes to a skeleton: the bake of what stands still above the joints.

Files animate nodes; a character's joints may hang under an armature that is scaled by 100 or turned by 90
degrees, or carry a scale at rest. A Moveset skeleton is rigid and in metres, so each joint keeps four constants
that take its node's local transform to the joint's and back:

    rotation'    = left * rotation * right
    translation' = linear @ translation + offset
    scale'       = scale / rest_scale

`left`, `linear` and `offset` hold the nodes above the roots; `linear` of other joints the scale above them;
`right` the half turn that a mirroring scale leaves behind. At rest this is exact for any tree. In motion it is
exact wherever the scale above a joint is uniform; elsewhere shear is left out, which a rigid joint cannot hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from moveset.formats.scene.nodes import Nodes, polar, unique
from moveset.geometry import quaternion
from moveset.motion import Skeleton

_SNAP = 1e-5
"""Constants this close to the identity are rounding noise of exporters (a scale of 0.999999)."""


@dataclass(frozen=True, eq=False)
class Rig:
    """A skeleton and how it hangs in the file."""

    skeleton: Skeleton
    nodes: np.ndarray
    """(J,) node of each joint."""
    left: np.ndarray
    """(J, 4)"""
    right: np.ndarray
    """(J, 4)"""
    linear: np.ndarray
    """(J, 3, 3)"""
    offset: np.ndarray
    """(J, 3)"""
    rest_scales: np.ndarray
    """(J, 3)"""
    joint_from_node: np.ndarray
    """(J, 4, 4) inverse of the joint's world transform at rest times its node's: what skinning must add."""

    @cached_property
    def moved(self) -> np.ndarray:
        """(J,) whether translations of a joint differ from its node's."""
        return self.offset.any(axis=1) | (self.linear != np.eye(3)).any(axis=(1, 2))

    def joint_of(self, nodes: int) -> np.ndarray:
        """(N,) joint of each of `nodes` nodes, -1 for none."""
        joints = np.full(nodes, -1, dtype=np.int64)
        joints[self.nodes] = np.arange(len(self.nodes))
        return joints

    def bake(self, joints: np.ndarray, rotations: np.ndarray) -> np.ndarray:
        """Rotations (..., K, 4) of the nodes of `joints`, as rotations of the joints."""
        return _turned(rotations, self.left, self.right, joints)

    def unbake(self, joints: np.ndarray, rotations: np.ndarray) -> np.ndarray:
        """The inverse of `bake`."""
        inverse = quaternion.conjugate
        return _turned(rotations, inverse(self.left), inverse(self.right), joints)

    def bake_translations(self, joints: np.ndarray, translations: np.ndarray) -> np.ndarray:
        """Translations (..., K, 3) of the nodes of `joints`, as translations of the joints."""
        at = np.flatnonzero(self.moved[joints])
        if not len(at):
            return translations
        out, of = translations.astype(np.float64), joints[at]
        out[..., at, :] = np.einsum("kij,...kj->...ki", self.linear[of], out[..., at, :]) + self.offset[of]
        return out

    def unbake_translations(self, joints: np.ndarray, translations: np.ndarray) -> np.ndarray:
        """The inverse of `bake_translations`."""
        at = np.flatnonzero(self.moved[joints])
        if not len(at):
            return translations
        out, of = translations.astype(np.float64), joints[at]
        inverse = np.linalg.pinv(self.linear[of])
        out[..., at, :] = np.einsum("kij,...kj->...ki", inverse, out[..., at, :] - self.offset[of])
        return out


def build_rig(nodes: Nodes, joints: list[int], turn: np.ndarray) -> Rig:
    """The rig of `joints` (parents first); `turn` (4, 4) is applied to the whole world of the file."""
    index = {node: j for j, node in enumerate(joints)}
    at = np.array(joints, dtype=np.int64)
    above = nodes.parents[at]
    parents = np.array([index.get(int(p), -1) for p in above], dtype=np.int64)
    is_root = parents < 0

    world = turn @ nodes.world[at]
    outside = np.tile(turn, (len(at), 1, 1))
    static = is_root & (above >= 0)
    outside[static] = turn @ nodes.world[above[static]]
    outside[~is_root] = np.eye(4)

    left = quaternion.from_matrix(polar(outside[:, :3, :3])[0])
    left = _snapped_rotation(left)
    rotation = quaternion.from_matrix(polar(world[:, :3, :3])[0])
    rotation_above = np.where(is_root[:, None], quaternion.IDENTITY, rotation[parents])
    before = quaternion.multiply(rotation_above, quaternion.multiply(left, nodes.rotations[at]))
    right = _snapped_rotation(quaternion.inverse_multiply(before, rotation))
    singular = np.abs(np.linalg.det(world[:, :3, :3])) < 1e-18
    right[singular] = quaternion.IDENTITY

    rest_rotations = quaternion.positive(
        quaternion.normalize(_turned(nodes.rotations[at], left, right, np.arange(len(at))))
    )
    linear, offset = outside[:, :3, :3], outside[:, :3, 3]
    rest = np.tile(np.eye(4), (len(at), 1, 1))
    local_rest = quaternion.to_matrix(rest_rotations)
    for j, p in enumerate(parents.tolist()):
        rest[j, :3, :3] = local_rest[j] if p < 0 else rest[p, :3, :3] @ local_rest[j]
    stretch = np.swapaxes(rest[:, :3, :3], -1, -2) @ world[:, :3, :3]
    linear = np.where(is_root[:, None, None], linear, stretch[parents])
    linear = np.where(
        np.all(np.abs(linear - np.eye(3)) < _SNAP, axis=(1, 2))[:, None, None], np.eye(3), linear
    )
    rest_translations = np.einsum("kij,kj->ki", linear, nodes.translations[at]) + offset

    names = unique([nodes.names[node] for node in joints])
    tips = _tips(nodes, index, parents, stretch)
    skeleton = Skeleton(names, parents, rest_rotations, rest_translations, tips=tips)
    for j, p in enumerate(parents.tolist()):
        rest[j, :3, 3] = (
            rest_translations[j] if p < 0 else rest[p, :3, :3] @ rest_translations[j] + rest[p, :3, 3]
        )
    return Rig(
        skeleton,
        at,
        left,
        right,
        linear,
        offset,
        np.where(np.abs(nodes.scales[at]) > 1e-9, nodes.scales[at], 1.0),
        np.linalg.inv(rest) @ world if len(at) else rest,
    )


def _tips(nodes: Nodes, index: dict[int, int], parents: np.ndarray, stretch: np.ndarray) -> np.ndarray | None:
    """(J, 3) where the last bones end: the plain leaf nodes (`Head_end`) that exporters put below leaf joints."""
    tips = np.full((len(parents), 3), np.nan)
    inner = set(parents.tolist())
    for node in np.flatnonzero(nodes.plain_leaves).tolist():
        joint = index.get(int(nodes.parents[node]), -1)
        if joint < 0 or joint in inner or node in index:
            continue
        if np.isnan(tips[joint, 0]) and nodes.translations[node].any():
            tips[joint] = stretch[joint] @ nodes.translations[node]
    return None if np.isnan(tips).all() else tips


def _turned(rotations: np.ndarray, left: np.ndarray, right: np.ndarray, joints: np.ndarray) -> np.ndarray:
    """left * rotations * right of `joints` (K,), sparing those factors (J, 4) that are the identity."""
    for factor, side in ((left, 0), (right, 1)):
        turned = np.flatnonzero((np.abs(factor[:, 3]) < 1)[joints])
        if len(turned):
            rotations, inner = rotations.copy(), rotations[..., turned, :]
            outer = factor[joints[turned]]
            rotations[..., turned, :] = quaternion.multiply(
                *((outer, inner) if side == 0 else (inner, outer))
            )
    return rotations


def _snapped_rotation(q: np.ndarray) -> np.ndarray:
    near = np.all(np.abs(q[:, :3]) < _SNAP, axis=1)
    return np.where(near[:, None], quaternion.IDENTITY, q)
