"""The view that every library has: the poses of its most common skeleton as vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence

from moveset.features.pose import pose_features, pose_layout
from moveset.geometry.quaternion import Array
from moveset.library.schema import ClipRow
from moveset.library.store import Library
from moveset.library.view import open_view, write_view
from moveset.motion.ground import ground_frame

NAME = "pose"


def write_pose_view(
    library: Library, rows: Sequence[ClipRow], previous: Library | None, reusable: Collection[str]
) -> None:
    """Write the view `pose`: all clips of the skeleton that has most frames.

    Vectors of clips of `reusable` files are taken from the view of the last build.
    """
    frames = Counter[str]()
    for row in rows:
        frames[row.skeleton] += row.frames
    signature = max(sorted(frames), key=lambda s: frames[s])
    chosen = [row for row in rows if row.skeleton == signature and not row.additive]
    layout = pose_layout(library.skeleton(signature))
    known = _known_vectors(previous, signature, layout.signature)

    def vectors(row: ClipRow) -> Array:
        if row.file in reusable and (stored := known(row.id)) is not None:
            return stored
        clip = library.load_clip(row.id)
        assert clip.contacts is not None
        return pose_features(clip, ground_frame(clip), clip.contacts)

    clips = ((row.id, row.split, vectors(row)) for row in chosen)
    write_view(library.path / "views" / NAME, layout, signature, chosen[0].fps if chosen else 0.0, clips)


def _known_vectors(previous: Library | None, skeleton: str, layout: str) -> Callable[[str], Array | None]:
    """Vectors of the last build's view, if it had the same skeleton and layout."""
    if previous is None or not (previous.path / "views" / NAME).is_dir():
        return lambda id: None
    view = open_view(previous.path / "views" / NAME)
    if view.skeleton != skeleton or view.layout.signature != layout:
        return lambda id: None
    rows = {id: slice(int(a), int(b)) for id, a, b in zip(view.clips, view.starts[:-1], view.starts[1:])}
    return lambda id: view.features[rows[id]] if id in rows else None
