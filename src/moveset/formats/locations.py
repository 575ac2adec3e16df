"""Where a file lies: on disk, in a folder, inside a .zip; and which clip of it is meant.

`clips/walk.bvh`, `pack.zip/inner/walk.bvh`, `knight.glb#Walking_A`, `pack.zip/knight.glb#Walking_A`.
Archives are read in place.
"""

from __future__ import annotations

import difflib
import io
import os
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from moveset.errors import MovesetError

ARCHIVE = ".zip"
LARGEST_MEMBER = 1 << 30
"""Bytes that one file of an archive may unpack to."""
LARGEST_RATIO = 300
"""Deflated text reaches 20 to 1; a bomb 1000 to 1. Only files over 16 MiB are judged by it."""
JUDGED_FROM = 16 << 20


@dataclass(frozen=True)
class Location:
    """A file, perhaps inside an archive, perhaps one clip of it."""

    file: Path
    """The plain file, folder or archive on disk."""
    inner: str = ""
    """Path inside the archive with forward slashes; empty for what is not in one."""
    clip: str = ""

    def __str__(self) -> str:
        place = f"{self.file.as_posix()}/{self.inner}" if self.inner else str(self.file)
        return f"{place}#{self.clip}" if self.clip else place

    @property
    def name(self) -> str:
        """File name alone."""
        return PurePosixPath(self.inner).name if self.inner else self.file.name

    @property
    def without_clip(self) -> Location:
        """The whole file."""
        return replace(self, clip="")


def locate(path: str | os.PathLike[str]) -> Location:
    """Split a path into file, member of an archive, and clip. What does not exist is an error."""
    text = os.fspath(path)
    if not text:
        raise MovesetError("a path is empty", do="name a file or folder, `.` for this one")
    found = _on_disk(text)
    if found is None and "#" in text:
        # a file name may hold a '#' of its own: the last one counts, and only where the whole is no file
        place, _, clip = text.rpartition("#")
        if place and not clip and _on_disk(place):
            raise MovesetError("no clip is named after '#'", file=place, do="name one, or leave '#' out")
        found = _on_disk(place) if place else None
        text, found = place, found and replace(found, clip=clip)
    if found is None:
        raise _missing(text)
    return found


def read_bytes(location: Location) -> bytes:
    """Content of the file."""
    if not location.inner:
        try:
            return location.file.read_bytes()
        except IsADirectoryError:
            raise MovesetError("is a folder", file=location.file, do="name a file in it") from None
        except OSError as error:
            raise MovesetError(f"cannot be read: {error.strerror}", file=location.file) from None
    archive = _archive(location.file)
    try:
        info = archive.file.getinfo(location.inner)
    except KeyError:
        raise MovesetError(
            f"the archive holds no {location.inner!r}",
            file=location.file,
            do=_suggest(location.inner, archive.names),
        ) from None
    _refuse_hostile(info, location)
    try:
        return archive.file.read(info)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        raise MovesetError(
            f"the archive is damaged here: {error}", file=location, do="fetch it again"
        ) from None
    except NotImplementedError as error:
        raise MovesetError(
            f"packed in a way that cannot be read: {error}", file=location, do="repack it"
        ) from None


def open_binary(location: Location) -> BinaryIO:
    """The file as a stream that can seek; a member of an archive is unpacked."""
    return io.BytesIO(read_bytes(location)) if location.inner else location.file.open("rb")


@dataclass(frozen=True)
class Beside:
    """Files that lie beside `location` or below it: in its folder, or in its archive. Nothing else is in reach."""

    location: Location

    def __call__(self, name: str) -> bytes:
        """Content of the file `name`, a path relative to the folder."""
        location = self.location
        relative = PurePosixPath(name.replace("\\", "/"))
        if relative.is_absolute() or ".." in relative.parts or ":" in name or "\0" in name:
            raise _outside(name, location)
        if location.inner:
            inner = (PurePosixPath(location.inner).parent / relative).as_posix()
            return read_bytes(Location(location.file, inner))
        folder = location.file.parent.resolve()
        beside = (folder / relative).resolve()
        if not beside.is_relative_to(folder):
            raise _outside(name, location)
        if not beside.is_file():
            raise MovesetError(f"refers to {name!r}, which is not there", file=location.without_clip)
        return read_bytes(Location(beside))

    def has(self, name: str) -> bool:
        """Whether a file `name` lies in the same folder."""
        if self.location.inner:
            inner = PurePosixPath(self.location.inner).with_name(name).as_posix()
            return inner in _archive(self.location.file).known
        return self.location.file.with_name(name).is_file()

    def names(self, suffix: str) -> list[str]:
        """Files of that suffix in the same folder."""
        location = self.location
        if location.inner:
            folder = PurePosixPath(location.inner).parent
            paths = (PurePosixPath(name) for name in _archive(location.file).names)
            names = [path.name for path in paths if path.parent == folder]
        else:
            names = os.listdir(location.file.parent)
        return sorted(name for name in names if name.lower().endswith(suffix))


def _outside(name: str, location: Location) -> MovesetError:
    return MovesetError(f"refers to {name!r}, which lies outside its own folder", file=location.without_clip)


