"""The whole journey once: clips, audit, library, characters that move, files for an engine, a report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

from moveset import formats
from moveset.errors import MovesetError
from moveset.motion import Asset, Clip
from moveset.synthetic import bad_clips, corpus
from moveset.workflows.audit import audit_files
from moveset.workflows.audit_report import write_html
from moveset.workflows.build import build_library
from moveset.workflows.demo_learned import crowd_of, not_taught, teach, walk_beside
from moveset.workflows.demo_report import Step, Table, following, write_report
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
    steps: int | None = None
    """Training steps of the learned controller and its autoencoder, other than those of the preset `tiny`."""


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
        answer = query_library(library, QUERY)
        this.table = Table(answer.columns, answer.rows)
        for row in answer.dicts():
            say("   " + ", ".join(f"{k} {v}" for k, v in row.items()))

    walk = Play(path=options.path, speed=options.speed, seconds=options.seconds)
    with step(f"Motion matching: one character follows {options.path} at {options.speed} m/s") as this:
        walked = play_clips([str(library)], walk)
        this.measures = {"motion matching": walked.measures}
        this.lines.append(following(walked.measures))
        for name in ("walk.glb", "walk.bvh", "walk.gif"):
            write_played(walked, str(out / name))
            this.files.append(name)

    with step(f"{options.crowd} characters wander, nobody steering") as this:
        wander = Play(behavior="wander", seconds=options.seconds / 3, characters=options.crowd, seed=1)
        crowd = play_clips([str(library)], wander)
        this.measures = {"motion matching": crowd.measures}
        this.lines.append(f"cost: {crowd.measures['microseconds']:.0f} us a character and frame")
        write_played(crowd, str(out / "crowd.gif"))
        this.files.append("crowd.gif")

    lacking = not_taught()
    with step("Train a small controller on the library") as this:
        if lacking:
            this.lines.append(f"left out: {lacking}")
        else:
            bundle = teach(library, options.steps, this, lambda text: say(indent(str(text), "   ")))
    if not lacking:
        with step(f"The learned character follows {options.path} beside motion matching") as this:
            walk_beside(bundle, walk, walked, library, this)
        with step(f"{options.crowd} learned characters wander") as this:
            crowd_of(bundle, wander, crowd, library, this)

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
