"""Roles of every rig of the data pack against what a person says (tests/rigs/truth.toml).

Run: python benchmarks/bench_rigs.py [MOVESET_DATA]   (prints the tables of docs/rigs.md)

Three times: with all that is known; without the tables of conventions, as a rig of an unknown convention is read; and
by shape alone, the joints called joint_0, joint_1, ... The first clip of the file and the weights of its meshes are
given each time, roles that a file states are not.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

from moveset import formats
from moveset.motion import Skeleton
from moveset.rigs import tables
from moveset.rigs.recognize import identify, skin_weights
from moveset.rigs.report import RoleReport

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "rigs"))
from truth import GROUPS, Rig, group_of, rigs

DATA = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MOVESET_DATA", "../shared/data"))


def recognized(rig: Rig, names: bool) -> tuple[RoleReport, Skeleton, float]:
    """What is found, the skeleton with its true names, and the process time [ms]."""
    asset = formats.read(str(DATA / rig.file))
    skeleton = (*asset.characters, *asset.clips)[0].skeleton
    bare = Skeleton(
        skeleton.names if names else tuple(f"joint_{j}" for j in range(len(skeleton))),
        skeleton.parents,
        skeleton.rest_rotations,
        skeleton.rest_translations,
        tips=skeleton.tips,
    )
    clips = [replace(c, skeleton=bare) for c in asset.clips if c.skeleton.names == skeleton.names][:1]
    bodies = [c for c in asset.characters if c.skeleton.names == skeleton.names]
    started = time.process_time()
    report = identify(bare, clips, skin_weights(bodies, len(bare)))
    return report, skeleton, 1e3 * (time.process_time() - started)


def judged(rig: Rig, report: RoleReport, skeleton: Skeleton) -> tuple[Counter[str], Counter[str], list[str]]:
    """Right and all roles by group, and what is wrong. A role that no joint plays counts if one was found."""
    right, total, wrong = Counter(), Counter(), []
    for role, allowed in rig.roles.items():
        joint = report.roles.get(role)
        found = "" if joint is None else skeleton.names[joint]
        if not allowed and not found:
            continue
        group = group_of(role)
        total[group] += 1
        if found in allowed:
            right[group] += 1
        else:
            wrong.append(f"{role} {found or '-'}")
    return right, total, wrong


MODES = {"With tables": True, "Without tables": True, "By shape alone": False}
"""What is known, and whether joints have their names."""


def main() -> None:
    """Print a table a mode: a line a rig, and the totals."""
    columns = list(GROUPS)
    match = tables.match
    for mode, names in MODES.items():
        tables.match = match if mode == "With tables" else lambda skeleton: None
        print(f"\n**{mode}**\n")
        print("| rig | told by | kind | " + " | ".join(columns) + " | ms | wrong |")
        print("|---|---|---" + "|---" * (len(columns) + 2) + "|")
        sums: dict[str, tuple[Counter[str], Counter[str]]] = {}
        called: Counter[str] = Counter()
        for rig in rigs():
            report, skeleton, spent = recognized(rig, names)
            if rig.kind == "other":
                called[report.kind] += 1
                continue
            right, total, wrong = judged(rig, report, skeleton)
            cells = [f"{right[c]}/{total[c]}" if total[c] else "" for c in columns]
            shown = ", ".join(wrong[:4]) + (" ..." if len(wrong) > 4 else "")
            told = f"| {rig.name} | {report.convention} | {report.kind} | "
            print(told + " | ".join(cells) + f" | {spent:.0f} | {shown} |")
            kind = f"{rig.kind}, partial" if rig.partial else rig.kind
            sums.setdefault(kind, (Counter(), Counter()))
            sums[kind][0].update(right)
            sums[kind][1].update(total)
        for kind, (right, total) in sums.items():
            cells = [f"{right[c]}/{total[c]}" for c in columns]
            share = sum(right.values()) / sum(total.values())
            print(f"| **{kind}: {share:.1%}** | | | " + " | ".join(cells) + " | | |")
        print(f"\nOther bodies were called {dict(called)}.")


if __name__ == "__main__":
    main()
