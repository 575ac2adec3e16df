"""Files to a library: load, audit, repair, measure, store."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from moveset.errors import MovesetError
from moveset.library.ingest.build import Report, build
from moveset.library.ingest.prepare import Tools
from moveset.library.policy import Policy, read_policy
from moveset.library.settings import FILE, read_settings
from moveset.motion import Character, Clip
from moveset.progress import Track, untracked
from moveset.workflows.load import load
from moveset.workflows.thumbnail import thumbnail


def build_library(
    out: str | os.PathLike[str],
    sources: Sequence[str | os.PathLike[str]] = (),
    *,
    clips: Sequence[Clip] = (),
    policy: Policy | None = None,
    fps: float | None = None,
    workers: int = 1,
    thumbnails: bool = True,
    view: bool = True,
    fresh: bool = False,
    track: Track = untracked,
) -> Report:
    """Build `out` from files, folders and archives, and from `clips` made by the program.

    Sources and policy that are not given are those of the library's own library.toml. With more than one of
    `workers` processes, a script must keep its start behind `if __name__ == "__main__":`. Files that did not
    change since the last build are taken from it, unless `fresh`.
    """
    if fps is not None:
        policy = replace(policy or _own_policy(Path(out)), fps=fps)
    return build(
        out,
        sources,
        tools=Tools(load, _picture if thumbnails else None),
        clips=clips,
        policy=policy,
        workers=workers,
        view=view,
        fresh=fresh,
        track=track,
    )


def load_policy(file: str | os.PathLike[str]) -> Policy:
    """A policy from a TOML file."""
    try:
        text = Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise MovesetError(f"cannot be read: {error.strerror}", file=file) from None
    return read_policy(text, file)


def _picture(clip: Clip, character: Character | None) -> bytes:
    return thumbnail(clip, character=character)


def _own_policy(out: Path) -> Policy:
    return read_settings(out / FILE).policy if (out / FILE).is_file() else Policy()
