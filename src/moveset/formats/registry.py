"""What a file format is: a name, suffixes, and a read / write pair over bytes; and the table of formats."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from moveset.errors import MovesetError
from moveset.motion import Asset, Finding


class Read(Protocol):
    """bytes -> Asset. `path` names the file in errors; `sibling(name)` gives the bytes of a file beside it.

    What `formats.read` passes is a `locations.Beside`, which can also tell what lies there.
    """

    def __call__(self, data: bytes, *, path: str, sibling: Callable[[str], bytes]) -> Asset:
        """Parse `data`. A format may take options of its own by keyword, named in `Format.read_options`."""
        ...


class Write(Protocol):
    """Asset -> bytes. `path` names the file in errors."""

    def __call__(self, asset: Asset, *, path: str) -> bytes:
        """Serialize `asset`. Options of its own are named in `Format.write_options`."""
        ...


def loses_nothing(asset: Asset) -> tuple[Finding, ...]:
    """The answer of a format that carries all there is."""
    return ()


_HOLDS: dict[str, Callable[[Asset], bool]] = {
    "meshes": lambda asset: any(c.meshes for c in asset.characters),
    "textures": lambda asset: any(m.texture is not None for c in asset.characters for m in c.materials),
    "blend shapes": lambda asset: any(m.morphs is not None for c in asset.characters for m in c.meshes),
    "events": lambda asset: any(clip.events for clip in asset.clips),
    "events and contacts": lambda asset: any(c.events or c.contacts is not None for c in asset.clips),
    "curves": lambda asset: any(clip.curves for clip in asset.clips),
}


def left_out(file: str, asset: Asset, *kinds: str) -> tuple[Finding, ...]:
    """What of these `kinds` the asset has, as a finding that `file` holds none of it."""
    lost = [kind for kind in kinds if _HOLDS[kind](asset)]
    return (Finding("left_out", "info", "", f"{file} holds no {', no '.join(lost)}"),) if lost else ()


@dataclass(frozen=True)
class Format:
    """One file format. The last line of its module is its entry, `FORMAT`; `FORMATS` below lists the modules."""

    name: str
    suffixes: tuple[str, ...]
    """Lower case, with the dot."""
    read: Read | None = None
    write: Write | None = None
    read_options: tuple[str, ...] = ()
    """Keywords that `read` takes beside `path` and `sibling`."""
    write_options: tuple[str, ...] = ()
    """Keywords that `write` takes beside `path`."""
    single_clip: bool = False
    """Whether a file holds one clip at most."""
    holds_meshes: bool = True
    """Whether a file can hold a skinned character."""
    losses: Callable[[Asset], tuple[Finding, ...]] = loses_nothing
    """What of an asset a file of this format cannot carry."""
    recognizes: Callable[[BinaryIO], bool] | None = None
    """Whether content is of this format; for suffixes that other files have too. Asked where a folder is walked."""


# One line a suffix: the module below moveset.formats that reads it, loaded when first needed.
FORMATS = {
    ".bvh": "bvh",
    ".fbx": "fbx",
    ".glb": "gltf",
    ".gltf": "gltf",
    ".vrm": "gltf",
    ".vrma": "vrma",
    ".npz": "npz",
    ".npy": "humanml3d",
    ".c3d": "c3d",
    ".anim": "unity",
    ".tres": "godot",
    ".usd": "usd",
    ".usda": "usd",
    ".usdc": "usd",
    ".usdz": "usd",
    ".amc": "amc",
    ".asf": "amc",
    ".json": "deepmimic",
    ".txt": "deepmimic",
}


def suffix_of(name: str) -> str:
    """Suffix of a file name in lower case, with the dot; empty if there is none."""
    stem, dot, suffix = name.replace("\\", "/").rpartition("/")[2].rpartition(".")
    return f".{suffix.lower()}" if dot and stem else ""


def format_of(name: str) -> Format:
    """The format that the suffix of `name` says."""
    suffix = suffix_of(name)
    if suffix not in FORMATS:
        near = difflib.get_close_matches(suffix, FORMATS, n=1, cutoff=0.6) if suffix else []
        raise MovesetError(
            f"no format has the suffix {suffix!r}"
            if suffix
            else "the name has no suffix that tells a format",
            file=name,
            do=(f"did you mean {near[0]}? " if near else "") + f"known are {' '.join(FORMATS)}",
        )
    return importlib.import_module(f"moveset.formats.{FORMATS[suffix]}").FORMAT
