"""A skeleton as a tree of bones to be searched: what hangs where, how far it reaches, what looks like a pair."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from moveset.geometry.quaternion import Array
from moveset.motion.skeleton import Skeleton

ALIKE = 0.75
"""Two limbs are a pair if the shorter one reaches this share of the longer one."""
_LEAST_LIMB = 0.08
"""... and both reach this share of the farthest that anything reaches."""
_MOST_PAIRS, _MOST_SIBLINGS = 24, 16
"""Bodies have fewer; what has more is searched no further."""
_LEAST_WEIGHTED = 5


@dataclass(frozen=True, eq=False)
class Tree:
    """Joints that count. A joint that does not (no weight below it) is nobody's child."""

    skeleton: Skeleton
    used: np.ndarray
    """(J,) bool."""
    weights: Array | None = None
    """(J,) how much each joint moves, where that is known."""

    @cached_property
    def joints(self) -> list[int]:
        """The joints that count."""
        return np.flatnonzero(self.used).tolist()

    @cached_property
    def children(self) -> dict[int, list[int]]:
        """Joints below each joint; -1 stands above all roots."""
        below: dict[int, list[int]] = {j: [] for j in (-1, *self.joints)}
        for j in self.joints:
            below[int(self.skeleton.parents[j])].append(j)
        return below

    @cached_property
    def lengths(self) -> Array:
        """(J,) distance to the parent [m]; 0 for roots, which may rest anywhere."""
        lengths = np.linalg.norm(self.skeleton.rest_translations, axis=1)
        return np.where(self.skeleton.parents >= 0, lengths, 0.0)

    @cached_property
    def tips(self) -> Array:
        """(J,) length of the last bone of a leaf joint, 0 where unknown [m]."""
        tips = np.zeros(len(self.skeleton))
        if self.skeleton.tips is not None:
            tips = np.nan_to_num(np.linalg.norm(self.skeleton.tips, axis=1))
        for joint in self.joints:
            end = self.bare_end(joint)
            if end is not None and not self.children[joint]:
                tips[joint] = self.lengths[end]
        return tips

    def bare_end(self, joint: int) -> int | None:
        """A joint that only marks where the bone of `joint` ends: a leaf below it that moves nothing."""
        below = [
            c for c in self.skeleton.children[joint] if not self.used[c] and not self.skeleton.children[c]
        ]
        return max(below, key=lambda c: float(self.lengths[c]), default=None)

    @cached_property
    def reach(self) -> Array:
        """(J,) length of the longest way down from each joint [m]."""
        reach = np.zeros(len(self.skeleton))
        for j in reversed(self.joints):
            below = [self.lengths[c] + reach[c] for c in self.children[j]]
            reach[j] = max(below) if below else self.tips[j]
        return reach

    @cached_property
    def sizes(self) -> np.ndarray:
        """(J,) joints at and below each joint."""
        sizes = np.zeros(len(self.skeleton), dtype=int)
        for j in reversed(self.joints):
            sizes[j] = 1 + sum(sizes[c] for c in self.children[j])
        return sizes

    @cached_property
    def pairs(self) -> list[Pair]:
        """What may be limbs of both sides: siblings that reach equally far, the longest first."""
        longest = float(self.reach[self.joints].max(initial=0.0))
        found = []
        for node, children in self.branches.items():
            for a, b in itertools.combinations(children, 2):
                # limbs of one joint are known by where they hang
                far = [float(self.reach[c]) or float(self.lengths[c]) for c in (a, b)]
                small, big = sorted(far)
                if small >= _LEAST_LIMB * longest and small > ALIKE * big:
                    found.append(Pair(node, a, b, (small + big) / 2, small / big))
        return sorted(found, key=lambda p: -p.reach)[:_MOST_PAIRS]

    @cached_property
    def loose(self) -> list[int]:
        """Small parts that hang on a root or are one: feet of IK rigs, poles, sockets."""
        above = [-1, *self.children[-1]]
        return [j for node in above for j in self.children[node] if self.sizes[j] <= 3][:_MOST_SIBLINGS]

    @cached_property
    def ends(self) -> list[int]:
        """Where what may be a limb ends."""
        limbs = {j for pair in self.pairs for j in (pair.a, pair.b)} - set(self.loose)
        return [self.way_down(j)[-1] for j in sorted(limbs)]

    def way_down(self, joint: int) -> list[int]:
        """The joint and those below it on the longest way."""
        way = [joint]
        while below := self.children[way[-1]]:
            way.append(max(below, key=lambda c: (self.lengths[c] + self.reach[c], self.sizes[c])))
        return way

    @cached_property
    def branches(self) -> dict[int, list[int]]:
        """The longest of the joints below each joint, in their order: as many as are searched."""
        return {
            node: sorted(
                sorted(below, key=lambda c: -float(self.reach[c] + self.lengths[c]))[:_MOST_SIBLINGS]
            )
            for node, below in self.children.items()
        }

    def ways(self, joint: int) -> Iterator[list[int]]:
        """From the joint down to each leaf below it."""
        leaves, stack = [], [joint]
        while stack:
            top = stack.pop()
            stack += reversed(self.children[top])
            if not self.children[top]:
                leaves.append(top)
        for leaf in leaves:
            lineage = self.skeleton.lineage(leaf)
            yield lineage[: lineage.index(joint) + 1][::-1]

    def lineage(self, joint: int) -> list[int]:
        """The joint and all above it, -1 at last."""
        return [*self.skeleton.lineage(joint), -1] if joint >= 0 else [-1]


@dataclass(frozen=True)
class Pair:
    """Two subtrees under one joint that could be limbs of both sides."""

    node: int
    """The joint that both hang from, -1 for two roots."""
    a: int
    b: int
    reach: float
    """Length of the longest way down, mean of both [m]."""
    alike: float
    """Ratio of the two lengths, at most 1."""


def speaks(weights: Array | None) -> bool:
    """Whether weights tell which joints matter: a few rigid parts do not."""
    return weights is not None and int(np.count_nonzero(weights > 0)) >= _LEAST_WEIGHTED


def used_joints(skeleton: Skeleton, weights: Array | None) -> np.ndarray:
    """(J,) whether a joint or one below it moves vertices; all joints where weights say too little."""
    if weights is None or not speaks(weights):
        return np.ones(len(skeleton), dtype=bool)
    used = weights > 0
    for j in range(len(skeleton) - 1, -1, -1):
        parent = int(skeleton.parents[j])
        if used[j] and parent >= 0:
            used[parent] = True
    return used
