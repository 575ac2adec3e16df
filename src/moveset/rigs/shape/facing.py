"""Which side is left: feet point ahead, knees bend ahead, elbows back, beasts look ahead, people walk ahead."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from moveset.conventions import FORWARD
from moveset.geometry.quaternion import Array
from moveset.rigs.shape.plan import Plan

Parts = dict[str, tuple[int, int]]

_VOTES = {"toes": 3.0, "knees": 2.0, "elbows": 1.0, "head": 4.0, "path": 1.0, "convention": 1.0}
"""What each sign weighs; `convention`: files face +Z more often than not."""
ASSUMED = "by convention alone"
"""What is said where nothing but the convention tells the sides."""
_BEND = 0.05
"""A bend of this share of the limb is a full vote."""


def sides(plan: Plan, legs: Parts, arms: Parts, poses: Sequence[Array]) -> tuple[bool, bool, float, str]:
    """Whether the first joints of the leg and of the arm pairs are the left ones, how sure that is, and why."""
    same = bool(sum(_line(pose, legs) @ _line(pose, arms) for pose in poses) >= 0)
    if not same:
        arms = {part: (b, a) for part, (a, b) in arms.items()}
    aheads = [_ahead(pose, plan.up, legs, arms) for pose in poses]
    if plan.kind == "quadruped":
        first = next(iter(arms.values()))
        votes = {"head": np.sign((_mid(plan.positions, first) - _mid(plan.positions, legs["UpperLeg"]))
                                 @ _ahead(plan.positions, plan.up, legs, arms))}  # fmt: skip
    else:
        signs = [_signs(pose, plan.up, legs, arms, ahead) for pose, ahead in zip(poses, aheads)]
        votes = {name: float(np.mean([sign[name] for sign in signs])) for name in signs[0]}
        votes["path"] = _path(poses, legs, aheads, plan.legs.reach)
        if abs(votes["toes"]) < 0.3:
            votes["convention"] = float(aheads[0] @ FORWARD)
    total = sum(_VOTES[name] * vote for name, vote in votes.items())
    weight = sum(_VOTES[name] * abs(vote) for name, vote in votes.items())
    sure = 0.5 + 0.5 * min(abs(total) / 1.5, 1.0) * (abs(total) / weight if weight else 0.0)
    said = {
        name: "agree" if vote * total > 0 else "object" for name, vote in votes.items() if abs(vote) > 0.1
    }
    why = (
        ASSUMED if set(said) <= {"convention"} else ", ".join(f"{name} {word}" for name, word in said.items())
    )
    return bool(total >= 0), bool((total >= 0) == same), float(sure), why


def _ahead(pose: Array, up: Array, legs: Parts, arms: Parts) -> Array:
    """Where the body looks if the first joints are the left ones, unit or zero."""
    ahead = np.cross(_line(pose, legs) + _line(pose, arms), up)
    return ahead / max(np.linalg.norm(ahead), 1e-12)


def _signs(pose: Array, up: Array, legs: Parts, arms: Parts, ahead: Array) -> dict[str, float]:
    """What toes, knees and elbows of a pose say, -1 to 1 each."""
    toes = 0.0
    if "Toes" in legs and "Foot" in legs:
        foot = _mid(pose, legs["Toes"]) - _mid(pose, legs["Foot"])
        toes = float(foot @ ahead / max(np.linalg.norm(foot), 1e-12))
    return {
        "toes": toes,
        "knees": _bend(pose, legs, ("UpperLeg", "LowerLeg", "Foot"), ahead),
        "elbows": -_bend(pose, arms, ("UpperArm", "LowerArm", "Hand"), ahead),
    }


def _path(poses: Sequence[Array], legs: Parts, aheads: Sequence[Array], size: float) -> float:
    """Whether the body moves ahead from pose to pose, -1 to 1."""
    centers = [_mid(pose, legs["UpperLeg"]) for pose in poses]
    steps = [
        float(np.clip((b - a) @ ahead / (0.3 * size), -1, 1))
        for a, b, ahead in zip(centers, centers[1:], aheads)
    ]
    return float(np.mean(steps)) if len(steps) > 2 else 0.0


def _mid(pose: Array, joints: tuple[int, int]) -> Array:
    return (pose[joints[0]] + pose[joints[1]]) / 2


def _bend(pose: Array, parts: Parts, names: tuple[str, str, str], ahead: Array) -> float:
    """How far the middle joint lies ahead of the line between the others, -1 to 1."""
    if any(name not in parts for name in names):
        return 0.0
    bends = []
    for side in (0, 1):
        top, middle, end = (pose[parts[name][side]] for name in names)
        limb = end - top
        length = float(np.linalg.norm(limb))
        if length < 1e-9:
            continue
        aside = (middle - top) - ((middle - top) @ limb) / length**2 * limb
        bends.append(float(np.clip(aside @ ahead / length / _BEND, -1, 1)))
    return float(np.mean(bends)) if bends else 0.0


def _line(pose: Array, parts: Parts) -> Array:
    """Unit vector from the second side to the first one where the limbs begin, zero if they meet there."""
    a, b = next(
        (parts[name] for name in ("UpperLeg", "UpperArm") if name in parts), next(iter(parts.values()))
    )
    line = pose[a] - pose[b]
    return line / max(np.linalg.norm(line), 1e-12)
