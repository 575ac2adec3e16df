"""Bent clips: the same steps along a curve.

Recordings mostly go straight, above all the fast ones, while characters must turn. A yaw rate added to the root
path carries the pose along; feet that stand then turn with it, by centimetres, which a foot lock takes back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from moveset.conventions import UP
from moveset.geometry import quaternion
from moveset.motion import Clip
from moveset.motion.contacts import detect_contacts
from moveset.motion.ground import ground_frame, integrate

WALK_RATES = (0.35, -0.35, 0.7, -0.7)
RUN_RATES = (0.4, -0.4, 0.8, -0.8, 1.25, -1.25)
"""Yaw rates [rad/s] that clips are given in turn; a run at 2.5 m/s on a circle of 2 m turns by 1.25."""
RUN_SPEED = 1.8
"""From here on a clip counts as a run [m/s]."""
_LEAST_SPEED = 0.5
_STRAIGHT = 0.25  # a clip that turns slower than this on average [rad/s] counts as straight


def bend(clip: Clip, rate: float) -> Clip:
    """The clip with `rate` [rad/s] added to the turning of its path; contacts stay those of the clip."""
    contacts = clip.contacts or detect_contacts(clip)
    ground = ground_frame(clip)
    steps = ground.displacements.copy()
    steps[1:, 2] += rate / clip.fps
    bent = integrate(steps, ground.positions[0], ground.headings[0])
    roots = list(clip.skeleton.roots)
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    turn = quaternion.from_axis_angle(UP, bent.headings - ground.headings)
    rotations[:, roots] = quaternion.multiply(turn[:, None], rotations[:, roots])
    translations[:, roots] = bent.world_from_ground(ground.ground_from_world(translations[:, roots]))
    return replace(
        clip,
        rotations=quaternion.unroll(rotations),
        translations=translations,
        contacts=contacts,
        name=f"{clip.name}_bent{rate:+.2f}",
    )


def bent_copies(clips: Sequence[Clip], copies: int = 2) -> list[Clip]:
    """`copies` bent versions of every clip that goes straight, with rates dealt out in turn by gait."""
    out: list[Clip] = []
    dealt = {False: 0, True: 0}
    for clip in clips:
        if clip.loop or len(clip) < 2:
            continue
        steps = ground_frame(clip).displacements[1:] * clip.fps
        speed, turning = np.hypot(steps[:, 0], steps[:, 1]).mean(), abs(steps[:, 2].mean())
        if speed < _LEAST_SPEED or turning > _STRAIGHT:
            continue
        running = bool(speed > RUN_SPEED)
        rates = RUN_RATES if running else WALK_RATES
        for _ in range(copies):
            out.append(bend(clip, rates[dealt[running] % len(rates)]))
            dealt[running] += 1
    return out
