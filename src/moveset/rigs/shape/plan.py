"""Which pair of limbs are legs, which are arms or front legs, and where the trunk lies between them.

Every two pairs of the tree are tried as the limbs of a person and of a quadruped in every pose that is known, and
judged by what holds for all of them: legs reach from hips to floor, a person's arms hang from above the hips and are
about as long as the legs, a quadruped's trunk lies and all its limbs reach the floor.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from moveset.geometry.quaternion import Array
from moveset.rigs.shape.tree import Pair, Tree

UPS = tuple(np.array(up, dtype=float) for up in ((0, 1, 0), (0, 0, 1), (0, 0, -1), (1, 0, 0), (-1, 0, 0)))
_SPARE, _BIG = 0.7, 0.6
"""Faith that remains for each pair of limbs left over that is longer than this share of the legs."""
_LYING = 0.6
"""Faith in a pose that stands along another axis than +Y."""


@dataclass(frozen=True, eq=False)
class Plan:
    """A reading of the tree: two pairs of limbs on a trunk, seen in one pose."""

    kind: str
    legs: Pair
    arms: Pair
    positions: Array
    """(J, 3) the pose that shows it best [m]."""
    up: Array
    """(3,) unit."""
    score: float
    """0 to 1."""

    @property
    def heights(self) -> Array:
        """(J,) along `up` [m]."""
        return self.positions @ self.up


def best_plan(tree: Tree, poses: Sequence[Array]) -> Plan | None:
    """The reading with the highest score, None if nothing scores."""
    found: list[Plan] = []
    for number, positions in enumerate(poses):
        for up in UPS if number == 0 else UPS[:1]:
            faith = 1.0 if up is UPS[0] else _LYING
            found += _plans(tree, positions, up, faith)
        if found and max(plan.score for plan in found) > 0.6:
            break  # what comes next are frames of motion: less still, no clearer
    return max(found, key=lambda plan: plan.score, default=None)


def _plans(tree: Tree, positions: Array, up: Array, faith: float) -> list[Plan]:
    heights = positions @ up
    floor = float(heights[tree.joints].min())
    total = float(np.ptp(heights[tree.joints]))
    if total < 1e-6:
        return []
    standing = {pair: _stands(tree, pair, heights, floor, positions) * _level(tree, pair, positions, up)
                for pair in tree.pairs}  # fmt: skip
    reach = {pair: _whole_reach(tree, pair, heights, floor, positions) for pair in tree.pairs}
    plans = []
    for legs, arms in itertools.permutations(tree.pairs, 2):
        if standing[legs] < 0.1 or _overlap(tree, legs, arms):
            continue
        share = np.log(reach[arms] / reach[legs])
        base = faith * _SPARE ** _spare_limbs(tree, legs, arms) * legs.alike * arms.alike * standing[legs]
        trunk = _middle(tree, arms, positions) - _middle(tree, legs, positions)
        length = max(float(np.linalg.norm(trunk)), 1e-9)
        person = base * _ramp(float(trunk @ up) / length, 0.35, 0.75) * _level(tree, arms, positions, up)
        person *= _bell(share + 0.1, 0.5) * _bell(np.log(length / reach[legs] / 0.6), 0.8)
        person *= _ramp((heights[[legs.a, legs.b]].mean() - floor) / total, 0.05, 0.15)
        person *= 0.6 + 0.4 * bool(head_way(tree, legs, arms, positions, up))
        trunk = _center(tree, arms, positions) - _center(tree, legs, positions)
        length = max(float(np.linalg.norm(trunk)), 1e-9)
        beast = base * _ramp(-abs(float(trunk @ up)) / length, -0.8, -0.5) * standing[arms]
        beast *= _bell(share, 0.4) * _bell(np.log(length / reach[legs] / 0.6), 0.8)
        if beast > 0.02:
            beast *= 0.4 + 0.6 * _rises(tree, legs, arms, positions, up, trunk)
        kind, score = max((("humanoid", person), ("quadruped", beast)), key=lambda pair: pair[1])
        if score > 0.02:
            plans.append(Plan(kind, legs, arms, positions, up, float(score)))
    return plans


def _stands(tree: Tree, pair: Pair, heights: Array, floor: float, positions: Array) -> float:
    """How much a pair looks like legs: it goes down from where it starts and ends at the floor."""
    score = 1.0
    for joint in (pair.a, pair.b):
        way = tree.way_down(joint)
        top = float(heights[joint])
        end, reach = min(float(heights[j]) for j in way), float(tree.reach[joint] - tree.tips[way[-1]])
        foot = loose_foot(tree, way[-1], heights, floor, positions)
        if foot is not None and end - floor > 0.15 * (top - floor):
            end, reach = (
                float(heights[foot]),
                reach + float(np.linalg.norm(positions[foot] - positions[way[-1]])),
            )
        if len(way) == 1 and foot is None:  # limbs of one joint: their ends are not known
            score *= 0.6 * _ramp(-(top - floor) / max(float(np.ptp(heights[tree.joints])), 1e-9), -0.6, -0.3)
            continue
        score *= _ramp((top - end) / max(reach, 1e-9), 0.3, 0.55)
        score *= _ramp(-(end - floor) / max(top - floor, 1e-9), -0.5, -0.15)
    return float(score)


def _whole_reach(tree: Tree, pair: Pair, heights: Array, floor: float, positions: Array) -> float:
    """Length of a pair of limbs, with feet that hang elsewhere [m]."""
    more = 0.0
    for joint in (pair.a, pair.b):
        end = tree.way_down(joint)[-1]
        foot = loose_foot(tree, end, heights, floor, positions)
        more += 0.0 if foot is None else float(np.linalg.norm(positions[foot] - positions[end])) / 2
    return pair.reach + more


def loose_foot(tree: Tree, above: int, heights: Array, floor: float, positions: Array) -> int | None:
    """A joint at the floor that hangs on no limb and lies about below the joint `above`."""
    total = float(np.ptp(heights[tree.joints]))

    def far(a: int, b: int) -> float:
        return float(np.linalg.norm(positions[a] - positions[b]))

    near = [
        j
        for j in tree.loose
        if heights[j] < floor + 0.15 * total
        and heights[above] - heights[j] > 0.5 * far(above, j)
        and min(tree.ends, key=lambda end: far(end, j), default=above)
        == above  # no other limb ends nearer to it
    ]
    return min(near, key=lambda j: far(above, j), default=None)


def _level(tree: Tree, pair: Pair, positions: Array, up: Array) -> float:
    """Whether the two limbs begin side by side: the line between their first joints that differ is level."""
    a, b = apart(tree, pair, positions)
    across = positions[a] - positions[b]
    length = float(np.linalg.norm(across))
    return _ramp(-abs(float(across @ up)) / length, -0.7, -0.35) if length > 0.02 * pair.reach else 0.0


def apart(tree: Tree, pair: Pair, positions: Array) -> tuple[int, int]:
    """The first joints down both limbs that lie apart: hip joints and collars may start at one point."""
    ways = list(zip(tree.way_down(pair.a)[:4], tree.way_down(pair.b)[:4]))
    for a, b in ways:
        if np.linalg.norm(positions[a] - positions[b]) > 0.02 * pair.reach:
            return a, b
    return ways[0]


def _middle(tree: Tree, pair: Pair, positions: Array) -> Array:
    """Where the two limbs join the trunk."""
    a, b = apart(tree, pair, positions)
    return (positions[a] + positions[b]) / 2


def _center(tree: Tree, pair: Pair, positions: Array) -> Array:
    """The middle of both limbs: shoulder blades and pelvis bones reach along the trunk, legs stand apart."""
    return positions[[*tree.way_down(pair.a), *tree.way_down(pair.b)]].mean(axis=0)


def _spare_limbs(tree: Tree, legs: Pair, arms: Pair) -> int:
    """Pairs as long as legs that the reading leaves over: spiders have some, dragons wings."""
    trunk = {j for limb in (legs, arms) for j in tree.lineage(limb.node)}
    return sum(
        pair.reach > _BIG * legs.reach
        and not {pair.a, pair.b} & trunk
        and not any(other in tree.lineage(pair.a) or other in tree.lineage(pair.b)
                    for other in (legs.a, legs.b, arms.a, arms.b))
        for pair in tree.pairs
    )  # fmt: skip


def _overlap(tree: Tree, legs: Pair, arms: Pair) -> bool:
    """Whether one pair shares joints with the other one, or hangs below it."""
    if {legs.a, legs.b} & {arms.a, arms.b}:
        return True
    return any(
        other in tree.lineage(joint)
        for mine, theirs in ((legs, arms), (arms, legs))
        for joint in (mine.a, mine.b)
        for other in (theirs.a, theirs.b)
    )


def head_way(tree: Tree, legs: Pair, arms: Pair, positions: Array, direction: Array) -> list[int]:
    """The joints from where the arms join the trunk to what lies farthest in `direction`, without the former."""
    lineage = tree.lineage(arms.node)
    # the head may branch off lower than the arms do
    below = lineage[: lineage.index(legs.node) + 1] if legs.node in lineage else lineage[:1]
    limbs = {joint for limb in (legs.a, legs.b, arms.a, arms.b) for joint in tree.lineage(limb)}
    for node in below:
        start = positions[node] if node >= 0 else positions[[arms.a, arms.b]].mean(axis=0)
        found: list[tuple[float, list[int]]] = []
        for child in tree.branches[node]:
            if child in limbs:
                continue
            for way in itertools.islice(tree.ways(child), 64):
                ahead = max(float((positions[j] - start) @ direction) for j in way)
                far = max(float(np.linalg.norm(positions[j] - start)) for j in way)
                if ahead > 0.4 * far > 0:
                    found.append((ahead, way))
        if found:
            return max(found, key=lambda pair: pair[0])[1]
    return []


def _rises(tree: Tree, legs: Pair, arms: Pair, positions: Array, up: Array, trunk: Array) -> float:
    """How clearly a head goes on where the trunk ends: ahead of a quadruped's front legs and up, unlike a tail."""
    direction = up + trunk / np.linalg.norm(trunk)
    way = head_way(tree, legs, arms, positions, direction / np.linalg.norm(direction))
    if not way:
        return 0.0
    height = max(float((positions[j] - positions[[arms.a, arms.b]].mean(axis=0)) @ up) for j in way)
    return _ramp(height / arms.reach, -0.1, 0.2)


def _ramp(value: float, low: float, high: float) -> float:
    """0 below `low`, 1 above `high`."""
    return float(np.clip((value - low) / (high - low), 0.0, 1.0))


def _bell(value: float, width: float) -> float:
    return float(np.exp(-0.5 * (value / width) ** 2))
