"""Motions of DeepMimic and AMP (.txt or .json): a row a frame of duration, root, and a turn for each joint.

Peng et al. 2018, "DeepMimic". Quaternions w first, knees and elbows one angle about Z, metres, Y up, facing +X.
The dog of motion_imitation (`*_pose.txt`) is dog_text.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath
from typing import BinaryIO

import numpy as np
import orjson

from moveset.conventions import DEFAULT_FPS, UNIT_NORM_TOLERANCE
from moveset.errors import MovesetError
from moveset.formats import dog_text
from moveset.formats.arrays import finite
from moveset.formats.deepmimic_characters import BODIES, WIDTHS, Z_FROM_X, Body, body_of, turned
from moveset.formats.limits import refuse_long
from moveset.formats.registry import Format
from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Asset, Character, Clip, Finding, Source
from moveset.motion.resample import sample

_HEAD = 4096
_HINGE = np.array([0.0, 0.0, 1.0])
_ROUND = 5e-4
"""Share by which a printed duration may miss that of a whole number of frames a second."""
_UNEVEN = 0.02
"""Share of the usual duration by which a frame's may differ."""
_CLOSED = 0.02
"""Difference of a cycle's first and last pose [rad and m] below which they are one."""


def read(
    data: bytes, *, path: str, sibling: Callable[[str], bytes] | None = None, fps: float | None = None
) -> Asset:
    """The motion of a file; of a character file its skeleton. `fps` is asked of text that states none."""
    if dog_text.is_rows(data[:_HEAD]):
        return dog_text.read(data, path, fps)
    document = _parse(data, path)
    if "Skeleton" in document and "Frames" not in document:
        skeleton = body_of(document, path).skeleton
        return Asset((Character(skeleton, name=PurePath(path).stem),), source=Source(path, "deepmimic"))
    rows = _rows(document, path)
    body = BODIES.get(rows.shape[1]) or _body_beside(path, sibling, rows.shape[1])
    return _asset(rows, body, path, len(data), loops=document.get("Loop") == "wrap")


def write(asset: Asset, *, path: str) -> bytes:
    """The asset's clip, which must be on the skeleton of the humanoid or the dog."""
    if len(asset.clips) != 1:
        raise MovesetError(
            f"a motion file holds one clip, not {len(asset.clips)}", do="write a file for each"
        )
    clip = asset.clips[0]
    body = _body_of_clip(clip)
    rotations = turned(quaternion.normalize(clip.rotations), back=True)
    rows = np.zeros((len(clip), body.width))
    rows[:, 0] = 1 / clip.fps
    rows[-1:, 0] = 0
    rows[:, 1:4] = quaternion.inverse_rotate(Z_FROM_X, clip.translations[:, 0])
    at = 4
    for j, joint in enumerate(body.joints):
        turn = quaternion.positive(rotations[:, j])
        if joint.kind == "revolute":
            rows[:, at] = quaternion.to_rotation_vector(quaternion.swing_twist(turn, _HINGE)[1])[:, 2]
            at += 1
        elif joint.kind != "fixed":
            rows[:, at : at + 4] = turn[:, [3, 0, 1, 2]]
            at += 4
    lines = ",\n".join("[" + ",".join(f"{v:.6f}" for v in row) + "]" for row in rows.tolist())
    loop = "wrap" if clip.loop else "none"
    return f'{{\n"Loop": "{loop}",\n"Frames":\n[\n{lines}\n]\n}}\n'.encode()


def losses(asset: Asset) -> tuple[Finding, ...]:
    """Turns that a hinge cannot hold, and offsets that a file states nowhere."""
    found = []
    for clip in asset.clips:
        rotations = turned(clip.rotations, back=True)
        hinges = [j for j, joint in enumerate(_body_of_clip(clip).joints) if joint.kind == "revolute"]
        swing = quaternion.angle(quaternion.swing_twist(rotations[:, hinges], _HINGE)[0])
        if swing.max(initial=0) > 1e-3:
            found.append(
                Finding(
                    "hinge", "warning", clip.name,
                    f"knees and elbows turn up to {np.degrees(swing.max()):.1f} degrees off their hinge, which is lost",
                    value=float(np.degrees(swing.max())), unit="deg",
                )
            )  # fmt: skip
    return tuple(found)


def recognizes(stream: BinaryIO) -> bool:
    """Whether an open file holds frames: text and JSON are used for much else."""
    head = stream.read(_HEAD)
    return b'"Frames"' in head or dog_text.is_poses(head)


_KNOWN = "of .txt and .json, DeepMimic motions and the dog's *_pose.txt are read"


def _parse(data: bytes, path: str) -> dict:
    text = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text.startswith(b"{"):
        raise MovesetError("holds no motion that is known", file=path, do=_KNOWN)
    try:
        document = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise MovesetError(
            f"is no JSON: {error.msg}", file=path, where=f"line {error.lineno}", do=_KNOWN
        ) from None
    if not ({"Frames", "Skeleton"} & document.keys()):
        raise MovesetError("is JSON, but holds no Frames", file=path, do=_KNOWN)
    return document


def _rows(document: dict, path: str) -> Array:
    """(F, D) numbers of all frames."""
    frames = document["Frames"]
    if not isinstance(frames, list) or not frames or not isinstance(frames[0], list):
        raise MovesetError("Frames are not rows of numbers", file=path, do="fetch the file again")
    width = len(frames[0])
    for number, row in enumerate(frames):
        if not isinstance(row, list) or len(row) != width:
            raise MovesetError(
                f"frame {number} is not a row of {width} numbers as the first one is",
                file=path,
                do="fetch it again",
            )
    try:
        rows = np.array(frames)
    except (ValueError, OverflowError):
        rows = np.zeros(0, dtype=object)
    if rows.dtype.kind not in "if" or rows.ndim != 2:
        raise MovesetError("Frames hold more than numbers", file=path, do="fetch it again")
    return finite(rows.astype(float), path, "Frames")


