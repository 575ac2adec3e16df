"""Standing for sets in which nobody stands: a pose read off walks, and a body that sways in it.

The mean pose of a walk is nearly that of a body at rest, once its arms are those of the moments in which they hang.
Only the legs are between two steps; they are put under the hips by IK, the feet flat as they are in mid-stance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from moveset.conventions import UP
from moveset.errors import MovesetError
from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Clip, Contacts, Skeleton
from moveset.motion.contacts import detect_contacts, feet
from moveset.motion.ground import ground_frame
from moveset.motion.kinematics import forward_kinematics
from moveset.motion.legs import SIDES, Legs, find_legs
from moveset.motion.rooted import poses_in_ground

STRAIGHTNESS = 0.985
"""Distance from hip to ankle of a leg at rest, as a share of thigh and shank."""
_ARM = ("UpperArm", "LowerArm", "Hand")
_HANGING = 15
"""Arms hang as they do in the frames in which the hand is lowest, this percentage of all."""
_UNDER = 0.15
"""A flat foot whose ankle is this near the hips along the heading [m] is in mid-stance."""
SWAY = 0.006
"""How far the hips of a standing body sway [m] ..."""
TILT = 0.012
"""... and how much trunk, head and arms turn [rad]."""
_SWAYING = (
    "spine",
    "chest",
    "neck",
    "head",
    "leftUpperArm",
    "rightUpperArm",
    "leftLowerArm",
    "rightLowerArm",
)
_WIDER = 1.6
"""Feet at rest stand this much further apart than in a walk."""
_SLOWEST, _QUICKEST = 0.08, 0.45
"""Rates of the sway [Hz]."""


def standing_pose(walks: Sequence[Clip]) -> Clip:
    """One frame of a body at rest at the origin facing +Z, from clips of one skeleton that walk or stand."""
    from moveset.motion.leg_kernels import move_foot

    poses, stances, hands = [], {side: [] for side in SIDES}, {side: [] for side in SIDES}
    skeleton = walks[0].skeleton
    legs = find_legs(skeleton, walks[0].rotations)
    for clip in walks:
        ground = ground_frame(clip)
        rotations, translations = poses_in_ground(clip, ground)
        poses.append((rotations, translations))
        turned = ground.ground_from_world_rotations(clip.world_rotations)
        placed = ground.ground_from_world(clip.world_positions)
        contacts = detect_contacts(clip)
        for side, chain, marks in zip(SIDES, legs.chains, legs.marks):
            hands[side].append(placed[:, skeleton.joint(f"{side}Hand"), 1])
            foot, end = chain[marks[2]], chain[marks[3]]
            columns = [k for k, role in enumerate(contacts.roles) if role.startswith(side)]
            flat = contacts.flags[:, columns].all(axis=1) & (np.abs(placed[:, foot, 2]) < _UNDER)
            stances[side].append((turned[flat, foot], placed[flat, foot], rotations[flat, end]))
    every = np.concatenate([r for r, _ in poses])
    rotations = quaternion.mean(every)[None]
    for side, hand in hands.items():
        arm = skeleton.joints(f"{side}{part}" for part in _ARM)
        height = np.concatenate(hand)
        rotations[0, arm] = quaternion.mean(every[height <= np.percentile(height, _HANGING)][:, arm])
    translations = np.concatenate([t for _, t in poses]).mean(axis=0)[None]
    targets = []
    for side, chain, marks in zip(SIDES, legs.chains, legs.marks):
        turns, ankles, toes = (np.concatenate(parts) for parts in zip(*stances[side]))
        if not len(turns):
            raise MovesetError("no foot stands flat under the hips", do="give clips that walk on the floor")
        if marks[2] != marks[3]:
            rotations[0, chain[marks[3]]] = quaternion.mean(toes)
        targets.append((quaternion.mean(turns), ankles.mean(axis=0) * (_WIDER, 1.0, 0.0)))
    _raise_hips(skeleton, rotations[0], translations[0], legs, [ankle for _, ankle in targets])
    turned, placed = forward_kinematics(rotations, translations, skeleton.parents)
    for (turn, ankle), chain, marks, hinge in zip(targets, legs.chains, legs.marks, legs.hinges):
        foot, end = chain[marks[2]], chain[marks[3]]
        spin = quaternion.multiply(turn, quaternion.conjugate(turned[0, foot]))
        toe = ankle + quaternion.rotate(spin, placed[0, end] - placed[0, foot])
        move_foot(rotations, translations, chain, marks, hinge, (toe - placed[0, end])[None], spin[None])
    flags = np.ones((1, len(feet(skeleton))), dtype=bool)
    return replace(
        walks[0],
        rotations=rotations,
        translations=translations,
        scales=None,
        name="standing",
        loop=False,
        events=(),
        curves={},
        contacts=Contacts(feet(skeleton), flags),
    )


def swaying(pose: Clip, seconds: float, seed: int = 0, fps: float | None = None) -> Clip:
    """A body that stands in a pose of one frame for `seconds`, not quite still. Its feet want planting."""
    fps = fps or pose.fps
    skeleton, rng = pose.skeleton, np.random.default_rng(seed)
    times = np.arange(round(seconds * fps) + 1) / fps
    frames = len(times)
    rotations = np.repeat(pose.rotations[:1], frames, axis=0)
    translations = np.repeat(pose.translations[:1], frames, axis=0)
    hips = skeleton.joint("hips")
    moves = _drift(rng, times, 3) * (SWAY, SWAY / 3, SWAY)
    parent = skeleton.parents[hips]
    frame = pose.world_rotations[0, parent] if parent >= 0 else quaternion.identity()
    translations[:, hips] += quaternion.inverse_rotate(frame, moves)
    for role in _SWAYING:
        if role in skeleton.by_role:
            joint = skeleton.by_role[role]
            turn = quaternion.from_rotation_vector(_drift(rng, times, 3) * TILT)
            rotations[:, joint] = quaternion.multiply(rotations[:, joint], turn)
    flags = np.ones((frames, len(feet(skeleton))), dtype=bool)
    return replace(
        pose,
        rotations=rotations,
        translations=translations,
        fps=fps,
        contacts=Contacts(feet(skeleton), flags),
        name=f"{pose.name}_{seed}",
    )


def _raise_hips(
    skeleton: Skeleton, rotations: Array, translations: Array, legs: Legs, ankles: Sequence[Array]
) -> None:
    """Lift the hips of one pose (J, ...) until legs to `ankles` are as straight as those of a body at rest."""
    turned, placed = forward_kinematics(rotations, translations, skeleton.parents)
    lifts = []
    for ankle, chain, marks in zip(ankles, legs.chains, legs.marks):
        upper, lower, foot = placed[chain[marks[:3]]]
        length = STRAIGHTNESS * (np.linalg.norm(lower - upper) + np.linalg.norm(foot - lower))
        aside = (upper - ankle) * (1.0, 0.0, 1.0)
        lifts.append(ankle[1] + np.sqrt(max(length**2 - aside @ aside, 0.0)) - upper[1])
    hips = skeleton.joint("hips")
    parent = skeleton.parents[hips]
    frame = turned[parent] if parent >= 0 else quaternion.identity()
    translations[hips] += quaternion.inverse_rotate(frame, np.mean(lifts) * UP)


def _drift(rng: np.random.Generator, times: Array, width: int) -> Array:
    """(F, width) slow wavering of about unit size."""
    rates = rng.uniform(_SLOWEST, _QUICKEST, (4, width))
    phases = rng.uniform(0, 2 * np.pi, (4, width))
    return np.sin(2 * np.pi * rates * times[:, None, None] + phases).sum(axis=1) / 2
