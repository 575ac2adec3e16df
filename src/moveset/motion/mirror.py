"""The same motion with left and right exchanged.

World rotations become M G(other side) S_j, with M the reflection x -> -x and S_j each joint's own reflection of
its axes. Joint positions are right for several S_j, so only rotations show a wrong one. Where the rest pose is
itself symmetric, S_j follows from it: the mirrored rest pose is the rest pose. Rigs whose rest says nothing about
their bone frames are decided by the motion: S_j is then the axis flip whose mirrored mean local rotation comes
nearest to the unmirrored one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion.clip import Annotation, Clip, Contacts, Tags
from moveset.motion.roles import BODY, mirrored
from moveset.motion.skeleton import Skeleton

REFLECTION = np.diag([-1.0, 1.0, 1.0])
"""M: the world's left becomes its right."""
AXIS_FLIPS = tuple(np.diag(d) for d in ((-1.0, 1, 1), (1, -1.0, 1), (1, 1, -1.0), (-1.0, -1, -1)))
"""The reflections that map axes to axes."""

_OFFSET_TOLERANCE = 0.1
"""How far a mirrored bone may miss its twin, as a share of its length."""
_CLEARLY_BETTER = np.radians(25.0)
"""Gain in mean error over the body from which clips overrule the rest pose. Rigs whose rest pose speaks gain 0 to 2
degrees, however lopsided the clip; the Bandai-Namco sets, whose rest pose is mute, gain 36 to 87."""


@dataclass(frozen=True, eq=False)
class Symmetry:
    """How a skeleton is mirrored."""

    twins: np.ndarray
    """(J,) the joint on the other side; a joint of the middle is its own twin."""
    flips: Array
    """(J, 3, 3) reflection of each joint's own axes."""


def mirror(clip: Clip, symmetry: Symmetry | None = None) -> Clip:
    """The clip with left and right exchanged: motion, contacts, events, curves and words.

    Give the `symmetry` of the skeleton when many clips must agree; else it is found from this clip.
    """
    skeleton = clip.skeleton
    symmetry = find_symmetry(skeleton, [clip]) if symmetry is None else symmetry
    twins, flips, parents = symmetry.twins, symmetry.flips, skeleton.parents
    above = np.where((parents >= 0)[:, None, None], flips[parents], REFLECTION)
    below = np.swapaxes(above, -1, -2)

    rotations = _conjugated(below, clip.rotations[:, twins], flips)
    # bones keep their own length: only what differs from the rest offset is exchanged
    own, others = skeleton.rest_translations, skeleton.rest_translations[twins]
    rooted = (parents < 0)[:, None]
    moved = np.einsum("jab,fjb->fja", below, clip.translations[:, twins] - np.where(rooted, 0, others))
    scales = None if clip.scales is None else np.einsum("jba,fjb->fja", flips**2, clip.scales[:, twins])
    return replace(
        clip,
        rotations=quaternion.unroll(rotations),
        translations=moved + np.where(rooted, 0, own),
        scales=scales,
        name=_mirrored_name(clip.name),
        tags=_mirrored_tags(clip.tags),
        events=tuple(replace(e, name=swap_sides(e.name), role=mirrored(e.role)) for e in clip.events),
        contacts=None if clip.contacts is None else _mirrored_contacts(clip.contacts),
        curves={swap_sides(name): curve for name, curve in clip.curves.items()},
    )


def find_symmetry(skeleton: Skeleton, clips: Sequence[Clip] = ()) -> Symmetry:
    """Twins by role (joints without one by their place), reflections from the rest pose or from `clips`.

    Clips overrule the rest pose only for the whole skeleton and only if that brings mirrored and unmirrored mean
    rotations clearly closer: one lopsided clip says little.
    """
    twins = find_twins(skeleton)
    from_rest = _flips_of_rest(skeleton, twins)
    if not clips:
        return Symmetry(twins, from_rest)
    means = quaternion.to_matrix(quaternion.mean(np.concatenate([clip.rotations for clip in clips])))
    body = [j for role, j in skeleton.by_role.items() if role in BODY] or list(range(len(skeleton)))
    from_clips = _flips_of_motion(skeleton, twins, from_rest, means)
    rest_errors, errors = (_errors(skeleton, twins, flips, means)[body] for flips in (from_rest, from_clips))
    better = np.mean(errors) < np.mean(rest_errors) - _CLEARLY_BETTER
    return Symmetry(twins, from_clips if better else from_rest)


def find_twins(skeleton: Skeleton) -> np.ndarray:
    """(J,) the joint on the other side of each joint."""
    twins = np.arange(len(skeleton))
    for j, role in enumerate(skeleton.roles):
        if role is not None:
            twins[j] = skeleton.by_role.get(mirrored(role) or role, j)
    reflection, positions = _plane(skeleton, twins), skeleton.rest_world[1]
    center = positions[skeleton.by_role.get("hips", 0)]
    taken = {j for j, role in enumerate(skeleton.roles) if role is not None}
    for j, parent in enumerate(skeleton.parents):
        if j in taken or parent < 0:
            continue
        target = reflection @ (positions[j] - center) + center
        free = [c for c in skeleton.children[twins[parent]] if c not in taken]
        if free:
            twin = min(free, key=lambda c: float(np.linalg.norm(positions[c] - target)))
            twins[j], twins[twin] = twin, j
            taken |= {j, twin}
    return twins


