"""Which clips belong together, and which of them are held out.

A copy of a motion that was mirrored, turned, moved, retimed or put on another body must not be trained on while
the motion itself is held out. Kinship is told from the motion, not from names: numbers that none of these
changes alter are compared between all clips.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from moveset.audit.digest import COMPARED, Digest
from moveset.geometry.quaternion import Array
from moveset.motion.roles import mirrored

TRAIN, HELD_OUT = "train", "held-out"

TOLERANCE = 0.01
"""Largest root mean square difference of kin, over the stature: 1.75 cm on an adult."""
_BLOCK = 1024
_LEFT = [i for i, role in enumerate(COMPARED) if role.startswith("left")]
_RIGHT = [COMPARED.index(mirrored(COMPARED[i]) or "") for i in _LEFT]


def side_of(kin: str, held_out: float) -> str:
    """The side of all clips of this kin, now and in every later build: its hash decides."""
    draw = int(hashlib.sha256(kin.encode()).hexdigest()[:8], 16) / 2**32
    return HELD_OUT if draw < held_out else TRAIN


def invariants(digest: Digest) -> Array | None:
    """(D,) numbers that a mirror leaves as they are; a digest itself knows no place, heading, duration or size.

    None for a creature without roles.
    """
    motion = digest.motion
    if motion is None or not set(COMPARED) <= set(digest.skeleton.by_role):
        return None
    head, left, right = motion[::2, 0], motion[::2][:, _LEFT], motion[::2][:, _RIGHT]
    # a mirror exchanges the sides and turns x about
    numbers = (
        np.abs(head[:, 0]), head[:, 1:], left[..., 0] - right[..., 0], np.abs(left[..., 0] + right[..., 0]),
        left[..., 1:] + right[..., 1:], np.abs(left[..., 1:] - right[..., 1:]),
    )  # fmt: skip
    return np.concatenate([n.ravel() for n in numbers])


def kin_of(ids: Sequence[str], digests: Sequence[Digest]) -> list[str]:
    """For each clip the smallest id among its kin, which is its own where nothing is like it."""
    leader = {id: id for id in ids}

    def first(id: str) -> str:
        while leader[id] != id:
            id = leader[id]
        return id

    known = [(i, numbers) for i, digest in zip(ids, digests) if (numbers := invariants(digest)) is not None]
    if known:
        names, points = [i for i, _ in known], np.stack([numbers for _, numbers in known]).astype(np.float64)
        for a, b in _close_pairs(points, TOLERANCE):
            one, other = sorted((first(names[a]), first(names[b])))
            leader[other] = one
    return [first(id) for id in ids]


def _close_pairs(points: Array, tolerance: float) -> list[tuple[int, int]]:
    """Pairs of rows (N, D) whose root mean square difference is below `tolerance`."""
    squares = np.square(points).sum(axis=1)
    limit = tolerance**2 * points.shape[1]
    pairs: list[tuple[int, int]] = []
    for start in range(0, len(points), _BLOCK):
        block = points[start : start + _BLOCK]
        distances = squares[start : start + _BLOCK, None] + squares - 2 * block @ points.T
        for a, b in np.argwhere(distances < limit):
            if start + a < b:
                pairs.append((start + int(a), int(b)))
    return pairs
