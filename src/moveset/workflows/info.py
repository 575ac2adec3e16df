"""What a file holds, in numbers and words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from moveset.errors import MovesetError
from moveset.formats import locations
from moveset.library.license import recognize_license
from moveset.motion import Finding, Skeleton
from moveset.workflows.batch import attempt
from moveset.workflows.load import known_options, load

_LICENSE_FILE = re.compile(r"(licen[cs]e|copying|unlicense)", re.IGNORECASE)


@dataclass(frozen=True)
class ClipInfo:
    """One clip."""

    name: str
    frames: int
    fps: float
    seconds: float
    joints: int
    loop: bool
    additive: bool
    animated_scale: bool


@dataclass(frozen=True, eq=False)
class SkeletonInfo:
    """One skeleton and how much of a body was recognized in it."""

    skeleton: Skeleton
    character: str
    meshes: int
    vertices: int
    triangles: int

    @property
    def roles(self) -> int:
        """Joints with a role."""
        return len(self.skeleton.by_role)


@dataclass(frozen=True, eq=False)
class FileInfo:
    """One file, or why it cannot be read."""

    path: str
    format: str = ""
    clips: tuple[ClipInfo, ...] = ()
    skeletons: tuple[SkeletonInfo, ...] = ()
    findings: tuple[Finding, ...] = ()
    license: str = ""
    """SPDX identifier where the text is a usual one, else the file's name; empty when there is none."""
    license_file: str = ""
    error: str = ""


def describe(path: str, **options: object) -> FileInfo:
    """What `path` holds; an unreadable file is an answer too, so that a batch goes on."""
    result = attempt(lambda: _describe(path, **options), path)
    return FileInfo(path, error=str(result)) if isinstance(result, MovesetError) else result


def _describe(path: str, **options: object) -> FileInfo:
    asset = load(path, **known_options(path, options))
    skeletons = [
        SkeletonInfo(
            character.skeleton,
            character.name,
            len(character.meshes),
            sum(len(mesh.positions) for mesh in character.meshes),
            sum(len(mesh.triangles) for mesh in character.meshes),
        )
        for character in asset.characters
    ]
    shown = {info.skeleton.signature for info in skeletons}
    for clip in asset.clips:
        if clip.skeleton.signature not in shown:
            shown.add(clip.skeleton.signature)
            skeletons.append(SkeletonInfo(clip.skeleton, "", 0, 0, 0))
    clips = tuple(
        ClipInfo(
            clip.name,
            len(clip),
            clip.fps,
            clip.seconds,
            len(clip.skeleton),
            clip.loop,
            clip.additive,
            clip.scales is not None,
        )
        for clip in asset.clips
    )
    stated = {clip.tags.license for clip in asset.clips} - {""}
    license, file = (", ".join(sorted(stated)), "") if stated else license_of(path)
    form = asset.source.format if asset.source else ""
    return FileInfo(path, form, clips, tuple(skeletons), asset.findings, license, file)


def describe_all(paths: Iterable[str], **options: object) -> Iterator[FileInfo]:
    """`describe` of each file of a list."""
    return (describe(path, **options) for path in paths)


def license_of(path: str) -> tuple[str, str]:
    """License named by a file that lies beside `path`, and that file; empty strings when there is none."""
    for neighbour in locations.beside(locations.locate(path)):
        if _LICENSE_FILE.search(neighbour.name):
            text = locations.read_bytes(neighbour)[:50_000].decode("utf-8", "replace")
            return recognize_license(text) or neighbour.name, str(neighbour)
    return "", ""
