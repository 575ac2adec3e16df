"""What a user names, a library, files or a training set, to the training set that a model is trained on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from moveset.errors import MovesetError
from moveset.learn.distributed import ranks
from moveset.library.split import HELD_OUT
from moveset.library.store import Library, is_library
from moveset.motion import Clip
from moveset.progress import Track, untracked
from moveset.workflows.locomotion import is_locomotion, motion_of, one_body
from moveset.workflows.training_set import ANY_MOTION, FILE, LOCOMOTION, Widening, widened_set, write_set

_EVERY = 8
"""Of clips without a split every eighth is held out."""
_WALKS = {"tiny": 12}
"""Long walks for small presets: as many as they can make use of."""


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
        held = {id(clip) for clip in clips[_EVERY - 1 :: _EVERY]}
    kept, moved = one_body(clips)
    # those that one_body keeps stay in their order
    before = iter(clips)
    origins = [next(clip for clip in before if _same(clip, own)) for own in kept]
    train = [own for own, origin in zip(kept, origins) if id(origin) not in held]
    judged = [own for own, origin in zip(kept, origins) if id(origin) in held]
    if not train:
        raise MovesetError(f"all clips of {', '.join(sources)} are held out", do="give more clips")
    return Sides(tuple(train), tuple(judged), (*notes, *moved))


def training_set_of(
    sources: Sequence[str],
    folder: str | Path,
    preset: str = "small",
    *,
    where: str = "",
    everything: bool = False,
    widening: Widening | None = None,
    seed: int = 0,
    device: str = "cpu",
    track: Track = untracked,
    say: Callable[[str], object] = lambda text: None,
) -> Path:
    """The training set that `sources` are, or one made of them in `folder`, unless it is there already.

    Clips of locomotion are bent, retimed and walked on by motion matching; others are mirrored and retimed.
    """
    if len(sources) == 1 and (Path(sources[0]) / FILE).is_file():
        return Path(sources[0])
    if not sources:
        raise MovesetError("nothing to train on", do="name a library, clips, or a training set")

    def make() -> Path:
        return _make(sources, Path(folder), preset, where, everything, widening, seed, track, say)

    with ranks(device) as us:
        return us.once(make, lambda: Path(folder))


def _make(
    sources: Sequence[str],
    target: Path,
    preset: str,
    where: str,
    everything: bool,
    widening: Widening | None,
    seed: int,
    track: Track,
    say: Callable[[str], object],
) -> Path:
    sides = sides_of(sources, where, everything)
    for note in sides.notes:
        say(note)
    if widening is None:
        walking = sum(is_locomotion(clip.name, clip.tags.words) for clip in sides.train)
        usual = LOCOMOTION if 2 * walking >= len(sides.train) else ANY_MOTION
        widening = replace(usual, walks=_WALKS.get(preset, usual.walks))
    asked = {**asdict(widening), "seed": seed, "made_from": _digest(sides)}
    settings = json.loads(json.dumps(asked))  # as they will be read
    if _settings_of(target) == settings:
        say(f"takes the training set in {target}")
        return target
    clips = widened_set(sides.train, sides.held_out, widening, seed=seed, track=track)
    report = write_set(target, clips, widening.shares, settings=settings, track=track)
    say(f"wrote the training set {target}: {report.frames:,} frames")
    return target


def _same(clip: Clip, other: Clip) -> bool:
    return clip.name == other.name and len(clip) == len(other)


def _digest(sides: Sides) -> str:
    """What was given, so that a set is made anew when that changes."""
    hashes = [clip.content_hash for clip in (*sides.train, *sides.held_out)]
    return hashlib.sha256(f"{len(sides.train)} {hashes}".encode()).hexdigest()[:16]


def _settings_of(folder: Path) -> object:
    """Settings of the training set in a folder; None if there is none that can be read."""
    try:
        return json.loads((folder / FILE).read_text(encoding="utf-8"))["settings"]
    except (OSError, ValueError, KeyError):
        return None
