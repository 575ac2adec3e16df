"""Characters that move at run time: clips or a bundle to a controller, a crowd on a path, its measures, its files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from moveset import formats
from moveset.bundle import MANIFEST, open_bundle
from moveset.bundle.kinds import CONTROLLER, REFERENCE
from moveset.errors import MovesetError
from moveset.motion import Asset, Character, Clip, measure
from moveset.motion.mirror import find_symmetry, mirror
from moveset.progress import Track, untracked
from moveset.rigs.mannequin import mannequin
from moveset.runtime.control import idle, move_to_target, uncontrolled, velocity_follow
from moveset.runtime.controller import Controller
from moveset.runtime.course import Run, drive, follow
from moveset.runtime.crowd import Crowd, CrowdConfig
from moveset.runtime.evaluation.measures import measure_motion, measure_path
from moveset.runtime.evaluation.reference import Reference, reference
from moveset.runtime.learned import LearnedController
from moveset.runtime.matching import MotionMatching
from moveset.runtime.path import Path as FloorPath
from moveset.runtime.path import PathFollower, parse_path
from moveset.workflows.evaluation.bundles import carried
from moveset.workflows.load import load
from moveset.workflows.locomotion import widened
from moveset.workflows.play_picture import draw
from moveset.workflows.retarget import retarget_clips
from moveset.workflows.split import Split, split_of

BEHAVIORS = ("path", "velocity", "target", "idle", "wander")


@dataclass(frozen=True)
class Play:
    """What `play_clips` and `play_bundle` do."""

    path: str = "circle:2"
    behavior: str = "path"
    """path (TrajectoryFollow), velocity (VelocityFollow straight ahead), target (MoveToTarget), idle (Idle), or wander
    (Uncontrolled)."""
    target: tuple[float, float] = (1.0, 3.0)
    """Where to go from where one begins: to the left, ahead [m]."""
    as_is: bool = False
    """Ask for corners and tight bends as the path has them, not as a body can walk them."""
    lod: int = 0
    """Level of detail of a learned controller."""
    against: str = ""
    """Clips by which to judge a learned controller, where it does not carry their measures."""
    speed: float = 1.2
    seconds: float = 30.0
    characters: int = 1
    seed: int = 0
    where: str = ""
    """Which clips of a library: a condition in SQL; without one those of plain locomotion."""
    everything: bool = False
    """Take all clips, whatever their words say."""
    widen: bool = True
    """Add mirrored twins and bent copies of straight clips."""
    foot_lock: bool = True
    nudge: float = 0.0

    def __post_init__(self) -> None:
        if self.behavior not in BEHAVIORS:
            raise MovesetError(f"behavior {self.behavior!r} is not one of {', '.join(BEHAVIORS)}")
        if not (np.isfinite(self.target).all() and np.abs(self.target).max() <= 1000):
            raise MovesetError(
                f"target {self.target[0]}, {self.target[1]}", do="give two numbers up to 1000 metres"
            )
        if not (0 < self.speed <= 20 and 0 < self.seconds <= 3600 and 1 <= self.characters <= 4096):
            raise MovesetError(
                f"speed {self.speed} m/s, {self.seconds} s, {self.characters} characters",
                do="give a speed up to 20 m/s, up to 3600 seconds, 1 to 4096 characters",
            )
        if not 0 <= self.nudge <= 1:
            raise MovesetError(f"nudge is {self.nudge}", do="give a share of each step, 0 to 1")


_ARRIVED = 0.1  # [m]
_SHORTEST = 8  # frames: clips of no more say nothing of how a body moves
_APART = 1.5  # [m] between those who stand side by side


@dataclass(frozen=True, eq=False)
class Target:
    """A character that shall move, and the file that it came from, which writing patches."""

    character: Character
    file: Asset


@dataclass(frozen=True, eq=False)
class Played:
    """What came of it."""

    run: Run
    follower: PathFollower | None
    measures: dict[str, float]
    controller: str
    """What moved the characters, in a line."""
    clips_used: int
    """From which the controller plays, or which it learned from."""
    seconds_of_motion: float
    notes: tuple[str, ...]
    """What was done to clips that did not fit as they were, and which were left out."""
    target: Target | None = None
    """Who walks it, if not the clips' own body."""
    scale: float = 1.0
    """How far that body travels for each metre of the measures, which the clips' own body walked."""


def is_bundle(source: str) -> bool:
    """Whether a path is that of a bundle."""
    return (Path(source) / MANIFEST).is_file()


