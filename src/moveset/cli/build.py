"""`moveset build`: files to a library."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated

from cyclopts import Parameter

from moveset.cli.options import Flag, Output
from moveset.cli.printing import count, print_json
from moveset.cli.progress import track
from moveset.library.ingest.build import Report
from moveset.library.schema import FindingRow
from moveset.workflows.build import build_library, load_policy

_SHOWN = 3
"""Clips that are named for each reason."""


@dataclass(frozen=True, kw_only=True)
class BuildOptions:
    """Options of `moveset build`."""

    output: Output
    """The library, a folder: NAME.library."""
    fps: float | None = None
    """Frame rate of the library; 0 keeps each clip's own. 30 unless its library.toml says otherwise."""
    policy: str | None = None
    """A TOML file that says what to drop, repair and keep (docs/library.md)."""
    workers: int | None = None
    """Worker processes; one a core unless given, 1 for none."""
    thumbnails: bool = True
    """Draw a small picture of each clip."""
    view: bool = True
    """Write the poses of the most common skeleton as vectors for training."""
    fresh: Flag = False
    """Read every file anew, also those that did not change since the last build."""
    json: Flag = False
    """Print JSON."""


def build(*paths: str, options: Annotated[BuildOptions, Parameter(name="*")]) -> int:
    """Build a library: audit, drop or repair, resample, measure, tag, split and store clips.

    Without PATHS the library is built again from the sources in its library.toml. Files that did not change are
    taken from the last build. A bad file is named and left out; it never stops the build.

    Parameters
    ----------
    paths
        Files, folders, .zip archives.
    """
    report = build_library(
        options.output,
        paths,
        policy=load_policy(options.policy) if options.policy else None,
        fps=options.fps,
        workers=options.workers or os.cpu_count() or 1,
        thumbnails=options.thumbnails,
        view=options.view,
        fresh=options.fresh,
        track=track,
    )
    if options.json:
        print_json(as_json(report))
    else:
        print(as_text(report))
    return 0 if report.clips else 2


def as_json(report: Report) -> dict[str, object]:
    """Plain data of a report."""
    told = [f for f in report.findings if f.action != "keep" or f.severity != "info"]
    return {
        "path": str(report.path),
        "files": report.files,
        "reused": report.reused,
        "clips": len(report.clips),
        "frames": report.frames,
        "dropped": report.dropped,
        "license": report.license,
        "seconds": round(report.seconds, 3),
        "bytes": report.bytes,
        "splits": Counter(row.split for row in report.clips),
        "findings": [asdict(finding) for finding in told],
    }


def as_text(report: Report) -> str:
    """What was built, what was left out and mended and why."""
    rows = report.clips
    skeletons = len({row.skeleton for row in rows})
    lines = [
        f"{report.path}: {count(len(rows), 'clip')}, {report.frames:,} frames "
        f"({sum(row.seconds for row in rows):,.0f} s), {count(skeletons, 'skeleton')}, {report.bytes / 2**20:,.1f} MiB",
        f"  read {count(report.files - report.reused, 'file')}"
        + (f", took {report.reused:,} unchanged from the last build" if report.reused else "")
        + f", in {report.seconds:.1f} s",
    ]
    for action, title in (("drop", "dropped"), ("repair", "repaired"), ("keep", "kept, flagged")):
        findings = [f for f in report.findings if f.action == action]
        if action == "keep":
            findings = [f for f in findings if f.severity != "info"]
        lines += _reasons(title, findings)
    splits = Counter(row.split for row in rows)
    lines.append(
        "  split " + ", ".join(f"{side} {count}" for side, count in sorted(splits.items(), reverse=True))
    )
    licenses = Counter(row.license or "unknown" for row in rows)
    said = ", ".join(f"{name} {count}" for name, count in licenses.most_common())
    lines.append(
        f"  license {said}" + (f"; strictest: {report.license or 'unknown'}" if len(licenses) > 1 else "")
    )
    return "\n".join(lines)


def _reasons(title: str, findings: Sequence[FindingRow]) -> list[str]:
    """A line a check: how many clips, and the first of them by name."""
    by_check: dict[str, dict[str, FindingRow]] = {}
    for finding in findings:
        by_check.setdefault(finding.finding, {}).setdefault(f"{finding.file}#{finding.name}", finding)
    lines = []
    for check, clips in sorted(by_check.items(), key=lambda item: -len(item[1])):
        lines.append(f"  {title} {len(clips)}: {check}")
        for finding in list(clips.values())[:_SHOWN]:
            name = (
                finding.file
                if not finding.name or finding.file.rsplit("/", 1)[-1].startswith(finding.name)
                else f"{finding.file}#{finding.name}"
            )
            lines.append(f"    {name}: {finding.message}")
        if len(clips) > _SHOWN:
            lines.append(f"    and {len(clips) - _SHOWN} more")
    return lines
