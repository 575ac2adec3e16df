"""Names for what a joint is on a body. Everything works by role, never by joint name.

Body roles are the VRM 1.0 humanoid bone names. Moveset adds `root` (a joint above the hips that carries root
motion), sockets, numbered chains for what bodies differ in (`tail1`, `leftWing2`, `rightEar1`), and names for
joints that only serve others: twist (`leftUpperArmTwist1`), IK targets (`leftFootIk`), poles (`leftKneePole`),
and the rest of a control rig (`helper3`, `leftHelper3`).

The front legs of a quadruped have roles of their own (`leftFrontUpperLeg`) although they are arms by anatomy and
some systems call them so. A dog whose front legs were arms would have all that a humanoid must have: T-poses would
spread its legs, mannequins dress it as a person, controllers of people accept it, contacts forget two feet. With
own names it is refused there, mirrors (sides are prefixes), retargets to other quadrupeds (equal roles), and whoever
wants a person's motion on a dog says so (`FRONT_FROM_ARM`). Hind legs keep the names of legs: hock is foot, the
joint below it toes, as bones correspond.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

SPINE = ("hips", "spine", "chest", "upperChest", "neck", "head")
LEFT_ARM = ("leftShoulder", "leftUpperArm", "leftLowerArm", "leftHand")
RIGHT_ARM = ("rightShoulder", "rightUpperArm", "rightLowerArm", "rightHand")
LEFT_LEG = ("leftUpperLeg", "leftLowerLeg", "leftFoot", "leftToes")
RIGHT_LEG = ("rightUpperLeg", "rightLowerLeg", "rightFoot", "rightToes")
BODY = SPINE + LEFT_ARM + RIGHT_ARM + LEFT_LEG + RIGHT_LEG
"""The 22 body roles, parents first within each chain."""

LEFT_FRONT_LEG = (
    "leftFrontShoulder", "leftFrontUpperLeg", "leftFrontLowerLeg", "leftFrontFoot", "leftFrontToes",
)  # fmt: skip
RIGHT_FRONT_LEG = tuple(role.replace("left", "right") for role in LEFT_FRONT_LEG)
"""Shoulder blade, upper leg to the elbow, lower leg to the wrist, foot (a horse's cannon bone), toes."""
QUADRUPED_BODY = SPINE + LEFT_FRONT_LEG + RIGHT_FRONT_LEG + LEFT_LEG + RIGHT_LEG
FRONT_FROM_ARM = {
    side + front: side + arm
    for side in ("left", "right")
    for front, arm in (
        ("FrontShoulder", "Shoulder"), ("FrontUpperLeg", "UpperArm"), ("FrontLowerLeg", "LowerArm"),
        ("FrontFoot", "Hand"),
    )
}  # fmt: skip
"""The part of an arm that each part of a front leg is by anatomy."""

SOCKETS = ("leftProp", "rightProp")
HEAD_SOCKET = "headProp"
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
_FIXED = frozenset((*HUMANOID, *QUADRUPED_BODY, HEAD_SOCKET))

FEET = ("leftFoot", "leftToes", "rightFoot", "rightToes")
"""Roles whose contacts with the floor are tracked, in this order."""
FRONT_FEET = ("leftFrontFoot", "leftFrontToes", "rightFrontFoot", "rightFrontToes")
"""The feet that a quadruped has besides FEET."""

REQUIRED = (
    "hips", "spine", "head",
    "leftUpperArm", "leftLowerArm", "leftHand", "rightUpperArm", "rightLowerArm", "rightHand",
    "leftUpperLeg", "leftLowerLeg", "leftFoot", "rightUpperLeg", "rightLowerLeg", "rightFoot",
)  # fmt: skip
"""What a humanoid must have (VRM 1.0)."""
REQUIRED_QUADRUPED = (
    "hips", "spine", "head",
    *(side + end + part for side in ("left", "right") for end in ("Front", "")
      for part in ("UpperLeg", "LowerLeg", "Foot")),
)  # fmt: skip
"""What a quadruped must have."""

PARENT = {
    "spine": "hips", "chest": "spine", "upperChest": "chest", "neck": "upperChest", "head": "neck",
    **{b: a for chain in (LEFT_ARM, RIGHT_ARM, LEFT_LEG, RIGHT_LEG, LEFT_FRONT_LEG, RIGHT_FRONT_LEG)
       for a, b in itertools.pairwise(chain)},
    "leftShoulder": "upperChest", "rightShoulder": "upperChest",
    "leftFrontShoulder": "upperChest", "rightFrontShoulder": "upperChest",
    "leftUpperLeg": "hips", "rightUpperLeg": "hips",
    "leftProp": "leftHand", "rightProp": "rightHand",
    "hips": "root", "jaw": "head", "leftEye": "head", "rightEye": "head",
}  # fmt: skip
"""The role above each role on a complete body."""

_AUXILIARY = re.compile(r"(Twist\d+|Ik|Pole|[hH]elper\d+)$")
_NUMBERED = re.compile(
    r"(tail|(left|right)(Wing|Ear))[1-9]\d*|(left|right)(Upper|Lower)(Arm|Leg)Twist[1-9]\d*"
    r"|(left|right)(Front)?(Foot|Hand)Ik|(left|right)(Front)?(Knee|Elbow)Pole|(helper|(left|right)Helper)[1-9]\d*"
)


def is_role(text: str) -> bool:
    """Whether `text` is a role that Moveset knows."""
    return text in _FIXED or _NUMBERED.fullmatch(text) is not None


def is_auxiliary(role: str | None) -> bool:
    """Whether the role serves other joints (twist, IK target, pole, control): no part of a pose or a retarget."""
    return role is not None and _AUXILIARY.search(role) is not None


def kind_of(roles: Iterable[str]) -> str:
    """`humanoid` or `quadruped` if all that one must have is among `roles`, else `partial`."""
    roles = set(roles)
    kinds = (("humanoid", REQUIRED), ("quadruped", REQUIRED_QUADRUPED))
    return next((kind for kind, required in kinds if roles.issuperset(required)), "partial")


def mirrored(role: str | None) -> str | None:
    """The same role on the other side of the body."""
    if role is None:
        return None
    if role.startswith("left"):
        return "right" + role[4:]
    if role.startswith("right"):
        return "left" + role[5:]
    return role
