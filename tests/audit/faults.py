"""Faults to plant in a clip, each a function Clip -> Clip."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from moveset.geometry import quaternion
from moveset.motion import Clip


def turned(clip: Clip, joint: str, frames, degrees: float, axis=(0.0, 0.0, 1.0)) -> Clip:
    """The joint turned in its parent's frame, in some frames only."""
    rotations = clip.rotations.copy()
    at = clip.skeleton.index[joint]
    turn = quaternion.from_axis_angle(np.array(axis), np.deg2rad(degrees))
    rotations[frames, at] = quaternion.multiply(turn, rotations[frames, at])
    return replace(clip, rotations=rotations)


def moved(clip: Clip, frames, offset) -> Clip:
    """The hips moved in some frames only."""
    translations = clip.translations.copy()
    translations[frames, clip.skeleton.index["hips"]] += offset
    return replace(clip, translations=translations)


def scaled(clip: Clip, factor: float) -> Clip:
    """Skeleton and motion in another unit."""
    skeleton = replace(clip.skeleton, rest_translations=clip.skeleton.rest_translations * factor)
    return replace(clip, skeleton=skeleton, translations=clip.translations * factor)


def whole_turned(clip: Clip, turn) -> Clip:
    """World, motion and rest pose turned about the origin."""
    skeleton = clip.skeleton
    rest_rotations, rest_translations = skeleton.rest_rotations.copy(), skeleton.rest_translations.copy()
    rest_rotations[0] = quaternion.multiply(turn, rest_rotations[0])
    rest_translations[0] = quaternion.rotate(turn, rest_translations[0])
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    rotations[:, 0] = quaternion.multiply(turn, rotations[:, 0])
    translations[:, 0] = quaternion.rotate(turn, translations[:, 0])
    turned_skeleton = replace(skeleton, rest_rotations=rest_rotations, rest_translations=rest_translations)
    return replace(clip, skeleton=turned_skeleton, rotations=rotations, translations=translations)


def with_t_pose_first(clip: Clip) -> Clip:
    """The rest pose in front of the motion, where it starts."""
    rest = clip.skeleton.rest_rotations[None].copy()
    place = clip.skeleton.rest_translations[None].copy()
    place[0, 0, ::2] = clip.translations[0, 0, ::2]
    return replace(
        clip,
        rotations=np.concatenate((rest, clip.rotations)),
        translations=np.concatenate((place, clip.translations)),
        contacts=None,
        loop=False,
    )


def held(clip: Clip, start: int, stop: int) -> Clip:
    """Frames start to stop repeat frame start."""
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    rotations[start:stop], translations[start:stop] = rotations[start], translations[start]
    return replace(clip, rotations=rotations, translations=translations)


def in_place(clip: Clip) -> Clip:
    """Without the path of the hips, as for a game that moves the character itself."""
    translations = clip.translations.copy()
    hips = clip.skeleton.index["hips"]
    drift = np.linspace(translations[0, hips], translations[-1, hips], len(clip)) - translations[0, hips]
    translations[:, hips] -= drift * (1, 0, 1)
    return replace(clip, translations=translations)


def difference(clip: Clip) -> Clip:
    """The clip as differences to its first pose: rotations near identity, translations near zero."""
    rotations = quaternion.inverse_multiply(clip.rotations[:1], clip.rotations)
    return replace(clip, rotations=rotations, translations=clip.translations - clip.translations[:1])
