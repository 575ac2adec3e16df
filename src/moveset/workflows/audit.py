"""Audit files: every clip of every file is checked, a file that cannot be read is a finding like any other."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePath

from moveset.audit import Digest, audit, audit_set, digest
from moveset.audit.registry import by_severity, known, verdict, wanted
from moveset.errors import MovesetError
from moveset.library.ingest.facts import asset_with_facts
from moveset.library.ingest.pool import map_in_order
from moveset.motion import Asset, Clip, Finding
from moveset.motion.asset import SEVERITIES
from moveset.progress import Track, untracked
from moveset.workflows.load import known_options, list_sources, load
from moveset.workflows.thumbnail import thumbnail

WORTH_WORKERS = 12
"""Files from which starting worker processes (0.5 s each) pays."""

_SUDDEN = ("pops", "flips", "body_jolt")
"""Checks whose findings are seen by comparing a frame with its neighbours."""


@dataclass(frozen=True, eq=False)
class ClipReport:
    """What was found in one clip; in a file that could not be read, a clip without name."""

    file: str
    name: str
    frames: int
    fps: float
    seconds: float
    joints: int
    findings: tuple[Finding, ...]
    """The most severe first."""
    picture: bytes = b""
    """WEBP of the frames that the first finding points at; empty unless asked for."""
    shown: tuple[int, ...] = ()
    """The frames in the picture."""

    @property
    def verdict(self) -> str:
        """`error`, `warning` or `ok`."""
        return verdict(self.findings)


@dataclass(frozen=True, eq=False)
class AuditReport:
    """What was found in all files."""

    clips: tuple[ClipReport, ...]
    files: int

    @property
    def verdicts(self) -> Mapping[str, int]:
        """Clips by verdict."""
        return Counter(clip.verdict for clip in self.clips)

    @property
    def counts(self) -> Mapping[str, Mapping[str, int]]:
        """Clips with a finding, by check and severity; checks with the most severe findings first."""
        found: dict[str, Counter[str]] = {}
        for clip in self.clips:
            for check, severity in {(f.check, f.severity) for f in clip.findings}:
                found.setdefault(check, Counter())[severity] += 1
        order = [tuple(-found[check][s] for s in reversed(SEVERITIES)) for check in found]
        return {check: found[check] for _, check in sorted(zip(order, found))}


@dataclass(frozen=True)
class Job:
    """One file to audit, and the path given by the user under which it was found."""

    file: str
    root: str


Part = list[tuple[ClipReport, Digest | None]]
"""What one file brings."""


def audit_files(
    paths: Iterable[str],
    *,
    only: Iterable[str] = (),
    skip: Iterable[str] = (),
    pictures: bool = False,
    workers: int | None = None,
    track: Track = untracked,
) -> AuditReport:
    """Audit every clip under `paths` (files, folders, archives), then the clips as a set.

    `only` and `skip` name checks. `workers` are processes, by default one a core for more than a few files.
    """
    paths = list(paths)
    if not paths:
        raise MovesetError("no input", do="name files, folders or .zip archives")
    jobs = [Job(file, root) for file, root in list_sources(paths).items()]
    only, skip = known(only), known(skip)
    workers = workers or (min(os.cpu_count() or 1, 8) if len(jobs) >= WORTH_WORKERS else 1)
    work = partial(_audit_file, only=only, skip=skip, pictures=pictures)
    clips: list[ClipReport] = []
    digests: list[Digest | None] = []
    for part in track(map_in_order(work, jobs, workers, _crashed), len(jobs), "auditing"):
        for clip, short in part:
            clips.append(clip)
            digests.append(short)
    return AuditReport(tuple(_with_set_findings(clips, digests, only, skip)), len(jobs))


def _audit_file(job: Job, only: frozenset[str], skip: frozenset[str], pictures: bool) -> Part:
    """Everything about one file. It runs in a worker and must not raise."""
    try:
        # numbers that a reader would refuse are what an audit is for
        asset = load(job.file, **known_options(job.file, {"on_bad_numbers": "keep"}))
    except MovesetError as error:
        said = f"{error.where}: {error.message}" if error.where else error.message
        return _failed(job, "unreadable", said, error.do or "")
    except Exception as error:  # a bug in a reader must not cost the other files
        return _failed(job, "unreadable", f"{type(error).__name__}: {error}", "report it with the file")
    asset, _ = asset_with_facts(asset, job.file, job.root)
    of_file = [
        finding for finding in asset.findings if not finding.clip and wanted(finding.check, only, skip)
    ]
    if not asset.clips:
        findings = [*of_file, Finding("no_clips", "info", "", "the file holds no animation")]
        return [(ClipReport(job.file, "", 0, 0.0, 0.0, 0, tuple(by_severity(findings))), None)]
    out: Part = []
    for clip in asset.clips:
        said = [f for f in asset.findings if f.clip == clip.name and wanted(f.check, only, skip)]
        if clip is asset.clips[0]:
            said += of_file
        try:
            findings = by_severity([*said, *audit(clip, only, skip)])
            picture, shown = _picture(clip, findings, asset) if pictures else (b"", ())
        except Exception as error:  # nor must a bug in a check
            out += _failed(
                job, "failed", f"{type(error).__name__}: {error}", "report it with the file", clip.name
            )
            continue
        joints = len(clip.skeleton)
        report = ClipReport(
            job.file, clip.name, len(clip), clip.fps, clip.seconds, joints, tuple(findings), picture, shown
        )
        place = PurePath(job.file).name
        name = clip.name if PurePath(place).stem == clip.name else f"{place}#{clip.name}"
        out.append((report, replace(digest(clip), name=name)))
    return out


def _picture(clip: Clip, findings: list[Finding], asset: Asset) -> tuple[bytes, tuple[int, ...]]:
    """The frames that the first finding with frames points at, with their neighbours where that shows it."""
    pointing = next((f for f in findings if f.frames), None)
    if pointing is None:
        shown = (len(clip) // 2,)
    elif pointing.check in _SUDDEN or pointing.check == "first_frame_t_pose":
        shown = tuple(pointing.frames[0] + d for d in (-1, 0, 1))
    else:
        shown = pointing.frames[:1]
    shown = tuple(f for f in shown if 0 <= f < len(clip))
    own = next((c for c in asset.characters if c.meshes and c.skeleton is clip.skeleton), None)
    return thumbnail(clip, shown, own, encoding="WEBP"), shown


def _failed(job: Job, check: str, message: str, advice: str, clip: str = "") -> Part:
    finding = Finding(check, "error", clip, message, advice=advice)
    return [(ClipReport(job.file, clip, 0, 0.0, 0.0, 0, (finding,)), None)]


def _crashed(job: Job) -> Part:
    return _failed(job, "unreadable", "reading it ended the process", "report it with the file")


def _with_set_findings(
    clips: list[ClipReport], digests: list[Digest | None], only: frozenset[str], skip: frozenset[str]
) -> list[ClipReport]:
    """The reports with what shows only beside the other clips."""
    at = [i for i, short in enumerate(digests) if short is not None]
    found = audit_set([short for short in digests if short is not None], only, skip)
    out = list(clips)
    for i, findings in zip(at, found):
        own = [replace(finding, clip=clips[i].name) for finding in findings]
        if own:
            out[i] = replace(clips[i], findings=tuple(by_severity([*clips[i].findings, *own])))
    return out
