"""Rotation copy: every role turns in the world as it did on the source, measured from the T-poses of both rigs.

The plain baseline. Hips follow scaled by leg length, soles keep their floor; nothing holds feet or hands to a
place, so other proportions slide and reach past.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Clip, Skeleton
from moveset.motion.detached import carry_detached
from moveset.motion.kinematics import forward_kinematics
from moveset.motion.roles import ROOT, is_auxiliary

_TRUNK = ("spine", "chest", "upperChest")
_ANKLE_SHARE = 0.09
"""Height of the ankle over the sole as a share of thigh and shank, for rigs that end at the ankle (Winter 2009)."""


def copy_rotations(clip: Clip, source_t_pose: Clip, target_t_pose: Clip) -> Clip:
    """`clip` on the skeleton of `target_t_pose`; both T-poses are one-frame clips facing +Z (rigs/reference.py).

    Joints of the target without a partner keep their rest rotation. A joint that the rig keys apart from the limb
    it belongs to (IK feet, weapons in root space) is carried along rigidly.
    """
    source, target = clip.skeleton, target_t_pose.skeleton
    pairs = {t: s for t, s in _partners(source, target).items() if t != target.by_role.get(ROOT)}
    from_source = quaternion.conjugate(source_t_pose.world_rotations[0])
    at_target = target_t_pose.world_rotations[0]
    wanted = {
        t: quaternion.multiply(clip.world_rotations[:, s], quaternion.multiply(from_source[s], at_target[t]))
        for t, s in pairs.items()
    }
    frames, joints = len(clip), len(target)
    rotations = np.empty((frames, joints, 4))
    world = np.empty((frames, joints, 4))
    for j, parent in enumerate(target.parents):
        above = world[:, parent] if parent >= 0 else np.broadcast_to(quaternion.IDENTITY, (frames, 4))
        if j in wanted:
            rotations[:, j] = quaternion.inverse_multiply(above, wanted[j])
        else:
            rotations[:, j] = target_t_pose.rotations[0, j]
        world[:, j] = quaternion.multiply(above, rotations[:, j])
    translations = np.array(np.broadcast_to(target_t_pose.translations[0], (frames, joints, 3)))
    _place_hips(clip, source_t_pose, target_t_pose, rotations, translations)
    rotations, translations = carry_detached(
        target,
        (target_t_pose.world_rotations[0], target_t_pose.world_positions[0]),
        rotations,
        translations,
        wanted,
    )
    return replace(
        clip,
        skeleton=target,
        rotations=quaternion.unroll(rotations),
        translations=translations,
        scales=None,
        contacts=clip.contacts
        if clip.contacts and all(role in target.by_role for role in clip.contacts.roles)
        else None,
    )


def _partners(source: Skeleton, target: Skeleton) -> dict[int, int]:
    """Target joint -> source joint that plays the same role; trunks of different length are spread evenly."""
    pairs = {
        target.joint(role): j
        for role, j in source.by_role.items()
        if role in target.by_role and not is_auxiliary(role)
    }
    trunks = [[s.joint(role) for role in _TRUNK if role in s.by_role] for s in (source, target)]
    ours, theirs = trunks
    if ours and theirs:
        picks = (
            np.linspace(0, len(ours) - 1, len(theirs)).round().astype(int)
            if len(theirs) > 1
            else [len(ours) - 1]
        )
        pairs.update({t: ours[i] for t, i in zip(theirs, picks)})
    return pairs


def leg_length(pose: Clip) -> float:
    """Thigh and shank of a T-pose [m], the mean of both sides."""
    joints = pose.skeleton.joints(
        side + part for part in ("UpperLeg", "LowerLeg", "Foot") for side in ("left", "right")
    )
    thigh_top, knee, ankle = pose.world_positions[0][joints].reshape(3, 2, 3)
    return float(np.mean(np.linalg.norm(thigh_top - knee, axis=-1) + np.linalg.norm(knee - ankle, axis=-1)))


def _hip_centre(skeleton: Skeleton, positions: Array) -> Array:
    return positions[:, skeleton.joints(("leftUpperLeg", "rightUpperLeg"))].mean(axis=1)


def _ankle_height(pose: Clip) -> float:
    """Ankle over sole [m]: from the floor at y = 0 where the T-pose stands on it, else from the lowest toe or tip."""
    skeleton, (rotations, positions) = pose.skeleton, (pose.world_rotations[0], pose.world_positions[0])
    ankles = positions[skeleton.joints(("leftFoot", "rightFoot")), 1].mean()
    leg = leg_length(pose)
    if 0.02 * leg < ankles < 0.25 * leg:
        return float(ankles)
    lowest = positions[:, 1].min()
    if skeleton.tips is not None:
        tips = positions + quaternion.rotate(rotations, skeleton.tips)
        lowest = min(lowest, np.nanmin(tips[:, 1], initial=lowest))
    height = ankles - lowest
    return float(height) if height > 0.02 * leg else _ANKLE_SHARE * leg


def _place_hips(clip: Clip, source_t: Clip, target_t: Clip, rotations: Array, translations: Array) -> None:
    """Put the hip centre where the source has it, scaled by leg length above the standing ankles."""
    source, target = clip.skeleton, target_t.skeleton
    scale = leg_length(target_t) / leg_length(source_t)
    standing = np.percentile(
        clip.world_positions[:, source.joints(("leftFoot", "rightFoot")), 1].min(axis=1), 10
    )
    centre = _hip_centre(source, clip.world_positions) - (0, standing, 0)
    centre = centre * scale + (0, _ankle_height(target_t), 0)
    hips = target.joint("hips")
    world_rotations, positions = forward_kinematics(rotations, translations, target.parents)
    moved = positions[:, hips] + centre - _hip_centre(target, positions)
    parent = int(target.parents[hips])
    if parent >= 0:
        moved = quaternion.inverse_rotate(world_rotations[:, parent], moved - positions[:, parent])
    translations[:, hips] = moved
