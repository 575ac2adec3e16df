"""Which joints of a limb are its parts: the bones of an arm or a leg among collars, twist joints and fingers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from moveset.geometry.quaternion import Array
from moveset.rigs.shape.plan import Plan, apart
from moveset.rigs.shape.tree import Pair, Tree

Parts = dict[str, tuple[int, int]]
"""Joints of both sides by part."""

_FOREARM = 0.97
"""Forearm over upper arm as rigs have it: 0.76 (Poser) to 1.15 (Kenney); shank over thigh is 1."""
_HAND = 0.3
"""From the wrist to the end of the fingers, as a share of upper arm and forearm."""
_BEAST_ANCHOR = 0.62
"""A joint of an animal's leg that lies nearer to the middle than this share of the leg holds it in the trunk."""
_ANCHOR_BONE = 0.5
"""A person's leg begins later if its first bone is shorter than this share of the next one and leads aside, ..."""
_TINY_BONE = 0.15
"""... or shorter than this."""
_SKIPPED = 0.6
"""What each joint costs that a thigh begins later than it may."""
_NARROW = 0.6
"""Upper arms start at least this far apart, as a share of the distance between the legs; collars need not."""
_SHORT = 0.05
"""Bones under this share of a limb are none of its parts."""


def arm_parts(tree: Tree, plan: Plan, poses: Sequence[Array]) -> tuple[Parts, float]:
    """Joints of both sides by part (Shoulder, UpperArm, LowerArm, Hand), and how clear the choice was (0 to 1)."""
    ways = _parallel(tree, plan.arms)
    if len(ways[0]) == 1:
        return {"UpperArm": (ways[0][0], ways[1][0])}, 0.7
    straight = [_straightness(poses, way) for way in ways]
    hips = _far(plan.positions, *apart(tree, plan.legs, plan.positions))
    options = []
    for i, j, k in itertools.combinations(range(len(ways[0])), 3):
        scores = [
            _arm_score(tree, way, plan.positions, i, j, k) * line[i, j] * line[j, k]
            for way, line in zip(ways, straight)
        ]
        if _far(plan.positions, ways[0][i], ways[1][i]) < _NARROW * hips:
            scores = [0.5 * score for score in scores]
        options.append((float(np.mean(scores)), (i, j, k)))
    if not options:
        return _two_bones(tree, ways, ("UpperArm", "LowerArm", "Hand")), 0.6
    _, (i, j, k) = max(options)
    found = {part: (ways[0][n], ways[1][n]) for part, n in (("UpperArm", i), ("LowerArm", j), ("Hand", k))}
    if i:
        collar = _collar(ways, plan, i)
        found = {"Shoulder": (ways[0][collar], ways[1][collar]), **found}
    return found, _clarity(options)


def leg_parts(tree: Tree, plan: Plan, poses: Sequence[Array]) -> tuple[Parts, float]:
    """Joints of both sides by part (UpperLeg, LowerLeg, Foot, Toes), and how clear the choice was."""
    ways = _parallel(tree, plan.legs)
    if len(ways[0]) == 1:
        return {"UpperLeg": (ways[0][0], ways[1][0])}, 0.7
    floor = float(plan.heights[tree.joints].min())
    straight = [_straightness(poses, way) for way in ways]
    start = _hip(tree, ways, plan.positions)
    options = []
    for i, j, k in itertools.combinations(range(start, len(ways[0])), 3):
        scores = [
            _leg_score(tree, way, plan, floor, i, j, k) * line[i, j] * line[j, k]
            for way, line in zip(ways, straight)
        ]
        scores = [score * _SKIPPED ** (i - start) for score in scores]
        options.append((float(np.mean(scores)), (i, j, k)))
    if not options:
        return {
            part: (ways[0][start + n], ways[1][start + n]) for n, part in enumerate(("UpperLeg", "LowerLeg"))
        }, 0.7
    _, (i, j, k) = max(options)
    found = {part: (ways[0][n], ways[1][n]) for part, n in (("UpperLeg", i), ("LowerLeg", j), ("Foot", k))}
    toes = _toes(tree, ways, k)
    if toes is not None:
        found["Toes"] = (ways[0][toes], ways[1][toes])
    return found, _clarity(options)


