"""Roles that a person wrote down: a TOML file of `joint = "role"` lines, read and written."""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from moveset.errors import MovesetError
from moveset.motion.roles import HUMANOID, QUADRUPED_BODY, is_role
from moveset.motion.skeleton import Skeleton
from moveset.rigs.report import BEYOND_DOUBT, SURE, FoundRole, RoleReport

NONE = "none"
"""What stands for a joint that plays no role."""
FILE_NAME = "roles.toml"


@dataclass(frozen=True)
class GivenRoles:
    """What a file of roles says."""

    file: str
    roles: Mapping[str, str]
    """Role (or NONE) by joint name."""
    for_all: bool = True
    """Whether every rig must have its joints; a file that lies beside others may be about some of them."""

    def concerns(self, skeleton: Skeleton) -> bool:
        """Whether the skeleton has one of the joints."""
        return any(joint in skeleton.index for joint in self.roles)


def read_roles(path: str | Path, for_all: bool = True) -> GivenRoles:
    """A file of roles."""
    try:
        data = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise MovesetError(error.strerror or "cannot be read", file=str(path), do="check the path") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise MovesetError(
            f"is no TOML: {error}", file=str(path), do='write lines such as "Bip01 Spine" = "spine"'
        ) from None
    table = data.get("roles", data)
    given: dict[str, str] = {}
    for joint, role in table.items() if isinstance(table, dict) else ():
        if not isinstance(role, str) or not (role == NONE or is_role(role)):
            raise MovesetError(
                f"{role!r} is no role",
                file=str(path),
                where=joint,
                do=_nearest(str(role), _ROLES) + f' or "{NONE}"',
            )
        given[joint] = role
    _once(given, path)
    return GivenRoles(str(path), given, for_all)


def override(report: RoleReport, given: GivenRoles) -> RoleReport:
    """The report with the roles that a person gave; a joint that the skeleton lacks is an error."""
    index, roles = report.skeleton.index, given.roles
    for joint in roles:
        if joint not in index:
            raise MovesetError(
                f"the skeleton has no joint {joint!r}",
                file=given.file,
                where=joint,
                do=_nearest(joint, index),
            )
    joints = {index[joint] for joint in roles}
    kept = tuple(f for f in report.found if f.joint not in joints and f.role not in roles.values())
    said = tuple(FoundRole(role, index[joint], 1.0, "given") for joint, role in roles.items() if role != NONE)
    return RoleReport(report.skeleton, report.convention, kept + said)


def as_toml(report: RoleReport) -> str:
    """The report as a file to be edited: every joint in the order of the tree, doubts and reasons as comments."""
    skeleton = report.skeleton
    lines = [
        f"# Roles of {len(skeleton)} joints ({report.convention}, {report.kind}). Edit a role, or take it away with "
        f'"{NONE}"; lines with # are not read.',
        "",
    ]
    for joint in skeleton.depth_first:
        found = report.by_joint.get(joint)
        indent = "  " * (len(skeleton.lineage(joint)) - 1)
        key = json.dumps(skeleton.names[joint], ensure_ascii=False)
        if found is None:
            lines.append(f'# {indent}{key} = "{NONE}"')
        elif found.confidence < SURE:
            lines.append(
                f'# {indent}{key} = "{found.role}"  # {found.confidence:.2f}, not sure enough: {found.why}'
            )
        else:
            doubt = "" if found.confidence >= BEYOND_DOUBT else f"  # {found.confidence:.2f}, {found.why}"
            lines.append(f'{indent}{key} = "{found.role}"{doubt}')
    return "\n".join(lines) + "\n"


_ROLES = tuple(dict.fromkeys((*HUMANOID, *QUADRUPED_BODY, "tail1", "leftWing1", "leftEar1", "leftFootIk")))


def _once(given: Mapping[str, str], path: str | Path) -> None:
    roles = [role for role in given.values() if role != NONE]
    for role in roles:
        if roles.count(role) > 1:
            joints = " and ".join(joint for joint, r in given.items() if r == role)
            raise MovesetError(
                f"{joints} are both {role}", file=str(path), where=role, do="give each role once"
            )


def _nearest(word: str, known: Iterable[str]) -> str:
    """Advice that names what is spelt like `word`."""
    known = list(known)
    near = difflib.get_close_matches(word, known, 3, 0.5) or known[:3]
    return "write " + " or ".join(near)