def play(sources: Sequence[str], options: Play | None = None, track: Track = untracked) -> Played:
    """Let a crowd move by a bundle, or by motion matching over clips."""
    if len(sources) == 1 and is_bundle(sources[0]):
        return play_bundle(sources[0], options, track)
    return play_clips(sources, options, track)


def play_clips(sources: Sequence[str], options: Play | None = None, track: Track = untracked) -> Played:
    """Build motion matching from clips of `sources` (a library, files, folders) and let a crowd move."""
    options = options or Play()
    _known_path(options)
    sides = split_of(sources, options.where, options.everything)
    clips = [*sides.train, *sides.held_out]
    controller = MotionMatching.from_clips(widened(clips) if options.widen else clips)
    if options.behavior not in ("wander", "idle"):
        _fast_enough(controller, options.speed)
    run, follower, measures = _moved(controller, options, real_measures(sides), track)
    seconds = controller.database.seconds
    return Played(
        run,
        follower,
        measures,
        f"motion matching: {len(clips)} clips, {seconds:.0f} s of motion with mirrored and bent copies",
        len(clips),
        seconds,
        (*sides.notes, *controller.database.left_out),
    )


def play_bundle(path: str, options: Play | None = None, track: Track = untracked) -> Played:
    """Let a crowd move by the learned controller in a bundle."""
    options = options or Play()
    _known_path(options)
    bundle = open_bundle(path, CONTROLLER)
    controller = LearnedController(bundle, options.lod)
    notes: Sequence[str] = ()
    if options.against:
        sides = split_of([options.against], options.where, options.everything)
        notes = sides.notes
        if any(
            clip.skeleton.names != controller.skeleton.names for clip in sides.train[:1] + sides.held_out[:1]
        ):
            raise MovesetError(
                f"{options.against} is on another skeleton than the controller",
                do="name clips that it learned from",
            )
        real = real_measures(sides)
    elif REFERENCE in bundle.manifest:
        real = carried(bundle).everything
    else:
        real = None
        notes = ("it carries no measures of real clips: name its library with --against to compare",)
    run, follower, measures = _moved(controller, options, real, track)
    data = bundle.manifest["data"]
    family = bundle.manifest["controller"]["family"]
    license = bundle.manifest["license"] or "unknown"
    return Played(
        run,
        follower,
        measures,
        f"{bundle.name}: {family}, {controller.levels[options.lod]}; license of its data: {license}",
        int(data.get("clips", 0)),
        float(sum(data.get("seconds", {}).values())),
        tuple(notes),
    )


def _known_path(options: Play) -> FloorPath | None:
    """The path that is asked for, refused before anything is built."""
    return parse_path(options.path) if options.behavior == "path" else None


def _moved(
    controller: Controller, options: Play, real: Reference | None, track: Track
) -> tuple[Run, PathFollower | None, dict[str, float]]:
    """Drive a crowd and measure it, beside the clips where they are known."""
    config = CrowdConfig(foot_lock=options.foot_lock, nudge=options.nudge)
    run, follower = move(controller, options, config, track)
    measures = {
        "frames": float(len(run.clips[0])),
        "microseconds": run.microseconds,
        **(measure_path(run, follower, controller.fps) if follower else {}),
        **(_measure_target(run, options) if options.behavior == "target" else {}),
        **(measure_motion(run.clips, real) if real else _measure_feet(run)),
    }
    return run, follower, measures


def _measure_target(run: Run, options: Play) -> dict[str, float]:
    """How far from their targets the characters ended up [m], and when they first were within 0.1 m [s]."""
    away = np.linalg.norm(run.positions - (_grid(options.characters) + options.target), axis=-1)
    near = away < _ARRIVED
    first = np.where(near.any(axis=0), near.argmax(axis=0) / run.clips[0].fps, np.nan)
    return {
        "target_distance": float(away[-1].max()),
        "arrived": float(near.any(axis=0).mean()),
        "arrival_seconds": float(np.nanmean(first)) if near.any() else float("nan"),
    }


def _measure_feet(run: Run) -> dict[str, float]:
    """What can be said without real clips beside it."""
    return {
        "foot_skate": float(np.mean([measure.foot_skate(clip) for clip in run.clips])),
        "planted_speed": float(np.nanmean([measure.planted_speed(clip) for clip in run.clips])),
    }


