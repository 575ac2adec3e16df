"""What a check is. A check never changes a clip: it names, measures and advises."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from moveset.audit.digest import Digest
from moveset.motion import Clip, Finding

SHOWN_FRAMES = 8
"""How many frames a finding lists, the worst first; `count` says how many there are."""


@dataclass(frozen=True)
class Check:
    """One question asked of every clip. It stands in CHECKS, at the foot of its module; audit/registry.py lists these."""

    name: str
    about: str
    """What it finds, in a line."""
    run: Callable[[Clip], list[Finding]]
    needs: str = "motion"
    """What it can be asked of: `any` clip, `finite` numbers, a `pose` (finite, not additive), or the `motion`:
    the same without a T-pose in front of it. Frames in its findings count from the first frame it sees."""


@dataclass(frozen=True)
class SetCheck:
    """One question asked of all clips together; it sees their digests, so that any number of files fits."""

    name: str
    about: str
    run: Callable[[Sequence[Digest]], dict[int, list[Finding]]]
    """Findings by position of the clip in the sequence."""


def worst(frames: Iterable[int], values: Iterable[float]) -> tuple[int, ...]:
    """`frames` with the largest `values` first, at most SHOWN_FRAMES."""
    frames, values = np.asarray(list(frames), dtype=int), np.asarray(list(values), dtype=float)
    return tuple(int(f) for f in frames[np.argsort(-values, kind="stable")][:SHOWN_FRAMES])


def placed(findings: Iterable[Finding], clip: Clip, start: int) -> list[Finding]:
    """The findings with the name of the clip and frames that count from its first frame."""
    return [replace(f, clip=clip.name, frames=tuple(frame + start for frame in f.frames)) for f in findings]
