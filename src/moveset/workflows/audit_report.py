"""An audit as one HTML file that opens from disk: pictures inside, no network, filters and sorting in the page."""

from __future__ import annotations

import base64
import json
import os
from importlib.resources import files
from pathlib import Path

from moveset.files import write_whole
from moveset.motion import Finding
from moveset.workflows.audit import AuditReport, ClipReport


def write_html(report: AuditReport, path: str) -> None:
    """Write the report; pictures are those that `audit_files(..., pictures=True)` made."""
    page = files("moveset.workflows").joinpath("audit_report.html").read_text(encoding="utf-8")
    # "</script>" in a clip's name must not end the block that holds the data
    data = json.dumps(_page_data(report), ensure_ascii=False, allow_nan=False).replace("</", "<\\/")
    write_whole(path, page.replace("@DATA@", data).encode())


def sentence(finding: Finding) -> str:
    """The message and the frames where it shows."""
    if not finding.frames:
        return finding.message
    frames = ", ".join(map(str, finding.frames[:4]))
    more = finding.count - min(len(finding.frames), 4)
    word = "frame" if len(finding.frames) == 1 else "frames"
    return f"{finding.message} ({word} {frames}{f' and {more} more' if more > 0 else ''})"


def _page_data(report: AuditReport) -> dict[str, object]:
    shared = (
        os.path.commonpath([str(Path(clip.file).parent) for clip in report.clips]) if report.clips else ""
    )
    return {
        "folder": shared,
        "files": report.files,
        "verdicts": dict(report.verdicts),
        "counts": {check: dict(found) for check, found in report.counts.items()},
        "clips": [_clip_data(clip, shared) for clip in report.clips],
    }


def _clip_data(clip: ClipReport, folder: str) -> dict[str, object]:
    return {
        "file": os.path.relpath(clip.file, folder) if folder else clip.file,
        "clip": clip.name,
        "verdict": clip.verdict,
        "frames": clip.frames,
        "fps": round(clip.fps, 3),
        "seconds": round(clip.seconds, 3),
        "joints": clip.joints,
        "picture": base64.b64encode(clip.picture).decode(),
        "shown": clip.shown,
        "findings": [
            {
                "check": f.check,
                "severity": f.severity,
                "text": sentence(f),
                "message": f.message,
                "advice": f.advice,
                "joint": f.joint,
                "value": f.value if f.value is not None and abs(f.value) < float("inf") else None,
            }
            for f in clip.findings
        ],
    }
