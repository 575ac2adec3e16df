"""A training set as a step of training sees it: windows of pose vectors, drawn by the shares of their kinds."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

from moveset.errors import MovesetError
from moveset.features.pose import PoseSpace
from moveset.learn.task import DataFacts
from moveset.library.split import TRAIN
from moveset.library.training_set import open_set
from moveset.library.view import View

_PACE = 0.5  # windows whose speeds differ by less [m/s] are of one pace


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Pose vectors of many clips of one body, each clip of a kind (real, mirrored, bent, ...)."""

    folder: Path
    view: View
    space: PoseSpace
    names: tuple[str, ...]
    """(C) of each clip."""
    kinds: tuple[str, ...]
    """(C) of each clip."""
    shares: Mapping[str, float]
    """How much of a batch each kind is."""
    facts: DataFacts
    _windows: dict[tuple[int, str], _Windows] = field(default_factory=dict, repr=False)

    @property
    def fps(self) -> float:
        """Frames a second."""
        return self.view.fps

    def tensor(self, device: torch.device | str = "cpu") -> torch.Tensor:
        """(R, D) float32 vectors. On the CPU they stay on disk until they are touched, and processes share them."""
        # copy-on-write: torch warns about arrays that cannot be written, and here nobody writes
        return torch.from_numpy(np.load(self.folder / "features.npy", mmap_mode="c")).to(device)

    def windows(self, length: int, split: str = TRAIN) -> np.ndarray:
        """(W,) first rows of all stretches of `length` frames that lie within one clip, by kind and pace."""
        return self._windows_of(length, split).rows

    def draw(self, rng: np.random.Generator, count: int, length: int, split: str = TRAIN) -> np.ndarray:
        """(count,) first rows of windows. In training kinds by their shares, and within a kind paces by the square root
        of how many windows they have: runs, of which a library has few, are not easier to learn.
        """
        windows = self._windows_of(length, split)
        dice = rng.random((2, count))
        group = np.searchsorted(windows.shares, dice[0], side="right")
        first = windows.ends[group] - windows.counts[group]
        return windows.rows[first + (dice[1] * windows.counts[group]).astype(np.int64)]

    def _windows_of(self, length: int, split: str) -> _Windows:
        if (length, split) not in self._windows:
            self._windows[length, split] = self._list_windows(length, split)
        return self._windows[length, split]

    def _list_windows(self, length: int, split: str) -> _Windows:
        view, rows = self.view, {}
        root = view.features[:, view.layout.slices["root"]]
        for clip, (kind, side) in enumerate(zip(self.kinds, view.splits)):
            starts = np.arange(view.starts[clip], view.starts[clip + 1] - length + 1)
            if side == split and len(starts) and (split != TRAIN or self.shares.get(kind)):
                paces = (np.hypot(root[starts, 0], root[starts, 1]) / _PACE).astype(np.int64)
                for pace in np.unique(paces):
                    rows.setdefault((kind, pace), []).append(starts[paces == pace])
        if not rows:
            raise MovesetError(
                f"holds no {split} clip of {length} frames", file=self.folder, do="give longer clips"
            )
        counts = np.array([sum(map(len, starts)) for starts in rows.values()])
        shares = np.cumsum(self._weights(list(rows), counts) if split == TRAIN else counts)
        shares = shares / shares[-1]
        shares[-1] = 1.0  # dice stay below, whatever was rounded
        return _Windows(
            np.concatenate([row for starts in rows.values() for row in starts]),
            counts,
            counts.cumsum(),
            shares,
        )

    def _weights(self, groups: list[tuple[str, int]], counts: np.ndarray) -> np.ndarray:
        """(G,) how much of a batch windows of each kind and pace are, not normalised."""
        roots = np.sqrt(counts)
        of_kind = {
            kind: sum(root for (other, _), root in zip(groups, roots) if other == kind) for kind, _ in groups
        }
        return np.array([self.shares[kind] * root / of_kind[kind] for (kind, _), root in zip(groups, roots)])


@dataclass(frozen=True, eq=False)
class _Windows:
    """First rows (W,) of windows in G groups of one kind and pace: how many each has (G,), where it ends, and its
    cumulated share."""

    rows: np.ndarray
    counts: np.ndarray
    ends: np.ndarray
    shares: np.ndarray


def open_training_set(folder: str | os.PathLike[str]) -> TrainingSet:
    """The training set in a folder."""
    stored = open_set(folder)
    seconds: Counter[str] = Counter()
    for by_kind in stored.seconds.values():
        seconds.update(by_kind)
    facts = DataFacts(stored.hash, stored.license, len(stored.kinds), stored.frames, dict(seconds))
    return TrainingSet(
        stored.folder, stored.view, stored.space, stored.names, stored.kinds, stored.shares, facts
    )
