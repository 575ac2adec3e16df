"""Hips, spine, neck and head: what lies between the limbs, and what goes on beyond them."""

from __future__ import annotations

import numpy as np

from moveset.geometry.quaternion import Array
from moveset.rigs.shape.plan import Plan, apart, head_way
from moveset.rigs.shape.tree import Tree

_SAME = 0.02
"""Joints nearer than this share of the legs are in one place."""
_TAIL = 0.3
"""Least length of a tail as a share of the legs."""
_NECK_RISE = 1.2
"""Of two joints over the shoulders the lower one is the neck if it rises over them by less than this share of the
way from it to the upper one; else it is the head, and the upper one its end."""


def trunk_roles(tree: Tree, plan: Plan) -> tuple[dict[str, int], float]:
    """Joint by role of the trunk, and how sure the head is (0 to 1)."""
    hips = _common(tree, (plan.legs.a, plan.legs.b, plan.arms.a, plan.arms.b))
    if hips < 0:
        return {}, 0.0
    top = plan.arms.node
    spine = _between(tree, hips, top)
    moved = _at_legs(tree, plan, hips)
    if moved != hips:
        hips, spine = (
            moved,
            [j for j in _between(tree, moved, top) if _far(plan, j, moved) > _SAME * plan.legs.reach],
        )
    found = {"hips": hips}
    way = head_way(tree, plan.legs, plan.arms, plan.positions, _head_direction(plan))
    if way and len(spine) > 1 and _is_neck(tree, plan, spine[-1], way):
        way, spine = [spine[-1], *way], spine[:-1]
    elif way and not spine:  # arms beside the legs: what rises is spine, neck and head
        spine, way = way[:1], way[1:]
    picks = {0: (), 1: (0,), 2: (0, 1)}.get(len(spine), (0, len(spine) // 2, len(spine) - 1))
    found.update(zip(("spine", "chest", "upperChest"), (spine[n] for n in picks)))
    if not way:
        return found, 0.5
    head, sure = _head_of(tree, plan, way)
    found["head"] = way[head]
    if head:
        found["neck"] = way[0]
    above = tree.lineage(hips)[1:-1]
    if above:
        found["root"] = above[-1]
    return found, sure


def tail(tree: Tree, plan: Plan, trunk: dict[str, int]) -> list[int]:
    """The joints of a quadruped's tail: what hangs on the hips besides legs and spine, if it is long enough."""
    if plan.kind != "quadruped" or "hips" not in trunk:
        return []
    limbs = {j for limb in (plan.legs.a, plan.legs.b, plan.arms.a, plan.arms.b) for j in tree.lineage(limb)}
    nodes = dict.fromkeys((trunk["hips"], plan.legs.node))
    free = [c for node in nodes if node >= 0 for c in tree.children[node] if c not in limbs]
    long = [c for c in free if tree.reach[c] > _TAIL * plan.legs.reach]
    if not long:
        return []
    way = tree.way_down(max(long, key=lambda c: float(tree.reach[c])))
    return way[:-1] if tree.weights is None and not tree.tips[way[-1]] else way


def _head_of(tree: Tree, plan: Plan, way: list[int]) -> tuple[int, float]:
    """Which joint of the way up is the head."""
    limbs = {plan.legs.a, plan.legs.b, plan.arms.a, plan.arms.b}
    fork = next((n for n, joint in enumerate(way) if len(set(tree.children[joint]) - limbs) >= 2), None)
    if fork is not None:  # eyes, ears, jaw, hair hang from it
        return fork, 0.9
    if len(way) == 1 or tree.tips[way[-1]] > 0:
        return len(way) - 1, 0.95
    if len(way) == 2 and tree.weights is not None:
        low, high = tree.weights[way]
        return int(high > 0.5 * low), 0.85
    if len(way) == 2:
        shoulders = plan.positions[list(apart(tree, plan.arms, plan.positions))].mean(axis=0)
        rise = max(float((plan.positions[way[0]] - shoulders) @ plan.up), 0.0)
        bone = float(np.linalg.norm(plan.positions[way[1]] - plan.positions[way[0]]))
        return (1, 0.8) if rise < _NECK_RISE * bone else (0, 0.6)
    return len(way) - 2, 0.75


def _is_neck(tree: Tree, plan: Plan, node: int, way: list[int]) -> bool:
    """Whether the joint that the arms hang from is the neck: over the shoulders, with little but a head above."""
    if plan.kind != "humanoid" or len(way) > 2 or (len(way) == 2 and tree.tips[way[-1]] > 0):
        return False
    shoulders = plan.positions[list(apart(tree, plan.arms, plan.positions))].mean(axis=0)
    return float((plan.positions[node] - shoulders) @ plan.up) > 0.02 * plan.arms.reach


def _head_direction(plan: Plan) -> Array:
    if plan.kind == "humanoid":
        return plan.up
    trunk = plan.positions[[plan.arms.a, plan.arms.b]].mean(0) - plan.positions[
        [plan.legs.a, plan.legs.b]
    ].mean(0)
    direction = plan.up + trunk / np.linalg.norm(trunk)
    return direction / np.linalg.norm(direction)


def _at_legs(tree: Tree, plan: Plan, hips: int) -> int:
    """The joint at the legs: that of a Biped is above the one that its legs hang from."""
    middle = plan.positions[list(apart(tree, plan.legs, plan.positions))].mean(axis=0)
    far = {j: float(np.linalg.norm(plan.positions[j] - middle)) for j in tree.lineage(hips)[:-1]}
    near = [
        j for j, distance in far.items() if distance < 0.5 * far[hips] and distance < 0.05 * plan.legs.reach
    ]
    return near[-1] if near else hips


def _far(plan: Plan, a: int, b: int) -> float:
    return float(np.linalg.norm(plan.positions[a] - plan.positions[b]))


def _common(tree: Tree, joints: tuple[int, ...]) -> int:
    """The lowest joint above all of `joints`."""
    shared = set(tree.lineage(joints[0])[1:]).intersection(*(tree.lineage(j)[1:] for j in joints))
    return max(shared, key=lambda j: len(tree.lineage(j)))


def _between(tree: Tree, upper: int, lower: int) -> list[int]:
    """Joints below `upper` down to and with `lower`."""
    lineage = tree.lineage(lower)
    return lineage[: lineage.index(upper)][::-1] if upper in lineage else []
