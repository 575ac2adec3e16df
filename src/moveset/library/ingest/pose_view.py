"""The view that every library has: the poses of its most common skeleton as vectors."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Sequence

from moveset.features.pose import pose_space
from moveset.geometry.quaternion import Array
from moveset.library.schema import ClipRow
from moveset.library.store import Library
from moveset.library.view import open_view, write_view

NAME = "pose"
SPACE = "space.json"


def write_pose_view(
    library: Library, rows: Sequence[ClipRow], previous: Library | None, reusable: Collection[str]
) -> None:
    """Write the view `pose`: all clips of the skeleton that has most frames.

    Vectors of clips of `reusable` files are taken from the view of the last build, if its space was the same.
    """
    frames = Counter[str]()
    for row in rows:
        frames[row.skeleton] += row.frames
    signature = max(sorted(frames), key=lambda s: frames[s])
    chosen = [row for row in rows if row.skeleton == signature and not row.additive]
    if not chosen:
        return
    space = pose_space(library.load_clip(row.id) for row in chosen)
    said = json.dumps(space.to_json())
    known = _known_vectors(previous, said)

    def vectors(row: ClipRow) -> Array:
        if row.file in reusable and (stored := known(row.id)) is not None:
            return stored
        return space.vectors(library.load_clip(row.id))

    folder = library.path / "views" / NAME
    clips = ((row.id, row.split, vectors(row)) for row in chosen)
    write_view(folder, space.layout, signature, chosen[0].fps, clips)
    (folder / SPACE).write_text(said)


def _known_vectors(previous: Library | None, space: str) -> Callable[[str], Array | None]:
    """Vectors of the last build's view, if it had the same pose space."""
    folder = previous and previous.path / "views" / NAME
    if folder is None or not (folder / SPACE).is_file() or (folder / SPACE).read_text() != space:
        return lambda id: None
    view = open_view(folder)
    rows = {id: slice(int(a), int(b)) for id, a, b in zip(view.clips, view.starts[:-1], view.starts[1:])}
    return lambda id: view.features[rows[id]] if id in rows else None
