"""What is known about every frame of a clip, and the same summed up for the whole clip."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np

from moveset.geometry import signal
from moveset.geometry.quaternion import Array
from moveset.motion import Clip, Contacts
from moveset.motion.ground import GroundFrame
from moveset.motion.roles import FEET

LONGEST_CYCLE = 2.0
"""Seconds from one landing of the left foot to the next beyond which the body is not walking."""

FOOT_COLUMNS = {
    "leftFoot": "left_foot",
    "leftToes": "left_toes",
    "rightFoot": "right_foot",
    "rightToes": "right_toes",
}


def frame_attributes(clip: Clip, ground: GroundFrame, contacts: Contacts) -> dict[str, np.ndarray | None]:
    """Columns of the frames table (schema.FrameRow) except `clip` and `frame`; (F,) each, None for unknown."""
    moving = len(clip) > 1
    velocities = signal.derivative(ground.positions, clip.fps) if moving else np.zeros((len(clip), 3))
    local = ground.ground_from_world_directions(velocities)
    turning = signal.derivative(ground.headings, clip.fps) if moving else np.zeros(len(clip))
    hips = clip.skeleton.by_role.get("hips")
    columns: dict[str, np.ndarray | None] = {
        "x": ground.positions[:, 0],
        "z": ground.positions[:, 2],
        "heading": ground.headings,
        "speed": np.linalg.norm(local[:, (0, 2)], axis=1),
        "forward_speed": local[:, 2],
        "left_speed": local[:, 0],
        "turn_rate": turning,
        "hips_height": None if hips is None else clip.world_positions[:, hips, 1],
    }
    for role in FEET:
        known = role in contacts.roles
        columns[FOOT_COLUMNS[role]] = contacts.flags[:, contacts.roles.index(role)] if known else None
    columns["phase"] = gait_phase(contacts, clip.fps) if contacts.roles else None
    return {name: _narrow(column) for name, column in columns.items()}


def gait_phase(contacts: Contacts, fps: float) -> Array:
    """(F,) 0 to 1 from one landing of the left foot to the next; NaN outside and where no cycle is that short.

    The right foot must bear at some time of the cycle, so that hopping on one leg has no phase.
    """
    left, right = (
        np.any(
            [contacts.flags[:, k] for k, role in enumerate(contacts.roles) if role.startswith(side)], axis=0
        )
        if any(role.startswith(side) for role in contacts.roles)
        else np.zeros(len(contacts.flags), dtype=bool)
        for side in ("left", "right")
    )
    phase = np.full(len(contacts.flags), np.nan)
    landings = np.flatnonzero(left[1:] & ~left[:-1]) + 1
    for start, stop in itertools.pairwise(landings):
        if stop - start <= LONGEST_CYCLE * fps and right[start:stop].any():
            phase[start:stop] = np.arange(stop - start) / (stop - start)
    return phase


def clip_attributes(columns: Mapping[str, np.ndarray | None]) -> dict[str, float | None]:
    """Figures of the clips table (schema.ClipRow) from the frame columns."""
    x, z, speed, heading = columns["x"], columns["z"], columns["speed"], columns["heading"]
    assert x is not None and z is not None and speed is not None and heading is not None
    if not len(x):
        return {}
    turn_rate, hips = columns["turn_rate"], columns["hips_height"]
    feet = [flags for name in FOOT_COLUMNS.values() if (flags := columns[name]) is not None]
    steps = np.hypot(np.diff(x.astype(float)), np.diff(z.astype(float)))
    figures = {
        "speed": np.mean(speed),
        "top_speed": np.percentile(speed, 95),
        "turn_rate": None if turn_rate is None else np.mean(np.abs(turn_rate)),
        "turn": heading[-1] - heading[0],
        "path": steps.sum(),
        "travel": np.hypot(float(x[-1]) - float(x[0]), float(z[-1]) - float(z[0])),
        "hips_height": None if hips is None else np.median(hips),
        "grounded": np.mean(np.any(feet, axis=0)) if feet else None,
    }
    return {name: None if value is None else float(value) for name, value in figures.items()}


def _narrow(column: np.ndarray | None) -> np.ndarray | None:
    return column if column is None or column.dtype == bool else column.astype(np.float32)
