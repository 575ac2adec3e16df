"""Which clips of what a user names are learned from, and by which a model is judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moveset.library.split import HELD_OUT
from moveset.library.store import Library, is_library
from moveset.motion import Clip
from moveset.workflows.locomotion import is_locomotion, motion_of, one_body

_EVERY = 8
"""Of so many clips without a split every eighth is held out."""


@dataclass(frozen=True, eq=False)
class Sides:
    """Clips of one body: those to learn from, and those to be judged by."""

    train: tuple[Clip, ...]
    held_out: tuple[Clip, ...]
    notes: tuple[str, ...] = ()
    """What was done to clips that did not fit as they were, and which were left out."""


def sides_of(sources: Sequence[str], where: str = "", everything: bool = False) -> Sides:
    """Clips of a library by its split, or of files, of which every eighth is held out.

    Only plain locomotion, unless `where` (a SQL condition on a library) or `everything` says otherwise.
    """
    if len(sources) == 1 and is_library(sources[0]):
        library = Library.open(sources[0])
        rows = library.clips(where or "NOT additive")
        rows = [row for row in rows if where or everything or is_locomotion(row.name, row.tags)] or rows
        clips, notes = [library.load_clip(row.id) for row in rows], ()
        held = {id(clip) for clip, row in zip(clips, rows) if row.split == HELD_OUT}
    else:
        clips, notes = motion_of(sources, where, everything)
        held = {id(clip) for clip in clips[::_EVERY]} if len(clips) >= _EVERY else set()
    kept, moved = one_body(clips)
    # those that one_body keeps stay in their order
    before = iter(clips)
    origins = [next(clip for clip in before if _same(clip, own)) for own in kept]
    train = [own for own, origin in zip(kept, origins) if id(origin) not in held]
    judged = [own for own, origin in zip(kept, origins) if id(origin) in held]
    return Sides(tuple(train), tuple(judged), (*notes, *moved))


def _same(clip: Clip, other: Clip) -> bool:
    return clip.name == other.name and len(clip) == len(other)
