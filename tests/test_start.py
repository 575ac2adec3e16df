"""`import moveset` and the command line start fast and load nothing heavy."""

from __future__ import annotations

import resource
import subprocess
import sys

HEAVY = (
    "numpy",
    "numba",
    "duckdb",
    "scipy",
    "PIL",
    "rich",
    "torch",
    "onnxruntime",
    "onnx",
    "safetensors",
    "orjson",
)


def loaded_after(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(' '.join(m for m in {HEAVY!r} if m in sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def seconds(*statements: str, runs: int = 6) -> list[float]:
    """Least processor time [s] of a fresh interpreter for each, taken in turn: a busy machine slows them alike."""
    best = [float("inf")] * len(statements)
    for _ in range(runs):
        for k, statement in enumerate(statements):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", statement], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            best[k] = min(best[k], spent)
    return best


def test_import_loads_nothing_heavy():
    assert loaded_after("import moveset; moveset.Clip, moveset.load; import moveset.geometry") <= {"numpy"}


def test_the_command_line_loads_nothing_heavy_before_a_verb_runs():
    assert loaded_after("import moveset.cli") == set()


def test_import_costs_little_more_than_numpy():
    # measured 1.2 to 1.8 on a busy machine: dataclasses, zipfile, hashlib, tomllib beside NumPy
    ours, numpy = seconds("import moveset; moveset.load", "import numpy")
    assert ours < 2 * numpy + 0.02


def test_the_command_line_starts_within_a_few_bare_pythons():
    # measured 7 to 12, all of it cyclopts; with NumPy it would be 25
    ours, bare = seconds("import moveset.cli", "pass")
    assert ours < 16 * bare + 0.02
