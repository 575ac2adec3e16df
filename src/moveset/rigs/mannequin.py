"""The built-in mannequin: a skinned figure computed for any skeleton, so that every motion can be seen."""

from __future__ import annotations

import numpy as np

from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Character, Material, Skeleton
from moveset.motion.roles import REQUIRED
from moveset.rigs.loft import Figure, Ring, aim

SHELL, JOINT, LEFT, RIGHT = range(4)
MATERIALS = (
    Material("shell", (0.68, 0.69, 0.71, 1.0)),
    Material("joint", (0.055, 0.065, 0.085, 1.0)),
    Material("left", (0.06, 0.30, 0.56, 1.0)),
    Material("right", (0.72, 0.24, 0.06, 1.0)),
)


def mannequin(skeleton: Skeleton) -> Character:
    """A figure on `skeleton`: a body where it has the roles of a humanoid, else a shape along each bone."""
    rotations, positions = skeleton.rest_world
    inverse_binds = np.zeros((len(skeleton), 4, 4))
    inverse_binds[:, :3, :3] = quaternion.to_matrix(quaternion.conjugate(rotations))
    inverse_binds[:, :3, 3] = -quaternion.inverse_rotate(rotations, positions)
    inverse_binds[:, 3, 3] = 1
    figure = Figure(len(skeleton), inverse_binds)
    if all(role in skeleton.by_role for role in REQUIRED):
        _humanoid(figure, skeleton, positions)
    else:
        _bones(figure, skeleton, positions)
    sockets = {role: skeleton.by_role[role] for role in ("leftProp", "rightProp") if role in skeleton.by_role}
    return Character(skeleton, figure.meshes(), MATERIALS, sockets, "mannequin")


def _bones(figure: Figure, skeleton: Skeleton, positions: Array) -> None:
    lengths = np.linalg.norm(skeleton.rest_translations, axis=1)[skeleton.parents >= 0]
    typical = float(np.median(lengths[lengths > 1e-4])) if np.any(lengths > 1e-4) else 0.1
    for j, below in enumerate(skeleton.children):
        figure.ball(JOINT, positions[j], 0.11 * typical, {j: 1.0}, columns=8, rows=5)
        for child in below:
            bone = positions[child] - positions[j]
            length = float(np.linalg.norm(bone))
            if length < 1e-4 * typical:
                continue
            thick = 0.16 * min(length, 2 * typical)
            rings = [
                Ring(0.0, 0.5 * thick, 0.5 * thick),
                Ring(0.2, thick, thick),
                Ring(1.0, 0.4 * thick, 0.4 * thick),
            ]
            figure.tube(
                SHELL,
                aim(positions[j], bone, np.array((0, 0, 1.0))),
                length,
                rings,
                [(0.0, {j: 1.0})],
                columns=8,
                rows=6,
            )


def _humanoid(figure: Figure, skeleton: Skeleton, positions: Array) -> None:
    _bones(figure, skeleton, positions)
