"""Poses of a body that stands in its ground frame, apart from the way that the ground frame takes."""

from __future__ import annotations

import numpy as np

from moveset.geometry.quaternion import Array
from moveset.motion.clip import Clip
from moveset.motion.ground import GroundFrame, center_joint
from moveset.motion.kinematics import inverse_kinematics

_STILL = 1e-4  # a joint that moves less than this against its parent [m] does not move


def poses_in_ground(clip: Clip, ground: GroundFrame) -> tuple[Array, Array]:
    """Local rotations (F, J, 4) and translations (F, J, 3) of a body whose root stands in the ground frame.

    Joints above the hips rest under them and carry the root motion, wherever the file had put it: left at the
    world's origin, they would be levers of many metres that turn with every turn of the body.
    """
    skeleton = clip.skeleton
    center = center_joint(skeleton)
    above = skeleton.lineage(center)[:0:-1]  # from the root down, without the hips
    world_rotations = ground.ground_from_world_rotations(clip.world_rotations)
    world_positions = ground.ground_from_world(clip.world_positions)
    rest_rotations, rest_positions = skeleton.rest_world
    for joint in above:
        world_rotations[:, joint] = rest_rotations[joint]
        world_positions[:, joint] = rest_positions[joint] - rest_positions[above[0]] * (1.0, 0.0, 1.0)
    rotations, translations = inverse_kinematics(world_rotations, world_positions, skeleton.parents)
    # what hangs still on them (helpers of the rig) goes along; what moves there (weapons) keeps its place
    still = (np.ptp(clip.translations, axis=0) < _STILL).all(axis=1) & (
        np.ptp(clip.rotations, axis=0) < 1e-6
    ).all(axis=1)
    still[[*above, center]] = False
    based = np.isin(skeleton.parents, [-1, *above]) & ~(still & (skeleton.parents >= 0))
    keep = np.flatnonzero(~based)
    rotations[:, keep], translations[:, keep] = clip.rotations[:, keep], clip.translations[:, keep]
    return rotations, translations
