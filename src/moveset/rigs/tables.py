"""Role tables: what the joints of known conventions are called (tables/*.toml, one file a convention).

A table lists, by role, the name or the spellings of it. A role that begins with a capital letter is played on both
sides; `{}` in its name stands for the convention's word for the side, `{short}` for L or R, `{long}` for left or
right. `#` counts the joints of a finger or of the twist joints of a bone outwards. `detached` names roles whose
joint may hang elsewhere than below the limb, `partial` marks bodies without all that a humanoid must have, `also`
lists joints without a role that tell a convention from its neighbours.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from moveset.motion.roles import BODY, PARENT, QUADRUPED_BODY
from moveset.motion.skeleton import Skeleton

_THUMB = ("Metacarpal", "Proximal", "Distal")
_PHALANGES = ("Proximal", "Intermediate", "Distal")
_FIRST_NUMBERS = (0, 1)
"""Joints of a finger are numbered from one of these."""
_ENOUGH = 0.85
"""Share of a table's body roles that a skeleton must have."""
_BODY = frozenset((*BODY, *QUADRUPED_BODY))
_OPTIONAL = frozenset(
    ("spine", "chest", "upperChest", "neck")
    + tuple(
        side + part
        for side in ("left", "right")
        for part in ("Shoulder", "Toes", "FrontShoulder", "FrontToes")
    )
)
"""Body roles that a rig may lack and still be of its convention."""


@dataclass(frozen=True)
class Table:
    """What one convention calls its joints."""

    convention: str
    names: Mapping[str, tuple[str, ...]]
    """Normal spellings by role, the usual one first."""
    prefix: str
    """Pattern of what may stand before every name; empty if nothing does."""
    detached: frozenset[str]
    partial: bool
    also: tuple[str, ...]
    """Normal names of joints without a role that tell the convention from others with the same roles."""


@dataclass(frozen=True)
class Match:
    """A skeleton read by a table."""

    table: Table
    roles: Mapping[str, int]
    prefixed: bool
    """Whether the joints carry the prefix that the table knows."""
    also: int
    """Joints found of those that play no role."""

    @property
    def rank(self) -> tuple[float, float]:
        """What to prefer of several tables: most joints explained, then the fewest roles that stay empty."""
        own = sum(1 for role in self.table.names if role in _BODY)
        return len(self.roles) + self.also + 0.5 * self.prefixed, -own


def match(skeleton: Skeleton) -> Match | None:
    """The table that explains nearly all body roles of the skeleton; of several the one that explains most."""
    found = [m for table in load_tables() if (m := _read(skeleton, table)) is not None]
    return max(found, key=lambda m: m.rank, default=None)


def normal(name: str) -> str:
    """A joint name without namespace, separators and case: files lose these on their way."""
    return re.sub(r"[\W_]+", "", re.split(r"[:|]", name)[-1] or name).lower()


@cache
def load_tables() -> tuple[Table, ...]:
    """All tables, sorted by file name."""
    folder = files("moveset.rigs").joinpath("tables")
    texts = {f.name: f.read_text(encoding="utf-8") for f in folder.iterdir() if f.name.endswith(".toml")}
    return tuple(_table(tomllib.loads(texts[name])) for name in sorted(texts))


def _table(data: Mapping[str, object]) -> Table:
    sides: Sequence[str] = data.get("sides", ("left", "right"))  # pyright: ignore[reportAssignmentType]
    names: dict[str, tuple[str, ...]] = {}
    for role, spellings in _entries(data):
        for side, word, letter in zip(("left", "right"), sides, "LR", strict=True):
            full = role if role[0].islower() else side + role
            names[full] = tuple(
                normal(s.replace("{}", word).format(short=letter, long=side)) for s in spellings
            )
    return Table(
        convention=str(data["convention"]),
        names=names,
        prefix=str(data.get("prefix", "")),
        detached=frozenset(str(role) for role in data.get("detached", ())),  # pyright: ignore[reportGeneralTypeIssues]
        partial=bool(data.get("partial", False)),
        also=tuple(normal(str(name)) for name in data.get("also", ())),  # pyright: ignore[reportGeneralTypeIssues]
    )


