"""A motion on its own body, without its rig: the humanoid joints alone, whose rest is a T-pose of no rotations.

VRM calls such bones normalized. Any humanoid with the same roles can play the result without knowing the rig.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from moveset.geometry import quaternion
from moveset.motion import Clip, Skeleton
from moveset.motion.kinematics import inverse_kinematics
from moveset.motion.roles import HUMANOID, ROOT, SOCKETS

_ROLES = tuple(role for role in HUMANOID if role not in (ROOT, *SOCKETS))


def on_humanoid(clip: Clip, t_pose: Clip) -> Clip:
    """`clip` on the joints that have humanoid roles, named by them; `t_pose` is one frame of the same skeleton.

    What a joint between two of them does goes to the lower one. Only the hips move along.
    """
    source = clip.skeleton
    joints = [j for j, role in enumerate(source.roles) if role in _ROLES]
    names = tuple(str(source.roles[j]) for j in joints)
    parents = np.array(
        [next((joints.index(a) for a in source.lineage(j)[1:] if a in joints), -1) for j in joints]
    )
    rest = t_pose.world_positions[0][joints]
    identity = quaternion.identity((len(joints),))
    skeleton = Skeleton(names, parents, identity, inverse_kinematics(identity, rest, parents)[1], names)

    turned = quaternion.multiply(
        clip.world_rotations[:, joints], quaternion.conjugate(t_pose.world_rotations[0][joints])
    )
    rotations, _ = inverse_kinematics(turned, np.zeros((*turned.shape[:2], 3)), parents)
    translations = np.repeat(skeleton.rest_translations[None], len(clip), axis=0)
    hips = skeleton.joint("hips")
    translations[:, hips] = clip.world_positions[:, joints[hips]]
    return replace(
        clip,
        skeleton=skeleton,
        rotations=quaternion.unroll(rotations),
        translations=translations,
        scales=None,
        contacts=clip.contacts if clip.contacts and set(clip.contacts.roles) <= set(names) else None,
    )
