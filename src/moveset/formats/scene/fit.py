"""Whether a clip moves a character."""

from __future__ import annotations

import numpy as np

from moveset.motion import Skeleton

REST_TOLERANCE = 1e-3
"""Share of a skeleton's size by which rest positions of joints may differ and still be the same skeleton."""


def same_skeleton(clip: Skeleton, character: Skeleton) -> np.ndarray | None:
    """(J,) joint of `character` for each joint of `clip`, -1 for none; None if they are different skeletons."""
    joints = np.array([character.index.get(name, -1) for name in clip.names], dtype=np.int64)
    known = np.flatnonzero(joints >= 0)
    if not len(known):
        return None
    parents = np.where(clip.parents[known] >= 0, joints[clip.parents[known]], -1)
    if np.any(parents != character.parents[joints[known]]):
        return None
    size = max(float(np.ptp(character.rest_world[1], axis=0).max()), 1e-6)
    apart = np.abs(clip.rest_translations[known] - character.rest_translations[joints[known]])
    return joints if apart.max(initial=0) <= REST_TOLERANCE * size else None
