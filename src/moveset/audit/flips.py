"""A joint that turns over in one frame without moving what hangs on it: positions cannot show it, skin does."""

from __future__ import annotations

import numpy as np

from moveset.audit.body import body_joints, limb_joints
from moveset.audit.check import Check, worst
from moveset.audit.steps import lone, peaks, turns
from moveset.motion import Clip, Finding

TURN = np.deg2rad(70)
"""Excess of one step over its neighbours. Clean capture at 30 fps reaches 55 degrees at the toes (99 % of
clips); thumbs and heads that flip in CMU start at 110."""
SHARP = 2.5


def flips(clip: Clip) -> list[Finding]:
    """One finding naming the joint that turns furthest; information only when none but fingers flip."""
    joints = body_joints(clip.skeleton)
    excess, times = lone(turns(clip.rotations[:, joints]))
    turned = np.where((excess > TURN) & (times > SHARP), excess, 0)
    if not turned.any():
        return []
    limbs = np.isin(joints, limb_joints(clip.skeleton))
    serious = bool(turned[:, limbs].any())
    if serious:
        turned[:, ~limbs] = 0
    furthest = turned.max(axis=1)
    at = peaks(furthest)
    frames = worst(at + 1, furthest[at])
    name = clip.skeleton.names[joints[int(np.argmax(turned[frames[0] - 1]))]]
    degrees = float(np.rad2deg(furthest.max()))
    return [
        Finding(
            "flips", "warning" if serious else "info", clip.name,
            f"{name} turns over by {degrees:.0f} degrees in one frame",
            frames, name, degrees, "deg",
            "interpolate the joint over the bad frames, or reset it to rest", len(at),
        )
    ]  # fmt: skip


CHECKS = (Check("flips", "a joint turns over within a frame or two", flips),)
