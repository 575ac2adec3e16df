"""`import moveset` and the command line start fast and load nothing heavy."""

from __future__ import annotations

import subprocess
import sys
import time

HEAVY = ("numba", "duckdb", "scipy", "PIL", "rich", "torch", "onnxruntime")


def loaded_after(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(' '.join(m for m in {HEAVY!r} if m in sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def seconds(statement: str, runs: int = 5) -> float:
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", statement], check=True)
        best = min(best, time.perf_counter() - start)
    return best


def test_import_loads_nothing_heavy():
    assert loaded_after("import moveset, moveset.motion, moveset.geometry, moveset.formats") == set()


def test_the_command_line_loads_nothing_heavy_before_a_verb_runs():
    assert loaded_after("import moveset.cli") <= {"rich"}


def test_import_costs_little_more_than_numpy():
    # 1.5: the types and their dataclass decorators cost a few milliseconds beside NumPy's 40-110
    assert seconds("import moveset.motion") < 1.5 * seconds("import numpy") + 0.02


def test_the_command_line_starts_within_a_few_bare_pythons():
    # bare Python takes 10-20 ms, NumPy 40-110; the ratio is far from both a torch (60) and a numba (15) import
    assert seconds("import moveset.cli") < 12 * seconds("pass") + 0.05
