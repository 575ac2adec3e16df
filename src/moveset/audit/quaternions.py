"""Rotations that are not unit quaternions, and neighbours whose signs differ."""

from __future__ import annotations

import numpy as np

from moveset.audit.check import Check, worst
from moveset.conventions import UNIT_NORM_TOLERANCE
from moveset.motion import Clip, Finding


def not_unit(clip: Clip) -> list[Finding]:
    """One finding with the quaternion furthest from unit length."""
    off = np.abs(np.sqrt(np.einsum("fji,fji->fj", clip.rotations, clip.rotations)) - 1)
    bad = off > UNIT_NORM_TOLERANCE
    if not bad.any():
        return []
    frames = np.flatnonzero(bad.any(axis=1))
    listed = worst(frames, off[frames].max(axis=1))
    name = clip.skeleton.names[int(off[listed[0]].argmax())]
    severity = "error" if off.max() > 0.5 else "warning"
    return [
        Finding(
            "not_unit", severity, clip.name,
            f"{name} has a quaternion of length {_norm(clip, name, listed[0]):.3f}",
            listed, name, float(off.max()), "", "normalize rotations before export", int(bad.sum()),
        )
    ]  # fmt: skip


def _norm(clip: Clip, joint: str, frame: int) -> float:
    return float(np.linalg.norm(clip.rotations[frame, clip.skeleton.index[joint]]))


def sign_flips(clip: Clip) -> list[Finding]:
    """One finding with the number of neighbours in opposite hemispheres."""
    flipped = np.einsum("fji,fji->fj", clip.rotations[1:], clip.rotations[:-1]) < 0
    if not flipped.any():
        return []
    joint = int(flipped.sum(axis=0).argmax())
    frames = np.flatnonzero(flipped.any(axis=1)) + 1
    listed = worst(frames, flipped[frames - 1].sum(axis=1))
    count = int(flipped.sum())
    return [
        Finding(
            "sign_flips", "info", clip.name,
            f"{count} quaternions change sign from one frame to the next, most at {clip.skeleton.names[joint]}",
            listed, clip.skeleton.names[joint], float(count), "flips",
            "choose signs along time before any linear interpolation or filter (quaternion.unroll)", count,
        )
    ]  # fmt: skip


CHECKS = (
    Check("not_unit", "quaternions whose length is not 1", not_unit, needs="finite"),
    Check("sign_flips", "neighbouring quaternions of opposite sign", sign_flips, needs="finite"),
)
