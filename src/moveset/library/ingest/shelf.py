"""Folders and archives looked at alike: `pack.zip/inner` is a folder."""

from __future__ import annotations

import hashlib
import zipfile
from functools import lru_cache
from pathlib import Path, PurePosixPath


def divide(path: str) -> tuple[str, str]:
    """(`dir/pack.zip`, `inner/file.bvh`) of a path into an archive, (path, "") of any other."""
    if ".zip" not in path.lower():
        return path, ""
    parts = PurePosixPath(path.replace("\\", "/"))
    for archive in reversed(parts.parents):
        if archive.suffix.lower() == ".zip" and Path(archive).is_file():
            return str(archive), str(parts.relative_to(archive))
    return str(parts), ""


def listing(folder: str) -> frozenset[str]:
    """Names of the files right in a folder or in a folder of an archive; empty where there is none."""
    try:
        return _listing(folder, quick_stamp(folder))
    except FileNotFoundError:
        return frozenset()


def read_text(path: str) -> str:
    """A text file, in an archive or not; odd bytes are replaced."""
    archive, inner = divide(path)
    if not inner:
        return Path(archive).read_text(encoding="utf-8-sig", errors="replace")
    with zipfile.ZipFile(archive) as pack:
        return pack.read(inner).decode("utf-8-sig", errors="replace")


def quick_stamp(path: str) -> str:
    """Size and time of change of the file or archive: as long as they stay, so does the content."""
    status = Path(divide(path)[0]).stat()
    return f"{status.st_size}:{status.st_mtime_ns}"


def digest(path: str) -> str:
    """Hash of the content. Of an archive's member its checksum, which needs no unpacking."""
    archive, inner = divide(path)
    if inner:
        size, checksum = _checksums(archive, quick_stamp(path))[inner]
        return f"crc32:{checksum:08x}:{size}"
    with open(archive, "rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()


@lru_cache(maxsize=1024)
def _listing(folder: str, quick: str) -> frozenset[str]:
    archive, inner = divide(folder)
    if inner or Path(archive).suffix.lower() == ".zip":
        return frozenset(name for place, name in _members(archive, quick) if place == inner)
    path = Path(archive)
    return frozenset(p.name for p in path.iterdir() if p.is_file()) if path.is_dir() else frozenset()


@lru_cache(maxsize=64)
def _members(archive: str, quick: str) -> frozenset[tuple[str, str]]:
    if not zipfile.is_zipfile(archive):
        return frozenset()
    with zipfile.ZipFile(archive) as pack:
        paths = [PurePosixPath(name) for name in pack.namelist() if not name.endswith("/")]
    return frozenset(("" if str(p.parent) == "." else str(p.parent), p.name) for p in paths)


@lru_cache(maxsize=64)
def _checksums(archive: str, quick: str) -> dict[str, tuple[int, int]]:
    with zipfile.ZipFile(archive) as pack:
        return {info.filename: (info.file_size, info.CRC) for info in pack.infolist()}
