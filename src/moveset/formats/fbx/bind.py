"""Where meshes and joints stand when they are bound to one another.

glTF states for each mesh how its space is seen from each joint (inverse binds); FBX states where mesh and joints
stand in the world at that moment, once for all meshes. So each mesh needs its place at bind: the one that puts its
joints where the rest pose, or the meshes before it, have them. It is then baked into the vertices, with any scale:
what is left of a joint at bind is a turn and a place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from moveset.errors import MovesetError
from moveset.geometry import transform
from moveset.geometry.quaternion import Array
from moveset.motion import Mesh, Skeleton

SAME = 1e-4
"""How far joints at bind may be from where another mesh has them [m]."""


@dataclass(frozen=True, eq=False)
class Bind:
    """The bind pose of a character."""

    joints: Array
    """(J, 4, 4) world_from_joint at bind."""
    meshes: tuple[Array, ...]
    """(4, 4) world_from_mesh at bind of each mesh."""
    links: tuple[Array, ...]
    """(S, 4, 4) world_from_joint at bind, as each mesh has its skin joints; equal to `joints` in sound files."""
    one_pose: bool
    """Whether all meshes bind to the same pose, which is all that some programs hold."""


def find_bind(skeleton: Skeleton, meshes: Sequence[Mesh]) -> Bind:
    """The bind pose of meshes on a skeleton, in Moveset's world."""
    rotations, positions = skeleton.rest_world
    rest = transform.compose(positions, rotations)
    joints, known = rest.copy(), np.zeros(len(skeleton), dtype=bool)
    places: dict[int, Array] = {}
    links: dict[int, Array] = {}
    for number in sorted(range(len(meshes)), key=lambda m: -len(meshes[m].skin_joints)):
        mesh = meshes[number]
        skin = np.asarray(mesh.skin_joints)
        try:
            binds = np.linalg.inv(np.asarray(mesh.inverse_binds, dtype=np.float64))
        except np.linalg.LinAlgError:
            raise MovesetError(
                f"mesh {mesh.name!r} is bound by a matrix that flattens it", do="bind it again"
            ) from None
        settled = known[skin] if known[skin].any() else np.ones(len(skin), dtype=bool)
        places[number] = _place(joints[skin], binds, settled)
        links[number] = places[number] @ binds
        new = skin[~known[skin]]
        joints[new] = links[number][~known[skin]]
        known[new] = True
    _carry_along(skeleton, joints, known)
    order = range(len(meshes))
    apart = [np.abs(links[m] - joints[meshes[m].skin_joints]).max(initial=0) for m in order]
    one_pose = max(apart, default=0) < SAME
    return Bind(joints, tuple(places[m] for m in order), tuple(links[m] for m in order), one_pose)


def _place(joints: Array, binds: Array, settled: np.ndarray) -> Array:
    """(4, 4) world_from_mesh: of those that put one settled joint right, the one that puts all nearest."""
    candidates = joints[settled] @ np.linalg.inv(binds[settled])
    size = max(float(np.ptp(joints[:, :3, 3], axis=0).max()), 1e-3)
    apart = candidates[:, None] @ binds[settled][None] - joints[settled][None]
    apart[..., 3] /= size
    return candidates[np.abs(apart).sum(axis=(1, 2, 3)).argmin()]


def _carry_along(skeleton: Skeleton, joints: Array, known: np.ndarray) -> None:
    """Joints that no mesh is bound to stand at bind as they do at rest from the joint above."""
    local = transform.compose(skeleton.rest_translations, skeleton.rest_rotations)
    for j, p in enumerate(skeleton.parents):
        if not known[j] and p >= 0:
            joints[j] = joints[p] @ local[j]
