"""Where the floor of a clip is: feet that stand above or below y = 0, and feet that dip under where they stand."""

from __future__ import annotations

import numpy as np

from moveset.audit.body import humanoid, scale, stands, stature
from moveset.audit.check import Check, worst
from moveset.geometry.quaternion import Array
from moveset.motion import Clip, Finding
from moveset.motion.contacts import feet, foot_positions, standing_heights

ANKLE, TOE = 0.045, 0.015
"""Height of a standing ankle and toe joint over the stature (motion/canonical.py; Winter 2009)."""

OFFSET = 0.10
"""Metres, adult. Rigs put the joint elsewhere in the foot: good captures lie between -0.06 and 0.05."""
SOMETIMES = 0.15
"""Share of frames with a foot at floor level that clears a clip: it climbs, or rises from the ground."""
SUNK = 0.5
"""Metres, adult: no pit is meant by it."""
DIP = 0.06
"""Metres, adult, at the 99th percentile. Good captures stay below 0.04."""


def floor_offset(clip: Clip) -> list[Finding]:
    """A warning when the feet never stand near y = 0: below it, or above it under a body that stands.

    An error when half of the body is under the floor. Bodies that sit, swim and fly have their feet in the air.
    """
    standing = _standing(clip)
    if standing is None:
        return []
    roles, heights = standing
    tall = stature(clip)
    expected = np.array([(TOE if role.endswith("Toes") else ANKLE) * tall for role in roles])
    offset = float((heights - expected).min())
    if abs(offset) <= OFFSET * scale(clip):
        return []
    lowest = foot_positions(clip)[..., 1].min(axis=1)
    level = np.abs(lowest - expected.min()) < OFFSET * scale(clip)
    if level.mean() > SOMETIMES:
        return []
    if offset > 0 and not stands(clip.world_positions[int(lowest.argmin())], clip.skeleton):
        return []
    word = "above" if offset > 0 else "below"
    frames = worst(np.arange(len(lowest)), lowest if offset > 0 else -lowest)
    return [
        Finding(
            "floor_offset", "error" if offset < -SUNK * scale(clip) else "warning", clip.name,
            f"the feet stand {abs(offset):.2f} m {word} the floor", frames, None, offset, "m",
            f"move the clip by {-offset:+.2f} m in y, unless it happens on steps, in water or in the air",
        )
    ]  # fmt: skip


def floor_dip(clip: Clip) -> list[Finding]:
    """A warning when feet go deeper than where they stand in the same clip."""
    standing = _standing(clip)
    if standing is None:
        return []
    _, heights = standing
    depth = -(foot_positions(clip)[..., 1] - heights).min(axis=1)
    deep = float(np.percentile(depth, 99))
    if deep <= DIP * scale(clip):
        return []
    frames = np.flatnonzero(depth > DIP * scale(clip))
    listed = worst(frames, depth[frames])
    return [
        Finding(
            "floor_dip", "warning", clip.name,
            f"feet go {depth.max():.2f} m under the floor on which they stand",
            listed, None, deep, "m", "lift the feet by IK, unless the floor is uneven there", len(frames),
        )
    ]  # fmt: skip


def _standing(clip: Clip) -> tuple[tuple[str, ...], Array] | None:
    """Foot roles and their standing heights; None for other bodies."""
    if not humanoid(clip.skeleton) or len(clip) == 0:
        return None
    return feet(clip.skeleton), standing_heights(clip)


CHECKS = (
    Check("floor_offset", "feet that stand above or below the floor", floor_offset),
    Check("floor_dip", "feet that dip under the floor they stand on", floor_dip),
)
