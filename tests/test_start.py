"""`import moveset` and the command line start fast and load nothing heavy."""

from __future__ import annotations

import resource
import subprocess
import sys

HEAVY = ("numpy", "numba", "duckdb", "scipy", "PIL", "rich", "torch", "onnxruntime", "orjson")


def loaded_after(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(' '.join(m for m in {HEAVY!r} if m in sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def seconds(statement: str, runs: int = 5) -> float:
    """Least processor time of a fresh interpreter [s]; other work on the machine does not count."""
    best = float("inf")
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", statement], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def test_import_loads_nothing_heavy():
    assert loaded_after("import moveset; moveset.Clip, moveset.load; import moveset.geometry") <= {"numpy"}


def test_the_command_line_loads_nothing_heavy_before_a_verb_runs():
    assert loaded_after("import moveset.cli") == set()


def test_import_costs_little_more_than_numpy():
    # measured 1.2: dataclass decorators and the registry of formats beside NumPy
    assert seconds("import moveset; moveset.load") < 1.5 * seconds("import numpy") + 0.02


def test_the_command_line_starts_within_a_few_bare_pythons():
    # measured 7 to 12, all of it cyclopts; with NumPy it would be 25
    assert seconds("import moveset.cli") < 16 * seconds("pass") + 0.02
