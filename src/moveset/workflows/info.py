"""What a file holds, in numbers and words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from moveset.audit.additive import additive, is_additive
from moveset.bundle import Bundle, open_bundle
from moveset.errors import MovesetError
from moveset.formats import locations
from moveset.library.ingest.facts import asset_with_facts
from moveset.library.training_set import StoredSet, open_set
from moveset.motion import Asset, Finding, Skeleton
from moveset.motion.roles import kind_of
from moveset.rigs.reference import Reference, reference_pose
from moveset.rigs.report import RoleReport
from moveset.workflows.batch import attempt
from moveset.workflows.load import known_options, load_reported


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
    sentence: str


@dataclass(frozen=True, eq=False)
class SkeletonInfo:
    """One skeleton and how much of a body was recognized in it."""

    skeleton: Skeleton
    character: str
    meshes: int
    vertices: int
    triangles: int
    report: RoleReport
    """Where the roles come from, and how sure each is."""
    reference: Reference | None = None
    """The pose in which the body is compared with others; None where none was found."""

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
    """SPDX identifier where the text is a usual one; empty when nobody says."""
    error: str = ""


@dataclass(frozen=True, eq=False)
class BundleInfo:
    """One bundle, or why it is refused."""

    path: str
    bundle: Bundle | None = None
    networks: tuple[str, ...] = ()
    """A line each: size, and what it costs here."""
    error: str = ""


@dataclass(frozen=True, eq=False)
class SetInfo:
    """One training set, or why it is refused."""

    path: str
    stored: StoredSet | None = None
    error: str = ""


def describe_set(path: str) -> SetInfo:
    """What a training set holds."""
    result = attempt(lambda: SetInfo(path, open_set(path)), path)
    return SetInfo(path, error=str(result)) if isinstance(result, MovesetError) else result


def describe_bundle(path: str) -> BundleInfo:
    """What a bundle is; every file of it is checked, every network run."""

    def describe() -> BundleInfo:
        bundle = open_bundle(path)
        return BundleInfo(path, bundle, tuple(bundle.describe()))

    result = attempt(describe, path)
    return BundleInfo(path, error=str(result)) if isinstance(result, MovesetError) else result


def describe_file(
    path: str, root: str | None = None, roles: str | None = None, **options: object
) -> FileInfo:
    """What `path` holds, and what license files, tables and sidecars say of it from `root` down.

    `roles` is a file of roles that a person wrote.

    An unreadable file is an answer too, so that a batch goes on.
    """
    result = attempt(lambda: _describe(path, root or path, roles, **options), path)
    return FileInfo(path, error=str(result)) if isinstance(result, MovesetError) else result


def _describe(path: str, root: str, roles: str | None, **options: object) -> FileInfo:
    asset, reports = load_reported(path, roles, **known_options(path, options))
    file, root = (str(locations.locate(p).without_clip) for p in (path, root))
    asset, facts = asset_with_facts(asset, file, root)
    skeletons = [
        SkeletonInfo(
            character.skeleton,
            character.name,
            len(character.meshes),
            sum(len(mesh.positions) for mesh in character.meshes),
            sum(len(mesh.triangles) for mesh in character.meshes),
            reports[character.skeleton.names],
            _reference(character.skeleton, asset),
        )
        for character in asset.characters
    ]
    shown = {info.skeleton.signature for info in skeletons}
    for clip in asset.clips:
        if clip.skeleton.signature not in shown:
            shown.add(clip.skeleton.signature)
            skeletons.append(
                SkeletonInfo(
                    clip.skeleton, "", 0, 0, 0, reports[clip.skeleton.names], _reference(clip.skeleton, asset)
                )
            )
    clips = tuple(
        ClipInfo(
            clip.name,
            len(clip),
            clip.fps,
            clip.seconds,
            len(clip.skeleton),
            clip.loop,
            is_additive(clip),
            clip.scales is not None,
            clip.tags.sentence,
        )
        for clip in asset.clips
    )
    licenses = {clip.tags.license for clip in asset.clips} - {""} or {facts.license}
    form = asset.source.format if asset.source else ""
    guessed = [found for clip in asset.clips if clip.additive is None for found in additive(clip)]
    findings = (*asset.findings, *(found for found in guessed if found.severity != "info"))
    return FileInfo(path, form, clips, tuple(skeletons), findings, ", ".join(sorted(licenses)))


def _reference(skeleton: Skeleton, asset: Asset) -> Reference | None:
    """The reference pose of a body, shown by the first clip of the asset where the rest pose does not stand."""
    if kind_of(skeleton.by_role) == "partial":
        return None
    clip = next((c for c in asset.clips if c.skeleton.names == skeleton.names and c.is_finite), None)
    try:
        return reference_pose(skeleton, clip)
    except MovesetError:
        return None


def describe_files(
    files: Mapping[str, str], roles: str | None = None, **options: object
) -> Iterator[FileInfo]:
    """`describe_file` of each of `load.list_sources`."""
    return (describe_file(file, root, roles, **options) for file, root in files.items())
