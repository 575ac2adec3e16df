"""Audit a folder of clips, build a library from it, ask the library.

    python examples/02_trust_a_folder.py [FOLDER] [OUT]

Without FOLDER a few synthetic clips are written, two of them spoilt.
"""

from __future__ import annotations

import sys
from pathlib import Path

import moveset
from moveset.library.store import Library
from moveset.synthetic import bad_clips, synthesize
from moveset.workflows.audit import audit_files
from moveset.workflows.audit_report import write_html
from moveset.workflows.build import build_library


def main(folder: Path | None, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    if folder is None:
        folder = out / "clips"
        spoilt = bad_clips()
        for clip in (synthesize("walk_120"), synthesize("run_320"), spoilt["popped"], spoilt["sliding"]):
            moveset.write(moveset.Asset(clips=(clip,)), folder / f"{clip.name}.glb")

    report = audit_files([str(folder)])
    for clip in report.clips:
        worst = clip.findings[0].message if clip.findings else ""
        print(f"{clip.verdict:8} {clip.name:16} {worst}")
    write_html(report, str(out / "audit.html"))

    built = build_library(out / "my.library", [folder], thumbnails=False)
    print(
        f"{len(built.clips)} clips in the library, {built.dropped} dropped, license {built.license or 'unknown'}"
    )
    library = Library.open(out / "my.library")
    for row in library.clips("speed > 1.0"):
        clip = library.load_clip(row.id)
        print(f"{row.name}: {row.speed:.2f} m/s, {len(clip)} frames, {row.split}")


if __name__ == "__main__":
    arguments = [Path(a) for a in sys.argv[1:]]
    main(arguments[0] if arguments else None, arguments[1] if len(arguments) > 1 else Path("out/02"))
