"""Clips and characters of any readable file in another format, one by one or by the thousand."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath

from moveset import formats
from moveset.conventions import FPS_RANGE
from moveset.errors import MovesetError
from moveset.formats import locations
from moveset.library.ingest.pool import map_in_order
from moveset.motion import Asset, Character, Clip, Finding
from moveset.motion.canonical import canonical_skeleton
from moveset.motion.resample import resample
from moveset.motion.roles import BODY
from moveset.retarget.humanoid import on_humanoid
from moveset.rigs.mannequin import mannequin
from moveset.rigs.reference import t_pose
from moveset.workflows.batch import attempt
from moveset.workflows.load import known_options, load
from moveset.workflows.retarget import retarget_clip

WORTH_WORKERS = 24
"""Files from which on starting processes pays."""
_UNSAFE = re.compile(r'[<>:"/\\|?*#\x00-\x1f]')


@dataclass(frozen=True)
class Plan:
    """One file to convert."""

    source: str
    target: Path
    """The file to write; without its suffix a folder, where one source gives several files."""


@dataclass(frozen=True)
class Converted:
    """What became of one source."""

    source: str
    targets: tuple[str, ...] = ()
    """Files written; none where the source holds nothing that the format can hold, e.g. a mesh for BVH."""
    clips: int = 0
    frames: int = 0
    findings: tuple[Finding, ...] = ()
    error: str = ""


@dataclass(frozen=True)
class Conversion:
    """How to convert: what the formats are asked, and what is done between."""

    read: Mapping[str, object] = field(default_factory=dict)
    """Options of the source format, e.g. unit and up; formats that know better ignore them."""
    write: Mapping[str, object] = field(default_factory=dict)
    """Options of the target format."""
    fps: float | None = None
    """Resample to this rate."""
    figure: bool = True
    """Give motions without a mesh the mannequin, where the format holds meshes."""

    def __post_init__(self) -> None:
        low, high = FPS_RANGE
        if self.fps is not None and not low <= self.fps <= high:
            raise MovesetError(
                f"{self.fps:g} frames a second is no frame rate", do=f"give {low:g} to {high:g}"
            )


def plan_files(paths: Sequence[str], output: str, to: str | None = None) -> list[Plan]:
    """Sources and targets. An `output` with a known suffix is one file, any other a folder that keeps the layout.

    Below a folder go the paths relative to each folder or archive that was named; two sources that would meet in
    one target keep their own suffix in its name.
    """
    if not paths:
        raise MovesetError("no input", do="name files, folders or .zip archives")
    suffix = f".{to.lower().lstrip('.')}" if to else formats.suffix_of(output)
    if suffix not in formats.FORMATS:
        known = " ".join(s.lstrip(".") for s in formats.FORMATS if formats.format_of(f"a{s}").write)
        raise MovesetError(
            f"{to or suffix!r} is no known format" if to or suffix else "the output does not say a format",
            file=None if to else output,
            do=f"use one of {known}" if to or suffix else f"add --to with one of {known}",
        )
    stems = _stems(paths)
    if formats.suffix_of(output) in formats.FORMATS:
        if len(stems) > 1:
            raise MovesetError(
                f"{len(stems)} files cannot go into one",
                file=output,
                do="give a folder and --to, or one input",
            )
        return [Plan(source, Path(output)) for source in stems]
    meet = Counter(str(stem.with_suffix("")).lower() for stem in stems.values())
    plans = []
    for source, stem in stems.items():
        alone = meet[str(stem.with_suffix("")).lower()] == 1
        name = stem.with_suffix(suffix) if alone else stem.with_name(stem.name + suffix)
        plans.append(Plan(source, Path(output) / name))
    return plans


def convert_files(plans: Sequence[Plan], how: Conversion, workers: int | None = None) -> Iterator[Converted]:
    """Convert file by file, results in the order of `plans`; an error ends its own file only.

    `workers` are processes, by default one a core for more than a few files.
    """
    inputs = frozenset(str(locations.locate(p.source).file.resolve()) for p in plans)
    workers = workers or (min(os.cpu_count() or 1, 8) if len(plans) >= WORTH_WORKERS else 1)
    yield from map_in_order(partial(_attempt, how=how, inputs=inputs), plans, workers, _crashed)


def _attempt(each: Plan, how: Conversion, inputs: frozenset[str]) -> Converted:
    result = attempt(partial(convert_file, each, how, inputs), each.source)
    return Converted(each.source, error=str(result)) if isinstance(result, MovesetError) else result


def _crashed(each: Plan) -> Converted:
    error = MovesetError("reading it ended the process", file=each.source, do="leave it out; report it")
    return Converted(each.source, error=str(error))


def convert_file(each: Plan, how: Conversion, inputs: frozenset[str] = frozenset()) -> Converted:
    """Read, resample, dress, write."""
    form = formats.format_of(each.target.name)
    asset = load(each.source, **known_options(each.source, how.read))
    if how.fps is not None:
        asset = replace(asset, clips=tuple(resample(clip, how.fps) for clip in asset.clips))
    if not asset.clips and not (form.holds_meshes and any(c.meshes for c in asset.characters)):
        return Converted(each.source, findings=asset.findings)
    if form.name in _BODIES:
        asset = replace(asset, clips=tuple(map(_BODIES[form.name], asset.clips)))
    if form.holds_meshes and how.figure and not any(c.meshes for c in asset.characters):
        asset = _dressed(asset)
    written = []
    for part, target in _parts(asset, each.target, form):
        if str(target.resolve()) in inputs:
            raise MovesetError("is an input and would be overwritten", file=target, do="give another output")
        written.append(str(formats.write(part, target, **how.write)))
    return Converted(
        each.source,
        tuple(written),
        len(asset.clips),
        sum(len(clip) for clip in asset.clips),
        (*asset.findings, *form.losses(asset)),
    )


def _on_humanoid(clip: Clip) -> Clip:
    """A .vrma plays on any avatar: humanoid bones alone, from a T-pose."""
    return on_humanoid(clip, t_pose(clip.skeleton, clip))


def _on_canonical(clip: Clip) -> Clip:
    """HumanML3D has 22 joints; a body that lacks some is copied to one that has them."""
    complete = all(role in clip.skeleton.by_role for role in BODY)
    return clip if complete else retarget_clip(clip, canonical_skeleton())


_BODIES = {"vrma": _on_humanoid, "humanml3d": _on_canonical}
"""Formats whose clips are those of one kind of body."""


def _stems(paths: Sequence[str]) -> dict[str, PurePosixPath]:
    """Every source and its place below the output folder, with the suffix that it has now."""
    stems: dict[str, PurePosixPath] = {}
    for path in paths:
        root = locations.locate(path)
        for source in formats.list_files(path):
            location = locations.locate(source)
            parts = [
                _UNSAFE.sub("_", re.sub(r"(?i)\.zip$", "", p)) for p in locations.below(location, root).parts
            ]
            if location.clip:
                stem = PurePosixPath(parts[-1])
                parts[-1] = f"{stem.stem}_{_UNSAFE.sub('_', location.clip)}{stem.suffix}"
            if len(paths) > 1 and location != root:
                parts.insert(0, root.file.stem)  # two folders may hold files of one name
            stems.setdefault(source, PurePosixPath(*parts))
    return stems


def _dressed(asset: Asset) -> Asset:
    """The asset with a mannequin on each skeleton that its clips move."""
    characters: list[Character] = []
    seen: set[str] = set()
    for clip in asset.clips:
        if clip.skeleton.signature not in seen:
            seen.add(clip.skeleton.signature)
            characters.append(mannequin(clip.skeleton, clip))
    return replace(asset, characters=tuple(characters), source=None)


def _parts(asset: Asset, target: Path, form: formats.Format) -> Iterator[tuple[Asset, Path]]:
    """The asset and its file, or for formats of one clip a file for each in a folder named like the target."""
    if not form.single_clip or len(asset.clips) == 1:
        yield asset, target
        return
    taken: set[str] = set()
    for clip in asset.clips:
        name = stem = _UNSAFE.sub("_", clip.name).strip(". ") or "clip"
        while name.lower() in taken:
            name = f"{stem}_{len(taken)}"
        taken.add(name.lower())
        yield replace(asset, clips=(clip,)), target.with_suffix("") / f"{name}{target.suffix}"
