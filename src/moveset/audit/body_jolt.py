"""The whole body jumps to another place, or is thrown about all the time because its root was lost."""

from __future__ import annotations

import numpy as np

from moveset.audit.body import hips, limb_joints, size_factor
from moveset.audit.check import Check, worst
from moveset.audit.steps import lone, peaks
from moveset.motion import Clip, Finding

JUMP, GRAVE = 0.045, 0.25
"""Excess of a step of the hips over its neighbours [m, adult] in 1/30 s. Runs, rolls, jumps and landings stay
below 0.04; tears of CMU start at 0.05."""
SHARP = 2.5
SHAKEN, ALWAYS = 60.0, 14.0
"""Accelerations of the hips [m/s2, adult] over 1/30 s: 95th percentile and median. Dashes of Bandai reach 30 and
16; rolls and throws animated by hand 150 and 12, for a moment; CMU clips with a lost root 66 to 98 and 16 to 39."""
LONG = 1.5
"""Seconds from which a clip cannot be one wild moment."""
_RATE = 30.0


def body_jolt(clip: Clip) -> list[Finding]:
    """One finding with the frames right after the jolts, or those at which a shaken body rushes most."""
    every = max(1, round(clip.fps / _RATE))
    path = clip.world_positions[::every, hips(clip.skeleton)] / size_factor(clip)
    if len(path) < 4:
        return []
    joint = clip.skeleton.names[hips(clip.skeleton)]
    acceleration = np.linalg.norm(np.diff(path, 2, axis=0), axis=-1) * (clip.fps / every) ** 2
    usual = float(np.percentile(acceleration, 95))
    if usual > SHAKEN and np.median(acceleration) > ALWAYS and clip.seconds >= LONG:
        text = f"the body is shaken throughout: 5 % of its accelerations exceed {usual:.0f} m/s2"
        advice = "leave the clip out: its root motion is lost"
        frames, count = _rushes(clip), int((acceleration > SHAKEN).sum())
        return [Finding("body_jolt", "error", clip.name, text, frames, joint, usual, "m/s2", advice, count)]

    steps = np.diff(path, axis=0)
    excess, times = (values[:, 0] for values in lone(steps[:, None]))
    at = peaks(np.where((excess > JUMP) & (times > SHARP), excess, 0))
    if len(at) == 0:
        return []
    frames = worst((at + 1) * every, excess[at])
    jump = float(np.linalg.norm(steps[frames[0] // every - 1])) * size_factor(clip)
    severity = "error" if excess[at].max() > GRAVE else "warning"
    text = f"the body jumps {jump:.2f} m in one frame"
    advice = "cut the clip there, or smooth the root over the bad frames"
    return [Finding("body_jolt", severity, clip.name, text, frames, joint, jump, "m", advice, len(at))]


def _rushes(clip: Clip) -> tuple[int, ...]:
    """Frames at which the joints together move fastest."""
    positions = clip.world_positions[:, limb_joints(clip.skeleton)]
    speed = np.linalg.norm(np.diff(positions, axis=0), axis=-1).mean(axis=1)
    at = peaks(speed)
    return worst(at + 1, speed[at])


CHECKS = (Check("body_jolt", "the whole body jumps, or is shaken because its root was lost", body_jolt),)
