"""`moveset audit`: what is wrong with clips, with numbers and advice."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from moveset.cli.options import Flag, Names
from moveset.cli.printing import print_json
from moveset.cli.progress import track
from moveset.errors import MovesetError
from moveset.motion import Finding
from moveset.workflows.audit import AuditReport, ClipReport, audit_files
from moveset.workflows.audit_report import sentence, write_html

if TYPE_CHECKING:
    from rich.table import Table

_STYLE = {"error": "bold red", "warning": "yellow", "info": "dim", "ok": "green"}
_SHORT = 60
"""Clips without errors and warnings are listed one by one up to so many clips."""
_MANY = 20
"""Clips from which a warning that they share is printed once."""
_WIDEST = 40
"""Columns for names."""


@dataclass(frozen=True, kw_only=True)
class AuditOptions:
    """Options of `moveset audit`."""

    only: Names = ()
    """Run these checks alone; `--only pops flips`."""
    skip: Names = ()
    """Run all checks but these."""
    html: str | None = None
    """Write a report with pictures to this file; it needs no network."""
    json: Flag = False
    """Print JSON: every clip with its findings, and counts."""
    all: Flag = False
    """List every clip and every finding, information too."""
    strict: Flag = False
    """Exit with status 2 when a clip has an error."""
    workers: int | None = None
    """Processes; by default one a core for more than a few files."""


def audit(*paths: str, options: Annotated[AuditOptions | None, Parameter(name="*")] = None) -> int:
    """Check clips: torn, frozen, sliding, additive, mis-scaled, doubled ones and more, each with advice.

    `error` means that a clip cannot be used as it is, `warning` that a person should look. The exit status is 2
    when a file could not be read.

    Parameters
    ----------
    paths
        Files, folders or .zip archives.
    """
    options = options or AuditOptions()
    if options.html is not None and not options.html.lower().endswith((".html", ".htm")):
        raise MovesetError("is no name for a page", file=options.html or "--html", do="end it in .html")
    report = audit_files(
        paths,
        only=options.only,
        skip=options.skip,
        pictures=options.html is not None,
        workers=options.workers,
        track=track,
    )
    if options.json:
        print_json(as_json(report))
    else:
        print_text(report, options.all)
    if options.html:
        write_html(report, options.html)
        if not options.json:
            print(f"wrote {options.html}")
    unread = report.counts.get("unreadable")
    return 2 if unread or (options.strict and report.verdicts.get("error")) else 0


def as_json(report: AuditReport) -> dict[str, object]:
    """Plain data of a report."""
    return {
        "files": report.files,
        "verdicts": dict(report.verdicts),
        "counts": {check: dict(found) for check, found in report.counts.items()},
        "clips": [
            {
                "file": clip.file,
                "clip": clip.name,
                "verdict": clip.verdict,
                "frames": clip.frames,
                "fps": clip.fps,
                "seconds": clip.seconds,
                "joints": clip.joints,
                "findings": [asdict(finding) for finding in clip.findings],
            }
            for clip in report.clips
        ],
    }


def print_text(report: AuditReport, everything: bool = False) -> None:
    """A line a finding under its clip's verdict, then how many clips have which finding."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    common = {} if everything else _common(report)
    rows = [
        (clip, [f for f in clip.findings if everything or (f.severity != "info" and _key(f) not in common)])
        for clip in report.clips
    ]
    if not everything and len(rows) > _SHORT:
        rows = [row for row in rows if row[1]]
    width = min(max((len(_label(clip)) for clip, _ in rows), default=0), _WIDEST)
    for clip, shown in rows:
        head = Text(f"{clip.verdict:<9}", _STYLE[clip.verdict]) + Text(f"{_label(clip):<{width}}  ")
        if not shown:
            console.print(head)
        for n, finding in enumerate(shown):
            line = head if n == 0 else Text(" " * (9 + width + 2))
            text = Text(f"{finding.check} ", _STYLE[finding.severity]) + sentence(finding)
            console.print(line + text + Text(f"  {finding.advice}", "dim"))
    for finding, clips in common.values():
        head = Text(f"{finding.severity:<9}", _STYLE[finding.severity]) + f"{f'in {clips} clips':<{width}}  "
        text = Text(f"{finding.check} ", _STYLE[finding.severity]) + sentence(finding)
        console.print(head + text + Text(f"  {finding.advice}", "dim"))
    if quiet := len(report.clips) - len(rows):
        console.print(f"and {quiet} clips without other errors and warnings (--all lists them)", style="dim")
    console.print(_summary(report))


def _key(finding: Finding) -> tuple[str, str]:
    return finding.check, finding.message


def _common(report: AuditReport) -> dict[tuple[str, str], tuple[Finding, int]]:
    """Warnings that many clips share word for word, and in how many: said once."""
    warnings = {clip: [f for f in clip.findings if f.severity == "warning"] for clip in report.clips}
    counts = Counter(_key(f) for found in warnings.values() for f in found)
    shared = {_key(f): f for found in warnings.values() for f in found if counts[_key(f)] > _MANY}
    return {key: (finding, counts[key]) for key, finding in shared.items()}


def _label(clip: ClipReport) -> str:
    return clip.name or clip.file


def _summary(report: AuditReport) -> Table:
    from rich.table import Table

    table = Table("check", "errors", "warnings", "info", box=None, pad_edge=False, header_style="bold")
    for column in table.columns[1:]:
        column.justify = "right"
    for check, found in report.counts.items():
        numbers = [str(found.get(severity, 0) or "") for severity in ("error", "warning", "info")]
        table.add_row(check, *numbers)
    verdicts = ", ".join(f"{report.verdicts.get(v, 0)} {v}" for v in ("error", "warning", "ok"))
    table.title = f"\n{len(report.clips)} clips in {report.files} files: {verdicts}"
    table.title_justify, table.title_style = "left", "bold"
    table.min_width = len(table.title)
    return table
