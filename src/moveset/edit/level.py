"""One floor for clips that were recorded on several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from moveset.geometry.quaternion import Array
from moveset.motion import Clip
from moveset.motion.contacts import standing_heights


def leveled(clips: Sequence[Clip]) -> tuple[list[Clip], Array]:
    """The clips of one skeleton, raised or lowered so that feet stand at one height, and by how much each [m].

    Sessions put their floor centimetres apart. The common height is the median of `standing_heights`, so a set that
    agrees stays where it is; a clip without feet stays too.
    """
    heights = [standing_heights(clip) for clip in clips]
    if not clips or not heights[0].size:
        return list(clips), np.zeros(len(clips))
    moves = np.median(heights, axis=0).mean() - np.mean(heights, axis=1)
    return [raised(clip, float(move)) for clip, move in zip(clips, moves)], moves


def raised(clip: Clip, height: float) -> Clip:
    """The clip moved up by `height` [m]."""
    translations = np.array(clip.translations)
    translations[:, list(clip.skeleton.roots), 1] += height
    return replace(clip, translations=translations)
