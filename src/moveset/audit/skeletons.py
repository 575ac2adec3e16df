"""Clips of one set that do not share a skeleton: which joints are missing, extra or renamed, which bones differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from moveset.audit.check import SetCheck
from moveset.audit.digest import Digest
from moveset.geometry import quaternion
from moveset.motion import Finding, Skeleton

BONE = 0.01
"""Relative difference of bone lengths that retargeting must deal with; exporters round far below it."""
TURNED = np.deg2rad(1)
SHARED = 0.5
"""Share of common joint names below which a skeleton is of another kind, not a variant."""
SHOWN = 4


def skeletons(digests: Sequence[Digest]) -> dict[int, list[Finding]]:
    """A finding at each clip whose skeleton is not that of most clips."""
    if not digests:
        return {}
    by_signature = {item.skeleton.signature: item.skeleton for item in digests}
    counts = Counter(item.skeleton.signature for item in digests)
    signature, most = counts.most_common(1)[0]
    usual = by_signature[signature]
    said = {s: _difference(skeleton, usual) for s, skeleton in by_signature.items() if s != signature}
    out = {}
    for i, item in enumerate(digests):
        told = said.get(item.skeleton.signature)
        if told:
            text, severity, value, unit, joint = told
            text = f"not the skeleton of most clips ({most} of {len(digests)}): {text}"
            advice = "retarget it by roles, or keep it in a set of its own"
            out[i] = [Finding("skeletons", severity, item.name, text, (), joint, value, unit, advice)]
    return out


def _difference(skeleton: Skeleton, usual: Skeleton) -> tuple[str, str, float, str, str | None] | None:
    """Text, severity, value, unit and joint of what differs most, None when nothing that matters does."""
    missing = [name for name in usual.names if name not in skeleton.index]
    extra = [name for name in skeleton.names if name not in usual.index]
    if missing or extra:
        renamed = _renamed(skeleton, usual, extra, missing)
        if len(renamed) == len(extra) == len(missing):
            text = f"{len(renamed)} joints renamed ({_listed(f'{new} was {old}' for new, old in renamed)})"
            return text, "info", float(len(renamed)), "joints", renamed[0][0]
        common = len(usual) - len(missing)
        if common < SHARED * min(len(usual), len(skeleton)):
            text = f"another skeleton of {len(skeleton)} joints, {common} of them with the same names"
            return text, "info", float(len(missing) + len(extra)), "joints", None
        parts = [
            f"{len(names)} {word} ({_listed(names)})"
            for word, names in (("missing", missing), ("extra", extra))
            if names
        ]
        text = " and ".join(parts)
        return text, "warning", float(len(missing) + len(extra)), "joints", (missing + extra)[0]

    order = [skeleton.index[name] for name in usual.names]
    parents = [-1 if (p := skeleton.parents[j]) < 0 else usual.index[skeleton.names[p]] for j in order]
    moved = np.flatnonzero(np.asarray(parents) != usual.parents)
    if len(moved):
        name = usual.names[int(moved[0])]
        return f"{name} hangs below another joint", "warning", float(len(moved)), "joints", name

    below = np.flatnonzero(usual.parents >= 0)
    theirs = np.linalg.norm(usual.rest_translations[below], axis=-1)
    ours = np.linalg.norm(skeleton.rest_translations[order][below], axis=-1)
    long = theirs > 0.01 * theirs.max(initial=0)
    relative = np.abs(ours - theirs)[long] / theirs[long]
    if relative.size and relative.max() > BONE:
        name = usual.names[below[np.flatnonzero(long)[relative.argmax()]]]
        share = float(relative.max())
        common = float(np.median(ours[long] / theirs[long]))
        even = np.abs(ours[long] / theirs[long] / common - 1).max() < BONE
        text = (
            f"all bones {common:.3g} times as long" if even else f"the bone to {name} differs by {share:.0%}"
        )
        return text, "warning" if even and not 0.5 < common < 2 else "info", share, "of length", name
    turned = quaternion.angle_between(skeleton.rest_rotations[order], usual.rest_rotations)
    if turned.max(initial=0) > TURNED:
        name, degrees = usual.names[int(turned.argmax())], float(np.rad2deg(turned.max()))
        return f"the rest pose turns {name} by {degrees:.0f} degrees", "info", degrees, "deg", name
    return None


def _renamed(
    skeleton: Skeleton, usual: Skeleton, extra: list[str], missing: list[str]
) -> list[tuple[str, str]]:
    """(new, old) names of joints that hold the same place: the same parent, role and order among the missing."""
    if len(skeleton) != len(usual) or not np.array_equal(skeleton.parents, usual.parents):
        return []
    return [
        (skeleton.names[j], usual.names[j])
        for j in range(len(usual))
        if skeleton.names[j] in extra and usual.names[j] in missing
    ]


def _listed(names) -> str:
    names = list(names)
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


CHECKS = (SetCheck("skeletons", "clips whose skeleton is not that of the others", skeletons),)
