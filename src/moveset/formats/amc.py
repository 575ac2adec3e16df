"""Acclaim motions (.amc), with the skeleton (.asf) that lies beside them: CMU's own form."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import PurePath

import numpy as np

from moveset.conventions import FPS_RANGE
from moveset.errors import MovesetError
from moveset.formats.asf import Bone, Figure, parse_asf
from moveset.formats.limits import refuse_long
from moveset.formats.locations import Beside
from moveset.formats.registry import Format
from moveset.geometry import euler, quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Asset, Character, Clip, Finding, Source

_FRAME = re.compile(rb"^[ \t]*\d+[ \t]*\r?$", re.MULTILINE)
_RATE = 120.0
"""Of most of the CMU database; no .amc states its own."""


def read(
    data: bytes, *, path: str, sibling: Callable[[str], bytes] | None = None, fps: float | None = None
) -> Asset:
    """The clip of an .amc on its skeleton; of an .asf the skeleton alone. `fps` is stated nowhere: 120 if not given."""
    stem = PurePath(path).stem
    if path.lower().endswith(".asf"):
        figure = parse_asf(data, path)
        return Asset(
            (Character(figure.skeleton, name=stem),), (), figure.findings, Source(path, "asf", figure)
        )
    if fps is not None and not FPS_RANGE[0] <= fps <= FPS_RANGE[1]:
        raise MovesetError(f"{fps:g} frames a second is no frame rate", file=path, do="give another fps")
    figure = _skeleton_beside(path, sibling)
    refuse_long(len(_FRAME.findall(data)), len(figure.bones), len(data), path)
    values, radians = parse_amc(data, path, figure.bones)
    skeleton = figure.skeleton
    rotations, translations = _poses(figure, values, 1.0 if radians else float(np.pi / 180))
    translations += skeleton.rest_translations
    clip = Clip(skeleton, quaternion.unroll(rotations), translations, fps or _RATE, stem)
    note = Finding(
        "frame_time", "info", stem, f"an .amc states no frame rate; {_RATE:g} was assumed", advice="pass fps"
    )
    findings = figure.findings if fps else (*figure.findings, note)
    return Asset((Character(skeleton, name=stem),), (clip,), findings, Source(path, "amc", figure))


def parse_amc(data: bytes, path: str, bones: Sequence[Bone]) -> tuple[Array, bool]:
    """(F, D) numbers as printed, bone after bone and dof after dof, and whether angles are radians.

    What a frame leaves out is 0.
    """
    starts = np.concatenate(([0], np.cumsum([len(bone.dofs) for bone in bones])))
    columns = {bone.name: (int(start), len(bone.dofs)) for bone, start in zip(bones, starts)}
    frames: list[list[float]] = []
    radians = False
    for number, raw in enumerate(data.decode("latin-1").splitlines(), start=1):
        words = raw.partition("#")[0].split()
        if not words:
            continue
        if words[0].startswith(":"):
            radians = radians or words[0].upper() == ":RADIANS"
            continue
        if len(words) == 1 and words[0].isdigit():
            frames.append([0.0] * int(starts[-1]))
            continue
        start, count = _place(words, columns, path, number, begun=bool(frames))
        try:
            row = [float(word) for word in words[1:]]
        except ValueError:
            row = [np.nan]
        if not all(abs(value) < 1e9 for value in row):
            raise MovesetError(
                "holds what is no number", file=path, where=f"line {number}", do="mend the line"
            )
        frames[-1][start : start + count] = row
    return np.array(frames).reshape(len(frames), int(starts[-1])), radians


def _place(
    words: list[str], columns: dict[str, tuple[int, int]], path: str, line: int, begun: bool
) -> tuple[int, int]:
    """First column of the bone that a line is about, and how many numbers it has."""
    if not begun:
        raise MovesetError(
            f"{words[0][:40]!r} comes before the first frame",
            file=path,
            where=f"line {line}",
            do="fetch it again",
        )
    if words[0] not in columns:
        raise MovesetError(
            f"moves {words[0][:40]!r}, which its skeleton has not",
            file=path,
            where=f"line {line}",
            do="put the .asf of the same person beside it",
        )
    start, count = columns[words[0]]
    if len(words) != count + 1:
        raise MovesetError(
            f"has {len(words) - 1} numbers for {words[0]}, which moves in {count} ways",
            file=path,
            where=f"line {line}",
            do="mend the line, or put the right .asf beside it",
        )
    return start, count


def _skeleton_beside(path: str, sibling: Callable[[str], bytes] | None) -> Figure:
    """The figure of `02.asf` for `02_03.amc`, or of the only .asf there."""
    names = sibling.names(".asf") if isinstance(sibling, Beside) else []
    words = PurePath(path).stem.split("_")
    stems = {"_".join(words[:count]).lower() for count in range(1, len(words) + 1)}
    fitting = sorted((name for name in names if PurePath(name).stem.lower() in stems), key=len)
    name = fitting[-1] if fitting else names[0] if len(names) == 1 else None
    if name is None or sibling is None:
        wanted = f"{'_'.join(words[:-1]) or words[0]}.asf"
        raise MovesetError(
            f"its skeleton is not beside it: there are {len(names)} .asf, none named like it" if names
            else "its skeleton is not beside it",
            file=path,
            do=f"put {wanted} into the same folder",
        )  # fmt: skip
    return parse_asf(sibling(name), name)


def _poses(figure: Figure, values: Array, angle: float) -> tuple[Array, Array]:
    """Rotations (F, J, 4), and translations (F, J, 3) that come on top of the rest pose [m]."""
    frames, joints = len(values), len(figure.bones)
    rotations, moved = quaternion.identity((frames, joints)), np.zeros((frames, joints, 3))
    axes = figure.axes
    at = 0
    for j, bone in enumerate(figure.bones):
        angles = np.zeros((frames, 3))
        for dof in bone.dofs:
            if dof[0] == "r":
                angles[:, bone.order.index(dof[1].upper())] = values[:, at] * angle
            elif dof[0] == "t":
                moved[:, j, "xyz".index(dof[1])] = values[:, at] * figure.metres
            at += 1
        own = euler.to_quaternion(angles, bone.order, "extrinsic")
        rotations[:, j] = quaternion.multiply(
            quaternion.multiply(axes[j], own), quaternion.conjugate(axes[j])
        )
        if j:  # the root moves along the world's axes
            moved[:, j] = quaternion.rotate(axes[j], moved[:, j])
    return rotations, moved


FORMAT = Format("amc", (".amc", ".asf"), read, read_options=("fps",), single_clip=True, holds_meshes=False)
