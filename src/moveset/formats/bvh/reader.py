"""A BVH document as a clip: metres, Y up, quaternions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath
from typing import Literal

import numpy as np

from moveset.errors import MovesetError
from moveset.formats.bvh.conventions import axis_of, frame_rate, guess_unit, guess_up, is_silent, metres_of
from moveset.formats.bvh.document import Document
from moveset.formats.bvh.parse import BadNumbers, parse
from moveset.geometry import euler, quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Asset, Character, Clip, Finding, Skeleton, Source
from moveset.motion.kinematics import forward_kinematics

READ_OPTIONS = ("unit", "up", "rest", "positions", "on_bad_numbers")
_PROBED_POSES = 16
_LARGEST = 1 << 29
"""Bytes of poses that any file may take."""
COMPILED_FROM = 1 << 15
"""Numbers in a file from which on the compiled conversion is loaded. By size alone, so that the same file gives the
same last bit whatever ran before."""


def read(
    data: bytes,
    *,
    path: str,
    sibling: Callable[[str], bytes] | None = None,
    unit: float | str | None = None,
    up: str | None = None,
    rest: Literal["offset", "first_frame"] = "offset",
    positions: Literal["replace", "add"] = "replace",
    on_bad_numbers: BadNumbers = "refuse",
) -> Asset:
    """The clip of a file and the skeleton that it moves.

    `unit` is metres per file unit or one of m dm cm mm inch asf, `up` is Y or Z; both are guessed if not given,
    and the guess is a finding. `rest` says where the rest pose is. Position channels `replace` the OFFSET of
    their joint, or `add` to it in files of that dialect.
    """
    document = parse(data, path, on_bad_numbers)
    _refuse_bloat(document, len(data), path)
    names, findings = _unique(tuple(joint.name for joint in document.joints))
    parents = np.array([joint.parent for joint in document.joints])
    offsets = np.array([joint.offset for joint in document.joints])
    tips = np.array([joint.tips[0] if joint.tips else (np.nan,) * 3 for joint in document.joints])
    rotations, translations, scales, notes = _poses(document, offsets, positions)
    fps, note = frame_rate(document.frame_time, document.frame_time_text)
    findings += [*document.findings, *notes, *note]

    if unit is None:
        metres, guess = guess_unit(_bone_offsets(offsets, translations), tips, parents.tolist())
        findings.append(guess)
    else:
        metres = metres_of(unit, path)
    if up is None:
        probed = slice(None, None, max(1, len(rotations) // _PROBED_POSES))
        axis, guess = guess_up(
            names,
            parents.tolist(),
            _positions_at_rest(offsets, parents),
            lambda: forward_kinematics(rotations[probed], translations[probed], parents)[1],
        )
        findings.append(guess)
    else:
        axis = axis_of(up, path)
    if axis == "Z":
        rotations, translations, offsets, tips = map(_y_up, (rotations, translations, offsets, tips))
        scales = None if scales is None else scales[..., [0, 2, 1]]
    translations, offsets, tips = translations * metres, offsets * metres, tips * metres

    rest_rotations, rest_translations = quaternion.identity((len(names),)), offsets
    if rest == "first_frame" and len(rotations):
        rest_rotations, rest_translations = rotations[0].copy(), translations[0].copy()
    skeleton = Skeleton(names, parents, rest_rotations, rest_translations, tips=tips)
    stem = PurePath(path).stem
    clip = Clip(skeleton, rotations, translations, fps, stem, scales)
    document = replace(document, unit=metres, up=axis, clip=clip)
    return Asset(
        (Character(skeleton, name=stem),),
        (clip,),
        tuple(replace(f, clip=stem) for f in findings),
        Source(path, "bvh", document),
    )


def _refuse_bloat(document: Document, size: int, path: str) -> None:
    """Joints without channels cost nothing in a file and a pose in memory: a small file could fill it."""
    needed = len(document.values) * len(document.joints) * 56
    if needed > max(_LARGEST, 100 * size):
        raise MovesetError(
            f"{len(document.joints)} joints in {len(document.values)} frames would take {needed / 2**30:.0f} GiB, "
            f"far more than a file of {size / 2**20:.0f} MiB describes",
            file=path,
            do="check the hierarchy for joints without channels",
        )


def _positions_at_rest(offsets: Array, parents: np.ndarray) -> Array:
    """(J, 3) positions without any rotation."""
    positions = offsets.copy()
    for j, p in enumerate(parents.tolist()):
        if p >= 0:
            positions[j] += positions[p]
    return positions


def _unique(names: tuple[str, ...]) -> tuple[tuple[str, ...], list[Finding]]:
    """Names made unique by a number, empty ones filled."""
    taken: set[str] = set(names)
    seen: set[str] = set()
    out, changed = [], []
    for name in names:
        unique = name or "joint"
        number = 1
        while unique in seen or (number > 1 and unique in taken):
            number += 1
            unique = f"{name or 'joint'}_{number}"
        seen.add(unique)
        out.append(unique)
        if unique != name:
            changed.append(unique)
    if not changed:
        return tuple(out), []
    return tuple(out), [
        Finding(
            "duplicate_names", "warning", "", f"{len(changed)} joints got new names, as theirs were taken or empty",
            joint=changed[0], value=len(changed), unit="joints", advice="rename them in the source",
        )
    ]  # fmt: skip


def _poses(
    document: Document, offsets: Array, positions: str
) -> tuple[Array, Array, Array | None, list[Finding]]:
    """Local rotations (F, J, 4), translations (F, J, 3), scales or None, in file units and axes."""
    frames, joints = len(document.values), len(document.joints)
    rotations = quaternion.identity((frames, joints))
    _turn(document, rotations)

    notes: list[Finding] = []
    translations = np.broadcast_to(offsets, (frames, joints, 3))
    scales = None
    silent = []
    for j, joint in enumerate(document.joints):
        first = document.starts[j]
        if place := joint.columns("p"):
            axes, columns = zip(*((axis, first + k) for axis, k in place), strict=True)
            track = document.values[:, columns]
            if positions == "replace" and is_silent(track, offsets[j]):
                silent.append(joint.name)
                continue
            if not translations.flags.writeable:
                translations = translations.copy()
            translations[:, j, axes] = track + (offsets[j, axes] if positions == "add" else 0)
        if size := joint.columns("s"):
            scales = np.ones((frames, joints, 3)) if scales is None else scales
            for axis, k in size:
                scales[:, j, axis] = document.values[:, first + k]
    if silent:
        notes.append(
            Finding(
                "zero_positions", "info", "",
                f"position channels of {len(silent)} joints stay at 0; their OFFSET was kept",
                joint=silent[0], value=len(silent), unit="joints", advice='read with positions="add" if that is wrong',
            )
        )  # fmt: skip
    return rotations, translations, scales, notes


def _turn(document: Document, rotations: Array) -> None:
    """Fill (F, J, 4) with the rotations of every joint, hemisphere-continuous."""
    turns = [
        [(axis, document.starts[j] + k) for axis, k in joint.columns("r")]
        for j, joint in enumerate(document.joints)
    ]
    if document.values.size >= COMPILED_FROM:
        from moveset.formats.bvh.kernels import turn_joints

        padded = np.full((len(turns), 3, 2), -1)
        for j, turn in enumerate(turns):
            padded[j, : len(turn)] = np.reshape(turn, (-1, 2))
        turn_joints(document.values, padded[..., 1].copy(), padded[..., 0].copy(), rotations)
        return
    by_order: dict[str, list[int]] = {}
    for j, turn in enumerate(turns):
        if turn:
            by_order.setdefault("".join("XYZ"[axis] for axis, _ in turn), []).append(j)
    for order, joints in by_order.items():
        columns = np.array([[column for _, column in turns[j]] for j in joints])
        angles = np.zeros((len(rotations), len(joints), 3))
        angles[..., : len(order)] = document.values[:, columns] * (np.pi / 180)
        all_three = order + "".join(axis for axis in "XYZ" if axis not in order)
        rotations[:, joints] = euler.to_quaternion(angles, all_three)
    rotations[:] = quaternion.unroll(rotations)


def _bone_offsets(offsets: Array, translations: Array) -> Array:
    """OFFSETs, or where all of them are 0 the translations of the first frame."""
    inner_zero = not np.any(offsets[1:])
    return translations[0] if inner_zero and len(translations) else offsets


def _y_up(array: Array) -> Array:
    """Vectors or quaternions of a Z-up world in a Y-up one: a turn of -90 degrees about X, which swaps components."""
    swapped = array[..., [0, 2, 1, *range(3, array.shape[-1])]]
    swapped[..., 2] *= -1
    return swapped


def z_up(array: Array) -> Array:
    """The inverse of the turn that Z-up files get at the door."""
    swapped = array[..., [0, 2, 1, *range(3, array.shape[-1])]]
    swapped[..., 1] *= -1
    return swapped
