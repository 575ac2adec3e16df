"""The dog of motion_imitation (Peng et al. 2020): `*_pose.txt`, a row a frame of hips and 21 local rotations, w first.

The text states no joints. Order, hierarchy and offsets below are those under which the poses meet the points of
the `*_joint_pos.txt` beside them to the last printed digit. Metres, Y up; which way a dog faces differs.
"""

from __future__ import annotations

import re
from pathlib import PurePath

import numpy as np

from moveset.conventions import FPS_RANGE
from moveset.errors import MovesetError
from moveset.formats.arrays import finite
from moveset.formats.limits import refuse_long
from moveset.geometry import quaternion
from moveset.motion import Asset, Character, Clip, Finding, Skeleton, Source

_RATE = 60.0
"""Of the published text; it is stated nowhere."""
_ROW = re.compile(rb"\s*([-+0-9.eEnaif]+,){9,}[-+0-9.eEnaif]+\s*(\n|$)")

# name, parent, offset in the parent's space [m]; paws, head and tail end in a tip
_JOINTS = (
    ("Hips", -1, (0, 0, 0), None), ("Spine", 0, (0, 0, 0), None), ("Spine1", 1, (0.19, 0, 0), None),
    ("Neck", 2, (0.225, 0.006, 0), None), ("Head", 3, (0.14, 0.00031, 0), (0.17, 0, 0)),
    ("LeftShoulder", 2, (0.198, 0.037, 0.043), None), ("LeftArm", 5, (0.08, 0, 0), None),
    ("LeftForeArm", 6, (0.152, 0, 0), None), ("LeftHand", 7, (0.178, 0, 0), (0.072, 0, 0)),
    ("RightShoulder", 2, (0.198, 0.037, -0.043), None), ("RightArm", 9, (0.08, 0, 0.00152), None),
    ("RightForeArm", 10, (0.152, 0, 0), None), ("RightHand", 11, (0.178, 0, 0), (0.072, 0, 0)),
    ("LeftUpLeg", 0, (0.05984, -0.07666, 0.04789), None), ("LeftLeg", 13, (0.16, 0, 0), None),
    ("LeftFoot", 14, (0.18, 0, 0), (0, -0.108, 0)),
    ("RightUpLeg", 0, (0.05984, -0.07666, -0.04789), None), ("RightLeg", 16, (0.16, 0, 0), None),
    ("RightFoot", 17, (0.18, 0, 0), (0, -0.108, 0)),
    ("Tail", 0, (0.06837, -0.00723, 0), None), ("Tail1", 19, (0.12, 0, 0), (0.12, 0, 0)),
)  # fmt: skip
WIDTH = 3 + 4 * len(_JOINTS)


def dog_skeleton() -> Skeleton:
    """Rests as the text has it at zero rotations: all bones ahead."""
    names, parents, offsets, tips = zip(*_JOINTS)
    ends = np.array([(np.nan,) * 3 if tip is None else tip for tip in tips])
    return Skeleton(
        names, np.array(parents), quaternion.identity((len(names),)), np.array(offsets, float), tips=ends
    )


def is_rows(head: bytes) -> bool:
    """Whether text begins with a row of comma-separated numbers."""
    return bool(_ROW.match(head))


def is_poses(head: bytes) -> bool:
    """Whether text begins with a row as long as a pose."""
    return is_rows(head) and head.partition(b"\n")[0].count(b",") == WIDTH - 1


def read(data: bytes, path: str, fps: float | None = None) -> Asset:
    """The clip of a `*_pose.txt`."""
    rows = _rows(data, path)
    refuse_long(len(rows), len(_JOINTS), len(data), path)
    if fps is not None and not FPS_RANGE[0] <= fps <= FPS_RANGE[1]:
        raise MovesetError(f"{fps:g} frames a second is no frame rate", file=path, do="give another fps")
    skeleton, stem = dog_skeleton(), PurePath(path).stem
    rotations = rows[:, 3:].reshape(len(rows), -1, 4)[..., [1, 2, 3, 0]]
    if np.any(np.linalg.norm(rotations, axis=-1) < 0.1):
        raise MovesetError("holds a quaternion of zeros", file=path, do="fetch the file again")
    translations = np.repeat(skeleton.rest_translations[None], len(rows), axis=0)
    translations[:, 0] = rows[:, :3]
    clip = Clip(
        skeleton, quaternion.unroll(quaternion.normalize(rotations)), translations, fps or _RATE, stem
    )
    note = Finding(
        "frame_time",
        "warning",
        stem,
        f"the text states no frame rate; {_RATE:g} was assumed",
        advice="pass fps",
    )
    findings = () if fps else (note,)
    return Asset((Character(skeleton, name=stem),), (clip,), findings, Source(path, "deepmimic"))


def _rows(data: bytes, path: str) -> np.ndarray:
    """(F, WIDTH) numbers."""
    out = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            row = [float(word) for word in line.split(b",")]
        except ValueError:
            raise MovesetError(
                "holds more than numbers", file=path, where=f"line {number}", do="mend it"
            ) from None
        if len(row) != WIDTH:
            raise MovesetError(
                f"has {len(row)} numbers in a row, where poses of the dog have {WIDTH}",
                file=path,
                where=f"line {number}",
                do="read the *_pose.txt; points (*_joint_pos.txt) say nothing that it lacks",
            )
        out.append(row)
    return finite(np.array(out), path, "rows")
