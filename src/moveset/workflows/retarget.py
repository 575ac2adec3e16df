"""A motion on another character."""

from __future__ import annotations

from moveset.edit.root_motion import with_root_motion
from moveset.motion import Clip, Skeleton
from moveset.motion.roles import ROOT
from moveset.retarget.copy import copy_rotations
from moveset.rigs.reference import t_pose


def retarget_clip(clip: Clip, target: Skeleton, target_clip: Clip | None = None) -> Clip:
    """`clip` on the skeleton `target` by rotation copy; `target_clip` shows how a rig with a folded rest stands.

    A root above the hips travels along in the ground frame, as engines and meshes weighted to it expect.
    """
    result = copy_rotations(clip, t_pose(clip.skeleton, clip), t_pose(target, target_clip))
    return with_root_motion(result) if ROOT in target.by_role else result
