"""Real clips to judge by: which are known to a controller and which were held out, measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from moveset.errors import MovesetError
from moveset.library.split import HELD_OUT
from moveset.library.training_set import is_training_set, open_set
from moveset.motion import Clip
from moveset.motion.ground import ground_frame
from moveset.motion.mirror import find_symmetry, mirror
from moveset.runtime.evaluation.reference import GAITS, References, moves_at, references
from moveset.workflows.locomotion import widened
from moveset.workflows.split import split_of

_SHORTEST = 8
"""Clips of no more frames say nothing of how a body moves."""

_SHOWN = 3.0
"""[s] that are long enough to be looked at."""


@dataclass(frozen=True, eq=False)
class RealClips:
    """Clips of one body."""

    known: tuple[Clip, ...]
    """Recorded training clips and their mirror twins: among these a pose is at home."""
    held_out: tuple[Clip, ...]
    playable: tuple[Clip, ...]
    """What motion matching is given: the known ones and bent copies."""
    notes: tuple[str, ...] = ()

    def measured(self, keep: int | None = None) -> References:
        """Their measures; `keep` so many poses."""
        return references(self.known, self.held_out, keep)

    def examples(self) -> dict[str, Clip]:
        """A clip of each gait to be shown, all of it near the speed that is asked; held out if there is one."""
        found = {}
        for gait, (speed, speeds) in GAITS.items():
            for clips in (self.held_out, self.known):
                own = [clip for clip in clips if moves_at(clip, speeds)]
                long = [clip for clip in own if clip.seconds >= _SHOWN] or own
                if own and gait not in found:
                    found[gait] = min(long, key=lambda clip: _off_pace(clip, speed))
        return found


def _off_pace(clip: Clip, speed: float) -> float:
    """Mean difference of a clip's speed from `speed` [m/s]."""
    steps = ground_frame(clip).displacements[1:, :2] * clip.fps
    return float(np.abs(np.hypot(steps[:, 0], steps[:, 1]) - speed).mean())


def real_clips(sources: Sequence[str], where: str = "", everything: bool = False) -> RealClips:
    """Clips of a training set, of a library by its split, or of files, of which every eighth is held out."""
    if len(sources) == 1 and is_training_set(sources[0]):
        return clips_of_set(Path(sources[0]))
    sides = split_of(sources, where, everything)
    train, held_out = (
        [clip for clip in side if len(clip) > _SHORTEST] for side in (sides.train, sides.held_out)
    )
    if not train and not held_out:
        raise MovesetError(f"no clip in {', '.join(sources)} to judge by", do="give others with --against")
    return real_clips_of(train or held_out, held_out if train else [], sides.notes)


def real_clips_of(train: Sequence[Clip], held_out: Sequence[Clip], notes: Sequence[str] = ()) -> RealClips:
    """Clips of one body whose sides are known."""
    symmetry = find_symmetry(train[0].skeleton, list(train[:40]))
    twins = [mirror(clip, symmetry) for clip in train if clip.tags.mirrorable]
    return RealClips((*train, *twins), tuple(held_out), tuple(widened(train)), tuple(notes))


def clips_of_set(folder: Path) -> RealClips:
    """The recorded, mirrored and bent clips of a training set."""
    made = open_set(folder)
    view = made.view
    known, held_out, bent = [], [], []
    for id, split, kind, name in zip(view.clips, view.splits, made.kinds, made.names):
        if kind in ("real", "mirrored", "bent"):
            clip = made.space.clip(view.features[view.rows(id)], view.fps, name=name)
            side = held_out if split == HELD_OUT else bent if kind == "bent" else known
            side.append(clip)
    return RealClips(tuple(known), tuple(held_out), (*known, *bent))
