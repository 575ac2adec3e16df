"""Clips of one set at different frame rates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from moveset.audit.check import SetCheck
from moveset.audit.digest import Digest
from moveset.motion import Finding

ROUNDING = 0.002
"""Relative difference that a rounded frame time makes (0.033333 s is 30.0003 fps)."""


def frame_rates(digests: Sequence[Digest]) -> dict[int, list[Finding]]:
    """Information at each clip whose rate is not that of most clips."""
    moving = [(i, item) for i, item in enumerate(digests) if item.frames > 1]
    if not moving:
        return {}
    usual, most = Counter(round(item.fps, 1) for _, item in moving).most_common(1)[0]
    return {
        i: [
            Finding(
                "frame_rates", "info", item.name,
                f"{item.fps:g} frames per second, {most} of {len(moving)} clips have {usual:g}",
                value=item.fps, unit="fps", advice="resample by slerp; a library build does it",
            )
        ]
        for i, item in moving
        if abs(item.fps - usual) > ROUNDING * item.fps
    }  # fmt: skip


CHECKS = (SetCheck("frame_rates", "clips at another frame rate than the others", frame_rates),)
