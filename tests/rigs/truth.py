"""The pack's rigs and what their joints are (truth.toml), for tests, the benchmark and the sheets."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from moveset.motion.roles import (
    LEFT_ARM,
    LEFT_FRONT_LEG,
    LEFT_LEG,
    RIGHT_ARM,
    RIGHT_FRONT_LEG,
    RIGHT_LEG,
    SPINE,
)  # fmt: skip

PARTS = {
    "trunk": SPINE,
    "left_arm": LEFT_ARM,
    "right_arm": RIGHT_ARM,
    "left_front": LEFT_FRONT_LEG,
    "right_front": RIGHT_FRONT_LEG,
    "left_leg": LEFT_LEG,
    "right_leg": RIGHT_LEG,
}
GROUPS = {
    "hips": ("hips",),
    "spine": ("spine", "chest", "upperChest"),
    "head": ("neck", "head"),
    "arms": ("Shoulder", "UpperArm", "LowerArm", "FrontShoulder", "FrontUpperLeg", "FrontLowerLeg"),
    "hands": ("Hand", "FrontFoot", "FrontToes"),
    "legs": ("UpperLeg", "LowerLeg"),
    "feet": ("Foot", "Toes"),
}
"""Roles (without side) by the columns of the table."""


@dataclass(frozen=True)
class Rig:
    """One rig of the pack."""

    file: str
    kind: str
    """humanoid, quadruped, or other: a body with other limbs."""
    partial: bool
    """Whether it lacks limbs that its kind must have."""
    free: bool
    """Whether its picture may be shown."""
    roles: Mapping[str, tuple[str, ...]]
    """Names of the joints that may play a role, none where no joint does."""

    @property
    def name(self) -> str:
        """Short and unique."""
        path = Path(self.file)
        return f"{path.parent.name.removesuffix('.zip')}/{path.name}"


def rigs() -> list[Rig]:
    """All rigs of truth.toml."""
    data = tomllib.loads(Path(__file__).with_name("truth.toml").read_text(encoding="utf-8"))
    return [
        Rig(
            entry["file"],
            entry["kind"],
            entry.get("partial", False),
            entry["license"] != "other",
            {
                role: tuple(name.split("|")) if name else ()
                for part, roles in PARTS.items()
                if part in entry
                for role, name in zip(roles, entry[part], strict=True)
            },
        )
        for entry in data["rig"]
    ]


def group_of(role: str) -> str:
    """The column of the table that a role counts for."""
    bare = role.removeprefix("left").removeprefix("right")
    return next(group for group, roles in GROUPS.items() if role in roles or bare in roles)
