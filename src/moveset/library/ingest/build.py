"""Build a library: jobs in a pool, parts in order to a folder at the side, a rename at the end."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from moveset import __version__, formats
from moveset.audit.digest import COMPARED
from moveset.errors import MovesetError
from moveset.files import recover, staged
from moveset.formats.locations import locate
from moveset.formats.sidecar import sidecar_name
from moveset.library import license
from moveset.library.ingest import shelf
from moveset.library.ingest.facts import Facts, noted_facts
from moveset.library.ingest.pool import map_in_order
from moveset.library.ingest.pose_view import write_pose_view
from moveset.library.ingest.prepare import Job, Part, Tools, prepare
from moveset.library.ingest.reuse import Previous
from moveset.library.ingest.writer import Writer
from moveset.library.policy import Policy
from moveset.library.rows import failure
from moveset.library.schema import VERSION, ClipRow, FindingRow
from moveset.library.settings import FILE, Settings, new_settings, read_settings, with_policy, with_sources
from moveset.library.split import HELD_OUT, TRAIN, side_of
from moveset.library.store import Library
from moveset.motion import Clip
from moveset.progress import Track, untracked

IN_MEMORY = "memory"
"""Name of the source of clips that were made by the program."""


@dataclass(frozen=True)
class Report:
    """What a build did."""

    path: Path
    files: int
    reused: int
    """Files taken from the last build because nothing about them changed."""
    clips: tuple[ClipRow, ...]
    dropped: int
    """Clips that the files held and the library does not."""
    findings: tuple[FindingRow, ...]
    license: str
    """The strictest of the clips'; empty when one is unknown."""
    seconds: float
    bytes: int = 0
    """Size on disk."""

    @property
    def frames(self) -> int:
        """Frames in the library."""
        return sum(row.frames for row in self.clips)


def build(
    out: str | os.PathLike[str],
    sources: Sequence[str | os.PathLike[str]] = (),
    *,
    tools: Tools,
    clips: Sequence[Clip] = (),
    policy: Policy | None = None,
    workers: int = 1,
    view: bool = True,
    fresh: bool = False,
    track: Track = untracked,
) -> Report:
    """Build the library `out` from files, folders and archives, and from `clips` made in memory.

    Without sources, those of its library.toml are taken. Its policy holds unless another is given. Files that
    did not change since the last build are taken from it, unless `fresh`.
    """
    began, target = time.perf_counter(), Path(out)
    recover(target)
    previous = _previous(target)
    settings = _settings(target, sources, policy)
    jobs = _jobs(settings, target.parent, clips)
    if not jobs:
        raise MovesetError("nothing to build from", file=target, do="name files, folders or archives")
    recipe = _recipe(settings.policy, tools)
    known = previous.build["files"] if previous and previous.build["recipe"] == recipe and not fresh else {}
    stamps = {job.file: _stamp(job, known.get(job.file)) for job in jobs}
    reusable = {job.file for job in jobs if job.file in known and _same(stamps[job.file], known[job.file])}
    parts = _parts(jobs, Previous(previous) if previous else None, reusable, tools, workers)
    with staged(target) as folder:
        writer = Writer(folder)
        for job, part in zip(jobs, track(parts, len(jobs), "building")):
            wished = {e.row.name: str(job.said_about(e.row.name).get("split", "")) for e in part.entries}
            stamps[job.file] |= {"clips": part.clips, "copies": writer.add(part, wished)}
        rows = writer.finish(partial(_side, settings.policy))
        if not rows:
            dropped = [f for f in writer.findings if f.action == "drop"]
            reasons = ", ".join(
                f"{name} {n}" for name, n in Counter(f.finding for f in dropped).most_common(3)
            )
            raise MovesetError(
                f"no clip was fit for it ({reasons or 'the files hold none'}); "
                + ("it stays as it was" if previous else "nothing was written"),
                file=target,
                do=f"{dropped[0].file}: {dropped[0].message}" if dropped else "give files with animations",
            )
        strictest = license.strictest(row.license for row in rows)
        said = {
            "version": VERSION,
            "moveset": __version__,
            "recipe": recipe,
            "license": strictest,
            "files": stamps,
        }
        (folder / "build.json").write_text(json.dumps(said, indent=1, ensure_ascii=False), encoding="utf-8")
        (folder / FILE).write_text(settings.text, encoding="utf-8")
        if view and rows:
            write_pose_view(Library(folder, said), rows, previous, reusable)
        size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return Report(
        path=target,
        files=len(jobs),
        reused=len(reusable),
        clips=tuple(rows),
        dropped=sum(stamp["clips"] for stamp in stamps.values()) - len(rows),
        findings=tuple(writer.findings),
        license=strictest,
        seconds=time.perf_counter() - began,
        bytes=size,
    )


