"""Training sets: pose vectors of many clips of one body, of what kind each clip is, how much a batch holds of each.

SET/features.npy, view.json, mean.npy, scale.npy   a view (view.py) of pose vectors, memory-mapped
SET/set.json                                       pose space, kind and source of every clip, shares, license
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from moveset.errors import MovesetError
from moveset.features.pose import PoseSpace, pose_space
from moveset.files import staged
from moveset.geometry.quaternion import Array
from moveset.library.license import strictest
from moveset.library.split import HELD_OUT, TRAIN
from moveset.library.view import View, open_view, write_view
from moveset.motion import Clip
from moveset.progress import Track, untracked

FILE = "set.json"
VERSION = 1


@dataclass(frozen=True, eq=False)
class SetClip:
    """A clip that is to be written into a training set."""

    clip: Clip
    kind: str
    """real, mirrored, bent, ..."""
    split: str = TRAIN


@dataclass(frozen=True, eq=False)
class StoredSet:
    """A training set on disk."""

    folder: Path
    view: View
    space: PoseSpace
    names: tuple[str, ...]
    """(C) of each clip."""
    kinds: tuple[str, ...]
    """(C) of each clip."""
    shares: Mapping[str, float]
    """How much of a batch each kind is."""
    hash: str
    license: str
    """The strictest of the clips; empty when one is unknown."""
    seconds: Mapping[str, Mapping[str, float]]
    """By split and kind."""
    settings: Mapping[str, object]
    """How it was made."""

    @property
    def frames(self) -> int:
        """R."""
        return len(self.view.features)


def is_training_set(path: str | os.PathLike[str]) -> bool:
    """Whether `path` is a training set."""
    return (Path(path) / FILE).is_file()


def open_set(folder: str | os.PathLike[str]) -> StoredSet:
    """The training set in a folder; its vectors stay on disk until they are touched."""
    folder = Path(folder)
    try:
        said = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise MovesetError(
            "is no training set", file=folder, do="make one from clips or a library first"
        ) from None
    if not isinstance(said, dict) or said.get("version") != VERSION:
        version = said.get("version") if isinstance(said, dict) else None
        raise MovesetError(
            f"is a training set of version {version}, this one reads {VERSION}",
            file=folder,
            do="make it anew",
        )
    try:
        view = open_view(folder)
        found = StoredSet(
            folder,
            view,
            PoseSpace.from_json(said["space"]),
            tuple(clip["name"] or clip["id"] for clip in said["clips"]),
            tuple(clip["kind"] for clip in said["clips"]),
            said["shares"],
            said["hash"],
            said["license"],
            said["seconds"],
            said["settings"],
        )
        fits = view.features.shape == (int(view.starts[-1]), found.space.layout.width)
        fits &= len(found.kinds) == len(view.clips)
    except (MovesetError, OSError, KeyError, TypeError, ValueError, AttributeError):
        fits = False
    if not fits:
        raise MovesetError(
            "is damaged: what it tells does not fit its numbers", file=folder / FILE, do="make it anew"
        )
    return found


def write_set(
    folder: str | os.PathLike[str],
    clips: Sequence[SetClip],
    shares: Mapping[str, float],
    *,
    settings: Mapping[str, object] | None = None,
    track: Track = untracked,
) -> StoredSet:
    """Write clips of one body and one frame rate as a training set, whole or not at all, and open it."""
    target = Path(folder)
    if target.exists() and not is_training_set(target):
        raise MovesetError("exists and is not a training set", file=target, do="give another folder")
    clips = _distinct([s for s in clips if len(s.clip)])
    space = pose_space(s.clip for s in clips)
    fps = clips[0].clip.fps
    digest = hashlib.sha256(space.layout.signature.encode())
    seconds: dict[str, dict[str, float]] = {TRAIN: defaultdict(float), HELD_OUT: defaultdict(float)}
    for s in clips:
        seconds[s.split][s.kind] += len(s.clip) / fps

    def rows() -> Iterable[tuple[str, str, Array]]:
        for s in track(clips, len(clips), "writing"):
            vectors = space.vectors(s.clip).astype(np.float32)
            if not np.isfinite(vectors).all():
                raise MovesetError(
                    f"clip {s.clip.name!r} ({s.kind}) holds NaN or infinity", do="leave it out"
                )
            digest.update(f"{s.kind} {s.split}".encode() + vectors.tobytes())
            yield s.clip.content_hash, s.split, vectors

    present = {kind: share for kind, share in shares.items() if seconds[TRAIN][kind]}
    with staged(target) as partial:
        view = partial / "view"
        write_view(view, space.layout, space.skeleton.signature, fps, rows())
        for file in view.iterdir():
            file.rename(partial / file.name)
        view.rmdir()
        said = {
            "version": VERSION,
            "hash": digest.hexdigest()[:16],
            "license": strictest(s.clip.tags.license for s in clips),
            "fps": fps,
            "frames": sum(len(s.clip) for s in clips),
            "seconds": {
                side: {kind: round(s, 3) for kind, s in sorted(by.items())} for side, by in seconds.items()
            },
            "shares": {kind: share / sum(present.values()) for kind, share in present.items()},
            "sources": sorted({s.clip.tags.source for s in clips if s.clip.tags.source}),
            "settings": settings or {},
            "clips": [
                {"id": s.clip.content_hash, "name": s.clip.name, "kind": s.kind, "source": s.clip.tags.source}
                for s in clips
            ],
            "space": space.to_json(),
        }
        (partial / FILE).write_text(json.dumps(said, indent=1))
    return open_set(target)


def _distinct(clips: Sequence[SetClip]) -> list[SetClip]:
    """Each motion once; a motion that is held out is on no other side."""
    seen: set[str] = set()
    out = []
    for s in sorted(clips, key=lambda s: s.split != HELD_OUT):
        if s.clip.content_hash not in seen:
            seen.add(s.clip.content_hash)
            out.append(s)
    return sorted(out, key=lambda s: s.split == HELD_OUT)
