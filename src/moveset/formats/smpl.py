"""Pose parameters of SMPL, SMPL-H and SMPL-X in an .npz, as AMASS publishes them: axis-angle poses and a place.

Not the body: without the model a file says how joints turn, not how long bones are (smpl_table.py).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath

import numpy as np

from moveset.conventions import DEFAULT_FPS, FPS_RANGE
from moveset.errors import MovesetError
from moveset.formats.arrays import Npz, save_npz
from moveset.formats.limits import refuse_long
from moveset.formats.smpl_table import JOINTS, PELVIS, smpl_skeleton
from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Asset, Character, Clip, Finding, Skeleton, Source
from moveset.motion.kinematics import forward_kinematics

_PARTS = ("root_orient", "pose_body", "pose_jaw", "pose_eye", "pose_hand")
_RATES = ("mocap_framerate", "mocap_frame_rate", "framerate", "fps")
_PROBED = 64
_UPRIGHT = 0.7
"""Share of the stature by which the head of a body that stands is above its feet."""
Y_FROM_Z = np.array([-np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)])
"""Turns a Z-up world upright: -90 degrees about X."""


def is_smpl(names: set[str]) -> bool:
    """Whether an .npz of these arrays holds SMPL poses."""
    return "poses" in names or {"root_orient", "pose_body"} <= names


def read(npz: Npz, *, up: str | None = None) -> Asset:
    """The motion of a file. `up` is Y or Z; found by the way the body stands if neither it nor the file says."""
    poses = _poses(npz)
    frames, joints = poses.shape[:2]
    refuse_long(frames, joints, npz.size, npz.path)
    place = npz.numbers("trans", frames, 3) if "trans" in npz else np.zeros((frames, 3))
    stem = PurePath(npz.path).stem
    findings: list[Finding] = []
    fps = _rate(npz, findings)
    skeleton, pelvis = _figure(npz, joints, findings)

    rotations = quaternion.from_rotation_vector(poses)
    translations = np.repeat(skeleton.rest_translations[None], frames, axis=0)
    translations[:, 0] = place + pelvis
    up = up or npz.text("up_axis") or _guess_up(skeleton, rotations, translations, findings)
    if up.upper() not in ("Y", "Z"):
        raise MovesetError(f"up axis {up[:20]!r} is neither Y nor Z", file=npz.path, do="give up=Y or up=Z")
    if up.upper() == "Z":
        rotations[:, 0] = quaternion.multiply(Y_FROM_Z, rotations[:, 0])
        translations[:, 0] = quaternion.rotate(Y_FROM_Z, translations[:, 0])
    clip = Clip(skeleton, quaternion.unroll(rotations), translations, fps, stem)
    told = tuple(replace(finding, clip=stem) for finding in findings)
    return Asset((Character(skeleton, name=stem),), (clip,), told, Source(npz.path, "smpl"))


def write(clip: Clip, up: str = "Y") -> bytes:
    """An .npz of a clip on an SMPL skeleton, its bones in `rest_joints`; `up` Z turns the world as AMASS has it."""
    skeleton, joints = clip.skeleton, len(clip.skeleton)
    if (
        joints not in JOINTS
        or skeleton.names != smpl_skeleton(joints).names
        or np.any(np.abs(quaternion.positive(skeleton.rest_rotations) - quaternion.IDENTITY) > 1e-6)
    ):
        raise MovesetError(
            f"clip {clip.name!r} is not on an SMPL skeleton",
            do="retarget it to one first, e.g. to any SMPL file that was read",
        )
    rotations, place = clip.rotations.copy(), clip.translations[:, 0]
    if up.upper() == "Z":
        back = quaternion.conjugate(Y_FROM_Z)
        rotations[:, 0] = quaternion.multiply(back, rotations[:, 0])
        place = quaternion.rotate(back, place)
    elif up.upper() != "Y":
        raise MovesetError(f"up axis {up!r} is neither Y nor Z", do="give up=Y or up=Z")
    rest = skeleton.rest_world[1]
    poses = quaternion.to_rotation_vector(quaternion.normalize(rotations))
    return save_npz(
        {
            "poses": poses.reshape(len(clip), -1).astype(np.float32),
            "trans": (place - PELVIS).astype(np.float32),
            "betas": np.zeros(16 if joints > 24 else 10, dtype=np.float32),
            "gender": np.array("neutral"),
            "mocap_framerate": np.array(float(clip.fps)),
            "joint_names": np.array(skeleton.names),
            "rest_joints": (rest - rest[0] + PELVIS).astype(np.float32),
            "up_axis": np.array(up.upper()),
        }
    )


def _poses(npz: Npz) -> Array:
    """(F, J, 3) rotation vectors."""
    if "poses" in npz:
        array, where = npz["poses"], "poses"
        wide = array.shape[1] if array.ndim == 2 else 3 * array.shape[1] if array.shape[2:] == (3,) else 0
        poses = npz.numbers(where, None, *array.shape[1:]) if wide in [3 * n for n in JOINTS] else None
    else:
        where = "+".join(part for part in _PARTS if part in npz)
        poses = np.concatenate([npz.numbers(part, None, None) for part in _PARTS if part in npz], axis=1)
        wide = poses.shape[1]
    if poses is None or wide not in [3 * n for n in JOINTS]:
        known = ", ".join(str(3 * n) for n in JOINTS)
        raise MovesetError(
            f"has {wide} numbers a frame, where SMPL has one of {known}",
            file=npz.path,
            where=where,
            do="give axis-angle poses of the body (22), SMPL (24), SMPL-H (52) or SMPL-X (55 joints)",
        )
    return poses.reshape(len(poses), -1, 3)


def _rate(npz: Npz, findings: list[Finding]) -> float:
    for name in _RATES:
        if name in npz and npz[name].size == 1 and npz[name].dtype.kind in "iuf":
            fps = float(npz[name].reshape(-1)[0])
            if FPS_RANGE[0] <= fps <= FPS_RANGE[1]:
                return fps
    findings.append(
        Finding("frame_time", "warning", "", f"the file states no frame rate; {DEFAULT_FPS:g} was assumed")
    )
    return DEFAULT_FPS


def _figure(npz: Npz, joints: int, findings: list[Finding]) -> tuple[Skeleton, Array]:
    """The skeleton, and where its pelvis is at `trans` 0."""
    if "rest_joints" in npz:
        rest = npz.numbers("rest_joints", joints, 3)
        return smpl_skeleton(joints, rest), rest[0]
    betas = npz["betas"] if "betas" in npz else np.zeros(0)
    shaped = betas.dtype.kind in "biuf" and bool(np.any(betas.astype(float) != 0))
    findings.append(
        Finding(
            "own_figure",
            "warning" if shaped else "info",
            "",
            "bones are those of Moveset's own figure"
            + ("; the shape (betas) says nothing without the body model" if shaped else ""),
        )
    )
    return smpl_skeleton(joints), PELVIS


def _guess_up(skeleton: Skeleton, rotations: Array, translations: Array, findings: list[Finding]) -> str:
    """The axis along which the head is above the feet in most poses that stand; Z, as AMASS has it, if none does."""
    probed = slice(None, None, max(1, len(rotations) // _PROBED))
    positions = forward_kinematics(rotations[probed], translations[probed], skeleton.parents)[1]
    head, *feet = skeleton.joints(("head", "leftFoot", "rightFoot"))
    upward = positions[:, head] - positions[:, feet].mean(axis=1)
    rest = skeleton.rest_world[1]
    stature = float(np.linalg.norm(rest[head] - rest[feet].mean(axis=0)))
    votes = {axis: int((upward[:, k] > _UPRIGHT * stature).sum()) for axis, k in (("Y", 1), ("Z", 2))}
    up = "Y" if votes["Y"] > votes["Z"] else "Z"
    stands = max(votes.values()) > 0
    why = "the body stands along it" if stands else "it never stands, and most such files are Z-up"
    severity = "info" if stands else "warning"
    findings.append(
        Finding(
            "up_axis_guess",
            severity,
            "",
            f"the file's up axis was taken for {up}: {why}",
            advice="pass up if that is wrong",
        )
    )
    return up
