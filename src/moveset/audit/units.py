"""Whether units and the up axis can be right: how tall the body is, and along which axis it stands."""

from __future__ import annotations

import numpy as np

from moveset.audit.body import ADULT, humanoid, scale, stature, upright
from moveset.audit.check import Check
from moveset.motion import Clip, Finding

PLAUSIBLE = (0.5, 3.5)
"""Stature [m] of game humanoids, from big-headed figures (KayKit 0.9) to giants."""
USUAL = (1.3, 2.2)
CREATURE = (0.02, 60.0)
"""Extent [m] of anything alive, mouse to dragon."""
_FACTORS = {"centimetres": 0.01, "inches": 0.0254, "decimetres": 0.1, "feet": 0.3048, "metres": 100.0}
"""What a length must be multiplied by when the file meant this unit; metres read as centimetres need 100."""

CLIMBS = 1.0
"""Metres, adult, that nobody rises or sinks while lying."""
LYING = 0.8
"""|cosine| between the body and an axis, median over the clip, from which it lies along that axis."""


def scale_guess(clip: Clip) -> list[Finding]:
    """A warning with the likely factor when nobody is that tall; information for stylized bodies."""
    tall = stature(clip)
    if tall <= 0:
        return []
    person = humanoid(clip.skeleton)
    low, high = PLAUSIBLE if person else CREATURE
    if low <= tall <= high:
        if not person or USUAL[0] <= tall <= USUAL[1]:
            return []
        text = f"the body is {tall:.2f} m tall, not an adult's height"
        return [
            _finding(clip, "info", text, tall, "fine for a stylized character; otherwise check the units")
        ]
    what = "tall" if person else "across"
    unit, factor = min(_FACTORS.items(), key=lambda item: abs(np.log(tall * item[1] / ADULT)))
    fitting = tall * factor
    guess = (
        f"scale by {factor:g}: the numbers look like {unit}"
        if person and abs(np.log(fitting / ADULT)) < np.log(1.4)
        else f"scale by {ADULT / tall:.3g} for a body of {ADULT} m"
        if person
        else "check the units of the export"
    )
    return [_finding(clip, "warning", f"the body is {tall:.3g} m {what}", tall, guess)]


def up_axis(clip: Clip) -> list[Finding]:
    """A warning when a humanoid lies along another axis than Y in every frame, and in the rest pose of the file.

    A body that rests upright and lies in the clip lies because it sleeps, crawls, swims or is dead, unless it
    climbs while it lies: then the floor is the other axis.
    """
    skeleton = clip.skeleton
    if not humanoid(skeleton) or len(clip) == 0:
        return []
    rest = upright(skeleton.rest_world[1], skeleton)
    body = upright(clip.world_positions, skeleton)
    median = np.median(body, axis=0)
    axis = int(np.abs(median).argmax())
    lies = abs(median[axis]) > LYING and np.abs(body[:, axis]).min() > LYING / 2
    climbs = np.ptp(clip.world_positions[:, skeleton.joint("hips"), 1]) > CLIMBS * scale(clip)
    if not lies or (axis == 1 and median[1] > 0) or (rest[1] > LYING and not climbs):
        return []
    name = ("-" if median[axis] < 0 else "") + "XYZ"[axis]
    return [
        Finding(
            "up_axis", "warning", clip.name, f"the body stands along {name} in every frame, not along Y",
            (0,), None, float(abs(median[axis])), "",
            f"read the file with {name} up, unless it lies or hangs all the time",
        )
    ]  # fmt: skip


def _finding(clip: Clip, severity: str, message: str, tall: float, advice: str) -> Finding:
    return Finding("scale", severity, clip.name, message, value=tall, unit="m", advice=advice)


CHECKS = (
    Check("scale", "bodies of implausible size, with the likely unit", scale_guess),
    Check("up_axis", "bodies that stand along another axis than Y", up_axis),
)