def _plane(skeleton: Skeleton, twins: np.ndarray) -> Array:
    """The reflection that exchanges the sides of the rest pose, which may face any axis."""
    positions = skeleton.rest_world[1]
    left = [j for j, role in enumerate(skeleton.roles) if role and role.startswith("left") and twins[j] != j]
    if not left:
        return REFLECTION
    across = np.abs(np.sum(positions[left] - positions[twins[left]], axis=0))
    return np.diag(np.where(np.arange(3) == np.argmax(across), -1.0, 1.0))


def _flips_of_rest(skeleton: Skeleton, twins: np.ndarray) -> Array:
    """Reflections under which the mirrored rest pose is the rest pose."""
    rotations = quaternion.to_matrix(skeleton.rest_world[0])
    return np.swapaxes(rotations[twins], -1, -2) @ _plane(skeleton, twins) @ rotations


def _flips_of_motion(skeleton: Skeleton, twins: np.ndarray, from_rest: Array, means: Array) -> Array:
    """Of the reflections that bring bones onto bones, those nearest to the `means`, from the root down.

    The hips have bones in enough directions to leave one choice.
    """
    flips = from_rest.copy()
    for j in range(len(skeleton)):
        if twins[j] < j:  # the other side was decided: the same choice seen from here
            flips[j] = flips[twins[j]].T
            continue
        errors = {}
        for number, flip in enumerate((from_rest[j], *AXIS_FLIPS)):
            if _fits_bones(skeleton, twins, j, flip):
                flips[j] = flip
                errors[number] = _errors(skeleton, twins, flips, means)[j]
        best = min(errors, key=errors.__getitem__, default=0)
        flips[j] = (from_rest[j], *AXIS_FLIPS)[best]
    return flips


def _errors(skeleton: Skeleton, twins: np.ndarray, flips: Array, means: Array) -> Array:
    """(J,) angle between each mean local rotation and the mirrored one of the other side [rad]."""
    above = np.where((skeleton.parents >= 0)[:, None, None], flips[skeleton.parents], REFLECTION)
    difference = np.swapaxes(means, -1, -2) @ np.swapaxes(above, -1, -2) @ means[twins] @ flips
    errors = np.arccos(np.clip((np.trace(difference, axis1=-2, axis2=-1) - 1) / 2, -1, 1))
    # the mean rotations of the hips and the joints above them say where a clip went and nothing else
    errors[skeleton.lineage(skeleton.by_role.get("hips", 0))] = 0.0
    return errors


def swap_sides(text: str) -> str:
    """`text` with left and right exchanged, in any case and inside compounds (LeftFoot, foot_left)."""
    return re.sub("left|right", lambda m: _LIKE[m[0]] if m[0] in _LIKE else m[0], text, flags=re.IGNORECASE)


_LIKE = {"left": "right", "right": "left", "Left": "Right", "Right": "Left", "LEFT": "RIGHT", "RIGHT": "LEFT"}
_SUFFIX = "_mirrored"


def _fits_bones(skeleton: Skeleton, twins: np.ndarray, joint: int, flip: Array) -> bool:
    """Whether `flip` brings the bones below the twin onto the bones below `joint`."""
    offsets = skeleton.rest_translations
    for child in skeleton.children[joint]:
        own, other = offsets[child], offsets[twins[child]]
        if np.linalg.norm(flip.T @ other - own) > _OFFSET_TOLERANCE * max(np.linalg.norm(own), 1e-3):
            return False
    return True


def _conjugated(left: Array, rotations: Array, right: Array) -> Array:
    """left R right of rotations (F, J, 4) between reflections (J, 3, 3): a = left right is a rotation.

    left R right = (left R left^-1) (left right), and a reflection turns the axis of R and its sense.
    """
    axes = -np.einsum("jab,fjb->fja", left, rotations[..., :3])
    turned = np.concatenate((axes, rotations[..., 3:]), axis=-1)
    return quaternion.multiply(turned, quaternion.from_matrix(left @ right))


def _mirrored_name(name: str) -> str:
    return name.removesuffix(_SUFFIX) if name.endswith(_SUFFIX) else name + _SUFFIX


def _mirrored_tags(tags: Tags) -> Tags:
    def swapped(value: Any) -> Any:
        return swap_sides(value) if isinstance(value, str) else tuple(swap_sides(word) for word in value)

    annotation = Annotation(**{key: swapped(value) for key, value in vars(tags.annotation).items()})
    return replace(tags, words=swapped(tags.words), annotation=annotation, sentence=swapped(tags.sentence))


def _mirrored_contacts(contacts: Contacts) -> Contacts:
    """Flags in the order of the same roles where both sides are there, else under the other side's roles."""
    roles = [mirrored(role) for role in contacts.roles]
    if set(roles) != set(contacts.roles):
        return Contacts(tuple(role for role in roles if role), contacts.flags)
    return Contacts(contacts.roles, contacts.flags[:, [roles.index(role) for role in contacts.roles]])
