"""What the audit says about the data pack: the clips that are known to be broken, counts a set, speed.

Run: python benchmarks/audit_pack.py [MOVESET_DATA]
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from moveset.workflows.audit import AuditReport, audit_files

DATA = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MOVESET_DATA", "../shared/data"))

CMU = "mocap/cmu/cmu-{}-30fps.zip"
SETS = {
    "CMU daz": (CMU.format("daz"),),
    "CMU asfamc": (CMU.format("asfamc"),),
    "CMU actions8": (CMU.format("actions8"),),
    "CMU neo": (CMU.format("neo"),),
    "Bandai": ("mocap/bandai-namco",),
    "KayKit Knight": ("game/kaykit-adventurers/Knight.glb",),
    "KayKit animations": ("game/kaykit-animations",),
    "mesh2motion": ("game/mesh2motion",),
    "melee-library": ("game/catprisbrey/melee-library.glb",),
}
KNOWN = {
    "CMU daz": {"09_10": 2, "05_16": 128, "03_02": 13, "01_14": 118, "07_12": 27},
    "CMU asfamc": {"03_02": 13, "01_07": 841},
    "CMU actions8": {
        "train_walking_22": 88, "train_walking_23": 135, "train_walking_24": 174, "train_walking_49": 56,
        "train_walking_50": 76, "train_directing_traffic_1": 681,
    },
}  # fmt: skip
FLIPPING = ("05_05", "05_06", "05_08", "05_10", "05_15", "05_17", "05_18", "05_19")
TORN = ("pops", "flips", "body_jolt")


def print_known(name: str, report: AuditReport) -> None:
    """The clips known to be broken: the frame they are known for, and what was found there."""
    for clip in report.clips:
        frame = KNOWN.get(name, {}).get(clip.name)
        flips = name == "CMU daz" and clip.name in FLIPPING
        if frame is None and not flips:
            continue
        found = [f for f in clip.findings if f.check in TORN]
        hit = [f.check for f in found if frame in f.frames] if frame is not None else [f.check for f in found]
        where = f"frame {frame}" if frame is not None else "limbs flip"
        says = "; ".join(f"{f.check} {f.severity} at {', '.join(map(str, f.frames))}" for f in found)
        print(f"  {'FOUND ' if hit else 'MISSED'} {clip.name} ({where}): {says}")


def main() -> None:
    """Print everything."""
    for name, paths in SETS.items():
        there = [str(DATA / path) for path in paths if (DATA / path).exists()]
        if not there:
            print(f"{name}: not in the pack")
            continue
        start = time.process_time()
        report = audit_files(there, workers=1)
        seconds = time.process_time() - start
        frames = sum(clip.frames for clip in report.clips)
        verdicts = ", ".join(f"{report.verdicts.get(v, 0)} {v}" for v in ("error", "warning", "ok"))
        print(
            f"{name}: {len(report.clips)} clips, {frames:,} frames, {verdicts}; "
            f"{seconds:.1f} s of one core, {frames / seconds:,.0f} frames/s with reading"
        )
        for check, found in report.counts.items():
            print(f"  {check:20} " + ", ".join(f"{count} {severity}" for severity, count in found.items()))
        print_known(name, report)


if __name__ == "__main__":
    main()