def _entries(data: Mapping[str, object]) -> Iterator[tuple[str, list[str]]]:
    """Role (sides not yet told apart) and its spellings, from all sections of a file."""
    section: Mapping[str, Mapping[str, str | list[str]]] = data  # pyright: ignore[reportAssignmentType]
    for role, spellings in section.get("roles", {}).items():
        yield role, [spellings] if isinstance(spellings, str) else spellings
    for finger, spellings in section.get("fingers", {}).items():
        for number, part in enumerate(_THUMB if finger == "Thumb" else _PHALANGES):
            if isinstance(spellings, list):
                yield finger + part, [spellings[number]]
            else:
                yield finger + part, [spellings.replace("#", str(number + 1))]
    for bone, spellings in section.get("twist", {}).items():
        for number in (1, 2, 3):
            yield f"{bone}Twist{number}", [str(spellings).replace("#", str(number))]


def _read(skeleton: Skeleton, table: Table) -> Match | None:
    """The roles that the table finds, or None where it does not fit."""
    joints, prefixed = _by_normal_name(skeleton, table.prefix)
    found: dict[str, int] = {}
    for role, spellings in table.names.items():
        joint = next((joints[s] for s in spellings if s in joints), None)
        if joint is not None and joint not in found.values():
            found[role] = joint
    body = [role for role in table.names if role in _BODY]
    have = [role for role in body if role in found]
    if len(have) < _ENOUGH * len(body) or any(role not in found and role not in _OPTIONAL for role in body):
        return None
    if not all(_hangs(skeleton, found, role) or _bare(role) in table.detached for role in have):
        return None
    roles = {r: j for r, j in found.items() if r in _BODY or _hangs(skeleton, found, r)}
    return Match(table, roles, prefixed, sum(name in joints for name in table.also))


def _by_normal_name(skeleton: Skeleton, prefix: str) -> tuple[dict[str, int], bool]:
    """Joint by normal name, and whether half of them carry `prefix`.

    That prefix, or one that nearly all joints share, is dropped. Of names that differ by separators alone the shortest
    counts: MakeHuman's doubles carry underscores.
    """
    names = list(skeleton.names)
    order = sorted(range(len(names)), key=lambda j: (-len(names[j]), -j))
    joints = {normal(names[j]): j for j in order}
    if prefix:
        pattern = re.compile(prefix)
        if sum(1 for name in names if pattern.search(name)) >= 0.5 * len(names):
            return joints | {normal(pattern.sub("", names[j], count=1)): j for j in order}, True
    shared = common_prefix(names)
    if not shared:
        return joints, False
    return {normal(names[j].removeprefix(shared)): j for j in order} | joints, False


def common_prefix(names: Sequence[str]) -> str:
    """What at least nine of ten names begin with, up to its last separator (`Armature_`, `actor1:`)."""
    heads = [m[0] for name in names if (m := re.match(r".*?[_:.\- |]", name))]
    best = max(set(heads), key=heads.count, default="")
    return best if heads.count(best) >= 0.9 * len(names) else ""


def _hangs(skeleton: Skeleton, found: Mapping[str, int], role: str) -> bool:
    """Whether the joint hangs below that of the next role above it which is there."""
    above = _above(role)
    while above is not None and above not in found:
        above = _above(above)
    return above is None or found[above] in skeleton.lineage(found[role])


def _above(role: str) -> str | None:
    side = next((s for s in ("left", "right") if role.startswith(s)), "")
    bare = role[len(side) :]
    for part in ("Thumb", "Index", "Middle", "Ring", "Little"):
        if bare.startswith(part):
            return side + "Hand"
    if "Twist" in bare:
        return None if bare.startswith("Twist") else side + bare.split("Twist")[0]
    if bare == "Shoulder" or bare == "FrontShoulder":
        return "spine"
    return PARENT.get(role) if role not in ("hips", "root") else None


def _bare(role: str) -> str:
    return role.removeprefix("left").removeprefix("right")
