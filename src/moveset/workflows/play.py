"""Characters that move at run time: clips to a controller, a crowd on a path, its measures, its files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from moveset import formats
from moveset.errors import MovesetError
from moveset.motion import Asset, Character, Clip, measure
from moveset.motion.mirror import find_symmetry, mirror
from moveset.progress import Track, untracked
from moveset.rigs.mannequin import mannequin
from moveset.runtime.control import uncontrolled, velocity_follow
from moveset.runtime.course import Run, drive, follow, measure_motion, measure_path
from moveset.runtime.crowd import Crowd, CrowdConfig
from moveset.runtime.matching import MotionMatching
from moveset.runtime.path import Path as FloorPath
from moveset.runtime.path import PathFollower, parse_path
from moveset.runtime.reference import Reference, reference
from moveset.workflows.load import load
from moveset.workflows.locomotion import motion_of, one_body, widened
from moveset.workflows.play_picture import draw
from moveset.workflows.retarget import retarget_clips


@dataclass(frozen=True)
class Play:
    """What `play_clips` does."""

    path: str = "circle:2"
    behavior: str = "path"
    """path (TrajectoryFollow), velocity (VelocityFollow straight ahead), or wander (Uncontrolled)."""
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
        if self.behavior not in ("path", "velocity", "wander"):
            raise MovesetError(f"behavior {self.behavior!r} is not one of path, velocity, wander")
        if not (0 < self.speed <= 20 and 0 < self.seconds <= 3600 and 1 <= self.characters <= 4096):
            raise MovesetError(
                f"speed {self.speed} m/s, {self.seconds} s, {self.characters} characters",
                do="give a speed up to 20 m/s, up to 3600 seconds, 1 to 4096 characters",
            )
        if not 0 <= self.nudge <= 1:
            raise MovesetError(f"nudge is {self.nudge}", do="give a share of each step, 0 to 1")


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
    clips_used: int
    seconds_of_motion: float
    notes: tuple[str, ...]
    """What was done to clips that did not fit as they were, and which were left out."""
    target: Target | None = None
    """Who walks it, if not the clips' own body."""
    scale: float = 1.0
    """How far that body travels for each metre of the measures, which the clips' own body walked."""


def play_clips(sources: Sequence[str], options: Play | None = None, track: Track = untracked) -> Played:
    """Build motion matching from clips of `sources` (a library, files, folders) and let a crowd move."""
    options = options or Play()
    path = parse_path(options.path) if options.behavior == "path" else None
    found, left_out = motion_of(sources, options.where, options.everything)
    clips, notes = one_body(found)
    controller = MotionMatching.from_clips(widened(clips) if options.widen else clips)
    if options.behavior != "wander":
        _fast_enough(controller, options.speed)
    config = CrowdConfig(foot_lock=options.foot_lock, nudge=options.nudge)
    run, follower = move(controller, path, options, config, track)
    measures = {
        "frames": float(len(run.clips[0])),
        "microseconds": run.microseconds,
        **(measure_path(run, follower, controller.fps) if follower else {}),
        **measure_motion(run.clips, real_measures(clips)),
    }
    return Played(
        run,
        follower,
        measures,
        len(clips),
        controller.database.seconds,
        (*left_out, *notes, *controller.database.left_out),
    )


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
    controller: MotionMatching,
    path: FloorPath | None,
    options: Play,
    config: CrowdConfig,
    track: Track,
) -> tuple[Run, PathFollower | None]:
    """Drive a crowd as `options` say."""
    if path is not None:
        return follow(
            controller, path, options.speed, options.seconds, options.characters, options.seed, config, track
        )
    crowd = Crowd(controller, options.characters, options.seed, config)
    crowd.place(_grid(options.characters), 0.0)
    control = uncontrolled() if options.behavior == "wander" else velocity_follow((0.0, options.speed))
    return drive(crowd, lambda frame: crowd.control(control), options.seconds, track, options.behavior), None


def _grid(count: int, spacing: float = 1.5) -> np.ndarray:
    """(N, 2) places side by side in rows."""
    columns = int(np.ceil(np.sqrt(count)))
    places = np.stack(np.divmod(np.arange(count), columns), axis=-1)[:, ::-1].astype(float)
    return (places - places.mean(axis=0)) * spacing


def real_measures(clips: Sequence[Clip]) -> Reference:
    """Measures of the clips themselves, every eighth held out of the pose index to judge its distances."""
    long = [clip for clip in clips if len(clip) > 8 and not clip.additive]
    held_out = long[::8] if len(long) >= 8 else []
    symmetry = find_symmetry(long[0].skeleton, long[:40])
    known = [clip for k, clip in enumerate(long) if not held_out or k % 8]
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
        draw(clips, _walked_path(played), output, body and body.character, track)
        return [output]
    written = []
    for number, clip in enumerate(clips, start=1):
        name = output if len(clips) == 1 else f"{output.removesuffix(suffix)}-{number:02d}{suffix}"
        figure = body.character if body else mannequin(clip.skeleton, clip)
        formats.write(Asset(characters=(figure,), clips=(clip,), source=body and body.file.source), name)
        written.append(name)
    return written


def _walked_path(played: Played) -> np.ndarray | None:
    """(P, 3) the path of those who follow one, as long as they walked it, at the scale of their legs."""
    follower, clip = played.follower, played.run.clips[0]
    if follower is None:
        return None
    points = follower.path.polyline(float(follower.starts.max() + follower.speed * len(clip) / clip.fps))
    closed = np.concatenate((points, points[:1])) if follower.path.closed else points
    return played.scale * closed


def travel_scale(clip: Clip, source: Clip) -> float:
    """How far a retargeted clip travels against its source: legs of another length make other strides."""
    near, far = (measure.path_length(c.world_positions[:, c.skeleton.joint("hips")]) for c in (clip, source))
    return near / far if far > 0.1 else 1.0
