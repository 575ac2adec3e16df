"""Additive clips: differences to be added to another clip. Read as poses they crumple the body.

Evidence counts in this order: what the sidecar says, then what the file itself does (both in Clip.additive: formats/
sidecar.py, glTF extras, an FBX property), then what the numbers say, and last the name, which never decides alone:
aim-offset poses are often exported as full poses.
"""

from __future__ import annotations

import re

import numpy as np

from moveset.audit.check import Check
from moveset.geometry import quaternion
from moveset.motion import Clip, Finding

_HINT = re.compile(r"additive|(?:^|[_\W])(?:add|aim|ao|aimoffset|delta|lean|recoil)(?:$|[_\W\d])", re.I)
_ADVICE = "leave it out of the library, or bake it onto its base pose"

COLLAPSED = 0.8
"""Share of bones without their length. A pose keeps bone lengths in its translations, a difference has none."""
NEAR = np.deg2rad(20)
"""Differences turn joints little: 9 of 10 rotations of an aim offset or a breathing layer stay below this."""
BONE = 1e-2
"""Rest offsets shorter than this [of the longest] say nothing about bone lengths."""


def additive(clip: Clip) -> list[Finding]:
    """An error when file or numbers say additive, information when only the name does."""
    if clip.additive is not None:
        text = "the file marks the clip as additive"
        return [_finding(clip, "error", text, None)] if clip.additive else []
    share = bones_without_length(clip)
    if share > COLLAPSED:
        text = f"{share:.0%} of the bones have no length: the tracks are differences, not poses"
        return [_finding(clip, "error", text, share)]
    hint = _HINT.search(clip.name)
    if around_identity(clip):
        text = "all rotations stay near identity and the hips stay at the origin, as in differences"
        return [_finding(clip, "error" if hint else "warning", text, share)]
    if hint:
        text = f"the name says additive ({hint.group(0).strip('_- ')!r}), the tracks are full poses"
        advice = "if it is meant to be added to another clip, keep it out of the library of poses"
        return [_finding(clip, "info", text, share, advice)]
    return []


def is_additive(clip: Clip) -> bool:
    """Whether the clip is not made of poses: the file says so, or its numbers do."""
    return any(finding.severity != "info" for finding in additive(clip))


def bones_without_length(clip: Clip) -> float:
    """Share of the bones whose translations stay below a tenth of their rest length; 0 without long bones."""
    skeleton = clip.skeleton
    lengths = np.linalg.norm(skeleton.rest_translations, axis=-1)
    bones = (lengths > BONE * lengths.max(initial=0)) & (skeleton.parents >= 0)
    if bones.sum() < 3 or len(clip) == 0:
        return 0.0
    moved = np.linalg.norm(clip.translations[:, bones], axis=-1).max(axis=0)
    return float((moved < 0.1 * lengths[bones]).mean())


def around_identity(clip: Clip) -> bool:
    """Whether rotations gather at identity, nearer than at the rest pose, and the hips at the origin."""
    skeleton = clip.skeleton
    hips = skeleton.by_role.get("hips", 0)
    height = float(skeleton.rest_world[1][hips, 1])
    if len(clip) == 0 or abs(height) < 0.1:
        return False
    to_identity = quaternion.angle(clip.rotations)
    if np.percentile(to_identity, 90) >= NEAR:
        return False
    to_rest = quaternion.angle_between(skeleton.rest_rotations, clip.rotations)
    if to_identity.mean() > to_rest.mean() + 1e-9:
        return False
    return bool(np.linalg.norm(clip.world_positions[:, hips], axis=-1).max() < 0.3 * abs(height))


def _finding(clip: Clip, severity: str, message: str, value: float | None, advice: str = _ADVICE) -> Finding:
    return Finding(
        "additive", severity, clip.name, message, value=value, unit="" if value is None else "of bones",
        advice=advice,
    )  # fmt: skip


CHECKS = (Check("additive", "differences meant to be added to another clip", additive, needs="finite"),)
