"""Feet that slide while they stand, and cycles that run in place, whose feet slide on purpose."""

from __future__ import annotations

import numpy as np

from moveset.audit.body import hips, humanoid, scale
from moveset.audit.check import Check, worst
from moveset.geometry import signal
from moveset.motion import Clip, Finding
from moveset.motion.contacts import foot_positions
from moveset.motion.measure import floor_weights, foot_skate_by_frame

SLIDES = 0.33
"""Foot skate [m/s, adult] of Zhang et al. (motion/measure.py). Clean capture has a median of 0.05 and stays below
0.31 (1,472 Bandai clips), where toes scuff in backward and sideways steps; hand-made attacks pivot at 0.3."""
SPRINTS = 0.07
"""The same as a share of the body's speed: the feet of a sprinter reach the floor and leave it that fast."""
NEVER_STILL, NEVER_STILL_SHARE = 0.25, 0.1
"""Speed [m/s, adult] of the stillest foot joint, 20th percentile over the frames, and the same as a share of the
body's speed: while anybody walks or runs, one toe stands. Clean clips: 95 % below 0.14, runs 0.21."""
BELT = 0.3
"""Mean velocity [m/s] of standing feet that makes a cycle run in place, as on a treadmill."""
FASTEST = 12.0
"""Metres per second; nobody sprints faster."""
STAYS = 0.25
"""Share of that speed at which the hips of such a cycle may still travel."""


def foot_skate(clip: Clip) -> list[Finding]:
    """A warning with the worst frames; information when the feet slide evenly because the body stays in place."""
    if not humanoid(clip.skeleton) or len(clip) < 3:
        return []
    size = scale(clip)
    belt = _belt(clip, size)
    if belt is not None:
        text = f"the body stays in place while its feet step at {belt:.2f} m/s"
        advice = "the game moves the character at this speed, or add root motion"
        return [Finding("in_place", "info", clip.name, text, value=belt, unit="m/s", advice=advice)]
    path = clip.world_positions[:, hips(clip.skeleton), ::2] / size
    speed = float(np.linalg.norm(np.diff(path, axis=0), axis=-1).mean()) * clip.fps
    advice = "lock the feet, or check scale and proportions: motion on another body's legs slides"

    by_frame = foot_skate_by_frame(clip) / size
    value, limit = float(by_frame.mean()), max(SLIDES, SPRINTS * speed)
    if value > limit:
        frames, count = worst(range(len(clip)), by_frame), int((by_frame > limit).sum())
        text = f"standing feet slide at {value * size:.2f} m/s"
        return [
            Finding(
                "foot_skate", "warning", clip.name, text, frames, None, value * size, "m/s", advice, count
            )
        ]
    velocities = signal.derivative(foot_positions(clip)[..., ::2], clip.fps, loop=clip.loop) / size
    stillest = np.linalg.norm(velocities, axis=-1).min(axis=1)
    value, limit = float(np.percentile(stillest, 20)), max(NEVER_STILL, NEVER_STILL_SHARE * speed)
    if value > limit and "leftToes" in clip.skeleton.by_role:  # ankles alone never rest in a run
        frames, count = worst(range(len(clip)), stillest), int((stillest > limit).sum())
        text = f"no foot stands: even the stillest moves at {value * size:.2f} m/s"
        return [
            Finding(
                "foot_skate", "warning", clip.name, text, frames, None, value * size, "m/s", advice, count
            )
        ]
    return []


def _belt(clip: Clip, size: float) -> float | None:
    """Speed [m/s] at which the feet of an in-place cycle run under it; None when the clip is none."""
    weights = floor_weights(clip)
    if weights.sum() < 1:
        return None
    weights /= weights.sum()
    velocities = signal.derivative(foot_positions(clip)[..., ::2], clip.fps, loop=clip.loop) / size
    mean = np.einsum("fk,fki->i", weights, velocities)
    speed = float(np.linalg.norm(mean))
    rest = float(np.sum(weights * np.linalg.norm(velocities - mean, axis=-1)))
    path = clip.world_positions[:, hips(clip.skeleton), ::2] / size
    travelled = float(np.linalg.norm(path[-1] - path[0])) / clip.seconds
    in_place = BELT < speed < FASTEST and rest < speed and travelled < STAYS * speed
    return speed * size if in_place else None


CHECKS = (Check("foot_skate", "standing feet that slide; cycles in place as information", foot_skate),)
