"""What a BVH file does not say: its unit, its up axis, its true frame rate. Every guess is a finding."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from moveset.conventions import DEFAULT_FPS
from moveset.errors import MovesetError
from moveset.geometry.quaternion import Array
from moveset.motion import Finding

UNITS = {"m": 1.0, "dm": 0.1, "asf": 0.0254 / 0.45, "inch": 0.0254, "cm": 0.01, "mm": 0.001}
"""Metres per unit. `asf` is the unit of the CMU files: 0.45 units an inch."""

_LIMB = 1.35
"""Longest bone chain of an adult from the hips [m]: hips to fingertips or toes, 1.1 to 1.6 in capture data."""

_FRACTIONAL_RATES = (7.5, 12.5, *(n * 1000 / 1001 for n in (24, 30, 48, 60, 120, 240)))
_SILENT = 1e-3
_COARSE = 0.02
"""Relative rounding of a printed frame time beyond which it could stand for several rates."""


def metres_of(unit: float | str, path: str) -> float:
    """Metres per file unit of a number or a unit's name."""
    try:
        metres = UNITS.get(str(unit).lower()) or float(unit)
    except ValueError:
        metres = 0.0
    if not (np.isfinite(metres) and metres > 0):
        raise MovesetError(
            f"unit {unit!r} is no length",
            file=path,
            do=f"give metres per file unit, or one of {', '.join(UNITS)}",
        )
    return metres


def axis_of(up: str, path: str) -> str:
    """ "Y" or "Z"."""
    if up.upper() in ("Y", "Z"):
        return up.upper()
    raise MovesetError(f"up axis {up!r} is neither Y nor Z", file=path, do="give Y or Z, or leave it out")


def is_silent(track: Array, offset: Array) -> bool:
    """Whether position channels (F, n) say nothing beside an OFFSET: at their word they would fold the bone."""
    return bool(track.size and np.abs(track).max() < _SILENT * np.abs(offset).max())


def frame_rate(frame_time: float, text: str) -> tuple[float, list[Finding]]:
    """Frames a second; the round rate that prints as `text`, if there is one."""
    if frame_time <= 0:
        return DEFAULT_FPS, []
    fps = 1 / frame_time
    decimals = re.fullmatch(r"[+-]?\d*\.(\d+)", text)
    # one unit of the last digit, as some exporters cut digits off; float32 arithmetic otherwise
    rounding = max(10.0 ** -len(decimals[1]) if decimals else 0.0, 1e-7 * frame_time)
    if rounding > 2 * _COARSE * frame_time:
        return fps, []
    near = min((max(1.0, float(round(fps))), *_FRACTIONAL_RATES), key=lambda rate: abs(1 / rate - frame_time))
    if abs(1 / near - frame_time) > rounding:
        return fps, []
    if abs(near / fps - 1) < 1e-3:
        return near, []
    return near, [
        Finding(
            "frame_rate", "info", "", f"frame time {text} was taken for {near:g} frames a second, not {fps:.3f}",
            value=near, unit="1/s", advice="pass fps if that is wrong",
        )
    ]  # fmt: skip


def guess_unit(offsets: Array, tips: Array, parents: Sequence[int]) -> tuple[float, Finding]:
    """Metres per file unit, from the longest bone chain below the first fork; the same for equal skeletons."""
    length = longest_chain(offsets, tips, parents)
    if length <= 0:
        name, sure = "cm", False
    else:
        name = min(UNITS, key=lambda unit: abs(np.log(UNITS[unit] * length / _LIMB)))
        if name in ("asf", "inch") and not 0.75 < UNITS[name] * length / _LIMB < 1.33:
            name = min(("m", "dm", "cm", "mm"), key=lambda unit: abs(np.log(UNITS[unit] * length / _LIMB)))
        sure = 0.6 < UNITS[name] * length / _LIMB < 1.6
    metres = UNITS[name]
    return metres, Finding(
        "unit_guess",
        "info" if name == "cm" and sure else "warning",
        "",
        f"the file's unit was taken for {name}: its longest limb measures {length:.4g} units, {metres * length:.2f} m",
        value=metres,
        unit="m",
        advice="pass unit (metres per file unit) if that is wrong",
    )


def longest_chain(offsets: Array, tips: Array, parents: Sequence[int]) -> float:
    """Length of the longest chain of bones below the first fork, in file units; of all bones where none forks.

    What lies above the fork is no bone: it says where the body stands.
    """
    children = np.bincount([p for p in parents if p >= 0], minlength=len(parents))
    forked = np.any(children > 1)
    below = np.zeros(len(parents), dtype=bool)
    reach = np.zeros(len(parents))
    for j, p in enumerate(parents):
        below[j] = p >= 0 and (not forked or below[p] or children[p] > 1)
        if below[j]:
            reach[j] = reach[p] + np.linalg.norm(offsets[j])
    reach[below | ~forked] += np.nan_to_num(np.linalg.norm(tips, axis=1))[below | ~forked]
    return float(reach.max(initial=0.0))


def guess_up(
    names: Sequence[str], parents: Sequence[int], rest: Array, poses: Callable[[], Array]
) -> tuple[str, Finding]:
    """ "Y" or "Z": where the head is from the feet, in the rest pose (J, 3) if that stands, else in `poses()` (P, J, 3).

    The rest pose goes first because it is the same for every clip of a skeleton, and a clip may lie on the floor.
    """
    head, feet = _first(names, "head", "neck"), _first(names, "foot|ankle", "toe", "shin|calf|knee|leg")
    if head is None or feet is None:
        return "Y", _up_finding("Y", "assumed, as no joint is named head and foot", sure=True)
    stature = _path_length(head, feet, parents, rest)
    for pose, why in ((lambda: rest[None], "its rest pose stands"), (poses, "poses of its motion stand")):
        positions = pose()
        upward = positions[:, head] - positions[:, feet]
        votes = (upward > 0.7 * stature).sum(axis=0)  # a folded rest pose and a crouch do not vote
        second, first = np.sort(votes)[1:]
        axis = "XYZ"[int(np.argmax(votes))]
        if axis != "X" and first > len(positions) / 5 and first > 2 * second:
            return axis, _up_finding(axis, f"{why} along it", sure=axis == "Y")
    return "Y", _up_finding(
        "Y", "assumed, as neither the rest pose nor the motion stands upright", sure=False
    )


def _up_finding(axis: str, why: str, *, sure: bool) -> Finding:
    return Finding(
        "up_axis_guess", "info" if sure else "warning", "", f"the file's up axis was taken for {axis}: {why}",
        value=float("XYZ".index(axis)), unit="axis", advice="pass up if that is wrong",
    )  # fmt: skip


def _first(names: Sequence[str], *patterns: str) -> int | None:
    """The first joint whose name matches the earliest pattern that any name matches."""
    for pattern in patterns:
        for j, name in enumerate(names):
            if re.search(pattern, name, re.IGNORECASE):
                return j
    return None


def _path_length(a: int, b: int, parents: Sequence[int], rest: Array) -> float:
    """Length of the bones from joint `a` up to the common ancestor and down to `b`."""

    def upwards(j: int) -> list[int]:
        chain = [j]
        while parents[chain[-1]] >= 0:
            chain.append(parents[chain[-1]])
        return chain

    bones = set(upwards(a)) ^ set(upwards(b))
    return float(sum(np.linalg.norm(rest[j] - rest[parents[j]]) for j in bones if parents[j] >= 0))
