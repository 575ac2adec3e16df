"""`moveset play`: a library or a learned controller walks."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from moveset.cli.options import Flag
from moveset.cli.printing import print_json
from moveset.cli.progress import track

if TYPE_CHECKING:
    from moveset.workflows.play import Played


@dataclass(frozen=True, kw_only=True)
class PlayOptions:
    """Options of `moveset play`."""

    output: Annotated[str | None, Parameter(name=("--output", "-o"))] = None
    """A .glb or .bvh file (several characters: FILE-01, FILE-02, ...), a .gif, or a .png contact sheet."""
    path: str = "circle:2"
    """line, circle:RADIUS, eight:RADIUS, square:SIDE [m], or a JSON file of points (docs/runtime.md)."""
    as_is: Flag = False
    """Ask for corners and tight bends as the path has them, not rounded and slowed to what a body can do."""
    behavior: Literal["path", "velocity", "target", "idle", "wander"] = "path"
    """Follow the path, walk straight ahead, go to the target, stand, or wander through the data."""
    target: Annotated[tuple[float, float], Parameter(negative=())] = (1.0, 3.0)
    """Where to go from the beginning: left, ahead [m]."""
    speed: float = 1.2
    """[m/s]"""
    seconds: float = 30.0
    """How long."""
    characters: int = 1
    """How many, one behind the other."""
    lod: int = 0
    """Level of detail of a learned controller."""
    against: str = ""
    """Clips to judge a learned controller by, where it does not carry their measures."""
    to: str | None = None
    """File of the character that shall move; the clips' own skeleton with the mannequin otherwise."""
    where: str = ""
    """Which clips of a library, in SQL; without it those of plain locomotion."""
    everything: Flag = False
    """Take all clips, not only those whose names and tags speak of walking, running, standing."""
    widen: bool = True
    """Add mirrored twins and bent copies of straight clips."""
    foot_lock: bool = True
    """Hold standing feet still."""
    nudge: float = 0.0
    """Share of each step that may be added straight towards the asked place."""
    seed: int = 0
    """Chance."""
    json: Flag = False
    """Print the measures as JSON."""


def play(*sources: str, options: Annotated[PlayOptions | None, Parameter(name="*")] = None) -> None:
    """Make characters move by a learned controller or by motion matching, measure how well, and export them.

    Example: moveset play my.controller --path eight --speed 1.4 --to knight.glb -o knight-walks.glb

    Parameters
    ----------
    sources
        A NAME.controller, or for motion matching a NAME.library, or files, folders and archives with clips.
    """
    from moveset.errors import MovesetError
    from moveset.files import refuse_input
    from moveset.workflows import play as workflow
    from moveset.workflows.locomotion import files_of
    from moveset.workflows.outputs import refuse_within

    options = options or PlayOptions()
    if not sources:
        raise MovesetError(
            "nothing to play", do="name a controller, a library or clips: moveset play my.library -o walk.glb"
        )
    if options.output is not None and not options.output.lower().endswith(
        (".glb", ".gltf", ".bvh", ".gif", ".png")
    ):
        raise MovesetError("cannot be written", file=options.output, do="end it in .glb, .bvh, .gif or .png")

    asked = workflow.Play(
        path=options.path, behavior=options.behavior, speed=options.speed, seconds=options.seconds,
        characters=options.characters, seed=options.seed, where=options.where, everything=options.everything,
        widen=options.widen, foot_lock=options.foot_lock, nudge=options.nudge, target=options.target,
        as_is=options.as_is, lod=options.lod, against=options.against,
    )  # fmt: skip
    if options.output is not None:
        # found out now, not when minutes have been spent
        refuse_within(options.output)
        clips = [source for source in sources if not workflow.is_bundle(source)]
        refuse_input(options.output, files_of([*clips, *([options.to] if options.to else [])]))
    target = workflow.load_target(options.to) if options.to else None
    played = workflow.play(sources, asked, track)
    if target is not None:
        played = workflow.play_on(played, target)
        note = f"on {options.to}: strides, path and speed are {played.scale:.2f} x these figures, which the clips' own body walked"
        played = replace(played, notes=(note, *played.notes))
    written = workflow.write_played(played, options.output, track) if options.output else []
    if options.json:
        print_json(as_json(played, written))
    else:
        print(as_text(played, written))


_FEET = ("foot_skate", "planted_speed")
_SHOWN = 4
"""Notes that are printed."""


def as_json(played: Played, written: list[str]) -> dict[str, object]:
    """All figures; those that do not apply are NaN."""
    return {
        "controller": played.controller,
        "clips": played.clips_used,
        "seconds_of_motion": played.seconds_of_motion,
        "notes": played.notes,
        "measures": played.measures,
        "report": asdict(played.run.report),
        "files": written,
    }


def as_text(played: Played, written: list[str]) -> str:
    """The figures in a few lines."""
    m, report = played.measures, played.run.report
    lines = [
        played.controller,
        *(f"          {note}" for note in played.notes[:_SHOWN]),
    ]
    if len(played.notes) > _SHOWN:
        lines.append(f"          and {len(played.notes) - _SHOWN} notes more (--json has them)")
    if "path_error" in m:
        lines.append(
            f"path      {100 * m['path_distance']:.1f} cm off (p95 {100 * m['path_distance_p95']:.1f}), "
            f"{100 * m['path_error']:.1f} cm from the asked place, heading {math.degrees(m['heading_error']):.1f} deg"
        )
    if "target_distance" in m:
        lines.append(
            f"target    {100 * m['target_distance']:.1f} cm off in the end, {100 * m['arrived']:.0f} % came within 10 cm, "
            f"after {m['arrival_seconds']:.1f} s"
        )
    real = {name: f" (clips {100 * m[name + '_real']:.1f})" for name in _FEET if f"{name}_real" in m}
    lines.append(
        f"feet      skate {100 * m['foot_skate']:.1f} cm/s{real.get('foot_skate', '')}, "
        f"planted {100 * m['planted_speed']:.1f} cm/s{real.get('planted_speed', '')}, {report.let_go} frames let go"
    )
    if real:
        lines.append(
            f"motion    jerk {_times(m['jerk_ratio'])}, pose distance {_times(m['pose_ratio'])} that of the clips"
        )
    lines.append(f"cost      {m['microseconds']:.0f} us a character and frame")
    if report.controls.clamped:
        lines.append(
            f"clamped   {report.controls.clamped} wishes went beyond what the controller's data held"
        )
    if report.nudged:
        lines.append(f"nudged    {report.nudged:.2f} m in all")
    return "\n".join(lines + [f"wrote     {name}" for name in written])


def _times(ratio: float) -> str:
    """A ratio; nobody knows it where no clip was held out, or where hardly anything was played."""
    return f"{ratio:.2f} x" if math.isfinite(ratio) else "unknown against"