def beast_parts(tree: Tree, plan: Plan, front: bool) -> tuple[Parts, float]:
    """Joints of both sides by part of a quadruped's front or hind legs.

    What lies nearer to the middle than the leg itself anchors it: the shoulder blade in front, nothing behind.
    From there on the parts follow one another.
    """
    ways = _parallel(tree, plan.arms if front else plan.legs)
    trunk = plan.positions[[plan.arms.a, plan.arms.b]].mean(0) - plan.positions[
        [plan.legs.a, plan.legs.b]
    ].mean(0)
    side = np.cross(plan.up, trunk)
    side /= max(np.linalg.norm(side), 1e-12)
    aside = np.array([abs((plan.positions[a] - plan.positions[b]) @ side) for a, b in zip(*ways)])
    start = next((n for n, wide in enumerate(aside) if wide >= _BEAST_ANCHOR * aside.max()), 0)
    total = sum(float(tree.lengths[j]) for j in ways[0][1:])
    parts: list[tuple[int, int]] = []
    for n in range(start, len(ways[0])):
        ahead = float(tree.lengths[ways[0][n + 1]]) if n + 1 < len(ways[0]) else np.inf
        if ahead >= _SHORT * total or len(parts) >= 2:
            parts.append((ways[0][n], ways[1][n]))
    end = "Front" if front else ""
    found = dict(zip((end + p for p in ("UpperLeg", "LowerLeg", "Foot", "Toes")), parts))
    if front and start:
        found["FrontShoulder"] = (ways[0][start - 1], ways[1][start - 1])
    return found, 1.0 if len(parts) >= 3 else 0.7


def _two_bones(tree: Tree, ways: tuple[list[int], list[int]], parts: tuple[str, str, str]) -> Parts:
    """The parts of a limb of two joints; what marks the end of its last bone is hand or foot."""
    found = {part: (ways[0][n], ways[1][n]) for n, part in enumerate(parts[: len(ways[0])])}
    ends = tree.bare_end(ways[0][-1]), tree.bare_end(ways[1][-1])
    if len(ways[0]) == 2 and ends[0] is not None and ends[1] is not None:
        found[parts[2]] = ends[0], ends[1]
    return found


def _hip(tree: Tree, ways: tuple[list[int], list[int]], positions: Array) -> int:
    """Where along the ways of a person's legs the thigh may begin: after joints that only lead there."""
    way = ways[0]
    aside = [_far(positions, a, b) for a, b in zip(*ways)]
    start = 0
    while start + 2 < len(way):
        bone, after = float(tree.lengths[way[start + 1]]), float(tree.lengths[way[start + 2 :]].max())
        leads = aside[start] < 0.5 * aside[start + 1] and bone < _ANCHOR_BONE * after
        if not leads and bone >= _TINY_BONE * after:
            break
        start += 1
    return start if start + 2 < len(way) else 0


def _straightness(poses: Sequence[Array], way: list[int]) -> Array:
    """(W, W) how straight a way is between two of its joints in all poses, 0 to 1."""
    points = np.array([pose[way] for pose in poses])
    bones = np.diff(points, axis=1)
    lengths = np.linalg.norm(bones, axis=-1)
    out = np.ones((len(way), len(way)))
    for start, end in itertools.combinations(range(len(way)), 2):
        along = lengths[:, start:end].sum(axis=1)
        far = np.linalg.norm(points[:, end] - points[:, start], axis=-1)
        real = [n for n in range(start, end) if lengths[0, n] > 0.02 * along[0]]
        bent = np.ones(len(points))
        for a, b in itertools.pairwise(real):
            cosines = np.sum(bones[:, a] * bones[:, b], axis=-1) / np.maximum(
                lengths[:, a] * lengths[:, b], 1e-12
            )
            bent *= np.clip((cosines - 0.3) / 0.5, 0.05, 1.0)
        out[start, end] = np.mean((far / np.maximum(along, 1e-9)) ** 4 * bent)
    return out


