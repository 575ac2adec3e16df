"""Unity AnimationClips saved as text (.anim) with curves of transforms. Unity is left-handed: x is turned round.

A clip names transforms by path and keys what moves; rest poses and bone lengths are the character's. A file that
keys the positions of all its bones, as the one written here does, is whole. Clips of Unity's humanoid muscles
(m_FloatCurves) say nothing without the avatar that they were made for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import PurePath

import numpy as np

from moveset.conventions import FPS_RANGE
from moveset.errors import MovesetError
from moveset.formats.limits import refuse_long
from moveset.formats.registry import Format, left_out
from moveset.formats.unity_curves import Curve, parse_curves
from moveset.geometry import euler, quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Asset, Character, Clip, Finding, Skeleton, Source

_HEAD = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!74 &7400000\nAnimationClip:\n"
_MIRROR_POSITION, _MIRROR_ROTATION = np.array([-1.0, 1, 1]), np.array([1.0, -1, -1, 1])
_ORDERS = ("XYZ", "XZY", "YZX", "YXZ", "ZXY", "ZYX")
"""Of m_RotationOrder, the first turn first and about fixed axes; 4, z then x then y, is usual."""
_MOST_SECONDS = 1e5
_MOST_BONES = 10_000
_LONGEST_PATH = 4096
_CLOSED = 1e-3
"""Difference of a loop's first and last pose [m, or of quaternions] below which they are one."""


def read(data: bytes, *, path: str, sibling: Callable[[str], bytes] | None = None) -> Asset:
    """The clip of a file, on a skeleton made of the paths that it names."""
    text = data.decode("utf-8", "replace")
    if "AnimationClip:" not in text[:4096]:
        raise MovesetError(
            "is no AnimationClip as text", file=path, do="set Unity's asset serialization to Force Text"
        )
    curves = parse_curves(text, path)
    if not curves:
        muscles = "m_FloatCurves:\n  - " in text
        raise MovesetError(
            "moves humanoid muscles, not transforms" if muscles else "moves no transform",
            file=path,
            do="bake it to transforms in Unity, or export the character with the clip as FBX",
        )
    fps = _number(text, "m_SampleRate", 60.0)
    end = max(curve.times[-1] for curve in curves)
    if not FPS_RANGE[0] <= fps <= FPS_RANGE[1] or not 0 <= end < _MOST_SECONDS:
        raise MovesetError(f"lasts {end:g} s at {fps:g} frames a second", file=path, do="save the clip again")
    names = _with_parents({curve.path for curve in curves}, path)
    frames = int(np.floor(end * fps + 1e-4)) + 1
    refuse_long(frames, len(names), len(data), path)
    name = _word(text, "m_Name") or PurePath(path).stem
    return _asset(
        curves, names, np.arange(frames) / fps, fps, name, _number(text, "m_LoopTime", 0) == 1, path
    )


def write(asset: Asset, *, path: str) -> bytes:
    """The asset's clip, for a character whose transforms are named as its joints, root first, below the Animator."""
    if len(asset.clips) != 1:
        raise MovesetError(
            f"an .anim holds one clip, not {len(asset.clips)}", do="write a file for each clip"
        )
    clip = asset.clips[0]
    if not clip.is_finite or not len(clip):
        raise MovesetError(f"clip {clip.name!r} is empty or holds NaN", file=path, do="repair it first")
    loops, seconds = clip.loop, clip.seconds
    if loops:  # Unity's loops end with the pose that they began with
        again = np.append(np.arange(len(clip)), 0)
        tracks = [None if t is None else t[again] for t in (clip.rotations, clip.translations, clip.scales)]
        clip = replace(
            clip,
            rotations=tracks[0],
            translations=tracks[1],
            scales=tracks[2],
            loop=False,
            contacts=None,
            curves={},
        )
    rotations = quaternion.unroll(quaternion.normalize(clip.rotations)) * _MIRROR_ROTATION
    translations = clip.translations * _MIRROR_POSITION
    paths = _paths(clip.skeleton)
    lines = [_HEAD.rstrip("\n"), f"  m_Name: {_quoted(clip.name)}", "  serializedVersion: 6", "  m_Legacy: 0"]
    lines += ["  m_Compressed: 0", "  m_UseHighQualityCurve: 1"]
    tracks = (
        ("m_RotationCurves", rotations),
        ("m_PositionCurves", translations),
        ("m_ScaleCurves", clip.scales),
    )
    for section, track in tracks:
        if track is None:
            lines.append(f"  {section}: []")
            continue
        lines.append(f"  {section}:")
        for joint, place in enumerate(paths):
            lines += _curve(clip.times, track[:, joint], clip.fps, place)
    for section in ("m_CompressedRotationCurves", "m_EulerCurves", "m_FloatCurves", "m_PPtrCurves"):
        lines.append(f"  {section}: []")
    lines += [f"  m_SampleRate: {clip.fps:.9g}", "  m_WrapMode: 0", "  m_AnimationClipSettings:"]
    lines += ["    serializedVersion: 2", "    m_StartTime: 0", f"    m_StopTime: {seconds:.9g}"]
    lines += [f"    m_LoopTime: {int(loops)}", "  m_Events: []"]
    return ("\n".join(lines) + "\n").encode()


def losses(asset: Asset) -> tuple[Finding, ...]:
    """What an .anim leaves out."""
    return left_out("the .anim", asset, "meshes", "events", "curves")


