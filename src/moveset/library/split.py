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

SAME = 0.4
"""Distance over the size of the movement (root mean squares over time) below which two motions are kin. Of 104
pairs of CMU trials that two archives hold on different rigs, 84 lie below it. So do near-equal takes of one
performer (hands raised, steady walks), which are better off on one side too."""
POSE = 0.15
"""Root mean square difference of their average poses that other rigs explain; directions of bones, unit vectors."""
_BLOCK = 1024
_LEFT = [i for i, role in enumerate(COMPARED) if role.startswith("left")]
_RIGHT = [COMPARED.index(mirrored(COMPARED[i]) or "") for i in _LEFT]


def side_of(kin: str, held_out: float) -> str:
    """The side of all clips of this kin, now and in every later build: its hash decides."""
    draw = int(hashlib.sha256(kin.encode()).hexdigest()[:8], 16) / 2**32
    return HELD_OUT if draw < held_out else TRAIN


def invariants(digest: Digest) -> Array | None:
    """(T, D) numbers that a mirror leaves as they are; a digest itself knows no place, heading, duration or size.

    None for a creature without roles.
    """
    motion = digest.motion
    if motion is None or not set(COMPARED) <= set(digest.skeleton.by_role):
        return None
    head, left, right = motion[:, 0], motion[:, _LEFT], motion[:, _RIGHT]
    # a mirror exchanges the sides and turns x about
    numbers = (
        np.abs(head[:, 0]), head[:, 1:], left[..., 0] - right[..., 0], np.abs(left[..., 0] + right[..., 0]),
        left[..., 1:] + right[..., 1:], np.abs(left[..., 1:] - right[..., 1:]),
    )  # fmt: skip
    return np.concatenate([n.reshape(len(motion), -1) for n in numbers], axis=1).astype(np.float64)


def kin_of(ids: Sequence[str], digests: Sequence[Digest]) -> list[str]:
    """For each clip the smallest id among its kin, which is its own where nothing is like it."""
    leader = {id: id for id in ids}

    def first(id: str) -> str:
        while leader[id] != id:
            id = leader[id]
        return id

    known = [(i, numbers) for i, digest in zip(ids, digests) if (numbers := invariants(digest)) is not None]
    if known:
        names = [i for i, _ in known]
        for a, b in _kin_pairs(np.stack([numbers for _, numbers in known])):
            one, other = sorted((first(names[a]), first(names[b])))
            leader[other] = one
    return [first(id) for id in ids]


def _kin_pairs(motions: Array) -> list[tuple[int, int]]:
    """Pairs of motions (N, T, D) that are the same but for what the invariants do not see."""
    means = motions.mean(axis=1)
    moves = (motions - means[:, None]).reshape(len(motions), -1)
    sizes = np.sqrt(np.square(moves).mean(axis=1))
    pairs: list[tuple[int, int]] = []
    for start in range(0, len(motions), _BLOCK):
        block = slice(start, start + _BLOCK)
        limits = SAME * np.minimum(sizes[block, None], sizes)
        alike = _distances(moves[block], moves) < np.maximum(limits, 1e-6)
        alike &= _distances(means[block], means) < POSE
        for a, b in np.argwhere(alike):
            if start + a < b:
                pairs.append((start + int(a), int(b)))
    return pairs


def _distances(a: Array, b: Array) -> Array:
    """(N, M) root mean square differences of rows (N, D) and (M, D)."""
    squares = np.square(a).sum(axis=1)[:, None] + np.square(b).sum(axis=1) - 2 * a @ b.T
    return np.sqrt(np.maximum(squares, 0) / a.shape[1])
