"""Bundles of controllers to an evaluation: every level of detail a column, a flow at several numbers of steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from moveset.bundle import Bundle, open_bundle
from moveset.errors import MovesetError
from moveset.progress import Track, untracked
from moveset.runtime.controller import Controller
from moveset.runtime.learned import LearnedController
from moveset.runtime.matching import MotionMatching
from moveset.runtime.reference import References, from_manifest
from moveset.workflows.evaluate_controller import FULL, Evaluation, Size, evaluate
from moveset.workflows.real import RealClips, real_clips

KIND = "controller"
STEPS = (1, 2, 4, 8)
"""Of a flow, each a column."""
REFERENCE = "reference"
"""Under this name a bundle carries the measures of the real clips, in its manifest and as arrays."""


def evaluate_bundles(
    bundles: Sequence[str],
    against: Sequence[str] = (),
    size: Size = FULL,
    *,
    where: str = "",
    everything: bool = False,
    seed: int = 0,
    track: Track = untracked,
    say: Callable[[str], None] = lambda _: None,
) -> Evaluation:
    """Evaluate controllers beside the real clips of `against` and motion matching on these.

    Without `against` the real clips are those whose measures the first bundle carries.
    """
    opened = [open_bundle(path, KIND) for path in bundles]
    if not opened and not against:
        raise MovesetError(
            "nothing to evaluate", do="name a bundle: moveset evaluate controller my.controller -o report"
        )
    examples, notes, contenders = {}, (), {}
    if against:
        real_side = real_clips(against, where, everything)
        _same_body(opened, real_side)
        real, examples, notes = real_side.measured(), real_side.examples(), real_side.notes
        matching = MotionMatching.from_clips(real_side.playable)
        rows = f"{len(matching.database.rotations):,} rows, {matching.database.seconds:.0f} s"
        contenders["motion matching"] = matching, rows
    else:
        real = carried(opened[0])
    for bundle in opened:
        contenders |= {
            name if len(opened) == 1 else f"{bundle.name} {name}": (controller, about)
            for name, controller, about in columns_of(bundle)
        }
    result = evaluate(contenders, real, examples, size, seed=seed, track=track, say=say)
    return replace(result, notes=(*result.notes, *notes))


def carried(bundle: Bundle) -> References:
    """The measures of the real clips that a bundle brings."""
    if REFERENCE not in bundle.manifest:
        raise MovesetError(
            "carries no measures of real clips", file=bundle.path, do="name its library with --against"
        )
    return from_manifest(bundle.manifest[REFERENCE], bundle.arrays(REFERENCE))


def columns_of(bundle: Bundle) -> Iterator[tuple[str, Controller, str]]:
    """Name, controller, and what it is, of every column of a bundle."""
    said = bundle.manifest["controller"]
    for lod, level in enumerate(said["lods"]):
        about = f"{said['family']}, {level['predictor']}, {level['decoder']}"
        if not level.get("steps"):
            yield level["name"], LearnedController(bundle, lod), about
            continue
        for steps in STEPS:
            levels = [{**other, "steps": steps} if other is level else other for other in said["lods"]]
            manifest = {**bundle.manifest, "controller": {**said, "lods": levels}}
            stepped = LearnedController(replace(bundle, manifest=manifest), lod)
            yield f"{level['name']}, {steps} step{'s' * (steps > 1)}", stepped, about


def _same_body(bundles: Sequence[Bundle], real: RealClips) -> None:
    own = real.known[0].skeleton
    for bundle in bundles:
        if bundle.skeleton.names != own.names:
            raise MovesetError(
                f"moves {len(bundle.skeleton)} joints, the clips to judge by have {len(own)} others",
                file=bundle.path,
                do="name with --against what it was trained on",
            )
