"""What becomes of a clip with findings: dropped, repaired, or kept and flagged."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from moveset.audit.registry import SET_CHECKS
from moveset.conventions import DEFAULT_FPS, FPS_RANGE
from moveset.errors import MovesetError
from moveset.geometry import quaternion
from moveset.motion import Clip, Finding

ACTIONS = ("drop", "repair", "keep")

DEFAULT_ACTIONS: Mapping[str, str] = {
    "not_finite": "drop",
    "too_short": "drop",
    "additive": "drop",
    "t_pose": "drop",
    "first_frame_t_pose": "repair",
    "frozen": "repair",
    "not_unit": "repair",
    "sign_flips": "repair",
}
"""By check. Checks that are not named here keep the clip; `first_frame_t_pose = "keep"` in a policy overrules."""


HINTS = frozenset(("additive",))
"""Checks whose information is a hint (a clip's name), not a fact: it drops nothing."""


@dataclass(frozen=True)
class Policy:
    """How a library is built from what the audit finds. A TOML file of the same fields sets it."""

    fps: float = DEFAULT_FPS
    """Every clip is resampled to this rate [1/s]; 0 keeps each clip's own."""
    held_out: float = 0.1
    """Share of motions kept away from training."""
    split: str = "hash"
    """hash: by the hash of each motion; sidecar: as a table beside the files says, else by hash."""
    license: str = ""
    """Of clips for which no table, license file or sidecar names one."""
    actions: Mapping[str, str] = field(default_factory=lambda: dict(DEFAULT_ACTIONS))
    """drop, repair or keep, by check."""

    def __post_init__(self) -> None:
        if self.fps != 0 and not FPS_RANGE[0] <= self.fps <= FPS_RANGE[1]:
            low, high = FPS_RANGE
            raise MovesetError(
                f"policy: fps is {self.fps:g}",
                do=f"give {low:g} to {high:g}, or 0 to keep each clip's own rate",
            )
        if not 0 <= self.held_out < 1:
            raise MovesetError(f"policy: held_out is {self.held_out}", do="give a share from 0 to below 1")
        if self.split not in ("hash", "sidecar"):
            raise MovesetError(f"policy: split is {self.split!r}", do="say hash or sidecar")
        for check, action in self.actions.items():
            if action not in ACTIONS:
                raise MovesetError(f"policy: {check} = {action!r}", do=f"say one of {', '.join(ACTIONS)}")
            if check in {each.name for each in SET_CHECKS} and action != "keep":
                raise MovesetError(
                    f"policy: {check!r} compares clips, it cannot {action} one",
                    do="keep it; clips with the same data are stored once anyway",
                )
            if action == "repair" and check not in REPAIRS:
                raise MovesetError(
                    f"policy: nothing repairs {check!r}", do=f"drop or keep it; repairs: {', '.join(REPAIRS)}"
                )


def read_policy(text: str, file: object = None) -> Policy:
    """A policy from TOML: the fields of `Policy`, and `[actions]` laid over the default ones."""
    try:
        return policy_from(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise MovesetError(f"not TOML: {error}", file=file, do="mend the policy file") from None
    except MovesetError as error:
        raise error.within(file) from None


def policy_from(values: Mapping[str, Any]) -> Policy:
    """A policy from a mapping; unknown names are refused."""
    known = [f.name for f in fields(Policy)]
    unknown = sorted(set(values) - set(known))
    if unknown:
        raise MovesetError(f"policy: unknown field {unknown[0]!r}", do=f"the fields are {', '.join(known)}")
    return Policy(**{**values, "actions": {**DEFAULT_ACTIONS, **values.get("actions", {})}})


def apply_policy(
    clip: Clip, findings: Sequence[Finding], policy: Policy
) -> tuple[Clip | None, list[tuple[Finding, str]]]:
    """The clip repaired as the policy asks (None if dropped), and each finding with what was done about it.

    Findings that did not decide about a dropped clip are left with the action `none`.
    """
    wished = [policy.actions.get(finding.check, "keep") for finding in findings]
    drops = [
        action == "drop" and not (finding.check in HINTS and finding.severity == "info")
        for finding, action in zip(findings, wished)
    ]
    if any(drops):
        return None, [(finding, "drop" if drop else "none") for finding, drop in zip(findings, drops)]
    done = [(f, "keep" if action == "drop" else action) for f, action in zip(findings, wished)]
    asked = {finding.check for finding, action in done if action == "repair"}
    repaired = set()
    for check, repair in REPAIRS.items():
        if check in asked and (mended := repair(clip)) is not clip:
            clip = mended
            repaired.add(check)
    return clip, [(f, "keep" if a == "repair" and f.check not in repaired else a) for f, a in done]


def _trim_first_frame(clip: Clip) -> Clip:
    return clip.slice(1, len(clip))


def _trim_held_ends(clip: Clip) -> Clip:
    """Without the repeats of the first and of the last pose, where they last; a freeze in between stays."""
    steps = [np.abs(np.diff(track, axis=0)).max(axis=(1, 2)) for track in clip.tracks]
    same = np.max(steps, axis=0) < _EXACT
    moving = np.flatnonzero(~same)
    if clip.loop or not len(moving):
        return clip
    least = HELD * clip.fps
    start = int(moving[0]) if moving[0] >= least else 0
    stop = int(moving[-1]) + 2 if len(same) - 1 - moving[-1] >= least else len(clip)
    return clip.slice(start, stop) if (start, stop) != (0, len(clip)) else clip


def _normalize(clip: Clip) -> Clip:
    return replace(clip, rotations=quaternion.normalize(clip.rotations))


def _unroll(clip: Clip) -> Clip:
    return replace(clip, rotations=quaternion.unroll(clip.rotations))


HELD = 0.3
"""Seconds that a pose must be held at an end of a clip for the hold to be trimmed."""
_EXACT = 1e-6

REPAIRS: Mapping[str, Callable[[Clip], Clip]] = {
    "first_frame_t_pose": _trim_first_frame,
    "frozen": _trim_held_ends,
    "not_unit": _normalize,
    "sign_flips": _unroll,
}
"""What mends the findings of a check, in the order in which it is done. Unchanged means: not mended."""
