"""Reference poses where motion should be: a clip that is only a T-pose, and a T-pose in front of the motion."""

from __future__ import annotations

from moveset.audit.body import reference_frames, start_of_motion
from moveset.audit.check import Check
from moveset.motion import Clip, Finding

MOSTLY = 0.9
"""Share of frames in reference pose that makes a clip a reference clip."""


def t_pose(clip: Clip) -> list[Finding]:
    """A finding when nearly all frames stand in T-pose or in the rest pose of the file."""
    share = float(reference_frames(clip).mean())
    if share < MOSTLY:
        return []
    return [
        Finding(
            "t_pose", "warning", clip.name, f"{share:.0%} of the frames are the T-pose or rest pose",
            (0,), value=share, unit="of frames",
            advice="keep it as a reference pose and leave it out of the library", count=len(clip),
        )
    ]  # fmt: skip


def first_frame_t_pose(clip: Clip) -> list[Finding]:
    """A finding when frame 0 is a reference pose and the motion only starts at frame 1."""
    if not start_of_motion(clip):
        return []
    return [
        Finding(
            "first_frame_t_pose", "warning", clip.name,
            "frame 0 is a T-pose or rest pose, the motion starts at frame 1",
            (0,), value=1.0, unit="frames", advice="drop the first frame before using the clip",
        )
    ]  # fmt: skip


CHECKS = (
    Check("t_pose", "a clip that only holds a reference pose", t_pose, needs="pose"),
    Check("first_frame_t_pose", "a reference pose in front of the motion", first_frame_t_pose, needs="pose"),
)
