"""Poses of a model beside the true ones, drawn on the mannequin."""

from __future__ import annotations

import numpy as np

from moveset.features.pose import PoseSpace
from moveset.geometry.quaternion import Array
from moveset.render import render_clip
from moveset.rigs.mannequin import mannequin

_SIZE = (160, 160)


def beside_truth(space: PoseSpace, truth: Array, shown: Array) -> np.ndarray:
    """(320, 160 F, 4) poses of pose vectors (F, D): above the true ones, below the model's."""
    clips = [space.clip(vectors * _standing(space), 30.0) for vectors in (truth, shown)]
    figure = mannequin(space.skeleton, clips[0])
    rows = [np.concatenate(render_clip(clip, figure, size=_SIZE), axis=1) for clip in clips]
    return np.concatenate(rows, axis=0)


def _standing(space: PoseSpace) -> Array:
    """(D,) 0 for the root block, 1 for the pose: frames from anywhere, all seen from the front."""
    moves = np.ones(space.layout.width)
    moves[space.layout.slices["root"]] = 0
    return moves
