"""`moveset info`: what a file, folder, archive, bundle or training set holds."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

from cyclopts import Parameter

from moveset.bundle import is_bundle
from moveset.cli.options import Flag
from moveset.cli.printing import count, print_json
from moveset.cli.progress import track
from moveset.library.training_set import is_training_set
from moveset.motion import Finding
from moveset.rigs.report import BEYOND_DOUBT, SURE, FoundRole, RoleReport
from moveset.workflows.info import (
    BundleInfo,
    FileInfo,
    SetInfo,
    SkeletonInfo,
    describe_bundle,
    describe_files,
    describe_set,
)
from moveset.workflows.load import list_sources


@dataclass(frozen=True, kw_only=True)
class InfoOptions:
    """Options of `moveset info`."""

    tree: Flag = False
    """Show each skeleton as a tree, with the role recognized for each joint and how sure it is."""
    roles: str | None = None
    """A file of roles that a person wrote (`moveset roles`); `roles.toml` beside the file if not given."""
    json: Flag = False
    """Print JSON, one object a file."""
    unit: str | None = None
    """Unit of BVH files: metres per unit, or m dm cm mm inch asf. Guessed if not given."""
    up: str | None = None
    """Up axis of BVH files, Y or Z. Guessed if not given."""


def info(*paths: str, options: Annotated[InfoOptions | None, Parameter(name="*")] = None) -> int:
    """Say what a file, folder or archive holds: clips, skeletons, units and axes found, findings, license.

    Of a bundle: its networks with size and cost, skeleton, what it stands on, license. Of a training set: how much of
    what kind it holds on each side.

    Parameters
    ----------
    paths
        Files, folders, .zip archives, FILE#clip, bundles, or training sets.
    """
    options = options or InfoOptions()
    read = {name: value for name in ("unit", "up") if (value := getattr(options, name)) is not None}
    failed = clips = 0
    made = [path for path in paths if is_bundle(path) or is_training_set(path)]
    for path in made:
        if is_bundle(path):
            told = describe_bundle(path)
            as_data, in_words = told.bundle and told.bundle.manifest, bundle_as_text(told)
        else:
            told = describe_set(path)
            as_data, in_words = set_as_json(told), set_as_text(told)
        failed += bool(told.error)
        if options.json:
            print_json(as_data or {"path": path, "error": told.error})
        else:
            print(in_words)
    if len(made) == len(paths) > 0:
        return 2 if failed else 0
    files = list_sources(path for path in paths if path not in made)
    frames, seconds = 0, 0.0
    for file in track(describe_files(files, options.roles, **read), len(files), "reading"):
        failed += bool(file.error)
        clips += len(file.clips)
        frames += sum(clip.frames for clip in file.clips)
        seconds += sum(clip.seconds for clip in file.clips)
        if options.json:
            print_json(as_json(file))
        else:
            print(as_text(file, options.tree))
    if len(files) > 1 and not options.json:
        bad = f", {failed} unreadable" if failed else ""
        print(
            f"\n{count(len(files), 'file')}{bad}: {count(clips, 'clip')}, {count(frames, 'frame')}, {seconds:,.1f} s"
        )
    return 2 if failed else 0


def as_json(file: FileInfo) -> dict[str, object]:
    """Plain data of a file."""
    return {
        "path": file.path,
        "format": file.format,
        "error": file.error or None,
        "license": file.license or None,
        "clips": [asdict(clip) for clip in file.clips],
        "skeletons": [
            {
                "character": s.character,
                "signature": s.skeleton.signature,
                "joints": len(s.skeleton),
                "convention": s.report.convention,
                "height": round(s.reference.height, 4) if s.reference else None,
                "assumed": list(s.reference.notes) if s.reference else [],
                "kind": s.report.kind,
                "roles": {role: s.skeleton.names[j] for role, j in s.skeleton.by_role.items()},
                "confidence": {f.role: round(float(f.confidence), 3) for f in s.report.found},
                "parents": {
                    name: s.skeleton.names[p] if p >= 0 else None
                    for name, p in zip(s.skeleton.names, s.skeleton.parents, strict=True)
                },
                "meshes": s.meshes,
                "vertices": s.vertices,
                "triangles": s.triangles,
            }
            for s in file.skeletons
        ],
        "findings": [asdict(finding) for finding in file.findings],
    }


def as_text(file: FileInfo, tree: bool = False) -> str:
    """A paragraph about a file."""
    if file.error:
        return (
            f"{file.path}\n  unreadable: {file.error.removeprefix(file.path.partition('#')[0]).lstrip(':, ')}"
        )
    lines = [f"{file.path}  ({file.format})"]
    for s in file.skeletons:
        mesh = f", {s.meshes} meshes, {s.triangles:,} triangles" if s.meshes else ""
        lines.append(
            f"  skeleton {s.character}: {len(s.skeleton)} joints, {s.roles} with a role{body_of(s)}{mesh}"
        )
        lines.extend(f"    {note}" for note in (s.reference.notes if s.reference else ()))
        if tree:
            lines.extend(f"    {line}" for line in tree_of(s.report))
    width = max((len(clip.name) for clip in file.clips), default=0)
    for clip in file.clips:
        marks = [
            w
            for w, on in (("loop", clip.loop), ("additive", clip.additive), ("scaled", clip.animated_scale))
            if on
        ]
        lines.append(
            f"  {clip.name:<{width}}  {clip.frames:5d} frames  {clip.fps:6g} fps  {clip.seconds:8.2f} s  "
            + "  ".join((*marks, clip.sentence))
        )
    lines.extend(f"  {_one_line(finding)}" for finding in file.findings)
    if file.license:
        lines.append(f"  license {file.license}")
    return "\n".join(line.rstrip() for line in lines)


def bundle_as_text(told: BundleInfo) -> str:
    """A paragraph about a bundle."""
    if told.bundle is None:
        return f"{told.path}\n  refused: {told.error.removeprefix(told.path).lstrip(':, ')}"
    said, skeleton = told.bundle.manifest, told.bundle.skeleton
    lines = [
        f"{told.path}  ({told.bundle.kind}, format {said['format']})",
        f"  skeleton: {len(skeleton)} joints, {len(skeleton.by_role)} with a role",
    ]
    lines += [f"  stands on {kind} {below['name']}" for kind, below in said["stands_on"].items()]
    lines += [f"  {line}" for line in told.networks]
    return "\n".join((*lines, f"  license {said['license'] or 'unknown'}"))


def set_as_json(told: SetInfo) -> dict[str, object] | None:
    """Plain data of a training set that can be read."""
    stored = told.stored
    return stored and {
        "path": told.path,
        "hash": stored.hash,
        "license": stored.license or None,
        "fps": stored.view.fps,
        "clips": len(stored.kinds),
        "frames": stored.frames,
        "seconds": stored.seconds,
        "shares": stored.shares,
        "skeleton": stored.space.skeleton.signature,
        "joints": len(stored.space.skeleton),
        "settings": stored.settings,
    }


def set_as_text(told: SetInfo) -> str:
    """A paragraph about a training set."""
    stored = told.stored
    if stored is None:
        return f"{told.path}\n  refused: {told.error.removeprefix(told.path).lstrip(':, ')}"
    skeleton = stored.space.skeleton
    lines = [
        f"{told.path}  (training set, {stored.view.fps:g} fps)",
        f"  skeleton: {len(skeleton)} joints, {len(skeleton.by_role)} with a role",
        f"  {count(len(stored.kinds), 'clip')}, {count(stored.frames, 'frame')}",
    ]
    for side, seconds in stored.seconds.items():
        kinds = ", ".join(f"{kind} {time:,.1f} s" for kind, time in seconds.items() if time)
        lines.append(f"  {side}: {kinds or 'nothing'}")
    lines.append("  a batch: " + ", ".join(f"{kind} {share:.0%}" for kind, share in stored.shares.items()))
    return "\n".join((*lines, f"  license {stored.license or 'unknown'}"))


def body_of(skeleton: SkeletonInfo) -> str:
    """What a skeleton is, whose names it has and how high it stands, in brackets; nothing where nothing is known."""
    report = skeleton.report
    kind = "" if report.kind == "partial" else report.kind
    told = {"names": "by its names", "shape": "by its shape", "file": "as the file says", "none": ""}
    words = " ".join(word for word in (kind, told.get(report.convention, report.convention)) if word)
    height = f", {skeleton.reference.height:.3g} m high" if skeleton.reference else ""
    return f" ({words}{height})" if report.roles and words else ""


def tree_of(report: RoleReport) -> list[str]:
    """A line a joint, indented by depth, with its role; how sure it is if that is not beyond doubt."""
    skeleton = report.skeleton
    depth: list[int] = []
    lines = []
    for j, (name, parent) in enumerate(zip(skeleton.names, skeleton.parents.tolist(), strict=True)):
        depth.append(0 if parent < 0 else depth[parent] + 1)
        found = report.by_joint.get(j)
        role = "" if found is None else f"  [{found.role}{_doubt(found)}]"
        lines.append("  " * depth[j] + name + role)
    return [lines[j] for j in skeleton.depth_first]


def _doubt(found: FoundRole) -> str:
    if found.confidence >= BEYOND_DOUBT:
        return ""
    return f" {found.confidence:.2f}" if found.confidence >= SURE else f"? {found.confidence:.2f}"


def _one_line(finding: Finding) -> str:
    times = (
        f" ({finding.count} times)" if finding.count > 1 and str(finding.count) not in finding.message else ""
    )
    advice = f" -- {finding.advice}" if finding.advice and finding.severity != "info" else ""
    return f"{finding.severity} {finding.check}: {finding.message}{times}{advice}"
