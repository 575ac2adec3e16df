"""Joints that a rig keys apart from the limb they belong to: IK feet as roots, weapons in root space."""

from __future__ import annotations

from collections.abc import Mapping

from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion.kinematics import forward_kinematics, inverse_kinematics
from moveset.motion.roles import PARENT
from moveset.motion.skeleton import Skeleton


def detached_roles(skeleton: Skeleton) -> dict[str, str]:
    """Role -> role that should hold it, for joints that do not hang below that holder."""
    return {
        role: holder
        for role, joint in skeleton.by_role.items()
        if role != "hips"
        and (holder := PARENT.get(role, "")) in skeleton.by_role
        and skeleton.joint(holder) not in skeleton.lineage(joint)
    }


def carry_detached(
    skeleton: Skeleton,
    reference: tuple[Array, Array],
    rotations: Array,
    translations: Array,
    wanted: Mapping[int, Array] | None = None,
) -> tuple[Array, Array]:
    """Local poses (F, J, 4), (F, J, 3) in which detached joints follow their holder as in `reference`.

    reference: world rotations (J, 4) and positions (J, 3). wanted: world rotations (F, 4) that some joints are to
    have instead of the carried ones, by joint.
    """
    wanted = wanted or {}
    at_rest, places = reference
    for role, holder_role in detached_roles(skeleton).items():
        joint, holder = skeleton.joint(role), skeleton.joint(holder_role)
        world, positions = forward_kinematics(rotations, translations, skeleton.parents)
        offset = quaternion.inverse_rotate(at_rest[holder], places[joint] - places[holder])
        turn = quaternion.inverse_multiply(at_rest[holder], at_rest[joint])
        positions[:, joint] = positions[:, holder] + quaternion.rotate(world[:, holder], offset)
        world[:, joint] = wanted.get(joint, quaternion.multiply(world[:, holder], turn))
        local_rotations, local_translations = inverse_kinematics(world, positions, skeleton.parents)
        rotations, translations = rotations.copy(), translations.copy()
        rotations[:, joint], translations[:, joint] = local_rotations[:, joint], local_translations[:, joint]
    return rotations, translations
