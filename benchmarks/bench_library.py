"""Building and asking libraries: `python benchmarks/bench_library.py [DATA PACK] [--workers N]`.

CPU seconds count all processes, so they mean the same on a busy machine; seconds are what a clock shows.
"""

from __future__ import annotations

import argparse
import csv
import os
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from moveset.library.ingest.build import Report
from moveset.library.store import Library
from moveset.workflows.build import build_library

SETS = {
    "KayKit Knight + mesh2motion": ("game/kaykit-adventurers/Knight.glb", "game/mesh2motion"),
    "CMU, 4 archives": ("mocap/cmu",),
    "Bandai Namco 1 + 2 (part)": ("mocap/bandai-namco",),
}
QUERIES = {
    "clips by tag and speed": "speed > 1 AND 'walk' IN tags",
    "frames by speed, grouped": "SELECT round(speed * 2) / 2 AS v, count(*) FROM frames GROUP BY v ORDER BY v",
    "frames joined to clips": "SELECT name, max(abs(frames.turn_rate)) FROM frames JOIN clips ON id = clip GROUP BY name",
    "findings by check": "SELECT finding, action, count(*) FROM findings GROUP BY ALL",
}


def cpu() -> float:
    """Seconds of this process and of those that it started and that have ended."""
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in usage)


def measured(work: Callable[[], Report]) -> tuple[Report, float, float]:
    """What `work` returns, its CPU seconds and its seconds."""
    before, began = cpu(), time.perf_counter()
    report = work()
    return report, cpu() - before, time.perf_counter() - began


def best(work: Callable[[], object], times: int = 7) -> float:
    """The shortest of several runs [ms]."""
    spans = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        spans.append(time.perf_counter() - began)
    return 1000 * min(spans)


def main() -> None:
    """Print a table a data set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", default=os.environ.get("MOVESET_DATA", "../shared/data"))
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--only", help="a data set whose name starts like this")
    options = parser.parse_args()
    data = Path(options.data)
    for name, sources in SETS.items():
        if options.only and not name.startswith(options.only):
            continue
        with tempfile.TemporaryDirectory() as folder:
            bench(
                name, [data / source for source in sources], Path(folder) / "bench.library", options.workers
            )
            if name.startswith("CMU"):
                kin(Path(folder) / "bench.library", data / "mocap" / "cmu" / "cmu-actions8-30fps.csv")


def bench(name: str, sources: list[Path], out: Path, workers: int) -> None:
    """Build, build again, draw, ask, load."""

    def build(thumbnails: bool = False) -> Report:
        return build_library(out, sources, workers=workers, thumbnails=thumbnails)

    report, cpu_first, first = measured(build)
    again, cpu_again, second = measured(build)
    print(f"\n{name}: {len(report.clips)} clips, {report.frames:,} frames, {report.bytes / 2**20:.1f} MiB")
    print(
        f"  build           {cpu_first:6.1f} CPU s  {first:6.1f} s  {report.frames / cpu_first:7,.0f} frames / CPU s"
    )
    print(
        f"  unchanged       {cpu_again:6.1f} CPU s  {second:6.1f} s  {cpu_first / cpu_again:7.1f} times less CPU"
    )
    library = Library.open(out)
    for title, sql in QUERIES.items():
        print(f"  {title:28} {best(lambda sql=sql: library.query(sql)):6.1f} ms")
    ids = [row.id for row in library.clips()]
    print(f"  open and list clips          {best(lambda: Library.open(out).clips()):6.1f} ms")
    print(f"  load all clips               {best(lambda: [library.load_clip(id) for id in ids], 3):6.1f} ms")
    print(f"  open the view                {best(library.view):6.1f} ms")
    # files with copies of other clips are read again, since the copies may be wanted now
    copies = {f.file for f in report.findings if f.finding == "duplicates" and f.action == "drop"}
    assert again.files - again.reused == len(copies)


def kin(out: Path, table: Path) -> None:
    """How many pairs of one trial in two archives are put on one side of the split, and what else is."""
    library = Library.open(out)
    place = {row.id: (row.file.split("/")[-2].removesuffix(".zip"), row.name) for row in library.clips()}
    with table.open(encoding="utf-8") as file:
        same = {
            row["clip"].removesuffix(".bvh"): row["same_trial_as"].replace("|", " ").split()
            for row in csv.DictReader(file)
        }

    def one_trial(a: tuple[str, str], b: tuple[str, str]) -> bool:
        if a[0] == b[0]:
            return False
        if "actions8" in a[0]:
            return b[1] in same.get(a[1], ())
        return a[1] in same.get(b[1], ()) if "actions8" in b[0] else a[1] == b[1]

    ids = sorted(place)
    true = {(a, b) for a in ids for b in ids if a < b and one_trial(place[a], place[b])}
    kin_of = {row.id: row.kin for row in library.clips()}
    found = {(a, b) for a in ids for b in ids if a < b and kin_of[a] == kin_of[b]}
    print(
        f"  kin: {len(found & true)} of {len(true)} pairs of one trial found; {len(found - true)} other pairs"
    )


if __name__ == "__main__":
    main()
