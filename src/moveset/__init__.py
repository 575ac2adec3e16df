"""Moveset: game animation from motion data.

The nouns and the way in and out of files stand here and load when they are first used; each journey is one function
of `moveset.workflows`: `audit.audit_files`, `build.build_library`, `convert.convert_files`, `render.render_file`, ...
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from moveset import kernel_cache

if TYPE_CHECKING:
    from moveset.errors import MovesetError
    from moveset.formats import write
    from moveset.motion import (
        Annotation,
        Asset,
        Character,
        Clip,
        Contacts,
        Event,
        Finding,
        Material,
        Mesh,
        Skeleton,
        Tags,
    )
    from moveset.workflows.load import load, load_clip, load_clips

__version__ = "0.1.0"

kernel_cache.provide(Path(__file__).parent)

__all__ = [
    "Annotation",
    "Asset",
    "Character",
    "Clip",
    "Contacts",
    "Event",
    "Finding",
    "Material",
    "Mesh",
    "MovesetError",
    "Skeleton",
    "Tags",
    "load",
    "load_clip",
    "load_clips",
    "write",
]

_HOMES = {
    "MovesetError": "moveset.errors",
    "write": "moveset.formats",
    "load": "moveset.workflows.load",
    "load_clip": "moveset.workflows.load",
    "load_clips": "moveset.workflows.load",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'moveset' has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "moveset.motion")), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