def _asset(
    curves: list[Curve], names: list[str], times: Array, fps: float, name: str, loop: bool, path: str
) -> Asset:
    at = {place: joint for joint, place in enumerate(names)}
    parents = np.array([at.get(place.rpartition("/")[0], -1) if place else -1 for place in names])
    count = len(names)
    rotations = quaternion.identity((len(times), count))
    translations, scales = np.zeros((len(times), count, 3)), np.ones((len(times), count, 3))
    placed = np.zeros(count, dtype=bool)
    for curve in curves:
        joint = at[curve.path]
        values = curve.at(times)
        if curve.kind == "rotation":
            rotations[:, joint] = quaternion.normalize(values) * _MIRROR_ROTATION
        elif curve.kind == "euler":
            order = _ORDERS[curve.order] if 0 <= curve.order < len(_ORDERS) else "ZXY"
            angles = np.radians(values)[:, ["XYZ".index(axis) for axis in order]]
            rotations[:, joint] = euler.to_quaternion(angles, order, "extrinsic") * _MIRROR_ROTATION
        elif curve.kind == "position":
            translations[:, joint], placed[joint] = values * _MIRROR_POSITION, True
        else:
            scales[:, joint] = values
    own = [place.rpartition("/")[2] or "root" for place in names]
    if len(set(own)) < count:
        own = [place or "root" for place in names]
    skeleton = Skeleton(tuple(own), parents, rotations[0], translations[0])
    findings = []
    unplaced = int((~placed & (parents >= 0)).sum())
    if unplaced:
        message = (
            f"{unplaced} of {count} bones have no position in the file; their lengths are unknown and 0 here"
        )
        findings.append(
            Finding(
                "no_bones",
                "warning",
                name,
                message,
                count=unplaced,
                advice="export the character with the clip as FBX",
            )
        )
    scaled = scales if np.abs(scales - 1).max() > 1e-3 else None
    clip = Clip(skeleton, quaternion.unroll(rotations), translations, fps, name, scaled)
    if loop:
        clip = _closed(clip)
    return Asset((Character(skeleton, name=name),), (clip,), tuple(findings), Source(path, "unity"))


def _closed(clip: Clip) -> Clip:
    """A cycle whose last pose is its first loses it and loops; one that ends elsewhere plays once."""
    turned = 1 - np.abs(np.sum(clip.rotations[-1] * clip.rotations[0], axis=-1)).min()
    moved = np.abs(clip.translations[-1] - clip.translations[0]).max()
    if len(clip) < 2 or max(turned, moved) > _CLOSED:
        return clip
    return replace(clip.slice(0, len(clip) - 1), loop=True)


def _with_parents(paths: set[str], path: str) -> list[str]:
    """Every path and those above it, parents first."""
    known = set(paths)
    for place in paths:
        while (place := place.rpartition("/")[0]) and place not in known:
            known.add(place)
            if len(known) > _MOST_BONES or len(place) > _LONGEST_PATH:
                raise MovesetError(
                    "names more transforms than a character has", file=path, do="save the clip again"
                )
    return sorted(known, key=lambda place: place.split("/") if place else [])


def _paths(skeleton: Skeleton) -> list[str]:
    paths: list[str] = []
    for name, parent in zip(skeleton.names, skeleton.parents.tolist()):
        clean = name.replace("/", "_").replace("\n", "_")
        paths.append(f"{paths[parent]}/{clean}" if parent >= 0 else clean)
    return paths


def _curve(times: Array, values: Array, fps: float, place: str) -> Iterator[str]:
    """A key a frame, or two where nothing moves; slopes are those of straight lines on either side."""
    if len(times) > 2 and np.ptp(values, axis=0).max() < 1e-7:
        times, values = times[[0, -1]], values[[0, -1]]
    gaps = np.maximum(np.diff(times), 1e-9)[:, None]
    steps = np.diff(values, axis=0) / gaps
    inward, outward = np.concatenate((steps[:1], steps)), np.concatenate((steps, steps[-1:]))
    if not len(steps):
        inward = outward = np.zeros_like(values)
    yield "  - curve:"
    yield "      serializedVersion: 2"
    yield "      m_Curve:"
    for time, value, before, after in zip(times, values, inward, outward):
        yield "      - serializedVersion: 3"
        yield f"        time: {time:.9g}"
        yield f"        value: {_flow(value)}"
        yield f"        inSlope: {_flow(before)}"
        yield f"        outSlope: {_flow(after)}"
        yield "        tangentMode: 0"
        yield "        weightedMode: 0"
    yield "      m_PreInfinity: 2"
    yield "      m_PostInfinity: 2"
    yield "      m_RotationOrder: 4"
    yield f"    path: {place}"


def _flow(values: Array) -> str:
    return "{" + ", ".join(f"{axis}: {value:.9g}" for axis, value in zip("xyzw", values.tolist())) + "}"


def _quoted(name: str) -> str:
    return "'" + name.replace("'", "''").replace("\n", " ") + "'"


def _word(text: str, key: str) -> str:
    start = text.find(f"  {key}: ")
    return text[start:].partition(": ")[2].partition("\n")[0].strip().strip("'\"") if start >= 0 else ""


def _number(text: str, key: str, default: float) -> float:
    try:
        return float(_word(text, key) or default)
    except ValueError:
        return default


FORMAT = Format("unity", (".anim",), read, write, single_clip=True, holds_meshes=False, losses=losses)
