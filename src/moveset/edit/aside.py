"""Walks that face aside: the body turned against the way it goes, which few recordings have and every game asks for.

The hips keep their path and the toes their places, so that nothing slides that stood; the body between them turns,
and the feet with it. Where the angle changes, feet that stand are left to be planted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from moveset.conventions import UP
from moveset.edit.retime import mean_speed
from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Clip
from moveset.motion.contacts import detect_contacts
from moveset.motion.ground import center_joint
from moveset.motion.legs import find_legs

ANGLES = (0.15, 0.6)
"""Between these [rad] a body faces aside; further round, legs would cross in every step."""
SLOWEST, QUICKEST = 0.4, 1.8
"""Mean speeds of clips that are turned aside [m/s]."""
_GOLDEN = (np.sqrt(5) - 1) / 2
_TURNING = 1.2  # time in which a body turns aside [s]
_SWAY = 5.0  # period of a body that looks from side to side [s]


def aside(clip: Clip, angles: ArrayLike) -> Clip:
    """The clip with its body turned by `angles` [rad], one or (F,), to the left of where it goes.

    Contacts stay those of the clip.
    """
    from moveset.motion.leg_kernels import move_foot

    contacts = clip.contacts or detect_contacts(clip)
    angles = np.broadcast_to(np.asarray(angles, dtype=float), (len(clip),))
    turn = quaternion.from_axis_angle(UP, angles)[:, None]
    roots = list(clip.skeleton.roots)
    hips = clip.world_positions[:, center_joint(clip.skeleton)][:, None]
    rotations, translations = np.array(clip.rotations, float), np.array(clip.translations, float)
    rotations[:, roots] = quaternion.multiply(turn, rotations[:, roots])
    translations[:, roots] = hips + quaternion.rotate(turn, translations[:, roots] - hips)
    turned = replace(clip, rotations=rotations, translations=translations, contacts=contacts)
    legs = find_legs(clip.skeleton, clip.rotations)
    for chain, marks, hinge in zip(legs.chains, legs.marks, legs.hinges):
        toe = chain[marks[3]]
        back = clip.world_positions[:, toe] - turned.world_positions[:, toe]
        still = np.broadcast_to(quaternion.IDENTITY, (len(clip), 4))
        move_foot(rotations, translations, chain, marks, hinge, back, still)
    name = f"{clip.name}_aside{np.degrees(angles[np.abs(angles).argmax()]):+.0f}"
    return replace(turned, rotations=quaternion.unroll(rotations), name=name)


def turning_aside(clip: Clip, angle: float, share: float) -> Array:
    """(F,) angles that go from 0 to `angle` when `share` of the clip has passed, or back from it if negative."""
    since = np.clip((clip.times - abs(share) * clip.seconds) / _TURNING + 0.5, 0, 1)
    smooth = since * since * (3 - 2 * since)
    return angle * (smooth if share > 0 else 1 - smooth)


def looking_about(clip: Clip, angle: float) -> Array:
    """(F,) angles that swing between `angle` and its opposite."""
    return angle * np.cos(2 * np.pi / _SWAY * clip.times)


def aside_copies(clips: Sequence[Clip]) -> list[Clip]:
    """A copy of every clip that walks: angles are dealt out evenly, to both sides, kept or changing in turn."""
    out: list[Clip] = []
    for clip in clips:
        if clip.loop or not SLOWEST < mean_speed(clip) < QUICKEST:
            continue
        number = len(out)
        angle = (ANGLES[0] + (ANGLES[1] - ANGLES[0]) * (number * _GOLDEN % 1)) * (-1) ** number
        share = 0.3 + 0.4 * (number * _GOLDEN**2 % 1)
        ways = (
            angle,
            turning_aside(clip, angle, share),
            angle,
            looking_about(clip, angle),
            angle,
            turning_aside(clip, angle, -share),
        )
        out.append(aside(clip, ways[number // 2 % len(ways)]))
    return out
