"""HumanML3D arrays (.npy): 263 numbers a frame, or 22 joint positions; both ways (humanml3d_layout.py)."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import PurePath
from typing import BinaryIO, Literal

import numpy as np

from moveset.conventions import FPS_RANGE
from moveset.errors import MovesetError
from moveset.formats.arrays import as_floats, finite, npy_shape, read_npy
from moveset.formats.humanml3d_layout import CONTACTS, FPS, JOINTS, WIDTH, decode, encode, forward
from moveset.formats.limits import refuse_long
from moveset.formats.registry import Format
from moveset.formats.smpl import Y_FROM_Z
from moveset.formats.smpl_table import smpl_skeleton
from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Asset, Character, Clip, Contacts, Finding, Source
from moveset.motion.from_positions import fit_skeleton, rotations_from_positions
from moveset.motion.resample import resample
from moveset.motion.roles import FEET

_HEAD, _FEET, _TOES = 15, (7, 8), (10, 11)
_ROLES = tuple(role for role in smpl_skeleton(JOINTS).roles if role)
_LOOSE = 0.02
"""Distance of joints from a skeleton of rigid bones [m] that is worth a word."""


def read(
    data: bytes, *, path: str, sibling: Callable[[str], bytes] | None = None, fps: float | None = None
) -> Asset:
    """The motion of a file on a skeleton as large as its joints show. `fps` is 20 unless given."""
    array = read_npy(data, path)
    if array.dtype.kind != "f" or not _fits(array.shape):
        raise MovesetError(
            f"holds an array of shape {array.shape} of {array.dtype}",
            file=path,
            do=f"HumanML3D has (F, {WIDTH}) or, for joints, (F, {JOINTS}, 3) of floats",
        )
    if fps is not None and not FPS_RANGE[0] <= fps <= FPS_RANGE[1]:
        raise MovesetError(f"{fps:g} frames a second is no frame rate", file=path, do="give another fps")
    refuse_long(len(array), JOINTS, len(data), path)
    values, stem = finite(as_floats(array), path, "the array"), PurePath(path).stem
    if np.abs(values).max(initial=0) > 1e4:
        raise MovesetError("holds numbers that are no metres", file=path, do="fetch the file again")
    findings, contacts = [], None
    if array.ndim == 2:
        _refuse_normalized(values, path)
        positions = decode(values)
        contacts = Contacts(FEET, values[:, CONTACTS] > 0.5)
    else:
        positions = _upright(values, stem, findings)
    findings += _swapped(positions, stem)
    skeleton = fit_skeleton(positions, smpl_skeleton(JOINTS))
    rotations, translations = rotations_from_positions(positions, skeleton)
    clip = Clip(skeleton, rotations, translations, fps or FPS, stem, contacts=contacts)
    away = np.linalg.norm(clip.world_positions - positions, axis=-1)
    if away.max() > _LOOSE:
        message = f"bones change their length: joints are up to {away.max():.3f} m from a rigid skeleton's"
        findings.append(Finding("loose_bones", "warning", stem, message, value=float(away.max()), unit="m"))
    return Asset((Character(skeleton, name=stem),), (clip,), tuple(findings), Source(path, "humanml3d"))


def write(asset: Asset, *, path: str, layout: Literal["263", "joints"] = "263") -> bytes:
    """The asset's clip at 20 frames a second as (F - 1, 263), or as joints (F, 22, 3). Bones keep their length."""
    if len(asset.clips) != 1:
        raise MovesetError(f"an .npy holds one clip, not {len(asset.clips)}", do="write a file for each clip")
    if layout not in ("263", "joints"):
        raise MovesetError(f"layout {layout!r} is neither '263' nor 'joints'", do="give one of them")
    clip = asset.clips[0]
    missing = [role for role in _ROLES if role not in clip.skeleton.by_role]
    if missing:
        raise MovesetError(
            f"the skeleton lacks {', '.join(missing[:6])}",
            do="retarget the clip to the canonical skeleton first",
        )
    positions = resample(clip, FPS).world_positions[:, clip.skeleton.joints(_ROLES)]
    if layout == "263" and len(positions) < 2:
        raise MovesetError("a clip of one frame has no velocities", do='use layout="joints"')
    out = io.BytesIO()
    np.save(out, (encode(positions) if layout == "263" else positions).astype(np.float32))
    return out.getvalue()


def recognizes(stream: BinaryIO) -> bool:
    """Whether an open .npy has a shape of HumanML3D: arrays are used for much else."""
    shape = npy_shape(stream)
    return shape is not None and _fits(shape)


def _fits(shape: tuple[int, ...]) -> bool:
    return (shape[1:] in ((WIDTH,), (JOINTS, 3))) and shape[0] > 0


def _refuse_normalized(rows: Array, path: str) -> None:
    """Rows divided by the set's deviations look like motion and are none."""
    if np.median(rows[:, 3]) < 0.05 or np.percentile(rows[:, CONTACTS], 1) < -0.5:
        raise MovesetError(
            f"looks normalized: its root is at {np.median(rows[:, 3]):.2f} m",
            file=path,
            do="multiply by Std.npy and add Mean.npy first",
        )


def _upright(positions: Array, stem: str, findings: list[Finding]) -> Array:
    """Joints of a Z-up world turned upright, where heads are above feet along Z alone."""
    up = (positions[:, _HEAD] - positions[:, _FEET].mean(axis=1)).mean(axis=0)
    if not up[2] > 2 * abs(up[1]):
        return positions
    findings.append(
        Finding(
            "up_axis_guess",
            "warning",
            stem,
            "the array's up axis was taken for Z: heads are above feet along it",
        )
    )
    return quaternion.rotate(Y_FROM_Z, positions)


def _swapped(positions: Array, stem: str) -> list[Finding]:
    """A body whose toes point behind it has its left and right mixed up."""
    toes = (positions[:, _TOES] - positions[:, _FEET]).mean(axis=1)
    ahead = np.einsum("fi,fi->f", forward(positions), toes)
    if np.median(ahead) >= 0:
        return []
    return [
        Finding(
            "left_right_swap",
            "warning",
            stem,
            f"left and right may be mixed up: toes point backwards in {np.mean(ahead < 0):.0%} of the frames",
            value=float(np.mean(ahead < 0)),
            advice="swap the left and right joints, or leave the clip out",
        )
    ]


FORMAT = Format(
    "humanml3d",
    (".npy",),
    read,
    write,
    ("fps",),
    ("layout",),
    single_clip=True,
    holds_meshes=False,
    recognizes=recognizes,
)
