"""Which clips a character can walk and run by, and more of them by mirroring and bending."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from moveset import formats
from moveset.bundle import is_bundle
from moveset.cleanup.feet import plant_feet
from moveset.edit.bend import bent_copies
from moveset.edit.level import leveled
from moveset.errors import MovesetError
from moveset.formats import locations
from moveset.library.ingest.facts import asset_with_facts
from moveset.library.store import Library, is_library
from moveset.library.training_set import is_training_set
from moveset.motion import Clip
from moveset.motion.mirror import find_symmetry, mirror
from moveset.motion.skeleton import same_bones
from moveset.workflows.batch import attempt
from moveset.workflows.load import list_sources, load
from moveset.workflows.retarget import retarget_clips

_LOCOMOTION = re.compile(r"(walk|run|jog|sprint|dash|turn|start|stop|idle|stand|wander)(n?ing)?")
_OTHER = re.compile(
    r"(crouch|sneak|guard|armed|attack|block|hit|jump|dodge|roll|death|tired|proud|heavy|injured|backpedal|strafe"
    r"|climb|danc|kick|punch|throw)(e?d|e|ing)?"
)
"""A clip of which one of these words is said is not taken for plain locomotion."""

_ON_THE_FLOOR = 0.01
"""A clip that stands less than this [m] off the common floor is moved there without a word."""


def motion_of(
    sources: Sequence[str], where: str = "", everything: bool = False
) -> tuple[list[Clip], tuple[str, ...]]:
    """Clips of a library (by the SQL condition `where`) or of files, and sentences on what was left out.

    Only plain locomotion unless told otherwise; all, if no name or tag tells.
    """
    errors: list[MovesetError] = []
    if len(sources) == 1 and is_library(sources[0]):
        library = Library.open(sources[0])
        rows = library.clips(where or "NOT additive")
        kept = [row for row in rows if where or everything or is_locomotion(row.name, row.tags)]
        clips = [library.load_clip(row.id) for row in kept or rows]
        every = len(rows)
    else:
        if where:
            raise MovesetError(
                "--where asks a library", do="build one first: moveset build PATH -o NAME.library"
            )
        for source in sources:
            if is_bundle(source):
                raise MovesetError("is a bundle, not clips", file=source, do="name clips or a library")
            if is_training_set(source):
                raise MovesetError("is a training set, not clips", file=source, do="name what it was made of")
        read: list[Clip] = []
        for path, root in list_sources(sources).items():
            found = attempt(lambda path=path, root=root: _clips_of(path, root), path)
            if isinstance(found, MovesetError):
                errors.append(found)
            else:
                read += found
        clips = [c for c in read if everything or is_locomotion(c.name, c.tags.words)] or read
        every = len(read)
    if not clips and errors:
        raise errors[0]
    if not clips:
        raise MovesetError(
            f"no clip in {', '.join(sources)}" + (f" for which {where}" if where else ""),
            do="ask for others with --where" if where else "give files with animations",
        )
    notes = [f"left out: {error}" for error in errors]
    if len(clips) < every:
        notes.append(f"{every - len(clips)} clips were not taken: no name or tag says that they walk or run")
    return clips, tuple(notes)


def _clips_of(path: str, root: str) -> list[Clip]:
    """Clips of a file, under the license that files and tables beside it, up to `root`, name."""
    asset = load(path)
    file, top = (str(locations.locate(p).without_clip) for p in (path, root))
    told = asset_with_facts(asset, file, top)[0].clips
    return [
        replace(clip, tags=replace(clip.tags, license=t.tags.license, source=t.tags.source))
        for clip, t in zip(asset.clips, told)
    ]


def files_of(sources: Iterable[str]) -> list[Path]:
    """The files on disk that `sources` name; a library is read, never a file of it written over."""
    paths = [path for path in sources if not is_library(path)]
    return [locations.locate(file).file for file in (formats.list_files(paths) if paths else ())]


def is_locomotion(name: str, words: Iterable[str]) -> bool:
    """Whether name and tags speak of plain walking, running, turning, standing."""
    said = {*re.findall(r"[a-z]+", name.lower()), *(word.lower() for word in words)}
    return any(map(_LOCOMOTION.fullmatch, said)) and not any(map(_OTHER.fullmatch, said))


def one_body(clips: Sequence[Clip]) -> tuple[list[Clip], tuple[str, ...]]:
    """The clips on the skeleton of the most frames and on one floor, and sentences on what that took.

    Humanoids of other proportions come over by rotation copy; other skeletons are left out, and so are clips without
    motion: additive ones, such with NaN, and such of less than two frames.
    """
    kept, _, notes = on_one_body(clips)
    return kept, notes


def on_one_body(clips: Sequence[Clip]) -> tuple[list[Clip], list[int], tuple[str, ...]]:
    """`one_body`, and which of `clips` each that is kept was."""
    why = [_unfit(clip) for clip in clips]
    unfit = [f"{clip.name}: left out, {reason}" for clip, reason in zip(clips, why) if reason]
    numbers = [number for number, reason in enumerate(why) if not reason]
    clips = [clips[number] for number in numbers]
    if not clips:
        raise MovesetError(f"no clip has motion: {'; '.join(unfit[:3])}", do="give others")
    frames: Counter[str] = Counter()
    for clip in clips:
        frames[clip.skeleton.signature] += len(clip)
    best, _ = frames.most_common(1)[0]
    model = max((clip for clip in clips if clip.skeleton.signature == best), key=len)
    fits = [same_bones(clip.skeleton, model.skeleton) for clip in clips]
    human = not model.skeleton.missing_roles
    comes = [human and not fit and not clip.skeleton.missing_roles for clip, fit in zip(clips, fits)]
    foreign = [clip for clip, come in zip(clips, comes) if come]
    copies = iter(retarget_clips(foreign, model.skeleton, model) if foreign else ())
    kept, origins, notes = [], [], unfit
    for number, clip, fit, come in zip(numbers, clips, fits, comes):
        if fit or come:
            kept.append(next(copies) if come else clip)
            origins.append(number)
        else:
            notes.append(f"{clip.name}: left out, it is on another skeleton than most and no humanoid's")
    if foreign:
        notes.insert(
            0, f"copied from other bodies onto that of {model.name}: {len(foreign)} of {len(kept)} clips"
        )
    kept, moves = leveled(kept)
    off = np.abs(moves)
    if (off > _ON_THE_FLOOR).any():
        notes.insert(
            0,
            f"levelled, up to {100 * off.max():.0f} cm off the others' floor: {(off > _ON_THE_FLOOR).sum()} of {len(kept)} clips",
        )
    return kept, origins, tuple(notes)


def _unfit(clip: Clip) -> str:
    """Why a clip tells nothing of how a body moves; empty if it does."""
    if clip.additive:
        return "it is additive"
    if len(clip) < 2:
        return f"it has {len(clip)} frame{'s' * (len(clip) != 1)}"
    return "" if clip.is_finite else "it holds NaN or infinity"


def widened(clips: Sequence[Clip]) -> list[Clip]:
    """The clips, bent copies of the straight ones, and the mirrored twins of all that may be mirrored."""
    bent = [*clips, *map(plant_feet, bent_copies(clips))]
    symmetry = find_symmetry(clips[0].skeleton, clips[:40])
    return bent + [mirror(clip, symmetry) for clip in bent if clip.tags.mirrorable]
