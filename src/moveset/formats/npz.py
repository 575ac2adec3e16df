"""NumPy archives (.npz): SMPL poses, or clips as Moveset writes them for whoever wants plain arrays.

Moveset's own arrays: `moveset` (format version), `names` (J), `parents` (J), `roles` (J), `rest_rotations` (J, 4),
`rest_translations` (J, 3), `rotations` (F, J, 4), `translations` (F, J, 3), `fps`, `name`, `loop`, and `scales`
(F, J, 3) where there are any. Local, parents first, x y z w, metres, Y up, facing +Z.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import BinaryIO

import numpy as np

from moveset.conventions import FPS_RANGE, UNIT_NORM_TOLERANCE
from moveset.errors import MovesetError
from moveset.formats import smpl
from moveset.formats.arrays import Npz, array_names, save_npz
from moveset.formats.limits import refuse_long
from moveset.formats.registry import Format, left_out
from moveset.geometry import quaternion
from moveset.motion import Asset, Character, Clip, Finding, Skeleton, Source

_VERSION = 1


def read(
    data: bytes, *, path: str, sibling: Callable[[str], bytes] | None = None, up: str | None = None
) -> Asset:
    """The clip of a file; its arrays tell which kind of file it is. `up` (Y or Z) is asked of SMPL alone."""
    npz = Npz.parse(data, path)
    names = set(npz.members)
    if "moveset" in names:
        return _read_own(npz)
    if smpl.is_smpl(names):
        return smpl.read(npz, up=up)
    shown = ", ".join(sorted(names)[:8]) or "none"
    raise MovesetError(
        f"holds no motion that is known; its arrays are: {shown}",
        file=path,
        do="known are SMPL poses (poses, trans) and what `moveset convert --to npz` writes",
    )


def write(asset: Asset, *, path: str, layout: str = "moveset", up: str = "Y") -> bytes:
    """An .npz of the asset's clip, as plain arrays or, with `layout="smpl"`, as SMPL poses with `up` Y or Z."""
    if len(asset.clips) != 1:
        raise MovesetError(f"an .npz holds one clip, not {len(asset.clips)}", do="write a file for each clip")
    clip = asset.clips[0]
    if layout == "smpl":
        return smpl.write(clip, up)
    if layout != "moveset":
        raise MovesetError(f"layout {layout!r} is neither 'moveset' nor 'smpl'", do="give one of them")
    skeleton = clip.skeleton
    arrays = {
        "moveset": np.array(_VERSION),
        "name": np.array(clip.name),
        "names": np.array(skeleton.names),
        "parents": skeleton.parents.astype(np.int32),
        "roles": np.array([role or "" for role in skeleton.roles]),
        "rest_rotations": skeleton.rest_rotations,
        "rest_translations": skeleton.rest_translations,
        "rotations": clip.rotations.astype(np.float32),
        "translations": clip.translations.astype(np.float32),
        "fps": np.array(float(clip.fps)),
        "loop": np.array(clip.loop),
    }
    if clip.scales is not None:
        arrays["scales"] = clip.scales.astype(np.float32)
    return save_npz(arrays)


def losses(asset: Asset) -> tuple[Finding, ...]:
    """What plain arrays leave out."""
    return left_out(".npz", asset, "meshes", "events and contacts", "curves")


def recognizes(stream: BinaryIO) -> bool:
    """Whether an open .npz holds motion, or is damaged, so that it fails when its turn comes."""
    names = array_names(stream)
    return names is None or "moveset" in names or smpl.is_smpl(names)


def _read_own(npz: Npz) -> Asset:
    version = npz.numbers("moveset")
    if version > _VERSION:
        raise MovesetError(
            f"is of version {version:g}, which is newer than this Moveset", file=npz.path, do="update Moveset"
        )
    names = tuple(map(str, npz["names"].ravel()))
    joints = len(names)
    parents = npz.numbers("parents", joints).astype(np.int64)
    roles = tuple(str(role) or None for role in npz["roles"].ravel())
    rest_rotations, rest_translations = (
        npz.numbers("rest_rotations", joints, 4),
        npz.numbers("rest_translations", joints, 3),
    )
    frames = len(npz["rotations"]) if npz["rotations"].ndim else 0
    refuse_long(frames, joints, npz.size, npz.path)
    rotations = npz.numbers("rotations", None, joints, 4)
    translations = npz.numbers("translations", frames, joints, 3)
    scales = npz.numbers("scales", frames, joints, 3) if "scales" in npz else None
    fps = float(npz.numbers("fps"))
    if not FPS_RANGE[0] <= fps <= FPS_RANGE[1]:
        raise MovesetError(f"states {fps:g} frames a second", file=npz.path, where="fps", do="mend the rate")
    for array, where in ((rest_rotations, "rest_rotations"), (rotations, "rotations")):
        if np.any(np.abs(np.linalg.norm(array, axis=-1) - 1) > UNIT_NORM_TOLERANCE):
            raise MovesetError(
                "holds quaternions that are not of length 1", file=npz.path, where=where, do="normalize them"
            )
    skeleton = Skeleton(names, parents, quaternion.normalize(rest_rotations), rest_translations, roles)
    loop = bool(npz.numbers("loop")) if "loop" in npz else False
    name = npz.text("name") or PurePath(npz.path).stem
    clip = Clip(skeleton, quaternion.normalize(rotations), translations, fps, name, scales, loop)
    return Asset((Character(skeleton, name=name),), (clip,), (), Source(npz.path, "npz"))


FORMAT = Format(
    "npz",
    (".npz",),
    read,
    write,
    ("up",),
    ("layout", "up"),
    single_clip=True,
    holds_meshes=False,
    losses=losses,
    recognizes=recognizes,
)
