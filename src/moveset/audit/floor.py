"""Where the floor of a clip is: feet that stand above or below y = 0, and feet that dip under where they stand."""

from __future__ import annotations

import numpy as np

from moveset.audit.body import humanoid, scale, stands, stature
from moveset.audit.check import Check, worst
from moveset.geometry import signal
from moveset.geometry.quaternion import Array
from moveset.motion import Clip, Finding
from moveset.motion.contacts import feet, foot_positions, standing_heights

ANKLE, TOE = 0.045, 0.015
"""Height of a standing ankle and toe joint over the stature (motion/canonical.py; Winter 2009)."""

OFFSET = 0.08
"""Metres, adult. Rigs put the joint elsewhere in the foot: good captures lie between -0.06 and 0.05."""
SOMETIMES = 0.15
"""Share of frames with a foot at floor level that clears a clip: it climbs, or rises from the ground."""
SUNK = 0.5
"""Metres, adult: no pit is meant by it."""
STILL, LEAST = 0.3, 5
"""Speed [m/s, adult] below which a foot rests, and frames of rest that tell where."""
DIP = 0.06
"""Metres, adult, at the 99th percentile. Good captures stay below 0.04."""


def floor_offset(clip: Clip) -> list[Finding]:
    """A warning when the feet never stand near y = 0: below it, or above it under a body that stands.

    An error when half of the body is under the floor. Bodies that sit, swim and fly have their feet in the air.
    """
    if not humanoid(clip.skeleton) or len(clip) == 0:
        return []
    expected = on_the_floor(clip)
    offset = float((standing_heights(clip) - expected).min())
    if abs(offset) <= OFFSET * scale(clip):
        return []
    lowest = foot_positions(clip)[..., 1].min(axis=1)
    level = np.abs(lowest - expected.min()) < OFFSET * scale(clip)
    if level.mean() > SOMETIMES:
        return []
    if offset > 0 and not stands(clip.world_positions[int(lowest.argmin())], clip.skeleton):
        return []
    word = "above" if offset > 0 else "below"
    severity = "error" if offset < -SUNK * scale(clip) else "warning"
    frames = worst(np.arange(len(lowest)), lowest if offset > 0 else -lowest)
    text = f"the feet stand {abs(offset):.2f} m {word} the floor"
    advice = f"move the clip by {-offset:+.2f} m in y, unless it happens on steps, in water or in the air"
    return [Finding("floor_offset", severity, clip.name, text, frames, None, offset, "m", advice)]


def floor_dip(clip: Clip) -> list[Finding]:
    """A warning when feet go under the floor and under where they rest in the same clip."""
    if not humanoid(clip.skeleton) or len(clip) == 0:
        return []
    floor = np.minimum(on_the_floor(clip), at_rest(clip))
    depth = -(foot_positions(clip)[..., 1] - floor).min(axis=1)
    deep = float(np.percentile(depth, 99))
    if deep <= DIP * scale(clip):
        return []
    frames = np.flatnonzero(depth > DIP * scale(clip))
    listed = worst(frames, depth[frames])
    text = f"feet go {depth.max():.2f} m under the floor"
    advice = "lift the feet by IK, unless the floor is uneven there"
    return [Finding("floor_dip", "warning", clip.name, text, listed, None, deep, "m", advice, len(frames))]


def on_the_floor(clip: Clip) -> Array:
    """(K,) height of each foot joint [m] of a body of this stature that stands on y = 0."""
    tall = stature(clip)
    return np.array([(TOE if role.endswith("Toes") else ANKLE) * tall for role in feet(clip.skeleton)])


def at_rest(clip: Clip) -> Array:
    """(K,) height [m] at which each foot joint rests most of the time; the lowest it goes where it never rests.

    Unlike `standing_heights`, which looks for the lowest place of rest, a short dip does not count here.
    """
    positions = foot_positions(clip)
    heights = positions[..., 1].min(axis=0)
    if len(clip) > 1:
        speeds = np.linalg.norm(signal.derivative(positions, clip.fps, loop=clip.loop), axis=-1)
        for k, still in enumerate((speeds < STILL * scale(clip)).T):
            if still.sum() >= LEAST:
                heights[k] = np.percentile(positions[still, k, 1], 10)
    return heights


CHECKS = (
    Check("floor_offset", "feet that stand above or below the floor", floor_offset),
    Check("floor_dip", "feet that dip under the floor they stand on", floor_dip),
)
