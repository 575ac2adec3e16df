"""The whole body is thrown about: accelerations of the hips that no body makes, or a jump to another place."""

from __future__ import annotations

import numpy as np

from moveset.audit.body import hips, limb_joints, scale
from moveset.audit.check import Check, worst
from moveset.audit.steps import peaks
from moveset.motion import Clip, Finding

SUDDEN = 90.0
"""Acceleration of the hips [m/s2, adult] over 1/30 s. Jumps, landings and breakdance of CMU reach 62."""
GRAVE = 300.0
SHAKING = 50.0
"""95th percentile over the clip: runs and jumps stay below 35, clips with a lost root start at 70."""
_RATE = 30.0


def body_jolt(clip: Clip) -> list[Finding]:
    """One finding with the frames right after the jolts, the worst first."""
    every = max(1, round(clip.fps / _RATE))
    seconds = every / clip.fps
    path = clip.world_positions[::every, hips(clip.skeleton)]
    if len(path) < 3:
        return []
    steps = np.linalg.norm(np.diff(path, axis=0), axis=-1)
    acceleration = np.linalg.norm(np.diff(path, 2, axis=0), axis=-1) / seconds**2 / scale(clip)
    slow_rate = min(1.0, (clip.fps / _RATE) ** 2)  # a jolt between sparse frames shows less acceleration
    usual, peak = float(np.percentile(acceleration, 95)), float(acceleration.max())
    joint = clip.skeleton.names[hips(clip.skeleton)]
    if usual > SHAKING * slow_rate:
        listed = _rushes(clip)
        text = f"the body is shaken throughout: 5 % of its accelerations exceed {usual:.0f} m/s2"
        advice = "leave the clip out: its root motion is lost"
        return [
            Finding(
                "body_jolt", "error", clip.name, text, listed, joint, usual, "m/s2", advice, len(acceleration)
            )
        ]
    at = peaks(np.where(acceleration > SUDDEN * slow_rate, acceleration, 0), apart=1)
    if len(at) == 0:
        return []
    # acceleration i lies between steps i and i + 1: the jolt shows in the frame after the longer one
    frames = every * (at + 1 + (steps[at + 1] > steps[at]))
    listed = worst(frames, acceleration[at])
    text = f"the body is jolted at {peak:.0f} m/s2"
    severity = "error" if peak > GRAVE * slow_rate else "warning"
    advice = "cut the clip there, or smooth the root over the bad frames"
    return [Finding("body_jolt", severity, clip.name, text, listed, joint, peak, "m/s2", advice, len(at))]


def _rushes(clip: Clip) -> tuple[int, ...]:
    """Frames at which the joints together move fastest."""
    positions = clip.world_positions[:, limb_joints(clip.skeleton)]
    speed = np.linalg.norm(np.diff(positions, axis=0), axis=-1).mean(axis=1)
    at = peaks(speed)
    return worst(at + 1, speed[at])


CHECK = Check("body_jolt", "the hips accelerate as no body can, or jump to another place", body_jolt)