def below(location: Location, root: Location) -> PurePosixPath:
    """Path of `location` from the folder or archive `root` that it was found in; its name if it is the root."""
    full = PurePosixPath(location.file.as_posix(), location.inner)
    base = PurePosixPath(root.file.as_posix(), root.inner)
    return full.relative_to(base) if full != base else PurePosixPath(location.name)


def walk(path: str | os.PathLike[str], suffixes: Iterable[str]) -> list[Location]:
    """Files under `path`, sorted, whose suffix is one of `suffixes`; a file named outright is taken as it is.

    A damaged archive or a closed folder among others is listed itself, so that it fails when its turn comes.
    """
    wanted = tuple(suffixes)
    location = locate(path)
    if location.clip:
        return [location]
    if is_archive(location.file):
        return _members(location, wanted)
    if not location.file.is_dir():
        return [location]
    found: list[Location] = []

    def closed(error: OSError) -> None:
        found.append(Location(Path(error.filename)))

    for base, folders, files in os.walk(location.file, onerror=closed):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(name for name in files if not name.startswith(".")):
            here = Location(Path(base, name))
            if name.lower().endswith(wanted):
                found.append(here)
            elif is_archive(here.file):
                try:
                    found += _members(here, wanted)
                except MovesetError:
                    found.append(here)
    return found


def _members(location: Location, wanted: tuple[str, ...]) -> list[Location]:
    """The member of an archive that `location` names, or the wanted ones in its folder or in the whole."""
    contents = _archive(location.file)
    if location.inner in contents.known:
        return [location]
    folder = f"{location.inner.rstrip('/')}/" if location.inner else ""
    return [
        Location(location.file, name)
        for name in contents.names
        if name.startswith(folder) and name.lower().endswith(wanted)
    ]


def _on_disk(text: str) -> Location | None:
    path = Path(text)
    try:
        if path.exists():
            return Location(path)
    except OSError as error:  # a name that is too long, a folder that is closed to this user
        raise MovesetError(f"cannot be read: {error.strerror}", file=text, do="check the path") from None
    for archive in path.parents:
        if archive.suffix.lower() == ARCHIVE and archive.is_file():
            inner = path.relative_to(archive).as_posix()
            contents = _archive(archive)
            known = inner in contents.known or inner in contents.folders
            return Location(archive, inner) if known else None
    return None


def _missing(text: str) -> MovesetError:
    path = Path(text)
    for archive in path.parents:
        if archive.suffix.lower() == ARCHIVE and archive.is_file():
            inner = path.relative_to(archive).as_posix()
            return MovesetError(
                f"the archive holds no {inner!r}", file=archive, do=_suggest(inner, _archive(archive).names)
            )
    folder = path.parent
    while not folder.is_dir() and folder != folder.parent:
        folder, path = folder.parent, folder
    beside = sorted(os.listdir(folder)) if folder.is_dir() else []
    return MovesetError("there is no such file or folder", file=text, do=_suggest(path.name, beside))


def _suggest(name: str, known: Iterable[str]) -> str:
    known = list(known)
    elsewhere = [k for k in known if k.endswith("/" + PurePosixPath(name).name)]
    near = elsewhere[:3] or difflib.get_close_matches(name, known, n=3, cutoff=0.7)
    return f"did you mean {' or '.join(near)}?" if near else "check the path"


def is_archive(file: Path) -> bool:
    """Whether `file` is a .zip."""
    return file.suffix.lower() == ARCHIVE and file.is_file()


@dataclass(frozen=True, eq=False)
class Archive:
    """An open .zip and its table of contents."""

    file: zipfile.ZipFile
    names: tuple[str, ...]
    """Files, sorted, without the droppings of operating systems."""
    folders: frozenset[str]
    known: frozenset[str]
    """`names` for look-up."""


def _archive(file: Path) -> Archive:
    stamp = file.stat()
    # a forked worker must not share the file position of its parent: the process is part of the key
    return _opened(str(file), stamp.st_mtime_ns, stamp.st_size, os.getpid())


@lru_cache(maxsize=8)
def _opened(file: str, _time: int, _size: int, _process: int) -> Archive:
    try:
        opened = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, EOFError, OSError, ValueError):
        raise MovesetError("is no readable zip archive", file=file, do="fetch it again") from None
    names = sorted(
        info.filename for info in opened.infolist() if not info.is_dir() and _wanted(info.filename)
    )
    folders = {str(parent) for name in names for parent in PurePosixPath(name).parents}
    return Archive(opened, tuple(names), frozenset(folders), frozenset(names))


def _wanted(name: str) -> bool:
    # absolute names ("/a.bvh") and those that climb out ("../a.bvh") are nobody's clips
    return not any(part in ("", "__MACOSX") or part.startswith(".") for part in name.split("/"))


def _refuse_hostile(info: zipfile.ZipInfo, location: Location) -> None:
    if info.flag_bits & 1:
        raise MovesetError("the archive is encrypted", file=location, do="unpack it with its password first")
    ratio = info.file_size / max(info.compress_size, 1)
    if info.file_size > LARGEST_MEMBER or (info.file_size > JUDGED_FROM and ratio > LARGEST_RATIO):
        raise MovesetError(
            f"would unpack to {info.file_size / 2**20:,.0f} MiB, {ratio:,.0f} times its packed size",
            file=location,
            do="unpack it yourself if you trust it",
        )
