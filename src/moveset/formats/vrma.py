"""VRM animations (.vrma): a glTF of humanoid bones that says which is which, for any VRM avatar to play.

VRMC_vrm_animation 1.0 asks for a rest pose in T-pose, rotations alone, and a translation of the hips.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from moveset.errors import MovesetError
from moveset.formats.gltf import container
from moveset.formats.gltf.build import build
from moveset.formats.gltf.read import read
from moveset.formats.registry import Format
from moveset.motion import Asset, Character, Clip, Finding, Skeleton
from moveset.motion.roles import HUMANOID, ROOT, SOCKETS

KEY = "VRMC_vrm_animation"
_ARM_RAISED = 0.8
"""Cosine between an arm at rest and the side, above which it is a T-pose's."""


def write(asset: Asset, *, path: str) -> bytes:
    """The asset's clip. Its rest must be a T-pose (`retarget.humanoid.on_humanoid` makes it one)."""
    if len(asset.clips) != 1:
        raise MovesetError(f"a .vrma plays one clip, not {len(asset.clips)}", do="write a file for each clip")
    clip = asset.clips[0]
    skeleton = clip.skeleton
    if skeleton.missing_roles:
        raise MovesetError(
            f"clip {clip.name!r} is of no humanoid: no joint plays {', '.join(skeleton.missing_roles)}",
            do="give the joints roles first",
        )
    if not _rests_in_t_pose(skeleton):
        raise MovesetError(
            f"clip {clip.name!r} does not rest in a T-pose, which a .vrma must",
            do="convert it with `moveset convert --to vrma`, which sees to that",
        )
    clip = _turns_alone(clip)
    bare = replace(asset, characters=(Character(skeleton, name=clip.name),), clips=(clip,), source=None)
    document, binary = build(bare, [clip])
    nodes = {node["name"]: number for number, node in enumerate(document["nodes"])}
    bones = {
        role: {"node": nodes[skeleton.names[joint]]}
        for role, joint in skeleton.by_role.items()
        if role in HUMANOID and role not in (ROOT, *SOCKETS)
    }
    document["extensionsUsed"] = [*document.get("extensionsUsed", []), KEY]
    document.setdefault("extensions", {})[KEY] = {"specVersion": "1.0", "humanoid": {"humanBones": bones}}
    return container.join(document, binary)


def losses(asset: Asset) -> tuple[Finding, ...]:
    """What a .vrma of `asset` leaves out: how joints but the hips move along, and scale."""
    out = []
    for clip in asset.clips:
        moving = np.ptp(clip.translations, axis=0).max(axis=1) > 1e-4
        moving[clip.skeleton.by_role.get("hips", 0)] = False
        if moving.any() or clip.scales is not None:
            message = f"joints turn only: how {int(moving.sum())} move along is left out"
            out.append(
                Finding(
                    "left_out",
                    "info",
                    clip.name,
                    message + (", and scale" if clip.scales is not None else ""),
                )
            )
    return tuple(out)


def _rests_in_t_pose(skeleton: Skeleton) -> bool:
    positions = skeleton.rest_world[1]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        arm = positions[skeleton.joint(f"{side}Hand")] - positions[skeleton.joint(f"{side}UpperArm")]
        if sign * arm[0] < _ARM_RAISED * np.linalg.norm(arm):
            return False
    return True


def _turns_alone(clip: Clip) -> Clip:
    """The clip without translations but those of the hips."""
    hips = clip.skeleton.joint("hips")
    translations = np.repeat(clip.skeleton.rest_translations[None], len(clip), axis=0)
    translations[:, hips] = clip.translations[:, hips]
    return replace(clip, translations=translations, scales=None)


FORMAT = Format("vrma", (".vrma",), read, write, single_clip=True, holds_meshes=False, losses=losses)
