"""Roles for a skeleton that came without them, from its joint names and its hierarchy.

Limbs are found by name, as chains: of all the joints that could be an upper arm, forearm and hand, the best
named ones that follow one another down the tree. The trunk is found by structure: hips are where the legs and
the head part, the spine is what lies between hips and arms, so its joints may be called anything.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files

from moveset.motion.skeleton import Skeleton

_PREFIX = re.compile(
    r"^(?:mixamorig\d*|bip\d*|biped|def|org|neo|ccbase|jbip|jnt|rig|skeleton|b)(?=[\W_])", re.I
)
_HELPER = re.compile(r"^(?:__|MCH|CTRL)", re.I)
"""Joints that position others (MakeHuman's doubles, rigify's mechanisms, controls): never a body part themselves."""
_FINGER = re.compile(r"^(?:hand|f|finger)*(thumb|index|middle|mid|ring|pinky|little)(?:finger)?(\D*?)(\d*)$")
_FINGER_NAMES = {"mid": "Middle", "pinky": "Little"}
_SPOKEN = {"metacarpal": 0, "proximal": 1, "intermediate": 2, "distal": 3}
_PHALANGES = ("Proximal", "Intermediate", "Distal")
_THUMB = ("Metacarpal", "Proximal", "Distal")
_DETACHED = 10
"""Cost of a limb joint that does not hang below the one before it (an IK foot that is a root of its own)."""


def recognize(skeleton: Skeleton) -> Skeleton:
    """The same skeleton with roles where names and hierarchy tell them; roles that it has already are kept."""
    if any(skeleton.roles):
        return skeleton
    found = find_roles(skeleton)
    roles: list[str | None] = [None] * len(skeleton)
    for role, joint in found.items():
        roles[joint] = role
    return replace(skeleton, roles=tuple(roles))


def find_roles(skeleton: Skeleton) -> dict[str, int]:
    """Joint number by role, for as many roles as can be told."""
    named = [plain(name) for name in skeleton.names]
    tables = _tables()
    above = [skeleton.lineage(j) for j in range(len(skeleton))]
    found: dict[str, int] = {}
    for side, limb in itertools.product(("left", "right"), ("arm", "leg")):
        chain = _chain(tables[limb], [word if s == side else "" for s, word in named], above)
        found.update({side + part: joint for part, joint in chain.items()})
    found.update(_trunk(skeleton, named, tables["trunk"], found, above))
    for side in ("left", "right"):
        for table in ("socket", "eye"):
            for part, words in tables[table].items():
                joint = _first(named, words, sides=(side, None) if side == "right" else (side,))
                if joint is not None and joint not in found.values():
                    found[side + part] = joint
        found.update(_fingers(skeleton, named, side, found.get(side + "Hand"), above))
    return found


def plain(name: str) -> tuple[str | None, str]:
    """Side and bare word of a joint name: ("left", "upperarm") of `DEF-upper_arm.L`, `lUpperArm`, `UpperArm_L`."""
    name = name.rsplit(":", 1)[-1].rsplit("|", 1)[-1]
    if _HELPER.match(name):
        return None, ""
    name = _PREFIX.sub("", name).lstrip("-_ .")
    side: str | None = None
    for pattern, group in (
        (r"(?i)(left|right)", 1),
        (r"(?i)[\W_](l|r)(?=$|[\W_])", 1),
        (r"(?i)^(l|r)[\W_]", 1),
        (r"^(l|r)(?=[A-Z])", 1),
        (r"(?<=[a-z0-9])(L|R)$", 1),
        (r"^(L|R)(?=[A-Z][a-z])", 1),
        # ASF: lfemur, rhumerus
        (
            r"^(l|r)(?=(?:femur|tibia|foot|toes|humerus|radius|wrist|hand|fingers|thumb|clavicle|hipjoint)$)",
            1,
        ),
    ):
        match = re.search(pattern, name)
        if match:
            side = "left" if match.group(group).lower().startswith("l") else "right"
            name = name[: match.start(group)] + name[match.end(group) :]
            break
    word = re.sub(r"[\W_]+", "", name).lower()
    return side, re.sub(r"0+(?=[1-9])", "", word)


@cache
def _tables() -> Mapping[str, Mapping[str, Sequence[str]]]:
    return tomllib.loads(files("moveset.rigs").joinpath("names.toml").read_text(encoding="utf-8"))


def _chain(
    table: Mapping[str, Sequence[str]], words: Sequence[str], above: list[list[int]]
) -> dict[str, int]:
    """The best named sequence of joints for the parts of one limb; parts may be missing."""
    options: list[list[tuple[int | None, float]]] = []
    for synonyms in table.values():
        ranked = [(j, float(synonyms.index(word))) for j, word in enumerate(words) if word in synonyms]
        options.append([*ranked, (None, 25.0)])
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
    head = _first(named, table["head"])
    legs = [limbs[role] for role in ("leftUpperLeg", "rightUpperLeg") if role in limbs]
    arms = [
        limbs.get(side + "Shoulder", limbs.get(side + "UpperArm"))
        for side in ("left", "right")
        if side + "Shoulder" in limbs or side + "UpperArm" in limbs
    ]
    ends = [joint for joint in (*legs, head, *arms) if joint is not None]
    hips = _common(ends, above) if len(legs) == 2 and len(ends) > 2 else _first(named, table["hips"])
    if hips is None:
        return {} if head is None else {"head": head}
    found["hips"] = hips
    top = _common([joint for joint in (*arms, head) if joint is not None], above) if arms else None
    if top is None and head is not None:
        top = int(skeleton.parents[head])
    spine = _between(hips, top, above)
    if spine:
        picks = {1: (0,), 2: (0, 1)}.get(len(spine), (0, len(spine) // 2, len(spine) - 1))
        found.update(zip(("spine", "chest", "upperChest"), (spine[i] for i in picks)))
    if head is not None:
        found["head"] = head
        start = spine[-1] if spine else hips
        neck = _between(start, int(skeleton.parents[head]), above)
        if neck:
            found["neck"] = neck[0]
    jaw = _first(named, table["jaw"])
    if jaw is not None:
        found["jaw"] = jaw
    over = above[hips][1:]
    if over:
        words = [named[j][1] for j in over]
        found["root"] = next((j for j, word in zip(over, words) if word in table["root"]), over[-1])
    return found


def _first(
    named: Sequence[tuple[str | None, str]], words: Sequence[str], sides: Sequence[str | None] = (None,)
) -> int | None:
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


def _fingers(
    skeleton: Skeleton,
    named: Sequence[tuple[str | None, str]],
    side: str,
    hand: int | None,
    above: list[list[int]],
) -> dict[str, int]:
    """Finger joints below the hand, numbered outwards, whatever number the names start at."""
    rows: dict[str, list[tuple[int, int]]] = {}
    for joint, (named_side, word) in enumerate(named):
        match = _FINGER.match(word)
        if named_side != side or not match or hand is None or hand not in above[joint]:
            continue
        finger, spoken, number = match.groups()
        if spoken and spoken not in _SPOKEN:
            continue
        order = _SPOKEN[spoken] if spoken else int(number or 0)
        rows.setdefault(_FINGER_NAMES.get(finger, finger.capitalize()), []).append((order, joint))
    found = {}
    for finger, joints in rows.items():
        parts = _THUMB if finger == "Thumb" else _PHALANGES
        inner = [joint for _, joint in sorted(joints)]
        if finger != "Thumb" and len(inner) > 3:  # a metacarpal in the palm, or a leaf joint at the tip
            inner = inner[:3] if skeleton.children[inner[3]] == () else inner[1:4]
        found.update({f"{side}{finger}{part}": joint for part, joint in zip(parts, inner)})
    return found
