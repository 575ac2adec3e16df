"""Clips to a training set: what was recorded, what can be made from it, and how much of each a batch shall hold.

Held-out clips stay as they were recorded. Whatever is made is made from training clips alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from moveset.cleanup.feet import plant_feet
from moveset.edit.aside import aside_copies
from moveset.edit.bend import bent_copies
from moveset.edit.chain import random_chains
from moveset.edit.retime import mean_speed, missing_paces, paced, time_scaled
from moveset.edit.stand import standing_pose, swaying
from moveset.edit.stops import QUICKEST, SLOWEST, stops_and_starts
from moveset.errors import MovesetError
from moveset.library.license import strictest
from moveset.library.split import HELD_OUT
from moveset.library.training_set import SetClip, StoredSet, write_set
from moveset.motion import Clip, Tags
from moveset.motion.mirror import find_symmetry, mirror
from moveset.motion.resample import resample
from moveset.progress import Track, untracked
from moveset.runtime.database import unroll_loop
from moveset.runtime.matching import MotionMatching
from moveset.workflows.batch import attempt
from moveset.workflows.training.walks import matched_walks

_POSED = 20
"""So many walks tell how the body stands."""
_LOOPED = 3.0
"""Loops are played on for as long as this [s], so that windows fit."""


@dataclass(frozen=True)
class Widening:
    """What is made from the clips, and how much of a batch each kind is. A kind with a share of 0 is not made."""

    real: float = 0.2
    mirrored: float = 0.2
    """The mirror twins of the real clips; all other kinds hold their twins themselves."""
    bent: float = 0.22
    """Straight clips along curves, feet planted."""
    aside: float = 0.08
    """Walks that face up to 35 degrees aside of where they go, feet planted."""
    retimed: float = 0.1
    """Clips at speeds that the others lack, feet planted."""
    standing: float = 0.1
    """A body at rest, and walks that stop and start."""
    walk: float = 0.1
    """Long walks of motion matching over all of the above. It jumps when it likes, which nothing foretells: more of them
    blur what is learned."""
    chain: float = 0.0
    """Clips one after the other in random order, so that it is known what may follow on one."""
    speeds: tuple[float, ...] = ()
    """Factors by which each clip is retimed in turn; none: as fills the speeds of walking that are missing."""
    bends: int = 2
    """Bent copies of a straight clip."""
    idles: int = 6
    idle_seconds: float = 6.0
    stops: int = 80
    """Stops and starts, half of them each."""
    walks: int = 56
    walk_seconds: float = 30.0
    chain_seconds: float = 600.0
    """Of chains in all."""

    @property
    def shares(self) -> dict[str, float]:
        """Share of a batch by kind, as asked for."""
        return {kind: share for kind in KINDS if (share := getattr(self, kind)) > 0}


KINDS = ("real", "mirrored", "bent", "aside", "retimed", "standing", "walk", "chain")
LOCOMOTION = Widening()
ANY_MOTION = Widening(
    real=0.45, mirrored=0.4, bent=0.0, aside=0.0, retimed=0.15, standing=0.0, walk=0.0, speeds=(0.85, 1.15)
)
"""For clips that no one walks by: blows, gestures, falls."""
ACTIONS = replace(ANY_MOTION, real=0.2, mirrored=0.15, retimed=0.1, chain=0.55)
"""The same for characters that go from one action to any other."""


def widened_set(
    train: Sequence[Clip],
    held_out: Sequence[Clip],
    widening: Widening = LOCOMOTION,
    *,
    fps: float = 30.0,
    seed: int = 0,
    track: Track = untracked,
    say: Callable[[str], object] = lambda text: None,
) -> list[SetClip]:
    """Real clips of both sides and what is made from the training side; `say` hears of kinds that it cannot serve."""
    train, held_out = ([_prepared(clip, fps) for clip in clips] for clips in (train, held_out))
    out = [SetClip(clip, "real") for clip in train]

    def add(kind: str, make: Callable[[], Iterable[Clip]]) -> None:
        made = attempt(lambda: [SetClip(clip, kind) for clip in make()], kind)
        if isinstance(made, MovesetError):
            say(f"no {kind} clips in the training set: {made.message}")
        elif not made:
            say(f"no {kind} clips in the training set: there is nothing to make them from")
        else:
            out.extend(made)

    if widening.bent:
        add("bent", lambda: [plant_feet(clip) for clip in bent_copies(train, widening.bends)])
    if widening.aside:
        add("aside", lambda: [plant_feet(clip) for clip in aside_copies(train)])
    if widening.retimed:
        add("retimed", lambda: retimed_clips(train, widening.speeds))
    if widening.standing:
        add("standing", lambda: standing_clips(train, widening.idles, widening.idle_seconds, widening.stops))
    twins = [s for s in out if s.clip.tags.mirrorable and (widening.mirrored or s.kind != "real")]
    for kind in dict.fromkeys(s.kind for s in twins):
        own = [s.clip for s in twins if s.kind == kind]

        def mirrored(own: Sequence[Clip] = own) -> list[Clip]:
            symmetry = find_symmetry(train[0].skeleton, train[:40])
            return [mirror(clip, symmetry) for clip in track(own, len(own), "mirroring")]

        add("mirrored" if kind == "real" else kind, mirrored)
    if widening.walk:

        def walks() -> list[Clip]:
            matching = MotionMatching.from_clips([s.clip for s in out], fps=fps)
            walks = matched_walks(matching, widening.walks, widening.walk_seconds, seed=seed, track=track)
            return [_told(clip, train) for clip in walks]

        add("walk", walks)
    if widening.chain:
        long = [clip for clip in train if len(clip) >= 2]

        def chains() -> list[Clip]:
            return [_told(made, train) for made in random_chains(long, widening.chain_seconds, seed)]

        add("chain", chains)
    return out + [SetClip(clip, "real", HELD_OUT) for clip in held_out]


def retimed_clips(clips: Sequence[Clip], speeds: Sequence[float]) -> list[Clip]:
    """Clips played at `speeds`, dealt out in turn; without any, walks at paces that they lack, feet planted."""
    if speeds:
        return [time_scaled(clip, speeds[k % len(speeds)]) for k, clip in enumerate(clips)]
    return [plant_feet(paced(clips[k], factor)) for k, factor in missing_paces(clips)]


def standing_clips(clips: Sequence[Clip], idles: int, seconds: float, stops: int) -> list[Clip]:
    """Bodies at rest, and stops and starts of those of `clips` that walk; none where nobody walks."""
    walks = [clip for clip in clips if SLOWEST < mean_speed(clip) < QUICKEST]
    if not walks:
        return []
    pose = standing_pose(walks[:: max(1, len(walks) // _POSED)])
    at_rest = [plant_feet(swaying(pose, seconds, k)) for k in range(idles)]
    return at_rest + stops_and_starts(walks, pose, stops)


def _told(clip: Clip, sources: Sequence[Clip]) -> Clip:
    """A clip made from all of `sources`, under the license that allows least."""
    return replace(clip, tags=Tags(license=strictest(source.tags.license for source in sources)))


def write_training_set(
    folder: str | os.PathLike[str],
    train: Sequence[Clip],
    held_out: Sequence[Clip] = (),
    widening: Widening = LOCOMOTION,
    *,
    fps: float = 30.0,
    seed: int = 0,
    settings: Mapping[str, object] | None = None,
    track: Track = untracked,
    say: Callable[[str], object] = lambda text: None,
) -> StoredSet:
    """Widen clips of one body and write them as a training set at `fps`; `settings` are kept with it."""
    if not train:
        raise MovesetError("no clip to train on", file=folder, do="give clips that are not all held out")
    return write_set(
        folder,
        widened_set(train, held_out, widening, fps=fps, seed=seed, track=track, say=say),
        widening.shares,
        settings=settings or {**asdict(widening), "seed": seed},
        track=track,
    )


def _prepared(clip: Clip, fps: float) -> Clip:
    """At the set's rate, loops played on."""
    clip = resample(clip, fps)
    return unroll_loop(clip, int(_LOOPED * fps))