def _body_beside(path: str, sibling: Callable[[str], bytes] | None, width: int) -> Body:
    """The body of `characters/NAME.txt`, where the motion's own name begins with NAME."""
    words = PurePath(path).stem.split("_")
    for count in range(len(words), 0, -1):
        try:
            data = sibling(f"characters/{'_'.join(words[:count])}.txt") if sibling else b""
        except MovesetError:
            continue
        body = body_of(_parse(data, path), path) if data else None
        if body is not None and body.width == width:
            return body
    known = " and ".join(str(n) for n in BODIES)
    raise MovesetError(
        f"has {width} numbers a frame; known are {known}, the humanoid and the dog",
        file=path,
        do="put its character file beside it, as characters/NAME.txt",
    )


def _asset(rows: Array, body: Body, path: str, size: int, loops: bool) -> Asset:
    skeleton, stem, frames = body.skeleton, PurePath(path).stem, len(rows)
    rotations = quaternion.identity((frames, len(skeleton)))
    at = 4
    for j, joint in enumerate(body.joints):
        if joint.kind == "revolute":
            rotations[:, j] = quaternion.from_axis_angle(_HINGE, rows[:, at])
        elif joint.kind != "fixed":
            rotations[:, j] = rows[:, [at + 1, at + 2, at + 3, at]]
        at += WIDTHS[joint.kind] - 3 * (j == 0)
    norms = np.linalg.norm(rotations, axis=-1)
    if np.any(norms < 0.1):
        raise MovesetError("holds a quaternion of zeros", file=path, where="Frames", do="fetch it again")
    rotations = quaternion.multiply(skeleton.rest_rotations, turned(quaternion.normalize(rotations)))
    translations = np.repeat(skeleton.rest_translations[None], frames, axis=0)
    translations[:, 0] = quaternion.rotate(Z_FROM_X, rows[:, 1:4])
    fps, even, findings = _timing(rows[:-1, 0], path)
    clip = Clip(skeleton, quaternion.unroll(rotations), translations, fps, stem)
    off = np.abs(norms - 1)
    if off.max() > UNIT_NORM_TOLERANCE:
        count = int((off > UNIT_NORM_TOLERANCE).sum())
        findings.append(
            Finding(
                "not_unit", "info", "", f"{count} quaternions are up to {off.max():.3f} off unit length: normalized",
                count=count,
            )
        )  # fmt: skip
    if not even:
        times = np.concatenate(([0.0], np.cumsum(rows[:-1, 0])))
        refuse_long(int(min(times[-1] * fps, 1e15)), len(skeleton), size, path)
        clip = _at_even_times(clip, times)
    if loops:
        clip, note = _closed(clip)
        findings.append(note)
    told = tuple(replace(finding, clip=stem) for finding in findings)
    return Asset((Character(skeleton, name=stem),), (clip,), told, Source(path, "deepmimic"))


def _timing(durations: Array, path: str) -> tuple[float, bool, list[Finding]]:
    """Frames a second, whether all last equally long, and what was noticed. The last row has no duration."""
    usual = float(np.median(durations)) if len(durations) else 0.0
    if np.any(durations < 0) or (len(durations) and not usual > 1e-4):
        raise MovesetError(
            "frames last no time",
            file=path,
            where="Frames",
            do="the first number of a row is its duration [s]",
        )
    fps = 1 / usual if usual else DEFAULT_FPS
    if abs(round(fps) / fps - 1) < _ROUND:
        fps = float(round(fps))
    notes = []
    uneven = int((np.abs(durations - usual) > _UNEVEN * usual).sum())
    if uneven:
        notes.append(
            Finding("uneven_keys", "info", "", f"{uneven} frames last longer or shorter than {usual:.4g} s: resampled",
                    count=uneven)
        )  # fmt: skip
    return fps, not uneven, notes


def _at_even_times(clip: Clip, times: Array) -> Clip:
    """The clip, whose frames are at `times` (F,), at its own rate."""
    count = int(np.floor(times[-1] * clip.fps + 1e-6)) + 1
    places = np.interp(np.arange(count) / clip.fps, times, np.arange(len(clip)))
    return sample(clip, places / clip.fps, clip.fps)


def _closed(clip: Clip) -> tuple[Clip, Finding]:
    """A cycle in which the body ends where it began loses its last frame, which is its first, and loops."""
    seam = float(quaternion.angle_between(clip.rotations[0], clip.rotations[-1]).max())
    moved = float(np.linalg.norm(clip.translations[-1, 0] - clip.translations[0, 0]))
    message = f"the file is one cycle; its last pose is within {np.degrees(seam):.1f} degrees of its first and {moved:.2f} m away"
    note = Finding("cycle", "info", "", message, value=moved, unit="m")
    if max(seam, moved) > _CLOSED or len(clip) < 2:
        return clip, note
    return replace(clip.slice(0, len(clip) - 1), loop=True), note


def _body_of_clip(clip: Clip) -> Body:
    for body in BODIES.values():
        if body.skeleton.names == clip.skeleton.names:
            return body
    raise MovesetError(
        f"clip {clip.name!r} is on neither of DeepMimic's skeletons",
        do="retarget it to a motion of theirs first",
    )


FORMAT = Format(
    "deepmimic",
    (".txt", ".json"),
    read,
    write,
    ("fps",),
    single_clip=True,
    holds_meshes=False,
    losses=losses,
    recognizes=recognizes,
)
