"""Run the benchmarks one after another, all or those named: `python benchmarks/run.py kinematics bvh`.

Each prints its own table; docs/benchmarks.md says what the figures were and what they mean.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main(wanted: list[str]) -> int:
    scripts = sorted(p for p in HERE.glob("*.py") if p.stem not in ("run",) and not p.stem.startswith("_"))
    names = {script.stem.removeprefix("bench_"): script for script in scripts}
    unknown = [name for name in wanted if name not in names]
    if unknown:
        print(f"no benchmark is called {', '.join(unknown)}; there are: {', '.join(names)}", file=sys.stderr)
        return 2
    failed = []
    for name in wanted or names:
        print(f"\n=== {name} ({names[name].name})", flush=True)
        if subprocess.run([sys.executable, names[name]]).returncode:
            failed.append(name)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
