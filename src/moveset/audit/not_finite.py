"""NaN and infinite numbers in any track."""

from __future__ import annotations

import numpy as np

from moveset.audit.check import SHOWN_FRAMES, Check
from moveset.motion import Clip, Finding


def not_finite(clip: Clip) -> list[Finding]:
    """One finding naming the first bad joint and frames."""
    bad = np.logical_or.reduce([~np.isfinite(track).all(axis=2) for track in clip.tracks])
    if not bad.any():
        return []
    frames = np.flatnonzero(bad.any(axis=1))
    name = clip.skeleton.names[int(np.flatnonzero(bad[frames[0]])[0])]
    return [
        Finding(
            "not_finite", "error", clip.name,
            f"{int(bad.sum())} poses of joints are NaN or infinite, {name} first",
            tuple(int(f) for f in frames[:SHOWN_FRAMES]), name, float(bad.sum()), "poses",
            "export the clip again; a division by zero in a constraint or a scale of 0 makes NaN", len(frames),
        )
    ]  # fmt: skip


CHECKS = (Check("not_finite", "NaN or infinite numbers", not_finite, needs="any"),)
