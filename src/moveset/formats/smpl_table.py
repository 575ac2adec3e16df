"""Joints of SMPL, SMPL-H and SMPL-X: names, order, roles, and a figure of our own measure.

Names and order are those in which pose parameters are published (Loper et al. 2015, Romero et al. 2017, Pavlakos et
al. 2019). Bone lengths are Moveset's own average adult in a T-pose: the body models are not used, and shape
parameters (betas) say nothing here. A file that carries `rest_joints` brings its own.
"""

from __future__ import annotations

import numpy as np

from moveset.geometry import quaternion
from moveset.motion import Skeleton
from moveset.motion.canonical import canonical_skeleton
from moveset.motion.kinematics import forward_kinematics

_BODY = {
    "pelvis": "hips", "left_hip": "leftUpperLeg", "right_hip": "rightUpperLeg", "spine1": "spine",
    "left_knee": "leftLowerLeg", "right_knee": "rightLowerLeg", "spine2": "chest", "left_ankle": "leftFoot",
    "right_ankle": "rightFoot", "spine3": "upperChest", "left_foot": "leftToes", "right_foot": "rightToes",
    "neck": "neck", "left_collar": "leftShoulder", "right_collar": "rightShoulder", "head": "head",
    "left_shoulder": "leftUpperArm", "right_shoulder": "rightUpperArm", "left_elbow": "leftLowerArm",
    "right_elbow": "rightLowerArm", "left_wrist": "leftHand", "right_wrist": "rightHand",
}  # fmt: skip
"""The 22 joints that all three share, in their order, and the role of each."""

_ABOVE = {
    "left_hip": "pelvis", "right_hip": "pelvis", "spine1": "pelvis", "left_knee": "left_hip",
    "right_knee": "right_hip", "spine2": "spine1", "left_ankle": "left_knee", "right_ankle": "right_knee",
    "spine3": "spine2", "left_foot": "left_ankle", "right_foot": "right_ankle", "neck": "spine3",
    "left_collar": "spine3", "right_collar": "spine3", "head": "neck", "left_shoulder": "left_collar",
    "right_shoulder": "right_collar", "left_elbow": "left_shoulder", "right_elbow": "right_shoulder",
    "left_wrist": "left_elbow", "right_wrist": "right_elbow", "left_hand": "left_wrist",
    "right_hand": "right_wrist", "jaw": "head", "left_eye_smplhf": "head", "right_eye_smplhf": "head",
}  # fmt: skip

_FINGERS = {
    # knuckle from the wrist and the two bones that follow, of a left hand in a T-pose [m]
    "index": ((0.094, -0.004, 0.024), (0.036, 0.0, 0.001), (0.023, 0.0, 0.0)),
    "middle": ((0.098, 0.0, 0.001), (0.040, 0.0, 0.0), (0.026, 0.0, 0.0)),
    "pinky": ((0.080, -0.006, -0.038), (0.025, 0.0, -0.002), (0.018, 0.0, -0.001)),
    "ring": ((0.092, -0.002, -0.019), (0.037, 0.0, -0.001), (0.025, 0.0, 0.0)),
    "thumb": ((0.032, -0.014, 0.028), (0.034, -0.008, 0.022), (0.028, -0.004, 0.014)),
}
_FINGER_ROLES = {"pinky": "Little"}
_PARTS = ("Proximal", "Intermediate", "Distal")
_THUMB_PARTS = ("Metacarpal", "Proximal", "Distal")
_OTHERS = {
    "left_hand": (0.088, -0.004, 0.0), "right_hand": (-0.088, -0.004, 0.0), "jaw": (0.0, 0.010, 0.022),
    "left_eye_smplhf": (0.032, 0.075, 0.080), "right_eye_smplhf": (-0.032, 0.075, 0.080),
}  # fmt: skip

PELVIS = np.array([0.0, -0.22, 0.03])
"""Where the pelvis of these models is at `trans` 0 [m]: their origin is in the chest."""

_HANDS = tuple(f"{side}_{finger}{n}" for side in ("left", "right") for finger in _FINGERS for n in (1, 2, 3))
_NAMES = {
    22: tuple(_BODY),
    24: (*_BODY, "left_hand", "right_hand"),
    52: (*_BODY, *_HANDS),
    55: (*_BODY, "jaw", "left_eye_smplhf", "right_eye_smplhf", *_HANDS),
}
JOINTS = tuple(_NAMES)
"""How many joints a pose can have: body alone, SMPL, SMPL-H, SMPL-X."""


def smpl_skeleton(joints: int, positions: np.ndarray | None = None) -> Skeleton:
    """The skeleton of a pose of that many joints, resting at `positions` (J, 3) [m] if they are known.

    It rests with its lowest joint on the floor.
    """
    names = _NAMES[joints]
    parents = np.array([names.index(_parent(name)) if name != "pelvis" else -1 for name in names])
    if positions is None:
        offsets = np.array([_offset(name) for name in names])
    else:
        offsets = positions - np.where(parents[:, None] < 0, positions, positions[np.maximum(parents, 0)])
    rest = quaternion.identity((joints,))
    lowest = forward_kinematics(rest, offsets, parents)[1][:, 1].min()
    offsets[0] = (0.0, -lowest, 0.0)
    return Skeleton(names, parents, rest, offsets, tuple(map(_role, names)))


def _parent(name: str) -> str:
    if name in _ABOVE:
        return _ABOVE[name]
    return f"{name[:-1]}{int(name[-1]) - 1}" if name[-1] != "1" else f"{name.partition('_')[0]}_wrist"


def _role(name: str) -> str | None:
    if name in _BODY:
        return _BODY[name]
    if name == "jaw":
        return "jaw"
    side, _, rest = name.partition("_")
    if rest.startswith("eye"):
        return f"{side}Eye"
    if rest == "hand":
        return None
    finger, part = rest[:-1], int(rest[-1]) - 1
    parts = _THUMB_PARTS if finger == "thumb" else _PARTS
    return f"{side}{_FINGER_ROLES.get(finger, finger.capitalize())}{parts[part]}"


def _offset(name: str) -> np.ndarray:
    """Offset from the parent [m] of our own figure."""
    if name == "pelvis":
        return np.zeros(3)
    if name in _BODY:
        figure = canonical_skeleton()
        return figure.rest_translations[figure.joint(_BODY[name])]
    if name in _OTHERS:
        return np.array(_OTHERS[name])
    side, _, rest = name.partition("_")
    bone = np.array(_FINGERS[rest[:-1]][int(rest[-1]) - 1])
    return bone if side == "left" else bone * (-1, 1, 1)
