"""Planted feet: a toe that bears stays where it stood, exactly, and the leg follows by two-bone IK.

A whole clip is there to look at, unlike at run time: each support is pinned to where the toe stood in the middle of
it, and the corrections of two supports are joined smoothly while the foot swings, before it lands as well as after.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from moveset.conventions import UP
from moveset.geometry import quaternion, signal
from moveset.geometry.quaternion import Array
from moveset.motion import Clip, Contacts
from moveset.motion.contacts import detect_contacts, standing_heights
from moveset.motion.kinematics import scaled_offsets
from moveset.motion.legs import SIDES, find_legs

LOWEST, HIGHEST = -0.005, 0.03
"""A toe that bears further under or over its standing height [m] is brought back between the two; none goes deeper."""


def plant_feet(clip: Clip, contacts: Contacts | None = None, standing: Array | None = None) -> Clip:
    """The clip with every toe at rest on the floor while it bears; only the legs change.

    Where ankle and toe bear, the foot keeps its heading too. A rig without toes has its feet pinned.
    Flags are `contacts`, else the clip's own, else detected; `standing` (K,) [m] are heights of `motion.contacts.feet`
    when they stand, the clip's own unless given. A toe out of the leg's reach lifts its heel, and only where that is
    not enough does it slide.
    """
    from moveset.motion.leg_kernels import move_foot

    if not len(clip):
        return clip
    contacts = contacts or clip.contacts or detect_contacts(clip)
    heights = dict(zip(contacts.roles, standing_heights(clip) if standing is None else standing))
    legs = find_legs(clip.skeleton, clip.rotations)
    rotations = np.array(clip.rotations, dtype=np.float64)
    translations = np.asarray(clip.translations, dtype=np.float64)
    if clip.scales is not None:
        translations = scaled_offsets(translations, clip.scales, clip.skeleton.parents)
    translations = np.ascontiguousarray(translations)
    for side, chain, marks, hinge in zip(SIDES, legs.chains, legs.marks, legs.hinges):
        foot, end = chain[marks[2]], chain[marks[3]]
        toe = clip.world_positions[:, end]
        role = f"{side}Foot" if foot == end else f"{side}Toes"
        bears = _flags(contacts, role)
        wanted = _to_places(toe, bears)
        height = toe[:, 1] - heights.get(role, 0.0)
        wanted[:, 1] = np.clip(height, LOWEST, HIGHEST) - height
        offsets = _bridged(wanted, bears, clip.loop)
        offsets[:, 1] = np.maximum(offsets[:, 1], LOWEST - height)
        turns = np.zeros(len(clip))
        if foot != end:
            sole = toe - clip.world_positions[:, foot]
            heading = np.unwrap(np.arctan2(sole[:, 0], sole[:, 2]))
            flat = bears & _flags(contacts, f"{side}Foot")
            turns = _bridged(_to_places(heading[:, None], flat), flat, clip.loop)[:, 0]
        spins = quaternion.from_axis_angle(UP, turns)
        move_foot(rotations, translations, chain, marks, hinge, offsets, spins)
    return replace(clip, rotations=rotations.astype(clip.rotations.dtype, copy=False), contacts=contacts)


def _flags(contacts: Contacts, role: str) -> np.ndarray:
    """(F,) whether `role` bears; never, where that is not tracked."""
    if role not in contacts.roles:
        return np.zeros(len(contacts.flags), dtype=bool)
    return contacts.flags[:, contacts.roles.index(role)]


def _to_places(track: Array, bears: np.ndarray) -> Array:
    """(F, C) what holds a track (F, C) in each run of `bears` where it is in the middle of it; elsewhere 0."""
    wanted = np.zeros_like(track)
    for start, stop in signal.runs(bears):
        third = (stop - start - 1) // 3
        wanted[start:stop] = track[start + third : stop - third].mean(axis=0) - track[start:stop]
    return wanted


def _bridged(wanted: Array, bears: np.ndarray, loop: bool) -> Array:
    """Corrections (F, C) with those outside of `bears` led from one run to the next by smoothstep.

    Before the first and after the last run they stay; in a loop the last leads to the first.
    """
    frames = np.arange(len(bears))
    known = np.flatnonzero(bears)
    if not len(known):
        return np.zeros_like(wanted)
    if loop:
        known = np.concatenate((known[-1:] - len(bears), known, known[:1] + len(bears)))
    after = np.clip(np.searchsorted(known, frames), 1, max(len(known) - 1, 1))
    low, high = known[after - 1], known[np.minimum(after, len(known) - 1)]
    share = np.clip((frames - low) / np.maximum(high - low, 1), 0, 1)[:, None]
    share = share * share * (3 - 2 * share)
    bridge = wanted[low % len(bears)] * (1 - share) + wanted[high % len(bears)] * share
    return np.where(bears[:, None], wanted, bridge)
