"""Feet that slide while they stand, and cycles that run in place, whose feet slide on purpose."""

from __future__ import annotations

import numpy as np

from moveset.audit.body import hips, humanoid, scale
from moveset.audit.check import SHOWN_FRAMES, Check
from moveset.geometry import signal
from moveset.geometry.quaternion import Array
from moveset.motion import Clip, Finding
from moveset.motion.contacts import foot_positions, standing_heights
from moveset.motion.measure import SKATE_HEIGHT

SLIDES = 0.3
"""Foot skate [m/s, adult] of Zhang et al. (motion/measure.py). Clean capture has a median of 0.05 and stays below
0.23 (99 % of clips), where toes scuff in backward and sideways steps; hand-made attacks pivot at 0.3."""
SPRINTS = 0.07
"""The same as a share of the body's speed: the feet of a sprinter reach the floor and leave it that fast."""
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
    velocities = signal.derivative(foot_positions(clip)[..., ::2], clip.fps, loop=clip.loop) / size
    heights = (foot_positions(clip)[..., 1] - standing_heights(clip)) / size
    weights = np.clip(2 - np.exp2(heights / SKATE_HEIGHT), 0, 1)
    skate = weights * np.linalg.norm(velocities, axis=-1)
    belt = _belt(clip, weights, velocities, size)
    if belt is not None:
        return [
            Finding(
                "in_place", "info", clip.name, f"the body stays in place while its feet step at {belt:.2f} m/s",
                value=belt, unit="m/s", advice="the game moves the character at this speed, or add root motion",
            )
        ]  # fmt: skip
    value = float(skate.mean())
    path = clip.world_positions[:, hips(clip.skeleton), ::2] / size
    limit = max(SLIDES, SPRINTS * float(np.linalg.norm(np.diff(path, axis=0), axis=-1).mean()) * clip.fps)
    if value <= limit:
        return []
    by_frame = skate.mean(axis=1)
    frames = tuple(int(f) for f in np.argsort(-by_frame)[:SHOWN_FRAMES])
    count = int((by_frame > limit).sum())
    text = f"standing feet slide at {value:.2f} m/s"
    advice = "lock the feet, or check scale and proportions: motion on another body's legs slides"
    return [Finding("foot_skate", "warning", clip.name, text, frames, None, value, "m/s", advice, count)]


def _belt(clip: Clip, weights: Array, velocities: Array, size: float) -> float | None:
    """Speed [m/s, adult] at which the feet of an in-place cycle run under it; None when the clip is none."""
    total = weights.sum()
    if total < 1:
        return None
    mean = np.einsum("fk,fki->i", weights, velocities) / total
    speed = float(np.linalg.norm(mean))
    rest = float(np.sum(weights * np.linalg.norm(velocities - mean, axis=-1)) / total)
    path = clip.world_positions[:, hips(clip.skeleton), ::2] / size
    travelled = float(np.linalg.norm(path[-1] - path[0])) / clip.seconds
    return speed if BELT < speed < FASTEST and rest < speed and travelled < STAYS * speed else None


CHECK = Check("foot_skate", "standing feet that slide; cycles in place as information", foot_skate)
