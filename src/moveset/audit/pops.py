"""A joint that jumps: one step far longer than its neighbours, as a tear in the data or a flipped limb makes."""

from __future__ import annotations

import numpy as np

from moveset.audit.body import limb_joints, scale
from moveset.audit.check import Check, worst
from moveset.audit.steps import lone, peaks, turns
from moveset.motion import Clip, Finding

NOTICED, LARGE = 0.10, 0.17
"""Excess [m, adult, 30 fps]. Clean capture of runs, kicks and breakdance stays below 0.06 (99 % of clips);
the known tears of CMU start at 0.28. In between a pop must also stand out by SHARP."""
SHARP, LARGE_SHARP = 2.5, 1.5
"""How many times longer than both neighbours."""
TORN = 0.4
"""Excess from which it is an error: animators let a strike happen in one frame, which reaches 0.34."""
_RATE = 30.0


def pops(clip: Clip) -> list[Finding]:
    """One finding naming the joint that jumps furthest, with all frames where a joint jumps."""
    if len(clip) < 4:
        return []
    joints = limb_joints(clip.skeleton)
    steps = np.diff(clip.world_positions[:, joints], axis=0)
    excess, times = lone(steps / scale(clip))
    # what real acceleration can add to one step shrinks with the square of the frame time; noise does not
    shorter = np.clip((_RATE / clip.fps) ** 2, 0.4, 2)
    bad = (excess > NOTICED * shorter) & (times > SHARP) | (excess > LARGE * shorter) & (times > LARGE_SHARP)
    bad[[0, -1]] &= excess[[0, -1]] > LARGE * shorter  # one side of these steps is guessed
    if not bad.any():
        return []
    height = np.where(bad, excess, 0).max(axis=1)
    at = peaks(height)
    frames = worst(at + 1, height[at])
    first = frames[0]
    at_joint = int(np.argmax(np.where(bad[first - 1], excess[first - 1], 0)))
    jump, joint = float(np.linalg.norm(steps[first - 1, at_joint])), int(joints[at_joint])
    cause = _cause(clip, joint, first)
    name = clip.skeleton.names[cause]
    moved = "" if cause == joint else f" and throws {clip.skeleton.names[joint]}"
    severity = "error" if height.max() > TORN * shorter else "warning"
    text = f"{name} jumps{moved} {jump:.2f} m in one frame"
    advice = "cut there, or interpolate the joint over the bad frames; leave it if a strike is meant"
    return [Finding("pops", severity, clip.name, text, frames, name, jump, "m", advice, len(at))]


def _cause(clip: Clip, joint: int, frame: int) -> int:
    """The joint from `joint` up to the root whose own rotation jumps most at `frame`."""
    chain = clip.skeleton.lineage(joint)
    near = slice(max(frame - 4, 0), frame + 4)
    local = clip.rotations[near, chain]
    excess = lone(turns(local))[0][frame - 1 - near.start]
    return chain[int(np.argmax(excess))] if excess.max() > 0.1 else joint


CHECKS = (Check("pops", "a joint jumps within a frame or two and fast motion does not explain it", pops),)
