"""Names for what a joint is on a body. Everything works by role, never by joint name.

Body roles are the VRM 1.0 humanoid bone names. Moveset adds `root` (a joint above the hips that carries root
motion), weapon sockets, and numbered chains for what bodies differ in: `tail1`, `tail2`, ...
"""

from __future__ import annotations

import itertools

SPINE = ("hips", "spine", "chest", "upperChest", "neck", "head")
LEFT_ARM = ("leftShoulder", "leftUpperArm", "leftLowerArm", "leftHand")
RIGHT_ARM = ("rightShoulder", "rightUpperArm", "rightLowerArm", "rightHand")
LEFT_LEG = ("leftUpperLeg", "leftLowerLeg", "leftFoot", "leftToes")
RIGHT_LEG = ("rightUpperLeg", "rightLowerLeg", "rightFoot", "rightToes")
BODY = SPINE + LEFT_ARM + RIGHT_ARM + LEFT_LEG + RIGHT_LEG
"""The 22 body roles, parents first within each chain."""

SOCKETS = ("leftProp", "rightProp")
ROOT = "root"
FACE = ("jaw", "leftEye", "rightEye")
FINGERS = tuple(
    f"{side}{finger}{part}"
    for side in ("left", "right")
    for finger, parts in (
        ("Thumb", ("Metacarpal", "Proximal", "Distal")),
        ("Index", ("Proximal", "Intermediate", "Distal")),
        ("Middle", ("Proximal", "Intermediate", "Distal")),
        ("Ring", ("Proximal", "Intermediate", "Distal")),
        ("Little", ("Proximal", "Intermediate", "Distal")),
    )
    for part in parts
)
HUMANOID = (ROOT, *BODY, *SOCKETS, *FACE, *FINGERS)

FEET = ("leftFoot", "leftToes", "rightFoot", "rightToes")
"""Roles whose contacts with the floor are tracked, in this order."""

REQUIRED = (
    "hips", "spine", "head",
    "leftUpperArm", "leftLowerArm", "leftHand", "rightUpperArm", "rightLowerArm", "rightHand",
    "leftUpperLeg", "leftLowerLeg", "leftFoot", "rightUpperLeg", "rightLowerLeg", "rightFoot",
)  # fmt: skip
"""What a humanoid must have (VRM 1.0)."""

PARENT = {
    "spine": "hips", "chest": "spine", "upperChest": "chest", "neck": "upperChest", "head": "neck",
    **{b: a for chain in (LEFT_ARM, RIGHT_ARM, LEFT_LEG, RIGHT_LEG) for a, b in itertools.pairwise(chain)},
    "leftShoulder": "upperChest", "rightShoulder": "upperChest",
    "leftUpperLeg": "hips", "rightUpperLeg": "hips",
    "leftProp": "leftHand", "rightProp": "rightHand",
    "hips": "root", "jaw": "head", "leftEye": "head", "rightEye": "head",
}  # fmt: skip
"""The role above each role on a complete humanoid."""


def mirrored(role: str | None) -> str | None:
    """The same role on the other side of the body."""
    if role is None:
        return None
    if role.startswith("left"):
        return "right" + role[4:]
    if role.startswith("right"):
        return "left" + role[5:]
    return role
