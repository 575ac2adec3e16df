"""Bundles of controllers to an evaluation: every level of detail a column, a flow at several numbers of steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from moveset.bundle import Bundle, ControllerSpec, LevelOfDetail, Network, open_bundle
from moveset.bundle.kinds import CONTROLLER, REFERENCE
from moveset.errors import MovesetError
from moveset.progress import Track, untracked
from moveset.runtime.controller import Controller
from moveset.runtime.evaluation.reference import References, from_manifest
from moveset.runtime.learned import LearnedController
from moveset.runtime.matching import MotionMatching
from moveset.workflows.evaluation.controller import COUNTS, FULL, Evaluation, Size, evaluate
from moveset.workflows.evaluation.real_clips import RealClips, real_clips

STEPS = (1, 2, 4, 8)
"""Of a flow, each a column."""


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
    opened = [open_bundle(path, CONTROLLER) for path in bundles]
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
    costs = {}
    for bundle in opened:
        for entry in entries_of(bundle):
            name = entry.name if len(opened) == 1 else f"{bundle.name} {entry.name}"
            contenders[name] = entry.controller, entry.about
            costs[name] = network_cost(bundle, entry.level, entry.steps)
    result = evaluate(contenders, real, examples, size, seed=seed, track=track, say=say)
    columns = (replace(c, cost={**c.cost, **costs.get(c.name, {})}) for c in result.columns)
    return replace(result, columns=tuple(columns), notes=(*result.notes, *notes))


def carried(bundle: Bundle) -> References:
    """The measures of the real clips that a bundle brings."""
    if REFERENCE not in bundle.manifest:
        raise MovesetError(
            "carries no measures of real clips", file=bundle.path, do="name its library with --against"
        )
    return from_manifest(bundle.manifest[REFERENCE], bundle.arrays(REFERENCE))


@dataclass(frozen=True, eq=False)
class Entry:
    """What is tried: a level of detail of a bundle, of a flow at one number of steps."""

    name: str
    controller: Controller
    about: str
    level: LevelOfDetail
    steps: int
    """0 for an answer in one pass."""


def entries_of(bundle: Bundle) -> Iterator[Entry]:
    """All that a bundle has to show."""
    spec = ControllerSpec.from_json(bundle.manifest["controller"], bundle.path)
    for lod, level in enumerate(spec.lods):
        about = f"{spec.family}, {level.predictor}, {level.decoder}"
        if not level.steps:
            yield Entry(level.name, LearnedController(bundle, lod), about, level, 0)
            continue
        for steps in STEPS:
            levels = tuple(replace(other, steps=steps) if other is level else other for other in spec.lods)
            manifest = {**bundle.manifest, "controller": replace(spec, lods=levels).to_json()}
            stepped = LearnedController(replace(bundle, manifest=manifest), lod)
            yield Entry(f"{level.name}, {steps} step{'s' * (steps > 1)}", stepped, about, level, steps)


def network_cost(bundle: Bundle, level: LevelOfDetail, steps: int) -> dict[str, float]:
    """Microseconds that the networks alone cost a character and frame, one by one and in a crowd.

    Each character asks the predictor once for all states that it executes; a crowd does so in turns.
    """
    execute = int(bundle.manifest["controller"]["execute"])
    predictor, decoder = bundle.network(level.predictor), bundle.network(level.decoder)

    def cost(count: int) -> float:
        asking = max(1, count // execute)
        predicted = max(1, steps) * _least(predictor, asking) / asking / execute
        return predicted + _least(decoder, count) / count

    return {f"networks_{count}": cost(count) for count in COUNTS}


def _least(network: Network, batch: int) -> float:
    """Of several medians, for others may be at work on this machine."""
    return min(network.microseconds(batch, 50) for _ in range(5))


def _same_body(bundles: Sequence[Bundle], real: RealClips) -> None:
    own = real.known[0].skeleton
    for bundle in bundles:
        if bundle.skeleton.names != own.names:
            raise MovesetError(
                f"moves {len(bundle.skeleton)} joints, the clips to judge by have {len(own)} others",
                file=bundle.path,
                do="name with --against what it was trained on",
            )
