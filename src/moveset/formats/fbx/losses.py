"""What an FBX file of an asset does not carry, or carries in a way that some programs do not understand."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from moveset.conventions import POSITION_TOLERANCE
from moveset.formats.fbx.bind import find_bind
from moveset.motion import Asset, Character, Clip, Finding

LONGEST_NAME = 63
"""Bytes of a name that Blender keeps."""
_REWRITTEN = re.compile(r"[^0-9A-Za-z_:]|^[0-9]")
_TOUCHING = 1e-6
"""How near Blender takes the head of a bone for its parent's tail [m]."""


def losses(asset: Asset) -> tuple[Finding, ...]:
    """What of `asset` an FBX file does not carry, or carries in a way that some programs do not understand."""
    out = []
    rates = sorted({clip.fps for clip in asset.clips})
    if len(rates) > 1:
        listed = ", ".join(f"{fps:g}" for fps in rates)
        message = (
            f"clips run at {listed} frames a second; an FBX file states one rate, keys keep their own times"
        )
        out.append(Finding("mixed_rates", "info", "", message, value=float(len(rates))))
    names = Counter(name for character in asset.characters for name in character.skeleton.names)
    shared = [name for name, times in names.items() if times > 1]
    if shared:
        message = f"{len(shared)} joint names as {shared[0]!r} occur in several characters; they get a number"
        out.append(
            Finding("shared_names", "warning", "", message, count=len(shared), advice="one character a file")
        )
    for character in asset.characters:
        out += _character_losses(character) + _connected(character, asset.clips)
    for clip in asset.clips:
        if clip.scales is not None and not np.allclose(clip.scales, clip.scales[..., :1], atol=1e-4):
            message = (
                f"{clip.name}: scale that differs by axis; Unreal leaves out the shear that it makes below"
            )
            out.append(Finding("uneven_scale", "info", clip.name, message))
    return tuple(out)


def _character_losses(character: Character) -> list[Finding]:
    out, skeleton = [], character.skeleton
    if len(skeleton.roots) > 1:
        message = (
            f"{len(skeleton.roots)} roots are put below one node: Unreal takes one root, and that node is it"
        )
        out.append(Finding("several_roots", "info", "", message, value=float(len(skeleton.roots))))
    long = [name for name in skeleton.names if len(name.encode()) > LONGEST_NAME]
    if long:
        message = (
            f"{len(long)} joint names are longer than the {LONGEST_NAME} bytes that Blender keeps: {long[0]}"
        )
        out.append(Finding("long_names", "warning", "", message, count=len(long), advice="shorten them"))
    rewritten = [name for name in skeleton.names if _REWRITTEN.search(name)]
    if rewritten:
        message = (
            f"{len(rewritten)} joint names as {rewritten[0]!r} stay as they are; Maya and Unreal spell them anew, as "
            "they do in the rig's own file"
        )
        out.append(Finding("names", "info", "", message, count=len(rewritten)))
    if character.meshes and not find_bind(skeleton, character.meshes).one_pose:
        message = "meshes are bound to different poses of one skeleton; Blender takes one of them for all"
        out.append(Finding("bind_pose", "warning", "", message, advice="look at the result in the program"))
    if skeleton.tips is not None and np.isfinite(skeleton.tips).all(axis=1).any():
        out.append(Finding("tips", "info", "", "ends of the last bones are not carried"))
    return out


def _connected(character: Character, clips: Sequence[Clip]) -> list[Finding]:
    """Joints whose place is animated and at rest where Blender puts the tail of the joint above: as far along its Y axis
    as its children are away on average. It connects such bones, and then they turn but do not move.
    """
    skeleton = character.skeleton
    lengths = np.linalg.norm(skeleton.rest_translations, axis=1)
    tails = [np.mean([lengths[c] for c in below]) if below else 0.0 for below in skeleton.children]
    at_tail = [
        name
        for name, parent, place in zip(skeleton.names, skeleton.parents, skeleton.rest_translations)
        if parent >= 0 and np.abs(place - (0, tails[parent], 0)).max() < _TOUCHING
    ]
    moving = set()
    for clip in clips:
        for name in (set(at_tail) - moving) & clip.skeleton.index.keys():
            if np.ptp(clip.translations[:, clip.skeleton.index[name]], axis=0).max() > POSITION_TOLERANCE:
                moving.add(name)
    if not moving:
        return []
    names = [name for name in at_tail if name in moving]
    message = f"Blender connects {', '.join(names[:4])} to the joint above, and then does not move them"
    advice = "in Blender only: disconnect these bones before the animation is imported, or use glTF"
    return [Finding("connected_bones", "info", "", message, count=len(names), advice=advice)]
