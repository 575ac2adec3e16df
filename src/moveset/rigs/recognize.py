"""Roles for a skeleton that came without them: tables of conventions, names, shape, in this order.

A table that explains nearly all body roles wins. Else names and hierarchy tell what they can, and the skeleton's
shape confirms or completes it; where names tell little, the shape alone must be sure enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from moveset.geometry.quaternion import Array
from moveset.motion.character import Character
from moveset.motion.clip import Clip
from moveset.motion.roles import BODY, FRONT_FROM_ARM, QUADRUPED_BODY, kind_of
from moveset.motion.skeleton import Skeleton
from moveset.rigs import tables
from moveset.rigs.by_name import body_by_name
from moveset.rigs.extras import extras, root_above
from moveset.rigs.report import SURE, FoundRole, RoleReport
from moveset.rigs.shape import Shape, find_by_shape
from moveset.rigs.words import plain

__all__ = ["find_roles", "identify", "plain", "recognize", "skin_weights"]

_BY_TABLE = 1.0
_BY_NAME, _CONFIRMED, _DENIED = 0.9, 0.97, 0.7
"""Confidence in a body role by name: alone, where the shape agrees, where it says something else."""
_EXTRA = 0.9
_BODY = frozenset((*BODY, *QUADRUPED_BODY))


def recognize(skeleton: Skeleton, clips: Sequence[Clip] = (), weights: Array | None = None) -> Skeleton:
    """The same skeleton with the roles that can be told; roles that it has already are kept."""
    return skeleton if any(skeleton.roles) else identify(skeleton, clips, weights).applied()


def identify(skeleton: Skeleton, clips: Sequence[Clip] = (), weights: Array | None = None) -> RoleReport:
    """What each joint is on the body, how sure that is, and why.

    `clips` of the skeleton show how a rig stands and bends whose rest pose does not; `weights` (J,) which joints move
    vertices (`skin_weights`). Both only help where no table fits.
    """
    if any(skeleton.roles):
        stated = tuple(FoundRole(r, j, 1.0, "stated by the file") for r, j in skeleton.by_role.items())
        return RoleReport(skeleton, "file", stated)
    match = tables.match(skeleton)
    if match is not None:
        convention, roles = match.table.convention, dict(match.roles)
        if "tail1" in extras(skeleton, roles) or "tail1" in roles:
            # people's names are given to dogs, and people are given tails
            roles = _by_stance(roles, find_by_shape(skeleton, clips, weights))
        found = [FoundRole(r, j, _BY_TABLE, f"{convention} names it so") for r, j in roles.items()]
    else:
        named, shape = body_by_name(skeleton), find_by_shape(skeleton, clips, weights)
        convention, found = _weigh(skeleton, named, shape)
    body = {f.role: f.joint for f in found if f.confidence >= SURE}
    more = extras(skeleton, body)
    found += [FoundRole(role, joint, _EXTRA, "its name says so") for role, joint in more.items()]
    return RoleReport(skeleton, convention if found else "none", tuple(found))


def find_roles(skeleton: Skeleton) -> dict[str, int]:
    """Joint number by role, for as many roles as can be told."""
    return dict(identify(skeleton).roles)


def skin_weights(characters: Iterable[Character], joints: int) -> Array | None:
    """(J,) how much of all vertices each joint moves; None without meshes."""
    weights = np.zeros(joints)
    for character in characters:
        for mesh in character.meshes:
            np.add.at(
                weights, mesh.skin_joints[mesh.joint_indices.ravel()], np.nan_to_num(mesh.weights.ravel())
            )
    return weights if weights.any() else None


def _weigh(skeleton: Skeleton, named: Mapping[str, int], shape: Shape) -> tuple[str, list[FoundRole]]:
    """Names where they tell a body, confirmed by the shape; else the shape where it is sure; else what there is."""
    named = _by_stance(named, shape)
    by_name = []
    for role, joint in named.items():
        other = shape.roles.get(role)
        agrees = other == joint
        doubt = other is not None and not agrees and shape.confidence[role] > _CONFIRMED
        confidence = _CONFIRMED if agrees else _DENIED if doubt else _BY_NAME
        why = "its name and place say so" if agrees else "its name says so"
        by_name.append(FoundRole(role, joint, confidence, why))
    if kind_of(named) != "partial":
        return "names", by_name
    by_shape = [FoundRole(r, j, shape.confidence[r], shape.why) for r, j in shape.roles.items()]
    sure = [f for f in by_shape if f.confidence >= SURE]
    if kind_of(f.role for f in sure) == shape.kind != "partial" or (by_shape and not by_name):
        held = {f.role for f in by_shape} | {skeleton.names[f.joint] for f in by_shape}
        extra = [f for f in by_name if f.role not in held and skeleton.names[f.joint] not in held]
        if "hips" in shape.roles and (root := root_above(skeleton, shape.roles["hips"])) is not None:
            by_shape = [f for f in by_shape if f.role != "root"]
            by_shape.append(FoundRole("root", root, shape.confidence["hips"], "above the hips"))
        return "shape", by_shape + [f for f in extra if f.role != "root"]
    return "names", by_name


def _by_stance(named: Mapping[str, int], shape: Shape) -> dict[str, int]:
    """Arms become front legs where the body surely goes on four legs, front legs arms where it surely stands."""
    sure = bool(shape.confidence) and float(np.mean(list(shape.confidence.values()))) >= SURE
    front_of = {arm: front for front, arm in FRONT_FROM_ARM.items()}
    to = {"quadruped": front_of, "humanoid": dict(FRONT_FROM_ARM)}.get(shape.kind, {}) if sure else {}
    limbs = {named[role] for role in to if role in named}
    same = limbs & {shape.roles.get(role) for role in to.values()}  # the shape speaks of the same limbs
    return {to.get(role, role): joint for role, joint in named.items()} if same else dict(named)
