"""Acclaim skeletons (.asf): bones by direction and length, each with axes of its own in which it turns.

Jeff Lander 1998, "Working with Motion Capture File Formats", describes what the Acclaim game studio left behind; the
files of the CMU database are of this kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from moveset.errors import MovesetError
from moveset.formats.bvh.conventions import guess_unit, longest_chain
from moveset.geometry import euler, quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Finding, Skeleton

_INCH = 0.0254
_PLAUSIBLE = (0.5, 3.0)
"""Longest limb of a body [m] between which the stated unit is believed."""
MOST_BONES = 1000
DOFS = ("rx", "ry", "rz", "tx", "ty", "tz", "l")


@dataclass(frozen=True)
class Bone:
    """One bone, or the root."""

    name: str
    parent: int = -1
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Where its far end is from its near one, in the world's axes and file units; of the root its place."""
    axis: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Angles that turn the world's axes to those in which it moves, in file units."""
    order: str = "XYZ"
    """Of the turns: about the first axis first, all of them fixed."""
    dofs: tuple[str, ...] = ()
    """What a row of the motion states of it, in file order."""
    limits: tuple[tuple[float, float], ...] = ()
    """Least and most of each dof, as the file states them."""


@dataclass(frozen=True)
class Figure:
    """A parsed file; the root is the first bone, parents come first."""

    bones: tuple[Bone, ...]
    metres: float
    """Per file unit."""
    radians: bool = False
    findings: tuple[Finding, ...] = ()

    @property
    def angle(self) -> float:
        """Radians per file unit."""
        return 1.0 if self.radians else float(np.pi / 180)

    @property
    def axes(self) -> Array:
        """(J, 4) rotations from each bone's own axes to the world's."""
        return np.array(
            [
                euler.to_quaternion(np.array(bone.axis) * self.angle, bone.order, "extrinsic")
                for bone in self.bones
            ]
        )

    @property
    def skeleton(self) -> Skeleton:
        """Joints at the near end of each bone, turned as the world; at rest the root stands where the file says."""
        bones = self.bones
        ends = np.array([bone.offset for bone in bones]) * self.metres
        parents = np.array([bone.parent for bone in bones])
        below_root = parents <= 0  # the root's "offset" is its place, bones of the root begin at it
        offsets = np.where(below_root[:, None], 0.0, ends[np.maximum(parents, 0)])
        offsets[0] = ends[0]
        leaves = ~np.isin(np.arange(len(bones)), parents)
        tips = np.where(leaves[:, None], ends, np.nan)
        return Skeleton(
            tuple(b.name for b in bones), parents, quaternion.identity((len(bones),)), offsets, tips=tips
        )


def parse_asf(data: bytes, path: str) -> Figure:
    """The figure that a file describes."""
    sections = _sections(data, path)
    scale, radians = _units(sections, path)
    bones = {"root": _root(sections, path)}
    for lines in _blocks(sections.get("bonedata", ()), path):
        bone = _bone(lines, path)
        if bone.name in bones:
            raise MovesetError(f"bone {bone.name!r} is there twice", file=path, do="rename one of them")
        bones[bone.name] = bone
        if len(bones) > MOST_BONES:
            raise MovesetError(f"has more than {MOST_BONES} bones", file=path, do="check where it is from")
    ordered = _in_order(bones, sections, path)
    return _believed(Figure(ordered, scale, radians))


