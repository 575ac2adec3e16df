"""Which clips of what a user names are learned from, and by which a model is judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moveset.audit.digest import digest
from moveset.library.split import HELD_OUT, kin_of
from moveset.library.store import Library, is_library
from moveset.motion import Clip
from moveset.workflows.locomotion import is_locomotion, motion_of, on_one_body

_EVERY = 8
"""Of so many clips without a split every eighth is held out, those of its kin with it."""


@dataclass(frozen=True, eq=False)
class Split:
    """Clips of one body: those to learn from, and those to be judged by."""

    train: tuple[Clip, ...]
    held_out: tuple[Clip, ...]
    notes: tuple[str, ...] = ()
    """What was done to clips that did not fit as they were, and which were left out."""


def split_of(sources: Sequence[str], where: str = "", everything: bool = False) -> Split:
    """Clips of a library by its split, or of files, of which about every eighth is held out (`held_out_of`).

    Only plain locomotion, unless `where` (a SQL condition on a library) or `everything` says otherwise.
    """
    if len(sources) == 1 and is_library(sources[0]):
        library = Library.open(sources[0])
        rows = library.clips(where or "NOT additive")
        rows = [row for row in rows if where or everything or is_locomotion(row.name, row.tags)] or rows
        clips, notes = [library.load_clip(row.id) for row in rows], ()
        held = {number for number, row in enumerate(rows) if row.split == HELD_OUT}
    else:
        clips, notes = motion_of(sources, where, everything)
        held = held_out_of(clips)
        if len(clips) >= _EVERY and not held:
            notes = (*notes, "no clip is held out: they are all takes of one motion")
    kept, origins, moved = on_one_body(clips)
    train, judged = [], []
    for own, origin in zip(kept, origins):
        (judged if origin in held else train).append(own)
    return Split(tuple(train), tuple(judged), (*notes, *moved))


def held_out_of(clips: Sequence[Clip]) -> set[int]:
    """Numbers of the clips that are held out: one of every eight, and takes of one motion on one side, as in a library."""
    if len(clips) < _EVERY:
        return set()
    takes: dict[str, list[int]] = {}
    for number, kin in enumerate(kin_of([f"{n:06}" for n in range(len(clips))], [digest(c) for c in clips])):
        takes.setdefault(kin, []).append(number)
    held: set[int] = set()
    seen = 0
    for own in takes.values():
        seen += len(own)
        if len(held) + len(own) <= -(-seen // _EVERY):
            held |= {*own}
    return held
