"""What tracks hold: joints that are never animated, and joints whose scale is."""

from __future__ import annotations

import numpy as np

from moveset.audit.check import Check, worst
from moveset.motion import Clip, Finding

SCALED, GROWN = 0.01, 0.25
"""Change of a scale that an exporter does not make by rounding; and one that is meant to be seen. Limbs that
stretch for IK change by 0.05 to 0.2."""
_EXACT = 1e-6


def animated_scale(clip: Clip) -> list[Finding]:
    """The joint whose scale changes most, a warning if it is meant to be seen; engines often ignore scale."""
    if clip.scales is None or len(clip) < 2:
        return []
    change = np.ptp(clip.scales, axis=0).max(axis=1)
    scaled = np.flatnonzero(change > SCALED)
    if len(scaled) == 0:
        return []
    joint = int(change.argmax())
    off = np.abs(clip.scales[:, joint] - 1).max(axis=1)
    name = clip.skeleton.names[joint]
    return [
        Finding(
            "animated_scale", "warning" if change.max() > GROWN else "info", clip.name,
            f"{len(scaled)} joints change their scale, {name} by {change[joint]:.2f}",
            worst(range(len(clip)), off), name, float(change[joint]), "",
            "bake scale into translations, or drop the tracks where they only stretch limbs", len(scaled),
        )
    ]  # fmt: skip


def constant_joints(clip: Clip) -> list[Finding]:
    """Information: joints whose rotation and translation never change in a clip where others move."""
    if len(clip) < 2:
        return []
    change = np.maximum(
        np.ptp(clip.rotations, axis=0).max(axis=1), np.ptp(clip.translations, axis=0).max(axis=1)
    )
    constant = np.flatnonzero(change < _EXACT)
    if len(constant) == 0 or len(constant) == len(clip.skeleton):
        return []
    names = ", ".join(clip.skeleton.names[j] for j in constant[:5])
    more = f" and {len(constant) - 5} more" if len(constant) > 5 else ""
    return [
        Finding(
            "constant_joints", "info", clip.name,
            f"{len(constant)} of {len(clip.skeleton)} joints are never animated: {names}{more}",
            joint=clip.skeleton.names[int(constant[0])], value=float(len(constant)), unit="joints",
            advice="nothing to do unless they should move", count=len(constant),
        )
    ]  # fmt: skip


CHECKS = (
    Check("animated_scale", "joints that grow or shrink", animated_scale, needs="finite"),
    Check("constant_joints", "joints that are never animated", constant_joints, needs="finite"),
)
