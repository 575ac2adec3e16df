"""Stretches in which nothing moves: exactly (frozen) or hardly (idle)."""

from __future__ import annotations

import numpy as np

from moveset.audit.body import body_joints, limb_joints, scale
from moveset.audit.check import Check
from moveset.geometry import signal
from moveset.motion import Clip, Finding

FROZEN = 0.3
"""Seconds without any change that count. Capture never repeats a pose exactly; a dropped signal does."""
IDLE = 1.0
"""Seconds of idling that count."""
IDLE_SPEED = 0.02
"""Mean joint speed [m/s, adult] under which a body idles; breathing and sway stay below it."""
_EXACT = 1e-6


def frozen(clip: Clip) -> list[Finding]:
    """The longest stretch of equal frames inside a clip that moves; at its ends, information (a held pose)."""
    joints = body_joints(clip.skeleton)
    turned = np.abs(np.diff(clip.rotations[:, joints], axis=0)).max(axis=(1, 2), initial=0)
    moved = np.abs(np.diff(clip.translations[:, joints], axis=0)).max(axis=(1, 2), initial=0)
    still = np.maximum(turned, moved) < _EXACT
    long = [(a, b) for a, b in signal.runs(still) if (b - a) / clip.fps >= FROZEN]
    if not long:
        return []
    if still.all():
        text = f"nothing moves in all {len(clip)} frames"
        return [_finding("frozen", "warning", clip, text, 0, len(still) / clip.fps, 1)]
    inside = [(a, b) for a, b in long if a > 0 and b < len(still)]
    a, b = max(inside or long, key=lambda run: run[1] - run[0])
    seconds = (b - a) / clip.fps
    where = "between moving frames" if inside else "at its start" if a == 0 else "at its end"
    text = f"the pose is frozen for {seconds:.2f} s {where}"
    return [_finding("frozen", "warning" if inside else "info", clip, text, a, seconds, len(long))]


def idle(clip: Clip) -> list[Finding]:
    """Information: how much of a clip that moves is spent hardly moving."""
    positions = clip.world_positions[:, limb_joints(clip.skeleton)]
    if len(positions) < 2:
        return []
    speeds = np.linalg.norm(np.diff(positions, axis=0), axis=-1).mean(axis=1) * clip.fps / scale(clip)
    long = [(a, b) for a, b in signal.runs(speeds < IDLE_SPEED) if (b - a) / clip.fps >= IDLE]
    if not long:
        return []
    longest = max(long, key=lambda run: run[1] - run[0])
    seconds = sum(b - a for a, b in long) / clip.fps
    text = f"the body hardly moves for {seconds:.1f} s"
    return [_finding("idle", "info", clip, text, longest[0], seconds, len(long))]


def _finding(
    check: str, severity: str, clip: Clip, text: str, frame: int, seconds: float, count: int
) -> Finding:
    advice = {
        "frozen": "cut the clip there: a dropped signal repeats the last pose",
        "idle": "trim it, or tag it as idle, so that a model does not learn to stand still",
    }[check]
    if severity == "info" and check == "frozen":
        advice = "trim it if the held pose is not wanted"
    return Finding(check, severity, clip.name, text, (frame,), None, seconds, "s", advice, count)


CHECKS = (
    Check("frozen", "the pose repeats exactly for a while", frozen),
    Check("idle", "the body hardly moves for a second or more", idle),
)
