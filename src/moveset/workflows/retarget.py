"""A motion on another character."""

from __future__ import annotations

from collections.abc import Sequence

from moveset.edit.root_motion import with_root_motion
from moveset.motion import Clip, Skeleton
from moveset.motion.roles import ROOT
from moveset.retarget.copy import copy_rotations
from moveset.rigs.reference import t_pose


def retarget_clip(clip: Clip, target: Skeleton, target_clip: Clip | None = None) -> Clip:
    """`clip` on the skeleton `target` by rotation copy; `target_clip` shows how a rig with a folded rest stands.

    A root above the hips travels along in the ground frame, as engines and meshes weighted to it expect.
    """
    return retarget_clips([clip], target, target_clip)[0]


def retarget_clips(clips: Sequence[Clip], target: Skeleton, target_clip: Clip | None = None) -> list[Clip]:
    """`retarget_clip` of several, the T-pose of the target found once."""
    there = t_pose(target, target_clip)
    copies = [copy_rotations(clip, t_pose(clip.skeleton, clip), there) for clip in clips]
    return [with_root_motion(copy) for copy in copies] if ROOT in target.by_role else copies
