"""Any clip as BVH; a clip that came from BVH in the dialect that it came in."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

import numpy as np

from moveset.errors import MovesetError
from moveset.formats.bvh.conventions import axis_of, is_silent, metres_of
from moveset.formats.bvh.document import Document, Joint, Vector
from moveset.formats.bvh.reader import z_up
from moveset.formats.bvh.text import number_block
from moveset.geometry import euler, quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Asset, Clip, Finding, Skeleton

WRITE_OPTIONS = ("order", "unit", "up", "rest")
ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
DECIMALS = 6
CENTIMETRE = 0.01
_STILL = 1e-6
"""Metres that a joint may move along its bone and count as rigid: a hundredth of what a round trip may cost."""
_UNSAFE = re.compile(r"[{}\r\n]")
_WORDS = {"p": "position", "r": "rotation", "s": "scale"}


def write(
    asset: Asset,
    *,
    path: str,
    order: str | None = None,
    unit: float | str | None = None,
    up: str | None = None,
    rest: Literal["rest", "zero"] = "rest",
) -> bytes:
    """The one clip of `asset`.

    `order` of the rotation channels (ZXY), `unit` (cm) and `up` (Y) default to those of the BVH file that the
    clip came from, and an untouched clip gets its own numbers back. Only joints that move along their bones have
    position channels. With `rest="rest"` zero rotations give the rest pose, for which the frames of joints are
    turned; `rest="zero"` keeps them.
    """
    clip = _one_clip(asset, path)
    if order is not None and order.upper() not in ORDERS:
        raise MovesetError(
            f"{order!r} is no rotation order", file=path, do=f"give one of {', '.join(ORDERS)}"
        )
    origin = _origin(asset, clip)
    metres = metres_of(unit, path) if unit is not None else origin.unit if origin else CENTIMETRE
    axis = axis_of(up, path) if up is not None else origin.up if origin else "Y"
    if origin and _untouched(clip, origin) and order is None and (metres, axis) == (origin.unit, origin.up):
        joints, values = origin.joints, origin.values
    else:
        dialect = origin if origin and axis == origin.up else None
        joints, values = _channels(_in_world(_depth_first(clip), axis, rest), dialect, order, metres)
    seconds = _frame_time(clip.fps, origin)
    head = f"{_hierarchy(joints)}MOTION\nFrames: {len(values)}\nFrame Time: {seconds}\n"
    return head.encode() + number_block(values, DECIMALS, path)


def losses(asset: Asset) -> tuple[Finding, ...]:
    """What a BVH file of `asset` leaves out."""
    out = []
    meshes = sum(len(character.meshes) for character in asset.characters)
    if meshes:
        out.append(
            Finding("not_carried", "info", "", f"{meshes} meshes: BVH holds skeletons only", value=meshes)
        )
    for clip in asset.clips:
        if clip.curves:
            out.append(
                Finding(
                    "not_carried", "warning", clip.name, f"{len(clip.curves)} curves", value=len(clip.curves)
                )
            )
        if clip.scales is not None and not np.allclose(clip.scales, 1, atol=1e-4):
            message = "animated scale, which few readers know, is written as positions of the joints below"
            out.append(Finding("not_carried", "info", clip.name, message))
    return tuple(out)


def _one_clip(asset: Asset, path: str) -> Clip:
    if len(asset.clips) == 1:
        return asset.clips[0]
    names = ", ".join(clip.name for clip in asset.clips[:8])
    raise MovesetError(
        f"a BVH file holds one clip, not {len(asset.clips)}",
        file=path,
        do=f"pick one of {names}" if names else "give an asset with a clip",
    )


def _origin(asset: Asset, clip: Clip) -> Document | None:
    """The BVH document that `clip` came from, if its joints are still those."""
    document = asset.source.document if asset.source else None
    if not isinstance(document, Document) or document.clip is None:
        return None
    before, now = document.clip.skeleton, clip.skeleton
    same = before.names == now.names and np.array_equal(before.parents, now.parents)
    return document if same and np.allclose(before.rest_translations, now.rest_translations) else None


def _untouched(clip: Clip, origin: Document) -> bool:
    read = origin.clip
    return (
        read is not None
        and clip.rotations is read.rotations
        and clip.translations is read.translations
        and clip.scales is read.scales
    )


def _frame_time(fps: float, origin: Document | None) -> str:
    if origin and origin.clip and origin.frame_time_text and fps == origin.clip.fps and origin.frame_time > 0:
        return origin.frame_time_text
    return f"{1 / fps:.9g}"


def _in_world(clip: Clip, up: str, rest: str) -> Clip:
    """The clip in an `up` world [m]; with `rest="rest"` in joint frames where the rest pose has no rotations."""
    skeleton = clip.skeleton
    rotations, translations, tips = clip.rotations, clip.translations, _tips(skeleton)
    offsets = skeleton.rest_translations
    if clip.scales is not None:
        translations = _unscaled(clip)
    if rest == "rest" and not np.allclose(np.abs(skeleton.rest_rotations[:, 3]), 1, atol=1e-9):
        # joint frames aligned with the world in rest: q' = G_parent q inverse(G), t' = G_parent t, G world rest
        world = skeleton.rest_world[0]
        above = np.where((skeleton.parents >= 0)[:, None], world[skeleton.parents], quaternion.IDENTITY)
        rotations = quaternion.multiply(quaternion.multiply(above, rotations), quaternion.conjugate(world))
        translations = quaternion.rotate(above, translations)
        offsets = quaternion.rotate(above, offsets)
        tips = quaternion.rotate(world, tips)
    if up == "Z":
        rotations, translations, offsets, tips = map(z_up, (rotations, translations, offsets, tips))
    at_zero = Skeleton(
        skeleton.names, skeleton.parents, quaternion.identity((len(skeleton),)), offsets, skeleton.roles, tips
    )
    return replace(clip, skeleton=at_zero, rotations=rotations, translations=translations, scales=None)


def _unscaled(clip: Clip) -> Array:
    """Translations that put the joints where the scales of their ancestors put them."""
    world = np.array(clip.scales)
    translations = np.array(clip.translations)
    for j, p in enumerate(clip.skeleton.parents):
        if p >= 0:
            translations[:, j] *= world[:, p]
            world[:, j] *= world[:, p]
    return translations


def _tips(skeleton: Skeleton) -> Array:
    """(J, 3); NaN for joints that need no End Site. A leaf of unknown length gets a third of its own bone."""
    tips = np.full((len(skeleton), 3), np.nan) if skeleton.tips is None else skeleton.tips.copy()
    for j in range(len(skeleton)):
        if not skeleton.children[j] and np.isnan(tips[j]).any():
            tips[j] = quaternion.inverse_rotate(skeleton.rest_rotations[j], skeleton.rest_translations[j] / 3)
    return tips


def _depth_first(clip: Clip) -> Clip:
    """The clip with joints in the order in which braces nest."""
    skeleton = clip.skeleton
    order = list(skeleton.depth_first)
    if order == list(range(len(skeleton))):
        return clip
    place = np.argsort(order)
    parents = np.where(skeleton.parents[order] < 0, -1, place[skeleton.parents[order]])
    sorted_skeleton = Skeleton(
        tuple(skeleton.names[j] for j in order),
        parents,
        skeleton.rest_rotations[order],
        skeleton.rest_translations[order],
        tuple(skeleton.roles[j] for j in order),
        None if skeleton.tips is None else skeleton.tips[order],
    )
    return replace(
        clip,
        skeleton=sorted_skeleton,
        rotations=clip.rotations[:, order],
        translations=clip.translations[:, order],
        scales=None if clip.scales is None else clip.scales[:, order],
    )


def _channels(
    clip: Clip, origin: Document | None, order: str | None, metres: float
) -> tuple[tuple[Joint, ...], Array]:
    """Joints with channels, and the values (F, C) in file units and degrees; in the words of `origin` if given."""
    skeleton = clip.skeleton
    known = origin.joints if origin else (None,) * len(skeleton)
    turns = [(order or (_order_of(k) if k else None) or "ZXY").upper() for k in known]
    angles = np.empty((len(clip), len(skeleton), 3))
    for turn in set(turns):
        members = [j for j, t in enumerate(turns) if t == turn]
        angles[:, members] = _degrees(clip.rotations[:, members], turn)
    moves = np.zeros(len(skeleton), dtype=bool)
    if len(clip):
        moves = np.ptp(clip.translations, axis=0).max(axis=-1) > _STILL

    joints: list[Joint] = []
    columns: list[Array] = []
    for j, name in enumerate(skeleton.names):
        before, track = known[j], clip.translations[:, j] / metres
        placed = bool(skeleton.parents[j] < 0 or moves[j] or (before and before.columns("p")))
        channels = [f"{axis}p" for axis in "XYZ"] * placed + [f"{axis}r" for axis in turns[j]]
        if before and sorted(before.channels) == sorted(channels) and order is None:
            channels = list(before.channels)
        for channel in channels:
            turn = channel[1] == "r"
            place = turns[j].index(channel[0]) if turn else "XYZ".index(channel[0])
            columns.append(angles[:, j, place] if turn else track[:, place])
        # a joint without position channels stands at its OFFSET, and so does one whose positions a reader may
        # take for silent
        offset = skeleton.rest_translations[j] / metres
        if len(track) and (not placed or is_silent(track, offset)):
            offset = track[0]
        if before and origin and metres == origin.unit:
            tips = before.tips
        else:
            tip = np.full(3, np.nan) if skeleton.tips is None else skeleton.tips[j] / metres
            tips = () if np.isnan(tip).any() else (_vector(tip),)
        joints.append(
            Joint(
                before.name if before else name,
                int(skeleton.parents[j]),
                _vector(offset),
                tuple(channels),
                tips,
            )
        )
    return tuple(joints), np.stack(columns, axis=1) if columns else np.zeros((len(clip), 0))


def _order_of(joint: Joint) -> str | None:
    order = "".join("XYZ"[axis] for axis, _ in joint.columns("r"))
    return order if order in ORDERS else None


def _vector(array: Array) -> Vector:
    return float(array[0]), float(array[1]), float(array[2])


def _degrees(rotations: Array, order: str) -> Array:
    """Angles (F, J, 3), each joint's free of jumps along time."""
    angles = euler.from_quaternion(np.asarray(rotations, dtype=np.float64), order)
    if len(angles) > 1:
        jumping = np.abs(np.diff(angles, axis=0)).max(axis=(0, 2)) > np.pi / 2
        angles[:, jumping] = euler.unroll(angles[:, jumping], order)
    return np.degrees(angles)