def _parallel(tree: Tree, pair: Pair) -> tuple[list[int], list[int]]:
    """The longest ways down both sides, step by step alike, cut to the shorter one."""
    a, b = [pair.a], [pair.b]
    while tree.children[a[-1]] and tree.children[b[-1]]:
        below = [tree.children[a[-1]], tree.children[b[-1]]]
        far = [[tree.lengths[c] + tree.reach[c] for c in cs] for cs in below]
        first = below[0][int(np.argmax(far[0]))]
        like = [
            abs(tree.lengths[c] - tree.lengths[first]) + abs(tree.reach[c] - tree.reach[first])
            for c in below[1]
        ]
        a.append(first)
        b.append(below[1][int(np.argmin(like))])
    return a, b


def _arm_score(tree: Tree, way: list[int], positions: Array, i: int, j: int, k: int) -> float:
    """How well joints i, j, k of a way down are shoulder, elbow and wrist."""
    upper, lower = (_far(positions, way[a], way[b]) for a, b in ((i, j), (j, k)))
    if min(upper, lower) < 1e-6:
        return 0.0
    whole = sum(float(tree.lengths[joint]) for joint in way[1:]) + float(tree.tips[way[-1]])
    rest = (float(tree.reach[way[k]])) / (upper + lower)
    score = _bell(np.log(lower / upper / _FOREARM), 0.35) * np.sqrt((upper + lower) / whole)
    score *= _bell(rest - _HAND, 0.3) if rest > 0.02 else 0.75
    score *= {0: 1.0, 1: 1.0, 2: 1.25}.get(len(tree.children[way[k]]), 1.5)
    # a limb has no branches before its hand but twist joints
    aside = [c for n in range(i, k) for c in tree.children[way[n]] if c != way[n + 1]]
    branches = sum(tree.sizes[c] > 1 or tree.tips[c] > 0 for c in aside)
    return float(score) * 0.6**branches


def _leg_score(tree: Tree, way: list[int], plan: Plan, floor: float, i: int, j: int, k: int) -> float:
    """How well joints i, j, k of a way down are hip, knee and ankle."""
    positions, heights = plan.positions, plan.heights
    upper, lower = (_far(positions, way[a], way[b]) for a, b in ((i, j), (j, k)))
    if min(upper, lower) < 1e-6:
        return 0.0
    whole = sum(float(tree.lengths[joint]) for joint in way[1:])
    score = float(_bell(np.log(lower / upper), 0.5) * np.sqrt((upper + lower) / whole))
    lift = (heights[way[k]] - floor) / (upper + lower)
    score *= _bell(max(lift - 0.2, 0.0), 0.2)
    score *= max(float(heights[way[i]] - heights[way[k]]) / (upper + lower), 0.3) ** 2
    if k + 1 == len(way):
        score *= 0.8
    else:  # a foot turns away from the shank
        bone = positions[way[k + 1]] - positions[way[k]]
        shank = positions[way[k]] - positions[way[j]]
        cosine = float(bone @ shank) / max(np.linalg.norm(bone) * np.linalg.norm(shank), 1e-12)
        score *= 1.0 if cosine < 0.85 else 0.7
    return score


def _toes(tree: Tree, ways: tuple[list[int], list[int]], ankle: int) -> int | None:
    """Where along the ways the toes begin: after the ankle, unless the foot is spread into several."""
    several = len(tree.children[ways[0][ankle]]) > 2
    return None if ankle + 1 >= len(ways[0]) or several else ankle + 1


def _collar(ways: tuple[list[int], list[int]], plan: Plan, upper: int) -> int:
    """The first joint of the ways that lies aside of the middle, or the one before the upper arm."""
    for n in range(upper):
        if _far(plan.positions, ways[0][n], ways[1][n]) > 0.01 * plan.arms.reach:
            return n
    return upper - 1


def _clarity(options: list[tuple[float, tuple[int, int, int]]]) -> float:
    """How far the best choice is ahead of the best other one, 0.5 (not at all) to 1."""
    scores = sorted((score for score, _ in options), reverse=True)
    if len(scores) < 2 or scores[0] <= 0:
        return 0.9 if scores[0] > 0 else 0.5
    return float(np.clip(0.5 + 2 * (scores[0] - scores[1]) / scores[0], 0.5, 1.0))


def _far(positions: Array, a: int, b: int) -> float:
    return float(np.linalg.norm(positions[a] - positions[b]))


def _bell(value: float, width: float) -> float:
    return float(np.exp(-0.5 * (value / width) ** 2))
