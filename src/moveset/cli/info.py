"""`moveset info`: what a file, folder, archive or bundle holds."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

from cyclopts import Parameter

from moveset.bundle import is_bundle
from moveset.cli.options import Flag
from moveset.cli.printing import count, print_json
from moveset.cli.progress import track
from moveset.motion import Finding, Skeleton
from moveset.workflows.info import BundleInfo, FileInfo, describe_bundle, describe_files
from moveset.workflows.load import list_sources


@dataclass(frozen=True, kw_only=True)
class InfoOptions:
    """Options of `moveset info`."""

    tree: Flag = False
    """Show each skeleton as a tree, with the role recognized for each joint."""
    json: Flag = False
    """Print JSON, one object a file."""
    unit: str | None = None
    """Unit of BVH files: metres per unit, or m dm cm mm inch asf. Guessed if not given."""
    up: str | None = None
    """Up axis of BVH files, Y or Z. Guessed if not given."""


def info(*paths: str, options: Annotated[InfoOptions | None, Parameter(name="*")] = None) -> int:
    """Say what a file, folder or archive holds: clips, skeletons, units and axes found, findings, license.

    Of a bundle: its networks with size and cost, skeleton, what it stands on, license.

    Parameters
    ----------
    paths
        Files, folders, .zip archives, FILE#clip, or bundles.
    """
    options = options or InfoOptions()
    read = {name: value for name in ("unit", "up") if (value := getattr(options, name)) is not None}
    failed = clips = 0
    bundles = [path for path in paths if is_bundle(path)]
    for path in bundles:
        told = describe_bundle(path)
        failed += bool(told.error)
        if options.json:
            print_json(told.bundle.manifest if told.bundle else {"path": path, "error": told.error})
        else:
            print(bundle_as_text(told))
    if len(bundles) == len(paths) > 0:
        return 2 if failed else 0
    files = list_sources(path for path in paths if path not in bundles)
    frames, seconds = 0, 0.0
    for file in track(describe_files(files, **read), len(files), "reading"):
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
                "roles": {role: s.skeleton.names[j] for role, j in s.skeleton.by_role.items()},
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
        lines.append(f"  skeleton {s.character}: {len(s.skeleton)} joints, {s.roles} with a role{mesh}")
        if tree:
            lines.extend(f"    {line}" for line in tree_of(s.skeleton))
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


def tree_of(skeleton: Skeleton) -> list[str]:
    """A line a joint, indented by depth, with its role."""
    depth: list[int] = []
    lines = []
    for j, (name, parent) in enumerate(zip(skeleton.names, skeleton.parents.tolist(), strict=True)):
        depth.append(0 if parent < 0 else depth[parent] + 1)
        role = skeleton.roles[j]
        lines.append("  " * depth[j] + name + (f"  [{role}]" if role else ""))
    return [lines[j] for j in skeleton.depth_first]


def _one_line(finding: Finding) -> str:
    times = (
        f" ({finding.count} times)" if finding.count > 1 and str(finding.count) not in finding.message else ""
    )
    advice = f" -- {finding.advice}" if finding.advice and finding.severity != "info" else ""
    return f"{finding.severity} {finding.check}: {finding.message}{times}{advice}"
