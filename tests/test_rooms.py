"""Imports go down: a room uses lower floors, never its own floor or a higher one; heavy libraries have one home."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import moveset

PACKAGE = Path(moveset.__file__).parent
MAP = Path(__file__).parents[1] / "CONTRIBUTING.md"

FLOORS = {
    "errors": 0,
    "conventions": 0,
    "progress": 0,
    "kernel_cache": 0,
    "files": 1,
    "__main__": 8,
    "geometry": 1,
    "motion": 2,
    "formats": 3,
    "rigs": 3,
    "audit": 3,
    "cleanup": 3,
    "retarget": 3,
    "edit": 3,
    "synthetic": 3,
    "words": 3,
    "features": 3,
    "render": 3,
    "library": 4,
    "bundle": 4,
    "learn": 5,
    "runtime": 5,
    "generate": 5,
    "workflows": 6,
    "cli": 7,
    "viewer": 7,
}

HOMES = {
    "torch": {"learn", "workflows/doctor.py"},
    "duckdb": {"library"},
    "onnxruntime": {"bundle", "workflows/doctor.py"},
    "onnx": {"learn"},
    "safetensors": {"bundle", "learn"},
    "numba": {
        "render",
        "runtime",
        "geometry/kernels.py",
        "motion/kernels.py",
        "motion/leg_kernels.py",
        "formats",
        "workflows/doctor.py",
    },
    "orjson": {"formats"},
    "pxr": {"formats"},
    "ufbx": {"formats"},
    "cyclopts": {"cli"},
    "rich": {"cli"},
    "PIL": {"render", "formats", "workflows/thumbnail.py", "workflows/doctor.py"},
    "scipy": {"motion/measure.py"},
}
"""Rooms (or single files) that may import a heavy library."""


@cache
def modules() -> list[tuple[Path, ast.Module]]:
    paths = (path for path in sorted(PACKAGE.rglob("*.py")) if path != PACKAGE / "__init__.py")
    return [(p.relative_to(PACKAGE), ast.parse(p.read_text(encoding="utf-8"))) for p in paths]


def room_of(relative: Path) -> str:
    return relative.parts[0].removesuffix(".py")


def imported(tree: ast.AST):
    """Every absolute module that a file imports, at its top or inside a function."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, node.lineno
            if node.module == "moveset":
                yield from ((f"moveset.{alias.name}", node.lineno) for alias in node.names)


def test_every_room_has_a_floor():
    assert {room_of(path) for path, _ in modules()} <= FLOORS.keys()


def test_the_map_shows_the_rooms_that_there_are():
    rows = re.findall(r"^\| (\d) \| (`[^|]*`) \|", MAP.read_text(encoding="utf-8"), re.M)
    shown = {
        re.sub(r"/$|\.py$", "", name): int(floor)
        for floor, names in rows
        for name in re.findall("`([^`]+)`", names)
    }
    rooms = {room_of(path) for path, _ in modules()} - {"__main__"}
    assert shown == {room: FLOORS[room] for room in rooms}


def test_imports_go_down():
    climbs = []
    for path, tree in modules():
        room = room_of(path)
        for module, line in imported(tree):
            parts = module.split(".")
            if parts[0] != "moveset" or len(parts) < 2 or parts[1] in (room, "__version__"):
                continue
            if FLOORS[parts[1]] >= FLOORS[room]:
                climbs.append(
                    f"{path}:{line} ({room}, floor {FLOORS[room]}) imports {module} (floor {FLOORS[parts[1]]})"
                )
    assert not climbs, "\n".join(climbs)


def test_heavy_libraries_stay_at_home():
    strays = []
    for path, tree in modules():
        for module, line in imported(tree):
            homes = HOMES.get(module.split(".")[0])
            if homes is not None and not {room_of(path), path.as_posix()} & homes:
                strays.append(f"{path}:{line} imports {module}; it lives in {', '.join(sorted(homes))}")
    assert not strays, "\n".join(strays)


def test_no_relative_imports():
    relative = [
        f"{path}:{node.lineno}"
        for path, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert not relative
