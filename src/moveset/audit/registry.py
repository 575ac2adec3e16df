"""The list of checks. A new check is a file in this room and its name here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from importlib import import_module

from moveset.audit.additive import is_additive
from moveset.audit.body import start_of_motion
from moveset.audit.check import Check, SetCheck, placed
from moveset.audit.digest import Digest
from moveset.errors import MovesetError
from moveset.motion import Clip, Finding
from moveset.motion.asset import SEVERITIES

MODULES = (
    "not_finite",
    "too_short",
    "additive",
    "t_pose",
    "quaternions",
    "pops",
    "body_jolt",
    "flips",
    "still",
    "units",
    "foot_skate",
    "floor",
    "tracks",
    "skeletons",
    "duplicates",
    "frame_rates",
)
"""The modules of this room whose CHECKS are asked, in this order."""

_ALL = [check for name in MODULES for check in import_module(f"moveset.audit.{name}").CHECKS]

CHECKS: tuple[Check, ...] = tuple(check for check in _ALL if isinstance(check, Check))
"""Asked of each clip."""

SET_CHECKS: tuple[SetCheck, ...] = tuple(check for check in _ALL if isinstance(check, SetCheck))
"""Asked of all clips together."""


def audit(clip: Clip, only: Collection[str] = (), skip: Collection[str] = ()) -> list[Finding]:
    """What the checks find in one clip, the most severe first. `only` and `skip` name checks."""
    seen = _views(clip)
    findings: list[Finding] = []
    for check in CHECKS:
        if check.needs in seen and wanted(check.name, only, skip):
            view = seen[check.needs]
            findings += placed(check.run(view), clip, start=len(clip) - len(view))
    return by_severity(findings)


def audit_set(
    digests: Sequence[Digest], only: Collection[str] = (), skip: Collection[str] = ()
) -> list[list[Finding]]:
    """What the checks of sets find, a list for each clip."""
    out: list[list[Finding]] = [[] for _ in digests]
    for check in SET_CHECKS:
        if wanted(check.name, only, skip):
            for i, findings in check.run(digests).items():
                out[i] += findings
    return out


def by_severity(findings: Iterable[Finding]) -> list[Finding]:
    """Errors, then warnings, then information; the order of the checks within each."""
    return sorted(findings, key=lambda finding: -SEVERITIES.index(finding.severity))


def verdict(findings: Iterable[Finding]) -> str:
    """`error`, `warning` or `ok`: the worst of the findings, information apart."""
    worst = max((SEVERITIES.index(finding.severity) for finding in findings), default=0)
    return SEVERITIES[worst] if worst else "ok"


def wanted(name: str, only: Collection[str], skip: Collection[str]) -> bool:
    """Whether a check is asked for."""
    return (not only or name in only) and name not in skip


def known(names: Iterable[str]) -> frozenset[str]:
    """The names as a set; an unknown one is refused with those that exist."""
    asked = frozenset(names)
    exist = sorted(check.name for check in (*CHECKS, *SET_CHECKS))
    if unknown := asked.difference(exist):
        raise MovesetError(f"no check is called {sorted(unknown)[0]!r}", do=f"choose from {', '.join(exist)}")
    return asked


def _views(clip: Clip) -> dict[str, Clip]:
    """The clip as each kind of check sees it (Check.needs); kinds that cannot be asked of it are left out."""
    views = {"any": clip}
    if len(clip) and clip.is_finite:
        views["finite"] = clip
        if not is_additive(clip):
            views["pose"] = clip
            start = start_of_motion(clip)
            views["motion"] = clip.slice(start, len(clip)) if start else clip
    return views
