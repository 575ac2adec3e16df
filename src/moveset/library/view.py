"""A view: the poses of many clips as one flat array of vectors, the form in which models and searches use them.

    views/NAME/features.npy   (R, D) float32, clip after clip
    views/NAME/view.json      skeleton, frame rate, layout, and of each clip its id, first row, frames and split
    views/NAME/mean.npy, scale.npy   (D,) over the training rows

Arrays are memory-mapped, so that several processes share them and a view may be larger than the memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from moveset.errors import MovesetError
from moveset.features.layout import Field, Layout
from moveset.features.normalizer import SMALLEST_SCALE, Normalizer
from moveset.geometry.quaternion import Array
from moveset.library.poses import ArrayFile
from moveset.library.split import TRAIN


@dataclass(frozen=True, eq=False)
class View:
    """Vectors of many clips."""

    features: Array
    """(R, D) float32, memory-mapped."""
    layout: Layout
    normalizer: Normalizer
    """Fitted on the training rows, one scale a block."""
    skeleton: str
    """Signature."""
    fps: float
    clips: tuple[str, ...]
    """(C) ids in the order of their rows."""
    starts: np.ndarray
    """(C + 1,) first row of each clip, and R."""
    splits: tuple[str, ...]
    """(C) train or held-out."""

    def rows(self, clip: str) -> slice:
        """The rows of one clip."""
        at = self.clips.index(clip)
        return slice(int(self.starts[at]), int(self.starts[at + 1]))

    def ranges(self, split: str) -> np.ndarray:
        """(C', 2) first and last + 1 row of each clip of a split: windows must not cross from clip to clip."""
        chosen = [c for c, side in enumerate(self.splits) if side == split]
        return np.stack((self.starts[:-1][chosen], self.starts[1:][chosen]), axis=1)


def write_view(
    folder: Path,
    layout: Layout,
    skeleton: str,
    fps: float,
    clips: Iterable[tuple[str, str, Array]],
) -> None:
    """Write a view of (id, split, vectors (F, D)) clips."""
    folder.mkdir(parents=True)
    file = ArrayFile(folder / "features.npy", (layout.width,), np.float32)
    moments = _Moments(layout.width)
    listed = []
    try:
        for id, split, vectors in clips:
            start = file.append(vectors)
            listed.append({"id": id, "start": start, "frames": len(vectors), "split": split})
            if split == TRAIN:
                moments.add(np.asarray(vectors, dtype=np.float32))
    finally:
        file.close()
    normalizer = moments.normalizer(layout)
    np.save(folder / "mean.npy", normalizer.mean.astype(np.float32))
    np.save(folder / "scale.npy", normalizer.scale.astype(np.float32))
    said = {
        "skeleton": skeleton,
        "fps": fps,
        "layout": {
            "name": layout.name,
            "signature": layout.signature,
            "fields": [asdict(f) for f in layout.fields],
        },
        "clips": listed,
    }
    (folder / "view.json").write_text(json.dumps(said, indent=1))


def open_view(folder: Path) -> View:
    """The view in a folder; its features stay on disk until they are touched."""
    if not (folder / "view.json").is_file():
        known = sorted(p.name for p in folder.parent.glob("*") if p.is_dir())
        raise MovesetError(
            f"no view {folder.name!r}; it has: {', '.join(known) or 'none'}", file=folder.parent.parent
        )
    said: Mapping = json.loads((folder / "view.json").read_text())
    fields = (Field(f["name"], tuple(f["shape"]), f["unit"], f["weight"]) for f in said["layout"]["fields"])
    clips = said["clips"]
    ends = [clip["start"] for clip in clips] + [sum(clip["frames"] for clip in clips)]
    empty = not ends[-1]
    return View(
        features=np.load(folder / "features.npy", mmap_mode=None if empty else "r").view(np.ndarray),
        layout=Layout(said["layout"]["name"], tuple(fields)),
        normalizer=Normalizer(np.load(folder / "mean.npy"), np.load(folder / "scale.npy")),
        skeleton=said["skeleton"],
        fps=said["fps"],
        clips=tuple(clip["id"] for clip in clips),
        starts=np.array(ends),
        splits=tuple(clip["split"] for clip in clips),
    )


class _Moments:
    """Mean and deviation of rows that come in pieces, in double precision."""

    def __init__(self, width: int) -> None:
        self._count, self._sum, self._squares = 0, np.zeros(width), np.zeros(width)

    def add(self, rows: Array) -> None:
        rows = rows.astype(np.float64)
        self._count += len(rows)
        self._sum += rows.sum(axis=0)
        self._squares += np.square(rows).sum(axis=0)

    def normalizer(self, layout: Layout) -> Normalizer:
        """As features.normalizer.fit_normalizer; mean 0 and scale 1 when there were no rows."""
        if not self._count:
            return Normalizer(np.zeros(layout.width), np.ones(layout.width))
        mean = self._sum / self._count
        variance = np.maximum(self._squares / self._count - mean**2, 0)
        scale = np.empty(layout.width)
        for block in layout.slices.values():
            scale[block] = (
                max(np.sqrt(variance[block].mean()), SMALLEST_SCALE) if block.stop > block.start else 1
            )
        return Normalizer(mean, scale)