def _hierarchy(joints: tuple[Joint, ...]) -> str:
    """The header up to MOTION. Joints come depth first, as their braces nest."""
    lines = ["HIERARCHY"]
    open_joints: list[int] = []

    def vector(v: Vector) -> str:
        return " ".join(f"{round(x, DECIMALS) + 0.0:.{DECIMALS}f}" for x in v)

    def close() -> None:
        joint, pad = joints[open_joints.pop()], "\t" * len(open_joints)
        for tip in joint.tips:
            lines.extend((f"{pad}\tEnd Site", f"{pad}\t{{", f"{pad}\t\tOFFSET {vector(tip)}", f"{pad}\t}}"))
        lines.append(f"{pad}}}")

    for j, joint in enumerate(joints):
        while open_joints and open_joints[-1] != joint.parent:
            close()
        pad = "\t" * len(open_joints)
        name = _UNSAFE.sub("_", joint.name).strip() or "joint"
        lines.extend((f"{pad}{'JOINT' if joint.parent >= 0 else 'ROOT'} {name}", f"{pad}{{"))
        lines.append(f"{pad}\tOFFSET {vector(joint.offset)}")
        if joint.channels:
            words = " ".join(c[0] + _WORDS[c[1]] for c in joint.channels)
            lines.append(f"{pad}\tCHANNELS {len(joint.channels)} {words}")
        open_joints.append(j)
    while open_joints:
        close()
    return "\n".join(lines) + "\n"
