"""What a user names, a library, files or a training set, to the training set that a model is trained on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from moveset.errors import MovesetError
from moveset.learn.distributed import ranks
from moveset.library.training_set import is_training_set, open_set
from moveset.progress import Track, untracked
from moveset.workflows.batch import attempt
from moveset.workflows.locomotion import is_locomotion
from moveset.workflows.split import Split, split_of
from moveset.workflows.training.sets import ACTIONS, LOCOMOTION, Widening, write_training_set

_WALKS = {"tiny": 12}
"""Long walks for small presets: as many as they can make use of."""


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

    Clips of locomotion are bent, retimed and walked on by motion matching; others are mirrored, retimed and chained.
    """
    if len(sources) == 1 and is_training_set(sources[0]):
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
    sides = split_of(sources, where, everything)
    if not sides.train:
        raise MovesetError(f"all clips of {', '.join(sources)} are held out", do="give more clips")
    for note in sides.notes:
        say(note)
    if widening is None:
        walking = sum(is_locomotion(clip.name, clip.tags.words) for clip in sides.train)
        usual = LOCOMOTION if 2 * walking >= len(sides.train) else ACTIONS
        widening = replace(usual, walks=_WALKS.get(preset, usual.walks))
    asked = {**asdict(widening), "seed": seed, "made_from": _digest(sides)}
    settings = json.loads(json.dumps(asked))  # as they will be read
    if _settings_of(target) == settings:
        say(f"takes the training set in {target}")
        return target
    report = write_training_set(
        target, sides.train, sides.held_out, widening, seed=seed, settings=settings, track=track, say=say
    )
    given = (*sides.train, *sides.held_out)
    if unknown := sum(not clip.tags.license for clip in given):
        say(
            f"license unknown of {unknown} of {len(given)} clips, and so of all that is trained on them: "
            "put a LICENSE file, or a table with columns path and license, beside them"
        )
    say(f"wrote the training set {target}: {report.frames:,} frames")
    return target


def _digest(sides: Split) -> str:
    """What was given, so that a set is made anew when that changes."""
    hashes = [(clip.content_hash, clip.tags.license) for clip in (*sides.train, *sides.held_out)]
    return hashlib.sha256(f"{len(sides.train)} {hashes}".encode()).hexdigest()[:16]


def _settings_of(folder: Path) -> object:
    """Settings of the training set in a folder; None if there is none that can be read."""
    found = attempt(lambda: open_set(folder).settings, str(folder))
    return None if isinstance(found, MovesetError) else found
