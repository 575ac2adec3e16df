"""Files to clips whose joints have roles: the first step of every journey."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from moveset import formats
from moveset.errors import MovesetError
from moveset.formats import locations
from moveset.motion import Asset, Clip, Skeleton
from moveset.rigs.recognize import recognize


def load(path: str, **options: object) -> Asset:
    """What the file holds, every skeleton with the roles that its names and hierarchy tell.

    `options` go to the format, e.g. `unit="inch"` for BVH.
    """
    return with_roles(formats.read(path, **options))


def known_options(path: str, options: Mapping[str, object]) -> dict[str, object]:
    """Those of `options` that the format of `path` takes: formats that state units need none."""
    location = locations.locate(path)
    if location.file.is_dir():  # a closed one: reading it says so
        return {}
    form = formats.format_of(location.name)
    return {name: value for name, value in options.items() if name in form.read_options}


def with_roles(asset: Asset) -> Asset:
    """The asset with recognized skeletons; clips and characters that shared one skeleton go on sharing it."""
    known: dict[int, Skeleton] = {}

    def recognized(skeleton: Skeleton) -> Skeleton:
        if id(skeleton) not in known:
            known[id(skeleton)] = recognize(skeleton)
        return known[id(skeleton)]

    return replace(
        asset,
        characters=tuple(replace(c, skeleton=recognized(c.skeleton)) for c in asset.characters),
        clips=tuple(replace(c, skeleton=recognized(c.skeleton)) for c in asset.clips),
    )


def list_sources(paths: Iterable[str]) -> dict[str, str]:
    """Every readable file under `paths`, and which of them it was found under."""
    found: dict[str, str] = {}
    paths = list(paths)
    formats.list_files(paths)  # the first misspelt one is an error before any is read
    for path in paths:
        for file in formats.list_files(path):
            found.setdefault(file, path)
    return found


def load_clip(path: str) -> Clip:
    """The one clip that `path` names; a file of several needs `FILE#clip`."""
    clips = load(path).clips
    if len(clips) != 1:
        names = ", ".join(clip.name for clip in clips[:8]) + (", ..." if len(clips) > 8 else "")
        raise MovesetError(
            f"holds {len(clips)} clips" + (f": {names}" if clips else ""),
            file=path,
            do="name one as FILE#clip" if clips else "give a file with an animation",
        )
    return clips[0]


def load_clips(paths: Iterable[str]) -> Iterator[Clip]:
    """Every clip of every file under `paths`, in order; the first bad file raises."""
    for path in formats.list_files(paths):
        yield from load(path).clips
