"""Clips without motion in them: no frame, one frame, or too few to learn or match from."""

from __future__ import annotations

import numpy as np

from moveset.audit.check import Check
from moveset.motion import Clip, Finding

SHORTEST = 0.2
"""Seconds. The shortest actions of game libraries (a flinch, a shot) last 0.25 s."""


def too_short(clip: Clip) -> list[Finding]:
    """An error without frames, information for a held pose, a warning below SHORTEST."""
    if len(clip) == 0:
        return [_finding(clip, "error", "the clip has no frames", "export the clip again, or delete it")]
    if len(clip) == 1:
        advice = "use it as a pose; it cannot be sampled as motion"
        return [_finding(clip, "info", "the clip is a single pose", advice)]
    if clip.seconds < SHORTEST - 1e-6:
        if _still(clip):
            advice = "use it as a pose; it cannot be sampled as motion"
            return [_finding(clip, "info", f"the clip is a single pose, {len(clip)} times", advice)]
        text = f"the clip lasts {clip.seconds:.2f} s ({len(clip)} frames)"
        return [_finding(clip, "warning", text, "check the export range; leave it out of training")]
    return []


def _still(clip: Clip) -> bool:
    tracks = (clip.rotations, clip.translations)
    return all(np.isfinite(t).all() and np.ptp(t, axis=0).max() < 1e-6 for t in tracks)


def _finding(clip: Clip, severity: str, message: str, advice: str) -> Finding:
    return Finding("too_short", severity, clip.name, message, value=clip.seconds, unit="s", advice=advice)


CHECKS = (Check("too_short", "no frame, one pose, or less than 0.2 s", too_short, needs="any"),)
