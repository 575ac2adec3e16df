"""Bent clips: the same steps along a curve.

Recordings mostly go straight, above all the fast ones, while characters must turn. A yaw rate added to the root
path carries the pose along; feet that stand then turn with it, by centimetres, which a foot lock takes back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from moveset.conventions import UP
from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Clip
from moveset.motion.contacts import detect_contacts
from moveset.motion.ground import ground_frame, integrate

WALK_RATES = (0.2, 0.8)
RUN_RATES = (0.3, 1.35)
"""Yaw rates [rad/s] between which bent copies lie; a run at 2.5 m/s on a circle of 2 m turns by 1.25."""
RUN_SPEED = 1.8
"""From here on a clip counts as a run [m/s]."""
_LEAST_SPEED = 0.5
_STRAIGHT = 0.25  # a clip that turns slower than this on average [rad/s] counts as straight
_GOLDEN = (np.sqrt(5) - 1) / 2
_SWITCHED = 3  # every so many copies go into the curve on the way
_SOFTNESS = 0.12  # of that, time constant of a sigmoid [s]


def bend(clip: Clip, rates: ArrayLike) -> Clip:
    """The clip with `rates` [rad/s], one or (F,), added to the turning of its path.

    Contacts stay those of the clip.
    """
    contacts = clip.contacts or detect_contacts(clip)
    ground = ground_frame(clip)
    rates = np.broadcast_to(np.asarray(rates, dtype=float), (len(clip),))
    steps = ground.displacements.copy()
    steps[1:, 2] += rates[1:] / clip.fps
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
        name=f"{clip.name}_bent{rates[-1]:+.2f}",
    )


def switched_on(clip: Clip, rate: float, share: float = 0.5) -> Array:
    """(F,) yaw rates [rad/s] that go from 0 to `rate` when `share` of the clip has passed."""
    since = clip.times - share * clip.seconds
    return rate / (1 + np.exp(np.clip(-since / _SOFTNESS, -50, 50)))


def bent_copies(clips: Sequence[Clip], copies: int = 2) -> list[Clip]:
    """`copies` bent versions of every clip that goes straight.

    Rates are dealt out in turn by gait, evenly over their range and to both sides; every third curve begins on the
    way.
    """
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
        low, high = RUN_RATES if running else WALK_RATES
        for _ in range(copies):
            number = dealt[running]
            rate = (low + (high - low) * (number * _GOLDEN % 1)) * (-1) ** number
            switched = number % _SWITCHED == _SWITCHED - 1
            rates = switched_on(clip, rate, 0.3 + 0.4 * (number * _GOLDEN**2 % 1)) if switched else rate
            out.append(bend(clip, rates))
            dealt[running] += 1
    return out
