"""Which feet bear on the floor, and how high a foot's joints are when it stands."""

from __future__ import annotations

import numpy as np

from moveset.geometry import quaternion, signal
from moveset.geometry.quaternion import Array
from moveset.motion.clip import Clip, Contacts
from moveset.motion.roles import FEET, FRONT_FEET, mirrored
from moveset.motion.skeleton import Skeleton

HEIGHT = 0.03
"""A joint bears if it is less than this over its standing height [m] ..."""
SPEED = 0.4
"""... and slower than this [m/s]."""
_STILL = 0.3
_REACH = 0.1
_LEAST_STILL = 3
"""A foot rests where it is slower than this [m/s] within this of its lowest [m]; so many frames tell its height."""
_REST_SOLE = 0.08
"""The lowest joint of a rest pose that stands on y = 0 is at most this high [m]."""


def feet(skeleton: Skeleton) -> tuple[str, ...]:
    """The foot roles that the skeleton has, in the order of FEET and then FRONT_FEET."""
    return tuple(role for role in (*FEET, *FRONT_FEET) if role in skeleton.by_role)


def foot_positions(clip: Clip) -> Array:
    """(F, K, 3) world positions of `feet` [m]."""
    return clip.world_positions[:, clip.skeleton.joints(feet(clip.skeleton))]


def standing_heights(clip: Clip) -> Array:
    """(K,) height of each joint of `feet` over y = 0 when the foot stands [m].

    The low end (tenth percentile) of the heights at which the joint rests; both sides share the lower one, so
    a foot that never lands is judged by the other. A clip in which no foot rests gives the lowest heights seen.
    """
    positions = foot_positions(clip)
    if not len(clip):
        return np.zeros(positions.shape[1])
    speeds = np.linalg.norm(signal.derivative(positions, clip.fps, loop=clip.loop), axis=-1)
    heights = positions[..., 1]
    own = []
    for height, speed in zip(heights.T, speeds.T):
        lowest = np.percentile(height, 2)
        still = height[(speed < _STILL) & (height < lowest + _REACH)]
        own.append(np.percentile(still, 10) if len(still) >= _LEAST_STILL else lowest)
    return _shared(feet(clip.skeleton), np.array(own))


def rest_standing_heights(skeleton: Skeleton) -> Array:
    """(K,) height of each joint of `feet` over the floor of the rest pose [m].

    The floor is y = 0 if the rest pose stands on it, else its lowest point.
    """
    positions = skeleton.rest_world[1]
    lowest = positions[:, 1].min()
    if skeleton.tips is not None:
        known = np.isfinite(skeleton.tips).all(axis=-1)
        ends = positions[known] + quaternion.rotate(skeleton.rest_world[0][known], skeleton.tips[known])
        lowest = min(lowest, ends[:, 1].min(initial=lowest))
    floor = 0.0 if -_REST_SOLE / 4 < lowest < _REST_SOLE else lowest
    return positions[skeleton.joints(feet(skeleton)), 1] - floor


def detect_contacts(
    clip: Clip, height: float = HEIGHT, speed: float = SPEED, standing: Array | None = None
) -> Contacts:
    """Contacts of the feet: low over `standing` (K,) and slow. Single-frame flickers are removed."""
    roles = feet(clip.skeleton)
    if not roles or not len(clip):
        return Contacts(roles, np.zeros((len(clip), len(roles)), dtype=bool))
    standing = standing_heights(clip) if standing is None else np.asarray(standing)
    positions = foot_positions(clip)
    speeds = np.linalg.norm(signal.derivative(positions, clip.fps, loop=clip.loop), axis=-1)
    flags = (positions[..., 1] - standing < height) & (speeds < speed)
    return Contacts(roles, without_flickers(flags, clip.loop))


def without_flickers(flags: np.ndarray, loop: bool = False) -> np.ndarray:
    """Flags (F, ...) in which no state lasts a single frame between two equal neighbours (median of three)."""
    if len(flags) < 3:
        return flags
    before, after = np.roll(flags, 1, axis=0), np.roll(flags, -1, axis=0)
    if not loop:
        before[0], after[-1] = flags[0], flags[-1]
    return (before & flags) | (flags & after) | (before & after)


def _shared(roles: tuple[str, ...], heights: Array) -> Array:
    """The lower height of the two sides for both."""
    other = [roles.index(m) if (m := mirrored(role)) in roles else k for k, role in enumerate(roles)]
    return np.minimum(heights, heights[other])
