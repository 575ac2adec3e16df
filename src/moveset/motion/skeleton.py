"""A skeleton: joints in a tree, their rest pose, and the role that each plays."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from moveset.errors import MovesetError
from moveset.geometry.quaternion import Array
from moveset.motion.kinematics import forward_kinematics
from moveset.motion.roles import REQUIRED

_SAME_LENGTH = 1e-3  # bones that differ by less than this [m] are the same


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Joints with parents before children. Compare skeletons by `signature`."""

    names: tuple[str, ...]
    """(J) unique joint names as the file spells them."""
    parents: np.ndarray
    """(J,) int; parents[j] < j, -1 for a root. A skeleton may have several roots."""
    rest_rotations: Array
    """(J, 4) local rotations of the rest pose."""
    rest_translations: Array
    """(J, 3) local translations of the rest pose [m]."""
    roles: tuple[str | None, ...] = ()
    """(J) what each joint is on the body (motion/roles.py), None for a joint without a role."""
    tips: Array | None = None
    """(J, 3) end of the last bone of a leaf joint (a BVH end site) in joint space [m]; NaN where unknown."""

    def __post_init__(self) -> None:
        joints = len(self.names)
        parents = np.asarray(self.parents, dtype=np.int64)
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "parents", parents)
        object.__setattr__(self, "rest_rotations", np.asarray(self.rest_rotations, dtype=np.float64))
        object.__setattr__(self, "rest_translations", np.asarray(self.rest_translations, dtype=np.float64))
        object.__setattr__(self, "roles", tuple(self.roles) if self.roles else (None,) * joints)
        if len(set(self.names)) != joints:
            twice = sorted({n for n in self.names if self.names.count(n) > 1})
            raise MovesetError(f"joint names occur twice: {', '.join(twice[:5])}", do="make the names unique")
        if parents.shape != (joints,) or np.any(parents >= np.arange(joints)) or np.any(parents < -1):
            raise MovesetError("a joint must come after its parent", do="sort joints parents first")
        if self.rest_rotations.shape != (joints, 4) or self.rest_translations.shape != (joints, 3):
            raise MovesetError(
                f"rest pose has shapes {self.rest_rotations.shape} and {self.rest_translations.shape} "
                f"for {joints} joints",
                do="give (J, 4) rotations and (J, 3) translations",
            )
        if len(self.roles) != joints:
            raise MovesetError(
                f"{len(self.roles)} roles for {joints} joints", do="give one role or None a joint"
            )

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Joint number by name."""
        return {name: j for j, name in enumerate(self.names)}

    @cached_property
    def by_role(self) -> Mapping[str, int]:
        """Joint number by role."""
        return {role: j for j, role in enumerate(self.roles) if role}

    @cached_property
    def missing_roles(self) -> tuple[str, ...]:
        """What a humanoid must have and this skeleton lacks; empty for a humanoid."""
        return tuple(role for role in REQUIRED if role not in self.by_role)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """(J) the joints right below each joint."""
        below: list[list[int]] = [[] for _ in self.names]
        for j, parent in enumerate(self.parents):
            if parent >= 0:
                below[parent].append(j)
        return tuple(tuple(js) for js in below)

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """Joints without a parent."""
        return tuple(int(j) for j in np.flatnonzero(self.parents < 0))

    @cached_property
    def depth_first(self) -> tuple[int, ...]:
        """(J) the joints as braces nest: each before its children, which follow before its siblings."""
        order: list[int] = []
        stack = list(reversed(self.roots))
        while stack:
            order.append(stack.pop())
            stack += reversed(self.children[order[-1]])
        return tuple(order)

    def lineage(self, joint: int) -> list[int]:
        """The joint and every joint above it, up to its root."""
        joints = [joint]
        while (above := int(self.parents[joints[-1]])) >= 0:
            joints.append(above)
        return joints

    @cached_property
    def signature(self) -> str:
        """Hash of names, parents and rest pose (0.1 mm, 1e-4): equal for skeletons that can share clips.

        Translations down to the first fork (root, hips) are left out: they say where a body stands, not how it
        is built, and recordings of one body differ in them.
        """
        digest = hashlib.sha256("\0".join(self.names).encode())
        digest.update(self.parents.tobytes())
        bones = self.rest_translations.copy()
        bones[self._placing()] = 0
        rest = np.concatenate((bones, np.abs(self.rest_rotations)), axis=1)
        digest.update(np.round(rest * 1e4).astype(np.int64).tobytes())
        return digest.hexdigest()[:16]

    def _placing(self) -> list[int]:
        """Roots, and what follows them down to the first fork."""
        joints: list[int] = []
        for root in self.roots:
            chain = [root]
            while len(self.children[chain[-1]]) == 1:
                chain.append(self.children[chain[-1]][0])
            joints += chain if self.children[chain[-1]] else [root]
        return joints

    @cached_property
    def rest_world(self) -> tuple[Array, Array]:
        """World rotations (J, 4) and positions (J, 3) of the rest pose."""
        return forward_kinematics(self.rest_rotations, self.rest_translations, self.parents)

    def joint(self, role: str) -> int:
        """The joint that plays `role`."""
        try:
            return self.by_role[role]
        except KeyError:
            known = ", ".join(self.by_role) or "none"
            raise MovesetError(
                f"the skeleton has no joint with role {role!r}; it has: {known}",
                do="give the joint that role, or use a skeleton that has it",
            ) from None

    def joints(self, roles: Iterable[str]) -> np.ndarray:
        """(K,) joint numbers of `roles`."""
        return np.array([self.joint(role) for role in roles], dtype=np.int64)

    def with_roles(self, roles: Mapping[str, str]) -> Skeleton:
        """The same skeleton with roles given as {role: joint name}."""
        of_joint = {name: role for role, name in roles.items()}
        return replace(self, roles=tuple(of_joint.get(name) for name in self.names))


def same_bones(a: Skeleton, b: Skeleton) -> bool:
    """Whether poses of one skeleton hold on the other: equal trees and roles, bones within a millimetre.

    Where the hips rest does not matter, since clips move them; the actors of one set often differ by that alone.
    """
    if a.signature == b.signature:
        return True
    if a.names != b.names or a.roles != b.roles or not np.array_equal(a.parents, b.parents):
        return False
    bones = np.arange(len(a)) > a.by_role.get("hips", 0)
    return np.allclose(
        a.rest_translations[bones], b.rest_translations[bones], atol=_SAME_LENGTH
    ) and np.allclose(np.abs(np.sum(a.rest_rotations * b.rest_rotations, axis=-1)), 1, atol=1e-6)
