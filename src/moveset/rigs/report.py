"""What was found out about a skeleton: a role a joint, how sure it is, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from moveset.errors import MovesetError
from moveset.motion.asset import Finding
from moveset.motion.roles import REQUIRED, REQUIRED_QUADRUPED, kind_of
from moveset.motion.skeleton import Skeleton
from moveset.rigs.shape.facing import ASSUMED

SURE = 0.5
"""Roles are given from this confidence on ..."""
BEYOND_DOUBT = 0.9
"""... and from this one on nobody need be told how sure they are."""
_DO = "look at `moveset info FILE --tree`, write the right roles with `moveset roles FILE` and edit them"


@dataclass(frozen=True)
class FoundRole:
    """One joint's role."""

    role: str
    joint: int
    confidence: float
    """0 to 1."""
    why: str


@dataclass(frozen=True, eq=False)
class RoleReport:
    """Roles of one skeleton and where they come from."""

    skeleton: Skeleton
    convention: str
    """Name of the table, or `names`, `shape`, `file`, `none`."""
    found: tuple[FoundRole, ...]

    @cached_property
    def roles(self) -> Mapping[str, int]:
        """Joint by role, those that are sure enough."""
        return {f.role: f.joint for f in self.found if f.confidence >= SURE}

    @cached_property
    def kind(self) -> str:
        """`humanoid`, `quadruped` or `partial`, by the roles that are sure enough."""
        return kind_of(self.roles)

    @cached_property
    def by_joint(self) -> Mapping[int, FoundRole]:
        """What was found by joint."""
        return {f.joint: f for f in self.found}

    @cached_property
    def uncertain(self) -> tuple[FoundRole, ...]:
        """What a body must have and is not sure enough, the least sure first."""
        required = {*REQUIRED, *REQUIRED_QUADRUPED}
        doubts = [f for f in self.found if f.confidence < SURE and f.role in required]
        return tuple(sorted(doubts, key=lambda f: f.confidence))

    def applied(self) -> Skeleton:
        """The skeleton with the roles that are sure enough."""
        roles: list[str | None] = [None] * len(self.skeleton)
        for role, joint in self.roles.items():
            roles[joint] = role
        same = tuple(roles) == self.skeleton.roles
        return self.skeleton if same else replace(self.skeleton, roles=tuple(roles))

    def findings(self) -> list[Finding]:
        """What a person should know: roles by shape alone, and roles that are not sure enough."""
        names = self.skeleton.names
        if self.uncertain:
            doubts = ", ".join(
                f"{f.role} = {names[f.joint]} ({f.confidence:.2f})" for f in self.uncertain[:4]
            )
            return [
                Finding(
                    "uncertain_roles", "warning", "",
                    f"{len(self.uncertain)} roles of a body are not sure enough to be given: {doubts}",
                    count=len(self.uncertain), advice=_DO,
                )
            ]  # fmt: skip
        if self.convention == "shape":
            sure = [f for f in self.found if f.confidence >= SURE]
            least = min(sure, key=lambda f: f.confidence)
            assumed = any(f.why.endswith(ASSUMED) for f in sure)
            sides = (
                "; that its left is left was taken from files facing +Z, nothing on it tells"
                if assumed
                else ""
            )
            return [
                Finding(
                    "roles_by_shape", "warning" if assumed else "info", "",
                    "the joints' names say nothing; roles were told by the skeleton's shape alone, "
                    f"least surely {least.role} = {names[least.joint]} ({least.confidence:.2f}){sides}",
                    advice=_DO,
                )
            ]  # fmt: skip
        return []

    def require(self, kind: str, file: str | None = None) -> Skeleton:
        """The skeleton with roles if it is of that kind; else an error that names what is missing or unsure."""
        if self.kind == kind:
            return self.applied()
        required = REQUIRED if kind == "humanoid" else REQUIRED_QUADRUPED
        names = self.skeleton.names
        doubts = {f.role: f for f in self.found if f.confidence < SURE}
        missing = [
            f"{role} (perhaps {names[doubts[role].joint]})" if role in doubts else role
            for role in required
            if role not in self.roles
        ]
        raise MovesetError(f"not a {kind} for sure: no joint plays {', '.join(missing)}", file=file, do=_DO)
