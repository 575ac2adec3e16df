"""The built-in mannequin: a skinned figure computed for any skeleton, so that every motion can be seen.

The figure is built on the T-pose (rigs/reference.py), where every part has a known direction; what is stored
is bound to the joints, so the rest pose that a rig happens to have does not show.
"""

from __future__ import annotations

import numpy as np

from moveset.conventions import FORWARD
from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Character, Clip, Skeleton
from moveset.motion.kinematics import forward_kinematics
from moveset.rigs.humanoid import add_humanoid
from moveset.rigs.loft import Figure, Ring, aim
from moveset.rigs.palette import JOINT, MATERIALS, SHELL
from moveset.rigs.reference import stands, t_pose
from moveset.rigs.weapons import add_weapon


def mannequin(skeleton: Skeleton, clip: Clip | None = None, *, weapon: str | None = None) -> Character:
    """A figure on `skeleton`: a body where it has the roles of a humanoid, else a shape along each bone.

    `clip` helps where the rest pose does not stand like a person (see `t_pose`). `weapon`, a name in
    weapons.WEAPONS, is put into the right hand.
    """
    body = not skeleton.missing_roles
    on_soles = body and stands(skeleton, skeleton.rest_rotations, skeleton.rest_translations)
    if on_soles or (body and clip is not None and len(clip)):
        posed = t_pose(skeleton, clip)
        pose = posed.world_rotations[0], posed.world_positions[0]
    else:
        body, pose = False, skeleton.rest_world
    rotations, positions = pose
    inverse_binds = np.zeros((len(skeleton), 4, 4))
    inverse_binds[:, :3, :3] = quaternion.to_matrix(quaternion.conjugate(rotations))
    inverse_binds[:, :3, 3] = -quaternion.inverse_rotate(rotations, positions)
    inverse_binds[:, 3, 3] = 1
    figure = Figure(len(skeleton), inverse_binds)
    if body:
        add_humanoid(figure, skeleton, pose, skeleton.rest_world if on_soles else pose)
    else:
        add_bones(figure, skeleton, positions)
    if weapon is not None:
        add_weapon(figure, skeleton, positions, weapon)
    sockets = {role: skeleton.by_role[role] for role in ("leftProp", "rightProp") if role in skeleton.by_role}
    return Character(skeleton, figure.meshes(), MATERIALS, sockets, "mannequin")


def add_bones(figure: Figure, skeleton: Skeleton, positions: Array) -> None:
    """A tapered rod along each bone and a ball at each joint, each part rigid."""
    bones: list[tuple[int, Array]] = [
        (j, positions[child] - positions[j]) for j, below in enumerate(skeleton.children) for child in below
    ]
    if skeleton.tips is not None:
        turned = forward_kinematics(skeleton.rest_rotations, skeleton.rest_translations, skeleton.parents)[0]
        ends = quaternion.rotate(turned, skeleton.tips)
        bones += [(int(j), ends[j]) for j in np.flatnonzero(np.isfinite(ends).all(axis=1))]
    lengths = np.array([np.linalg.norm(bone) for _, bone in bones])
    reach = float(np.ptp(positions, axis=0).max(initial=0.0))
    typical = (
        float(np.median(lengths[lengths > 1e-4 * max(reach, 1e-3)]))
        if np.any(lengths > 1e-4 * max(reach, 1e-3))
        else 0.1
    )
    for j in range(len(skeleton)):
        figure.ball(JOINT, positions[j], 0.1 * typical, {j: 1.0}, columns=8, rows=5)
    for (j, bone), length in zip(bones, lengths):
        if length < 1e-2 * typical:
            continue
        thick = 0.14 * min(length, 2 * typical)
        rings = [
            Ring(0.0, 0.5 * thick, 0.5 * thick),
            Ring(0.2, thick, thick),
            Ring(1.0, 0.4 * thick, 0.4 * thick),
        ]
        figure.tube(
            SHELL, aim(positions[j], bone, FORWARD), length, rings, [(0.0, {j: 1.0})],
            columns=8, rows=6,
        )  # fmt: skip
