"""The whole journey once: clips, audit, library, characters that move, files for an engine, a report."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from moveset import formats
from moveset.errors import MovesetError
from moveset.library.query import Answer
from moveset.motion import Asset, Clip
from moveset.synthetic import bad_clips, corpus
from moveset.workflows.audit import audit_files
from moveset.workflows.audit_report import write_html
from moveset.workflows.build import build_library
from moveset.workflows.demo_report import write_report
from moveset.workflows.play import Play, play_clips, write_played
from moveset.workflows.query import query_library

QUERY = """\
SELECT split, count(*) AS clips, round(sum(seconds)) AS seconds, round(avg(speed), 2) AS mean_speed
FROM clips GROUP BY split ORDER BY split DESC"""

Say = Callable[[str], None]


@dataclass(frozen=True)
class Demo:
    """What the demo does."""

    sources: tuple[str, ...] = ()
    """Files, folders, archives with clips; without any, clips are synthesized."""
    path: str = "eight:2.5"
    """What one character walks along."""
    speed: float = 1.3
    seconds: float = 24.0
    crowd: int = 32
    """Characters that wander without control."""


@dataclass
class Step:
    """One part of the journey."""

    title: str
    seconds: float = 0.0
    lines: list[str] = field(default_factory=list)
    """What was found, in sentences."""
    files: list[str] = field(default_factory=list)
    """What was made, relative to the demo's folder."""
    measures: dict[str, float] = field(default_factory=dict)
    answer: Answer | None = None


def run_demo(out: str | Path, options: Demo | None = None, say: Say = print) -> list[Step]:
    """Run all steps into the folder `out` and write `report.html` there; `say` hears of every step."""
    options, out = options or Demo(), Path(out)
    out.mkdir(parents=True, exist_ok=True)
    steps: list[Step] = []

    @contextmanager
    def step(title: str) -> Iterator[Step]:
        say(f"{len(steps) + 1}. {title}")
        this, start = Step(title), time.perf_counter()
        yield this
        this.seconds = time.perf_counter() - start
        steps.append(this)
        for line in this.lines:
            say(f"   {line}")
        for file in this.files:
            say(f"   -> {out / file}")

    sources = list(options.sources)
    if not sources:
        with step("Synthesize clips, good and bad, and write them as GLB") as this:
            folder = out / "synthetic"
            for stale in folder.rglob("*.glb"):
                stale.unlink()
            sources = [str(folder)]
            good, bad = corpus(), list(bad_clips().values())
            refused = [*_write_clips(good, folder), *_write_clips(bad, folder / "spoilt")]
            seconds = sum(clip.seconds for clip in good)
            this.lines.append(
                f"{len(good)} clips, {seconds:.0f} s of motion, and {len(bad)} spoilt on purpose"
            )
            this.lines += [f"refused to write: {error.message}" for error in refused]
            this.files.append(folder.name)

    with step("Audit every clip") as this:
        report = audit_files(sources, pictures=True)
        write_html(report, str(out / "audit.html"))
        verdicts = ", ".join(f"{count} {name}" for name, count in sorted(report.verdicts.items()))
        worst = ", ".join(f"{check} {sum(by.values())}" for check, by in list(report.counts.items())[:6])
        this.lines += [
            f"{len(report.clips)} clips of {report.files} files: {verdicts}",
            f"found most: {worst}",
        ]
        this.files.append("audit.html")

    library = out / "moves.library"
    with step("Build a library: drop, repair, resample, measure, split") as this:
        built = build_library(library, sources, fresh=True)
        this.lines.append(
            f"{len(built.clips)} clips, {built.frames:,} frames; {built.dropped} dropped; "
            f"license: {built.license or 'unknown'}"
        )
        this.files.append(library.name)

    with step("Ask it in SQL") as this:
        this.answer = query_library(library, QUERY)
        this.lines += [", ".join(f"{k} {v}" for k, v in row.items()) for row in this.answer.dicts()]

    with step(f"One character follows {options.path} at {options.speed} m/s") as this:
        walked = play_clips(
            [str(library)], Play(path=options.path, speed=options.speed, seconds=options.seconds)
        )
        this.measures = walked.measures
        m = walked.measures
        this.lines += [
            f"path: {100 * m['path_distance']:.1f} cm off, heading {math.degrees(m['heading_error']):.1f} degrees off",
            f"feet: skate {m['foot_skate'] / m['foot_skate_real']:.2f} x that of the clips, "
            f"planted toes {100 * m['planted_speed']:.1f} cm/s",
            f"cost: {m['microseconds']:.0f} us a frame",
        ]
        for name in ("walk.glb", "walk.bvh", "walk.gif"):
            write_played(walked, str(out / name))
            this.files.append(name)

    with step(f"{options.crowd} characters wander, nobody steering") as this:
        wander = Play(behavior="wander", seconds=options.seconds / 3, characters=options.crowd, seed=1)
        crowd = play_clips([str(library)], wander)
        this.measures = crowd.measures
        this.lines.append(f"cost: {crowd.measures['microseconds']:.0f} us a character and frame")
        write_played(crowd, str(out / "crowd.gif"))
        this.files.append("crowd.gif")

    write_report(steps, out / "report.html")
    say(f"Look at {out / 'report.html'} first; {out / 'walk.glb'} opens in Blender and every engine.")
    return steps


def _write_clips(clips: Sequence[Clip], folder: Path) -> list[MovesetError]:
    """Each clip as FOLDER/NAME.glb; the errors of those that no file can hold."""
    refused = []
    for clip in clips:
        try:
            formats.write(Asset(clips=(clip,)), folder / f"{clip.name}.glb")
        except MovesetError as error:
            refused.append(error)
    return refused
