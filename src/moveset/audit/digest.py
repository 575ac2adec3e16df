"""What checks across clips need of each clip: small, so that those of thousands of files fit in memory."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from moveset.audit.body import humanoid, start_of_motion, stature
from moveset.conventions import UP
from moveset.geometry.quaternion import Array
from moveset.geometry.vector import unit
from moveset.motion import Clip, Skeleton
from moveset.motion.roles import LEFT_ARM, LEFT_LEG, mirrored

SAMPLES = 24
"""Moments at which two motions are compared."""

_BONES = tuple(itertools.pairwise(LEFT_ARM[1:])) + tuple(itertools.pairwise(LEFT_LEG[:3]))
BONES = (
    ("hips", "head"),
    *_BONES,
    *((mirrored(a) or a, mirrored(b) or b) for a, b in _BONES),
)
"""Bones whose directions say what a body does, whatever its proportions; every humanoid has them."""

COMPARED = tuple(end for _, end in BONES)
"""The role at the end of each bone of `Digest.motion`."""


@dataclass(frozen=True, eq=False)
class Digest:
    """A clip in short."""

    name: str
    skeleton: Skeleton
    frames: int
    fps: float
    seconds: float
    content: str
    """Content hash; empty for a clip that cannot be compared (NaN, no frames)."""
    motion: Array | None
    """(SAMPLES, K, 3) unit directions of BONES in the heading of the first frame; of a creature without roles,
    its joints relative to the first, over its size."""
    path: Array | None
    """(SAMPLES, 3) the hips over the stature, from the first frame on, in the same heading."""


def digest(clip: Clip) -> Digest:
    """The digest of a clip; of one with NaN, without its motion."""
    finite = len(clip) > 0 and clip.is_finite
    motion, path = _motion(clip) if finite and len(clip) > 1 else (None, None)
    content = clip.content_hash if finite else ""
    return Digest(clip.name, clip.skeleton, len(clip), clip.fps, clip.seconds, content, motion, path)


def _motion(clip: Clip) -> tuple[Array, Array]:
    """Motion and path as in Digest."""
    skeleton, start = clip.skeleton, start_of_motion(clip)
    times = np.linspace(start, len(clip) - 1, SAMPLES)
    low = np.minimum(times.astype(int), len(clip) - 2)
    share = (times - low)[:, None, None]
    positions = clip.world_positions[low] * (1 - share) + clip.world_positions[low + 1] * share
    size = max(stature(clip), 1e-6)
    if humanoid(skeleton):
        turn = _heading(positions[0], skeleton)
        center = positions[:, skeleton.joint("hips")]
        starts, ends = (skeleton.joints(roles) for roles in zip(*BONES))
        bones = positions[:, ends] - positions[:, starts]
        motion = unit(bones) @ turn
    else:
        turn, center = np.eye(3), positions[:, 0]
        motion = (positions - center[:, None]) / size
    path = (center - center[0]) @ turn / size
    return motion.astype(np.float32), path.astype(np.float32)


def _heading(positions: Array, skeleton: Skeleton) -> Array:
    """Rotation matrix whose rows are the body's left, up and forward in one frame, level with the floor."""
    left, right = skeleton.joints(("leftUpperLeg", "rightUpperLeg"))
    across = (positions[left] - positions[right]) * (1, 0, 1)
    length = np.linalg.norm(across)
    if length < 1e-6:
        return np.eye(3)
    x = across / length
    return np.stack((x, UP, np.cross(x, UP)), axis=1)


def mirror_motion(motion: Array, path: Array) -> tuple[Array, Array]:
    """Motion and path of a humanoid as a mirror shows them."""
    twins = [(mirrored(a), mirrored(b)) for a, b in BONES]
    order = [BONES.index(twin) for twin in twins]
    flip = np.array((-1, 1, 1), dtype=motion.dtype)
    return motion[:, order] * flip, path * flip
