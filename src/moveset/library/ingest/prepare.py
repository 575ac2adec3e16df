"""The work on one file: read, audit, drop or repair, resample, measure. A pure function, so that a pool of
processes, or a cluster, maps it over any number of files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from moveset.audit import Digest, audit, digest
from moveset.errors import MovesetError
from moveset.library.attributes import clip_attributes, frame_attributes
from moveset.library.ingest.facts import Facts, with_facts
from moveset.library.policy import Policy, apply_policy
from moveset.library.rows import clip_row, failure, finding_row
from moveset.library.schema import ClipRow, FindingRow
from moveset.motion import Asset, Character, Clip, Finding
from moveset.motion.contacts import detect_contacts, feet
from moveset.motion.ground import ground_frame
from moveset.motion.resample import resample


@dataclass(frozen=True)
class Tools:
    """What higher floors do for the library. Functions of a module, so that worker processes find them."""

    load: Callable[[str], Asset]
    """Path -> what the file holds, skeletons with roles."""
    thumbnail: Callable[[Clip, Character | None], bytes] | None = None
    """Clip, and the character of its file if it came with one -> PNG."""


@dataclass(frozen=True)
class Job:
    """One file, and what was said about it."""

    file: str
    """As the tables call it."""
    path: str
    """Where it lies."""
    facts: Facts
    policy: Policy
    overrides: tuple[Mapping[str, Any], ...] = ()
    """From library.toml: fields that overrule the facts for the clips that `clip` matches."""
    clips: tuple[Clip, ...] = ()
    """Clips that were made in memory: then there is no file to read."""
    noticed: tuple[Finding, ...] = ()
    """Found wrong before the file was read."""

    def said_about(self, clip: str) -> dict[str, Any]:
        """Facts about one clip, overrides laid over them."""
        said = self.facts.about(clip)
        for override in self.overrides:
            if fnmatchcase(clip, override.get("clip", "*")):
                said |= override
        return said


@dataclass(eq=False)
class Entry:
    """One clip on its way into the library."""

    row: ClipRow
    """Without what only the whole library knows: start, kin, split, verdict, checks."""
    clip: Clip
    """Poses as they are stored, float32, with contacts."""
    columns: dict[str, np.ndarray | None]
    """Of the frames table."""
    digest: Digest
    """What the whole library asks of it; `fps` is that of the file."""
    thumbnail: bytes | None = None


@dataclass(eq=False)
class Part:
    """All that one file brings."""

    file: str
    entries: list[Entry] = field(default_factory=list)
    findings: list[FindingRow] = field(default_factory=list)
    clips: int = 0
    """Clips that the file held, dropped ones included."""


def prepare(job: Job, tools: Tools) -> Part:
    """What the file brings to the library. A file or clip that cannot be used becomes a finding, never an error."""
    part = Part(job.file, findings=[finding_row(f, job.file, "", "", "keep") for f in job.noticed])
    try:
        asset = Asset(clips=job.clips) if job.clips else tools.load(job.path)
    except MovesetError as error:
        part.findings.append(failure(job.file, "", "unreadable", str(error.message), error.do))
        return part
    except Exception as error:  # a bug in a reader must not cost the other files
        part.findings.append(failure(job.file, "", "unreadable", f"{type(error).__name__}: {error}"))
        return part
    part.findings += [finding_row(f, job.file, "", "", "keep") for f in asset.findings if not f.clip]
    for clip in asset.clips:
        part.clips += 1
        noticed = [finding for finding in asset.findings if finding.clip == clip.name]
        try:
            entry, findings = _prepare_clip(clip, noticed, job)
            if entry and tools.thumbnail:
                entry.thumbnail = tools.thumbnail(entry.clip, _character(asset, clip))
        except Exception as error:  # likewise one clip of a file
            message = str(error) if isinstance(error, MovesetError) else f"{type(error).__name__}: {error}"
            entry, findings = None, [failure(job.file, clip.name, "failed", message)]
        part.findings += findings
        if entry:
            part.entries.append(entry)
    return part


def _prepare_clip(clip: Clip, noticed: Sequence[Finding], job: Job) -> tuple[Entry | None, list[FindingRow]]:
    id = clip.content_hash
    said = job.said_about(clip.name)
    source_fps, policy = clip.fps, job.policy
    clip = with_facts(clip, said, job.file, job.facts.license or policy.license)
    if said.get("drop") is True:
        finding = Finding("override", "info", clip.name, "left out by library.toml")
        return None, [finding_row(finding, job.file, id, clip.name, "drop")]
    kept, done = apply_policy(clip, [*noticed, *audit(clip)], policy)
    findings = [finding_row(finding, job.file, id, clip.name, action) for finding, action in done]
    if kept is None:
        return None, findings
    clip = kept
    if policy.fps:
        clip = resample(clip, policy.fps)
    clip = _narrow(clip)
    contacts = clip.contacts
    if contacts is None or contacts.roles != feet(clip.skeleton):
        contacts = detect_contacts(clip)
    columns = frame_attributes(clip, ground_frame(clip), contacts)
    row = clip_row(clip, id=id, file=job.file, source_fps=source_fps)
    entry = Entry(
        replace(row, **clip_attributes(columns)),
        replace(clip, contacts=contacts),
        columns,
        digest=replace(digest(clip), fps=source_fps),
    )
    return entry, findings


def _character(asset: Asset, clip: Clip) -> Character | None:
    own = (c for c in asset.characters if c.meshes and c.skeleton.signature == clip.skeleton.signature)
    return next(own, None)


def _narrow(clip: Clip) -> Clip:
    """The clip in float32; tracks that cost nothing stay so."""

    def single(track: np.ndarray) -> np.ndarray:
        if len(track) and track.strides[0] == 0:
            return np.broadcast_to(track[0].astype(np.float32), track.shape)
        return track.astype(np.float32)

    return replace(
        clip,
        rotations=single(clip.rotations),
        translations=single(clip.translations),
        scales=None if clip.scales is None else single(clip.scales),
        curves={name: np.asarray(curve, dtype=np.float32) for name, curve in clip.curves.items()},
    )