def _sections(data: bytes, path: str) -> dict[str, list[str]]:
    """Lines by the keyword above them; what follows the keyword on its own line comes first."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for raw in data.decode("latin-1").removeprefix("ï»¿").splitlines():
        line = raw.partition("#")[0].strip()
        if line.startswith(":"):
            keyword, _, rest = line[1:].partition(" ")
            lines = sections.setdefault(keyword.strip().lower(), [])
            line = rest.strip()
        if line:
            lines.append(line)
    if "bonedata" not in sections or "hierarchy" not in sections:
        raise MovesetError("is no .asf: it has no bonedata and hierarchy", file=path, do="fetch it again")
    return sections


def _units(sections: dict[str, list[str]], path: str) -> tuple[float, bool]:
    """Metres per unit of length, and whether angles are in radians."""
    words = [line.split() for line in sections.get("units", ())]
    stated = {w[0].lower(): w[1] for w in words if len(w) > 1}
    length = _numbers([stated.get("length", "1")], path, "units")[0]
    if not length > 0:
        raise MovesetError(f"length {length:g} is no unit", file=path, where="units", do="mend the file")
    return _INCH / length, stated.get("angle", "deg").lower().startswith("rad")


def _root(sections: dict[str, list[str]], path: str) -> Bone:
    bone = Bone("root", dofs=("tx", "ty", "tz", "rx", "ry", "rz"))
    for word, *rest in map(str.split, sections.get("root", ())):
        if word == "order":
            bone = replace(bone, dofs=_dofs(rest, path, "root"))
        elif word == "axis":
            bone = replace(bone, order=_order(rest[0] if rest else "", path, "root"))
        elif word == "position":
            bone = replace(bone, offset=_triple(rest, path, "root"))
        elif word == "orientation":
            bone = replace(bone, axis=_triple(rest, path, "root"))
    return bone


def _blocks(lines: Sequence[str], path: str) -> Iterator[list[str]]:
    """What stands between each `begin` and `end`."""
    block: list[str] | None = None
    for line in lines:
        word = line.lower()
        if word == "begin" and block is None:
            block = []
        elif word == "end" and block is not None:
            yield block
            block = None
        elif block is not None:
            block.append(line)
        else:
            raise MovesetError(
                f"{line[:40]!r} stands outside of begin and end", file=path, do="mend the file"
            )
    if block is not None:
        raise MovesetError("ends within a block", file=path, do="fetch it again: it was cut off")


def _bone(lines: Sequence[str], path: str) -> Bone:
    bone = Bone("")
    direction, length = np.zeros(3), 0.0
    limits: list[tuple[float, float]] = []
    for line in lines:
        word, _, rest = line.partition(" ")
        word, values = word.lower(), rest.split()
        if word == "name" and values:
            bone = replace(bone, name=rest.strip())
        elif word == "direction":
            direction = np.array(_triple(values, path, bone.name))
        elif word == "length":
            length = _numbers(values[:1], path, bone.name)[0]
        elif word == "axis":
            order = _order(values[3] if len(values) > 3 else "XYZ", path, bone.name)
            bone = replace(bone, axis=_triple(values[:3], path, bone.name), order=order)
        elif word == "dof":
            bone = replace(bone, dofs=_dofs(values, path, bone.name))
        elif word == "limits" or word.startswith("("):
            limits += [
                (float(low), float(high)) for low, high in re.findall(r"\(\s*([^\s()]+)[\s,]+([^\s()]+)\s*\)", line)
                if _is_number(low) and _is_number(high)
            ]  # fmt: skip
    if not bone.name:
        raise MovesetError("holds a bone without a name", file=path, where="bonedata", do="mend the file")
    norm = float(np.linalg.norm(direction))
    offset = direction / norm * length if norm > 1e-12 else np.zeros(3)
    return replace(bone, offset=tuple(offset.tolist()), limits=tuple(limits))


def _in_order(bones: dict[str, Bone], sections: dict[str, list[str]], path: str) -> tuple[Bone, ...]:
    """The bones of the hierarchy, parents first."""
    below: dict[str, list[str]] = {}
    seen = {"root"}
    for line in (line for block in _blocks(sections["hierarchy"], path) for line in block):
        parent, *children = line.split()
        for child in children:
            for name in (parent, child):
                if name not in bones:
                    raise MovesetError(
                        f"{name!r} is no bone", file=path, where="hierarchy", do="mend the file"
                    )
            if child in seen:
                raise MovesetError(
                    f"bone {child!r} hangs twice", file=path, where="hierarchy", do="mend the file"
                )
            seen.add(child)
            below.setdefault(parent, []).append(child)
    ordered: list[Bone] = []
    stack = [("root", -1)]
    while stack:
        name, parent = stack.pop()
        stack += [(child, len(ordered)) for child in reversed(below.get(name, []))]
        ordered.append(replace(bones[name], parent=parent))
    if len(ordered) != len(seen):
        raise MovesetError("bones hang on no root", file=path, where="hierarchy", do="mend the file")
    return tuple(ordered)


def _believed(figure: Figure) -> Figure:
    """The figure in its stated unit, or in a guessed one where the body would be no body."""
    skeleton = replace(figure, metres=1.0).skeleton
    chain = skeleton.rest_translations, _tips(skeleton), skeleton.parents.tolist()
    if _PLAUSIBLE[0] < longest_chain(*chain) * figure.metres < _PLAUSIBLE[1]:
        return figure
    metres, guess = guess_unit(*chain)
    return replace(figure, metres=metres, findings=(guess,))


def _tips(skeleton: Skeleton) -> Array:
    return np.full((len(skeleton), 3), np.nan) if skeleton.tips is None else skeleton.tips


def _order(text: str, path: str, where: str) -> str:
    order = text.upper()
    if order not in euler.ORDERS:
        raise MovesetError(f"{text[:20]!r} is no order of axes", file=path, where=where, do="mend the file")
    return order


def _dofs(words: Sequence[str], path: str, where: str) -> tuple[str, ...]:
    dofs = tuple(word.lower() for word in words)
    for word in dofs:
        if word not in DOFS or dofs.count(word) > 1:
            raise MovesetError(
                f"{word[:20]!r} is no way to move",
                file=path,
                where=where,
                do=f"known are {' '.join(DOFS)}, once each",
            )
    return dofs


def _triple(words: Sequence[str], path: str, where: str) -> tuple[float, float, float]:
    values = _numbers(words[:3], path, where)
    if len(values) != 3:
        raise MovesetError("three numbers are asked for", file=path, where=where, do="mend the file")
    return values[0], values[1], values[2]


def _numbers(words: Sequence[str], path: str, where: str) -> list[float]:
    if not words or not all(map(_is_number, words)):
        raise MovesetError(
            f"{' '.join(words)[:40]!r} is no number", file=path, where=where, do="mend the file"
        )
    return [float(word) for word in words]


def _is_number(word: str) -> bool:
    try:
        return abs(float(word)) < 1e9
    except ValueError:
        return False
