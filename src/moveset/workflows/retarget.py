"""A motion on another character."""

from __future__ import annotations

from moveset.motion import Clip, Skeleton
from moveset.retarget.copy import copy_rotations
from moveset.rigs.reference import t_pose


def retarget(clip: Clip, target: Skeleton, target_clip: Clip | None = None) -> Clip:
    """`clip` on the skeleton `target` by rotation copy; `target_clip` shows how a rig with a folded rest stands."""
    return copy_rotations(clip, t_pose(clip.skeleton, clip), t_pose(target, target_clip))