def _previous(target: Path) -> Library | None:
    """The library to be replaced; a folder that is none is never overwritten, one of another version is read no more."""
    if not target.exists():
        return None
    if not (target / "build.json").is_file():
        raise MovesetError("exists and is not a library", file=target, do="name another output, or remove it")
    try:
        return Library.open(target)
    except MovesetError:
        return None


def _settings(
    target: Path,
    sources: Sequence[str | os.PathLike[str]],
    policy: Policy | None,
) -> Settings:
    stored = [_portable(source, target.parent) for source in sources]
    file = target / FILE
    if not file.is_file():
        return new_settings(target.name, stored, policy or Policy())
    settings = read_settings(file)
    if policy is not None:
        settings = with_policy(settings, policy)
    return with_sources(settings, stored) if stored else settings


def _portable(source: str | os.PathLike[str], base: Path) -> str:
    """A source relative to the folder that holds the library, so that both can move together."""
    path = os.path.abspath(source)
    with suppress(ValueError):  # on another drive there is no relative path
        path = os.path.relpath(path, os.path.abspath(base))
    return Path(path).as_posix()


def _jobs(settings: Settings, base: Path, clips: Sequence[Clip]) -> list[Job]:
    """A job a file, in the order of the sources; names start at the source's own name."""
    found: dict[str, tuple[str, str]] = {}
    for source in settings.sources:
        root = os.path.normpath(os.path.join(os.path.abspath(base), source))
        for path in formats.list_files(root):
            found.setdefault(path, (root, Path(root).name))
    named = Counter[str]()
    jobs = []
    for path, (root, name) in found.items():
        inside = os.path.relpath(path, root).replace(os.sep, "/") if path != root else ""
        file = f"{name}/{inside}" if inside else name
        named[file] += 1
        if named[file] > 1:
            file = f"{file} ({named[file]})"
        facts, noticed = noted_facts(_place(path), _place(root))
        jobs.append(Job(file, path, facts, settings.policy, settings.overrides_of(file), noticed=noticed))
    for clip in clips:
        file = f"{IN_MEMORY}/{clip.name}"
        named[file] += 1
        file = f"{file} ({named[file]})" if named[file] > 1 else file
        jobs.append(Job(file, file, Facts(), settings.policy, settings.overrides_of(file), (clip,)))
    return jobs


def _parts(
    jobs: Sequence[Job], previous: Previous | None, reusable: set[str], tools: Tools, workers: int
) -> Iterator[Part]:
    fresh = map_in_order(
        partial(prepare, tools=tools), [job for job in jobs if job.file not in reusable], workers, _crashed
    )
    for job in jobs:
        yield previous.part(job.file) if previous and job.file in reusable else next(fresh)


def _crashed(job: Job) -> Part:
    message = "the process that read it died: a crash in a reader, or too little memory"
    return Part(job.file, findings=[failure(job.file, "", "unreadable", message)])


def _recipe(policy: Policy, tools: Tools) -> str:
    """What all parts depend on apart from their files."""
    said = json.dumps(
        [
            VERSION,
            __version__,
            policy.fps,
            policy.license,
            dict(policy.actions),
            bool(tools.thumbnail),
            COMPARED,
        ]
    )
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def _stamp(job: Job, old: dict | None) -> dict:
    """What the part of one file depends on: its content, and what is said about it."""
    said = json.dumps([job.facts.by_clip, job.facts.license, job.overrides], sort_keys=True, default=str)
    facts = hashlib.sha256(said.encode()).hexdigest()[:16]
    if job.clips:
        made = repr([(c.content_hash, c.name, c.tags, c.events) for c in job.clips])
        return {"quick": "", "digest": hashlib.sha256(made.encode()).hexdigest()[:16], "facts": facts}
    files = _bytes_of(_place(job.path))
    quick = " ".join(map(shelf.quick_stamp, files))
    unchanged = old is not None and old["quick"] == quick
    digest = old["digest"] if old and unchanged else " ".join(map(shelf.digest, files))
    return {"quick": quick, "digest": digest, "facts": facts}


def _place(path: str) -> str:
    """The path without the clip that it may name."""
    return str(locate(path).without_clip)


def _bytes_of(file: str) -> list[str]:
    """The file, its sidecar, and the buffers beside it that a .gltf refers to."""
    folder, slash, own = file.rpartition("/")
    refers, said = own.lower().endswith(".gltf"), sidecar_name(own)
    names = sorted(shelf.listing(folder))
    beside = [name for name in names if name == said or (refers and name.endswith(".bin"))]
    return [file, *(f"{folder}{slash}{name}" for name in beside)]


def _same(stamp: dict, old: dict) -> bool:
    """Whether the part of the last build will do. Not if copies were left out, which may be wanted now."""
    return not old["copies"] and stamp["digest"] == old["digest"] and stamp["facts"] == old["facts"]


def _side(policy: Policy, kin: str, wished: str) -> str:
    if policy.split == "sidecar" and wished:
        return TRAIN if wished == TRAIN else HELD_OUT
    return side_of(kin, policy.held_out)
