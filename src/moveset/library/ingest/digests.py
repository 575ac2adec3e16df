"""Digests of clips on disk, so that the next build compares unchanged clips without reading their poses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from moveset.audit import Digest
from moveset.audit.digest import SAMPLES
from moveset.geometry.quaternion import Array
from moveset.library.schema import ClipRow
from moveset.motion import Skeleton

FILE = "digests.npz"


def write_digests(folder: Path, digests: Sequence[Digest]) -> None:
    """Write the digests of all clips, in the order of the clips table."""
    np.savez(
        folder / FILE,
        content=np.array([d.content for d in digests], dtype="U16"),
        fps=np.array([d.fps for d in digests]),
        joints=np.array([0 if d.motion is None else d.motion.shape[1] for d in digests], dtype=np.int64),
        motion=_joined([d.motion for d in digests]),
        path=_joined([d.path for d in digests]),
    )


def read_digests(folder: Path, rows: Sequence[ClipRow], skeletons: Sequence[Skeleton]) -> Iterator[Digest]:
    """The digests of the clips `rows`, the inverse of `write_digests`."""
    with np.load(folder / FILE) as stored:
        content, fps, joints = stored["content"], stored["fps"], stored["joints"]
        motions, paths = stored["motion"].reshape(-1, 3), stored["path"].reshape(-1, 3)
    ends, path_ends = np.cumsum(joints * SAMPLES), np.cumsum((joints > 0) * SAMPLES)
    for k, (row, skeleton) in enumerate(zip(rows, skeletons)):
        count, motion, path = int(joints[k]), None, None
        if count:
            motion = motions[ends[k] - count * SAMPLES : ends[k]].reshape(SAMPLES, count, 3)
            path = paths[path_ends[k] - SAMPLES : path_ends[k]]
        yield Digest(
            row.name, skeleton, row.frames, float(fps[k]), row.seconds, str(content[k]), motion, path
        )


def _joined(parts: Sequence[Array | None]) -> Array:
    return np.concatenate([np.zeros(0, np.float32), *(p.ravel() for p in parts if p is not None)])
