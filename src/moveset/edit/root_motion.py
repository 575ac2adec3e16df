"""Root motion: what a body does in its ground frame, and the ground frame in the world."""

from __future__ import annotations

from dataclasses import replace

from moveset.geometry import quaternion
from moveset.motion import Clip
from moveset.motion.ground import ground_frame
from moveset.motion.rooted import poses_in_ground


def with_root_motion(clip: Clip) -> Clip:
    """The same motion with the joints above the hips travelling along in the ground frame, as engines expect."""
    ground = ground_frame(clip)
    rotations, translations = poses_in_ground(clip, ground)
    roots = list(clip.skeleton.roots)
    rotations[:, roots] = ground.world_from_ground_rotations(rotations[:, roots])
    translations[:, roots] = ground.world_from_ground(translations[:, roots])
    return replace(clip, rotations=quaternion.unroll(rotations), translations=translations)