def _fast_enough(controller: MotionMatching, speed: float) -> None:
    """Clips that walk on the spot cannot follow a path; better said than shown as a path error."""
    database = controller.database
    fastest = float(np.percentile(np.linalg.norm(database.steps[database.searchable, :2], axis=1), 99))
    if fastest < 0.5 * speed:
        raise MovesetError(
            f"the clips travel at {fastest:.2f} m/s at most, {speed:g} m/s were asked",
            do="use clips with root motion (not in place), or a lower --speed",
        )


def move(
    controller: Controller, options: Play, config: CrowdConfig, track: Track
) -> tuple[Run, PathFollower | None]:
    """Drive a crowd as `options` say."""
    path = _known_path(options)
    if path is not None:
        return follow(
            controller, path, options.speed, options.seconds, options.characters, options.seed, config, track,
            as_is=options.as_is,
        )  # fmt: skip
    crowd = Crowd(controller, options.characters, options.seed, config)
    places = _grid(options.characters)
    crowd.place(places, 0.0)
    control = {
        "velocity": velocity_follow((0.0, options.speed)),
        "target": move_to_target(places + options.target, speed=options.speed),
        "idle": idle(),
        "wander": uncontrolled(),
    }[options.behavior]
    return drive(crowd, lambda frame: crowd.control(control), options.seconds, track, options.behavior), None


def _grid(count: int) -> np.ndarray:
    """(N, 2) places side by side in rows."""
    columns = int(np.ceil(np.sqrt(count)))
    places = np.stack(np.divmod(np.arange(count), columns), axis=-1)[:, ::-1].astype(float)
    return (places - places.mean(axis=0)) * _APART


def real_measures(sides: Split) -> Reference:
    """Measures of the clips themselves; those held out tell how far poses lie from those of the others."""
    known, held_out = (
        [clip for clip in side if len(clip) > _SHORTEST] for side in (sides.train, sides.held_out)
    )
    if not known:
        known, held_out = held_out, []
    if not known:
        raise MovesetError(
            "no clip is long enough to judge by", do=f"give some of more than {_SHORTEST} frames"
        )
    symmetry = find_symmetry(known[0].skeleton, known[:40])
    return reference([*known, *(mirror(clip, symmetry) for clip in known)], held_out)


def load_target(path: str) -> Target:
    """The first character with a mesh of a file."""
    asset = load(path)
    for character in asset.characters:
        if character.meshes:
            return Target(character, asset)
    raise MovesetError("holds no character with a mesh", file=path, do="give a file with a skinned mesh")


def play_on(played: Played, target: Target) -> Played:
    """The same run walked by another body: path and speed come out in the proportion of its legs."""
    skeleton = target.character.skeleton
    # a rig whose rest is folded shows by a clip of its own how it stands
    own = next((c for c in target.file.clips if c.skeleton.signature == skeleton.signature), None)
    clips = tuple(retarget_clips(played.run.clips, skeleton, own))
    scale = travel_scale(clips[0], played.run.clips[0])
    return replace(played, run=replace(played.run, clips=clips), target=target, scale=scale)


def write_played(played: Played, output: str, track: Track = untracked) -> list[str]:
    """Write .glb or .bvh (one file a character) or .gif or .png (all together); the files that were written."""
    suffix = Path(output).suffix.lower()
    clips, body = played.run.clips, played.target
    if suffix in (".gif", ".png"):
        draw(clips, walked_path(played), output, body and body.character, track)
        return [output]
    written = []
    for number, clip in enumerate(clips, start=1):
        name = output if len(clips) == 1 else f"{output.removesuffix(suffix)}-{number:02d}{suffix}"
        figure = body.character if body else mannequin(clip.skeleton, clip)
        formats.write(Asset(characters=(figure,), clips=(clip,), source=body and body.file.source), name)
        written.append(name)
    return written


def walked_path(played: Played) -> np.ndarray | None:
    """(P, 3) the path of those who follow one, as long as they walked it, at the scale of their legs."""
    follower, clip = played.follower, played.run.clips[0]
    if follower is None:
        return None
    points = follower.path.polyline(float(follower.travelled(np.array([len(clip) / clip.fps])).max()))
    closed = np.concatenate((points, points[:1])) if follower.path.closed else points
    return played.scale * closed


def travel_scale(clip: Clip, source: Clip) -> float:
    """How far a retargeted clip travels against its source: legs of another length make other strides."""
    near, far = (measure.path_length(c.world_positions[:, c.skeleton.joint("hips")]) for c in (clip, source))
    return near / far if far > 0.1 else 1.0
