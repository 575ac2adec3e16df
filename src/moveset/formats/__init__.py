"""One module a file format: a read / write pair and a registry entry.

`read` takes plain files, members of .zip archives and `FILE#clip`; `list_files` walks folders and archives.
"""

from __future__ import annotations

import difflib
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from moveset.errors import MovesetError
from moveset.files import write_whole
from moveset.formats import locations
from moveset.formats.registry import FORMATS, Format, format_of, suffix_of
from moveset.formats.sidecar import sidecar_name, with_sidecar
from moveset.motion import Asset, Clip

__all__ = ["FORMATS", "Format", "format_of", "list_files", "read", "suffix_of", "write"]

PathLike = str | os.PathLike[str]


def read(path: PathLike, **options: object) -> Asset:
    """Characters and clips of one file; with `FILE#clip` that clip alone.

    `options` go to the format, e.g. `unit=0.0254, up="Z"` for BVH. What a sidecar (`formats/sidecar.py`) says of the
    clips comes before what the file does. Clips know the file in `tags.source`.
    """
    location = locations.locate(path)
    if location.file.is_dir():
        raise _not_one_file(location, "a folder")
    if not location.inner and locations.is_archive(location.file):
        raise _not_one_file(location, "an archive")
    form = format_of(location.name)
    if form.read is None:
        raise MovesetError(f"{form.name} files can be written, not read", file=location)
    _check_options(options, form.read_options, f"reading {form.name}", location)
    place = str(location.without_clip)
    beside, said = locations.Beside(location), sidecar_name(location.name)
    try:
        asset = form.read(locations.read_bytes(location), path=place, sibling=beside, **options)
        if beside.has(said):
            asset = with_sidecar(asset, beside(said), said)
    except MovesetError as error:
        raise error.within(place) from None
    asset = replace(asset, clips=tuple(_sourced(clip, place, len(asset.clips)) for clip in asset.clips))
    return _pick(asset, location) if location.clip else asset


def write(asset: Asset, path: PathLike, **options: object) -> Path:
    """Write `asset` in the format that the suffix of `path` says; the file appears whole or not at all."""
    target = Path(path)
    form = format_of(target.name)
    if form.write is None:
        raise MovesetError(f"{form.name} files can be read, not written", file=target)
    _check_options(options, form.write_options, f"writing {form.name}", target)
    try:
        data = form.write(asset, path=str(target), **options)
    except MovesetError as error:
        raise error.within(target) from None
    return write_whole(target, data)


def list_files(paths: PathLike | Iterable[PathLike]) -> list[str]:
    """Readable files under `paths`, in the order given and sorted within folders and archives, each once.

    A path that holds none is an error: a misspelt folder must not pass for an empty one.
    """
    paths = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not paths:
        raise MovesetError("no input", do="name files, folders or .zip archives")
    found: dict[str, None] = {}
    for path in paths:
        files = _motion_files(path)
        if not files:
            raise MovesetError(
                f"holds no file of a known format{_instead(path)}",
                file=path,
                do=f"known are {_known()}",
            )
        for file in files:
            if file.inner or not (locations.is_archive(file.file) or file.file.is_dir()):
                format_of(file.name)
            found[str(file)] = None
    return list(found)


def _known() -> str:
    """The suffixes that are read, those that other files have too apart."""
    shared = [suffix for suffix in FORMATS if format_of(f"a{suffix}").recognizes]
    own = " ".join(suffix for suffix in FORMATS if suffix not in shared)
    return f"{own}, and {' '.join(shared)} where they hold motion"


def _motion_files(path: PathLike) -> list[locations.Location]:
    """Files under `path` of a known format. What was not named outright and has a suffix of many uses is looked at."""
    named = locations.locate(path)
    return [file for file in locations.walk(path, FORMATS) if file == named or _holds_motion(file)]


def _holds_motion(file: locations.Location) -> bool:
    if suffix_of(file.name) not in FORMATS or (recognizes := format_of(file.name).recognizes) is None:
        return True
    try:
        with locations.open_binary(file) as stream:
            return recognizes(stream)
    except (OSError, MovesetError):
        return True  # it fails when its turn comes


def _instead(path: PathLike) -> str:
    """What a folder without readable files holds: ", but 8 .fbx"."""
    suffixes = Counter(p.suffix.lower() for p in Path(path).rglob("*") if p.is_file() and p.suffix)
    return ", but " + ", ".join(f"{n} {suffix}" for suffix, n in suffixes.most_common(3)) if suffixes else ""


def _not_one_file(location: locations.Location, what: str) -> MovesetError:
    files = _motion_files(location.file)
    if str(location.file) in map(str, files):
        return MovesetError("cannot be read", file=location.file, do="open it to this user")
    return MovesetError(
        f"is {what}",
        file=location.file,
        do=f"name a file in it, e.g. {files[0]}" if files else "it holds no file of a known format",
    )


def _check_options(options: dict[str, object], known: tuple[str, ...], what: str, file: object) -> None:
    for name in options:
        if name not in known:
            raise MovesetError(
                f"{what} takes no option {name!r}",
                file=file,
                do="leave it out" + (f"; there are {', '.join(known)}" if known else ""),
            )


def _sourced(clip: Clip, place: str, clips: int) -> Clip:
    if clip.tags.source:
        return clip
    source = place if clips == 1 else f"{place}#{clip.name}"
    return replace(clip, tags=replace(clip.tags, source=source))


def _pick(asset: Asset, location: locations.Location) -> Asset:
    names = [clip.name for clip in asset.clips]
    chosen = [clip for clip in asset.clips if clip.name == location.clip] or [
        clip for clip in asset.clips if clip.name.lower() == location.clip.lower()
    ]
    if chosen:
        return replace(asset, clips=tuple(chosen))
    near = difflib.get_close_matches(location.clip, names, n=1, cutoff=0.5)
    shown = ", ".join(names[:12]) + (f", ... ({len(names)} in all)" if len(names) > 12 else "")
    raise MovesetError(
        f"has no clip {location.clip!r}",
        file=location.without_clip,
        do=(f"did you mean {near[0]!r}? " if near else "")
        + (f"it has {shown}" if names else "it has no clips"),
    )
