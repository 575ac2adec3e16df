"""Roles from joint names and hierarchy, for rigs of no known convention.

Limbs are found by name, as chains: of all the joints that could be an upper arm, forearm and hand, the best
named ones that follow one another down the tree. The trunk is found by structure: hips are where the legs and
the head part, the spine is what lies between hips and arms, so its joints may be called anything.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from moveset.motion.skeleton import Skeleton
from moveset.rigs.words import plain

_DETACHED = 10
"""Cost of a limb joint that does not hang below the one before it (an IK foot that is a root of its own)."""

_WORST_WORD, _MISSING = 10.0, 25.0
"""Cost of a part's least usual words, and of a part that no joint plays."""


def body_by_name(skeleton: Skeleton) -> dict[str, int]:
    """Joint by role of trunk and limbs, for as many roles as names can tell."""
    named = [plain(name) for name in skeleton.names]
    tables = words_by_role()
    above = [skeleton.lineage(j) for j in range(len(skeleton))]
    found: dict[str, int] = {}
    for side, limb in itertools.product(("left", "right"), ("arm", "leg")):
        chain = _chain(tables[limb], [word if s == side else "" for s, word in named], above)
        found.update({side + part: joint for part, joint in chain.items()})
    found.update(_trunk(skeleton, named, tables["trunk"], found, above))
    return found


@cache
def words_by_role() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Words by section and role (names.toml)."""
    return tomllib.loads(files("moveset.rigs").joinpath("names.toml").read_text(encoding="utf-8"))


def _chain(
    table: Mapping[str, Sequence[str]], words: Sequence[str], above: list[list[int]]
) -> dict[str, int]:
    """The best named sequence of joints for the parts of one limb; parts may be missing."""
    options: list[list[tuple[int | None, float]]] = []
    for synonyms in table.values():
        ranked = [
            (j, min(float(synonyms.index(w)), _WORST_WORD)) for j, w in enumerate(words) if w in synonyms
        ]
        options.append([*ranked, (None, _MISSING)])
    best: tuple[float, tuple[int | None, ...]] = (float("inf"), ())
    for combination in itertools.product(*options):
        joints = [joint for joint, _ in combination if joint is not None]
        if len(set(joints)) < len(joints):
            continue
        cost = sum(rank for _, rank in combination)
        cost += sum(_DETACHED for a, b in itertools.pairwise(joints) if a not in above[b])
        cost += sum(100 for a, b in itertools.pairwise(joints) if b in above[a])
        if cost < best[0]:
            best = (cost, tuple(joint for joint, _ in combination))
    return {part: joint for part, joint in zip(table, best[1]) if joint is not None}


def _trunk(
    skeleton: Skeleton,
    named: Sequence[tuple[str | None, str]],
    table: Mapping[str, Sequence[str]],
    limbs: Mapping[str, int],
    above: list[list[int]],
) -> dict[str, int]:
    found: dict[str, int] = {}
    head = first_named(named, table["head"])
    legs = [limbs[role] for role in ("leftUpperLeg", "rightUpperLeg") if role in limbs]
    arms = [
        limbs.get(side + "Shoulder", limbs.get(side + "UpperArm"))
        for side in ("left", "right")
        if side + "Shoulder" in limbs or side + "UpperArm" in limbs
    ]
    ends = [joint for joint in (*legs, head, *arms) if joint is not None]
    hips = _common(ends, above) if len(legs) == 2 and len(ends) > 2 else first_named(named, table["hips"])
    if hips is None:
        return {} if head is None else {"head": head}
    found["hips"] = hips
    top = _common([joint for joint in (*arms, head) if joint is not None], above) if arms else None
    if top is None and head is not None:
        top = int(skeleton.parents[head])
    spine = _between(hips, top, above)
    hung_on_neck = len(spine) > 1 and named[spine[-1]][1] in table["neck"]
    if hung_on_neck:  # collars of a Biped
        found["neck"] = spine.pop()
    if spine:
        picks = {1: (0,), 2: (0, 1)}.get(len(spine), (0, len(spine) // 2, len(spine) - 1))
        found.update(zip(("spine", "chest", "upperChest"), (spine[i] for i in picks)))
    if head is not None:
        found["head"] = head
        start = spine[-1] if spine else hips
        neck = _between(start, int(skeleton.parents[head]), above)
        if neck and not hung_on_neck:
            found["neck"] = neck[0]
    over = above[hips][1:]
    if over:
        words = [named[j][1] for j in over]
        found["root"] = next((j for j, word in zip(over, words) if word in table["root"]), over[-1])
    return found


def first_named(
    named: Sequence[tuple[str | None, str]], words: Sequence[str], sides: Sequence[str | None] = (None,)
) -> int | None:
    """The joint of the first word that any joint of those sides is called."""
    for side, word in itertools.product(sides, words):
        if (side, word) in named:
            return list(named).index((side, word))
    return None


def _common(joints: Sequence[int], above: list[list[int]]) -> int | None:
    """The lowest joint above all of `joints`, none of them itself."""
    if not joints:
        return None
    shared = set(above[joints[0]]).intersection(*(above[j] for j in joints)) - set(joints)
    return max(shared, key=lambda j: len(above[j]), default=None)


def _between(upper: int, lower: int | None, above: list[list[int]]) -> list[int]:
    """Joints below `upper` down to and with `lower`."""
    if lower is None or upper not in above[lower]:
        return []
    path = above[lower]
    return path[: path.index(upper)][::-1]
