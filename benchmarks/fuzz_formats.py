"""Files that are broken: every odd file of the data pack, and good files of each format changed at random.

    .venv/bin/python benchmarks/fuzz_formats.py [--seconds 60] [--seed 0]

Each is read right, refused in one sentence, or something else: a traceback, NaN, more than 10 s, more than 1 GB.
The last is a fault of Moveset; what was done to the file is printed, so that it can become a test.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import sys
import time
import warnings
from collections import Counter
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests/formats"))

from hostile import random_changes, spoilt, verdict  # noqa: E402
from hostile_samples import samples  # noqa: E402

from moveset import formats  # noqa: E402

ODD = Path(os.environ.get("MOVESET_DATA", ROOT.parent / "shared/data")) / "odd"
MEMORY = 1 << 30
"""Bytes by which reading a file may make this process grow."""


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument(
        "--seconds", type=float, default=60.0, help="for the changed files, all formats together"
    )
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    warnings.simplefilter("error")
    faults = odd_files() + changed_files(given.seconds, given.seed)
    print("\n".join(["", f"{len(faults)} faults", *faults]))
    return bool(faults)


def odd_files() -> list[str]:
    """The pack's odd files by folder."""
    faults: list[str] = []
    print("| odd files of | files | read | refused | otherwise | slowest s | MB |")
    print("|---|---|---|---|---|---|---|")
    for folder in sorted(path for path in ODD.iterdir() if path.is_dir()) if ODD.is_dir() else ():
        counts: Counter[str] = Counter()
        files = [path for path in sorted(folder.rglob("*")) if formats.suffix_of(path.name) in READABLE]
        slowest = grown = 0.0
        for file in files:
            before, start = _peak(), time.monotonic()
            counts[_judged(partial(formats.read, file), str(file), faults)] += 1
            slowest, grown = max(slowest, time.monotonic() - start), max(grown, _peak() - before)
        row = (folder.name, len(files), counts["read"], counts["refused"], counts["otherwise"])
        print(f"| {' | '.join(map(str, row))} | {slowest:.2f} | {grown / 2**20:.0f} |", flush=True)
    return faults


READABLE = {suffix for suffix in formats.FORMATS if suffix not in (".txt", ".json")}
"""Of the odd files; reports and licenses lie beside them."""


def changed_files(seconds: float, seed: int) -> list[str]:
    """Good files with random changes, the same time for each."""
    faults: list[str] = []
    made = samples()
    print("\n| changed | files | read | refused | otherwise | files/s |")
    print("|---|---|---|---|---|---|")
    for name, sample in made.items():
        rng = random.Random(f"{seed} {name}")
        counts: Counter[str] = Counter()
        start = time.monotonic()
        while time.monotonic() - start < seconds / len(made):
            what = random_changes(rng)
            data = spoilt(sample.data, what)
            counts[_judged(partial(sample.read, data), f"{name} {what}", faults)] += 1
        total = counts.total()
        rate = total / (time.monotonic() - start)
        row = (name, total, counts["read"], counts["refused"], counts["otherwise"])
        print(f"| {' | '.join(map(str, row))} | {rate:.0f} |", flush=True)
    return faults


def _judged(read, place: str, faults: list[str]) -> str:
    before = _peak()
    try:
        result = verdict(read, place)
    except Exception as error:
        faults.append(f"{place}: {type(error).__name__}: {error}")
        return "otherwise"
    if _peak() - before > MEMORY:
        faults.append(f"{place}: took {(_peak() - before) / 2**20:.0f} MB")
        return "otherwise"
    return result


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    raise SystemExit(main())
