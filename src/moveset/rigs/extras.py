"""Roles beside the body: fingers, face, sockets, tails, wings, ears, and joints that only serve others.

They are told by name, given the body: a finger hangs below its hand, a twist joint at its bone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from moveset.motion.roles import ROOT
from moveset.motion.skeleton import Skeleton
from moveset.rigs.by_name import first_named, words_by_role
from moveset.rigs.words import plain, sided

_FINGER = re.compile(r"^(?:hand|f|finger)*(thumb|index|middle|mid|ring|pinky|little)(?:finger)?(\D*?)(\d*)$")
_FINGER_NAMES = {"mid": "Middle", "pinky": "Little"}
_SPOKEN = {"metacarpal": 0, "proximal": 1, "intermediate": 2, "distal": 3}
_PHALANGES = ("Proximal", "Intermediate", "Distal")
_THUMB = ("Metacarpal", "Proximal", "Distal")
_CHAINS = {"tail": r"tail(?!or)", "Wing": r"wing(?!.*feather)", "Ear": r"ear(?!th|ring)"}
"""What the words of numbered chains begin with."""
_END = re.compile(r"(?i)(tip|end|leaf|nub)[\W_\d]*[lr]?$")
_TWIST = re.compile(r"(?i)twist|bendroll|(?<!cont)roll(?!er)")
_SERVES = re.compile(
    r"(?i)(^|[\W_])(mch|ctrl|control|c|drv|tweak|jig|org|pole|target)(?=[\W_])|ik(?=$|[\W_])|(^|[\W_])ik(?=[\W_A-Z])"
    r"|poletarget|^ik[A-Z]|IK$|^__"
)
_LIMB_WORDS = (
    ("FootIk", r"foot|heel|ankle|leg"),
    ("HandIk", r"hand|wrist|arm"),
    ("KneePole", r"knee"),
    ("ElbowPole", r"elbow"),
)


def extras(skeleton: Skeleton, body: Mapping[str, int]) -> dict[str, int]:
    """Joint by role for what is not in `body`; joints that play a part there are left alone."""
    found: dict[str, int] = {}
    named = [plain(name) for name in skeleton.names]

    def add(role: str, joint: int | None) -> None:
        taken = set(body.values()) | set(found.values())
        if joint is not None and joint not in taken and role not in body and role not in found:
            found[role] = joint

    tables = words_by_role()
    add("jaw", first_named(named, tables["trunk"]["jaw"]))
    add("headProp", first_named(named, tables["head_socket"]["headProp"]))
    for side in ("left", "right"):
        for table in ("socket", "eye"):
            for part, words in tables[table].items():
                add(side + part, first_named(named, words, (side, None) if side == "right" else (side,)))
        for role, joint in _fingers(skeleton, side, body.get(side + "Hand")).items():
            add(role, joint)
    for role, joint in (*_chains(skeleton).items(), *_twists(skeleton, body).items()):
        add(role, joint)
    for role, joint in _helpers(skeleton, set(body.values()) | set(found.values())).items():
        add(role, joint)
    if "hips" in body and ROOT not in body:
        add(ROOT, root_above(skeleton, body["hips"]))
    return found


def root_above(skeleton: Skeleton, hips: int) -> int | None:
    """The joint above the hips that carries root motion, the one whose name says so or the highest."""
    over = skeleton.lineage(hips)[1:]
    words = words_by_role()["trunk"]["root"]
    return next((j for j in over if plain(skeleton.names[j])[1] in words), over[-1] if over else None)


def _fingers(skeleton: Skeleton, side: str, hand: int | None) -> dict[str, int]:
    """Finger joints below the hand, numbered outwards, whatever number the names start at."""
    rows: dict[str, list[tuple[int, int]]] = {}
    for joint, name in enumerate(skeleton.names):
        named_side, word = plain(name)
        match = _FINGER.match(word)
        if named_side != side or not match or hand is None or hand not in skeleton.lineage(joint):
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


def _chains(skeleton: Skeleton) -> dict[str, int]:
    """Tails, wings, ears: of the joints called so the longest way down, numbered outwards, without their ends."""
    found: dict[str, int] = {}
    for kind, pattern in _CHAINS.items():
        rows: dict[str | None, list[int]] = {}
        for joint, name in enumerate(skeleton.names):
            side, word = plain(name)
            if re.match(pattern, word) and not (_END.search(name) and not skeleton.children[joint]):
                rows.setdefault(side, []).append(joint)
        for side, joints in rows.items():
            if (side is None) != (kind == "tail"):
                continue
            ways = [[j for j in skeleton.lineage(joint)[::-1] if j in joints] for joint in joints]
            longest = max(ways, key=len)
            found.update({f"{side or ''}{kind}{n + 1}": joint for n, joint in enumerate(longest)})
    return found


def _twists(skeleton: Skeleton, body: Mapping[str, int]) -> dict[str, int]:
    """Twist joints by the limb bone that they hang from, or from beside its joint, from the top down."""
    bones = {
        body[role]: role
        for side in ("left", "right")
        for part in ("UpperArm", "LowerArm", "UpperLeg", "LowerLeg")
        if (role := side + part) in body
    }
    count: dict[str, int] = {}
    found: dict[str, int] = {}
    for joint, name in enumerate(skeleton.names):
        if joint in body.values() or not _TWIST.search(name) or _SERVES.search(name):
            continue
        bone = next((bones[j] for j in skeleton.lineage(joint) if j in bones), None)
        if bone is not None and not any(
            f"{s}Hand" in body and body[f"{s}Hand"] in skeleton.lineage(joint) for s in ("left", "right")
        ):
            count[bone] = count.get(bone, 0) + 1
            found[f"{bone}Twist{count[bone]}"] = joint
    return found


def _helpers(skeleton: Skeleton, taken: set[int]) -> dict[str, int]:
    """IK targets, poles and other controls; what is alike on both sides has the same number."""
    found: dict[str, int] = {}
    numbers: dict[str, int] = {}
    for joint, name in enumerate(skeleton.names):
        if joint in taken or not _SERVES.search(name):
            continue
        side, word = sided(name)
        role = next((r for r, words in _LIMB_WORDS if side and re.search(words, word)), None)
        if side and role and f"{side}{role}" not in found and _is_target(word, role):
            found[f"{side}{role}"] = joint
            continue
        number = numbers.setdefault(word, len(numbers) + 1)
        found.setdefault(f"{side}Helper{number}" if side else f"helper{number}", joint)
    return found


def _is_target(word: str, role: str) -> bool:
    """Whether a control's word names the target itself, not a part of its mechanism."""
    part = role[: -len("Ik")] if role.endswith("Ik") else role[: -len("Pole")]
    bare = re.sub(r"^(c|ctrl|control)", "", word)
    return bare in {
        f"{p}{e}"
        for p in (part.lower(), f"ik{part.lower()}")
        for e in ("", "ik", "pole", "target", "poletarget")
    }
