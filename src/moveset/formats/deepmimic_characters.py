"""Characters of DeepMimic: joints, how each turns, and where it is attached.

The two that the published motions use are here, as their character files state them; any other is read from
`characters/NAME.txt` beside its motion. They face +X; `skeleton` turns them to +Z.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from moveset.errors import MovesetError
from moveset.geometry import euler, quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Skeleton
from moveset.motion.kinematics import forward_kinematics

WIDTHS = {"none": 7, "spherical": 4, "revolute": 1, "fixed": 0}
"""Numbers of a pose that a joint of each kind takes: the root a place and a turn, others a turn, an angle, nothing."""
Z_FROM_X = np.array([0.0, -np.sqrt(0.5), 0.0, np.sqrt(0.5)])
"""Turns what faces +X to +Z: -90 degrees about Y."""


@dataclass(frozen=True)
class Joint:
    """One joint of a character file."""

    name: str
    kind: str
    parent: int
    attach: tuple[float, float, float]
    """Place in the parent's space [m]."""
    turn: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Extrinsic X, Y, Z angles of the attachment [rad]."""
    role: str | None = None


@dataclass(frozen=True)
class Body:
    """All joints, parents first."""

    joints: tuple[Joint, ...]

    @property
    def width(self) -> int:
        """Numbers a frame has, its duration included."""
        return 1 + sum(WIDTHS[joint.kind] for joint in self.joints)

    @property
    def skeleton(self) -> Skeleton:
        """In Moveset's axes, standing with its lowest joint on the floor."""
        parents = np.array([joint.parent for joint in self.joints])
        attach = np.array([joint.attach for joint in self.joints], dtype=float)
        attach[0] = 0  # of a root it says where a scene puts the body
        offsets = quaternion.rotate(Z_FROM_X, attach)
        turns = turned(
            euler.to_quaternion(np.array([joint.turn for joint in self.joints]), "XYZ", "extrinsic")
        )
        offsets[0, 1] = -forward_kinematics(turns, offsets, parents)[1][:, 1].min()
        names, roles = zip(*((joint.name, joint.role) for joint in self.joints))
        return Skeleton(names, parents, turns, offsets, roles)


def turned(rotations: Array, back: bool = False) -> Array:
    """Rotations (..., 4) in axes that are turned from facing +X to +Z, or back."""
    turn = quaternion.conjugate(Z_FROM_X) if back else Z_FROM_X
    return quaternion.multiply(quaternion.multiply(turn, rotations), quaternion.conjugate(turn))


def body_of(document: dict, path: str) -> Body:
    """The body that a character file describes."""
    try:
        entries = document["Skeleton"]["Joints"]
        joints = tuple(
            Joint(
                str(entry["Name"]),
                str(entry["Type"]),
                int(entry["Parent"]),
                tuple(float(entry[f"Attach{axis}"]) for axis in "XYZ"),  # pyright: ignore[reportArgumentType]
                tuple(float(entry.get(f"AttachTheta{axis}", 0)) for axis in "XYZ"),  # pyright: ignore[reportArgumentType]
            )
            for entry in entries
        )
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
        raise MovesetError("describes no skeleton that can be read", file=path, do="fetch it again") from None
    for joint in joints:
        if joint.kind not in WIDTHS:
            raise MovesetError(
                f"joint {joint.name!r} is of the kind {joint.kind!r}",
                file=path,
                do=f"known are {', '.join(WIDTHS)}",
            )
    if not joints or joints[0].kind != "none" or any(joint.kind == "none" for joint in joints[1:]):
        raise MovesetError(
            "has no root, or several", file=path, do="its first joint must be of the kind 'none'"
        )
    if not np.isfinite([(*joint.attach, *joint.turn) for joint in joints]).all():
        raise MovesetError("holds attachments that are no numbers", file=path, do="fetch it again")
    return Body(joints)


def _joint(name: str, kind: str, parent: int, x: float, y: float, z: float, role: str | None = None) -> Joint:
    return Joint(name, kind, parent, (x, y, z), role=role)


HUMANOID = Body((
    _joint("root", "none", -1, 0, 0, 0, "hips"),
    _joint("chest", "spherical", 0, 0, 0.236151, 0, "spine"),
    _joint("neck", "spherical", 1, 0, 0.223894, 0, "head"),
    _joint("right_hip", "spherical", 0, 0, 0, 0.084887, "rightUpperLeg"),
    _joint("right_knee", "revolute", 3, 0, -0.421546, 0, "rightLowerLeg"),
    _joint("right_ankle", "spherical", 4, 0, -0.40987, 0, "rightFoot"),
    _joint("right_shoulder", "spherical", 1, -0.02405, 0.2435, 0.18311, "rightUpperArm"),
    _joint("right_elbow", "revolute", 6, 0, -0.274788, 0, "rightLowerArm"),
    _joint("right_wrist", "fixed", 7, 0, -0.258947, 0, "rightHand"),
    _joint("left_hip", "spherical", 0, 0, 0, -0.084887, "leftUpperLeg"),
    _joint("left_knee", "revolute", 9, 0, -0.421546, 0, "leftLowerLeg"),
    _joint("left_ankle", "spherical", 10, 0, -0.40987, 0, "leftFoot"),
    _joint("left_shoulder", "spherical", 1, -0.02405, 0.2435, -0.18311, "leftUpperArm"),
    _joint("left_elbow", "revolute", 12, 0, -0.274788, 0, "leftLowerArm"),
    _joint("left_wrist", "fixed", 13, 0, -0.258947, 0, "leftHand"),
))  # fmt: skip

DOG = Body((
    _joint("root", "none", -1, 0, 0, 0),
    _joint("spine0", "spherical", 0, 0, 0, 0),
    _joint("spine1", "spherical", 1, 0.2375, 0, 0),
    _joint("neck", "spherical", 2, 0.28135, 0, 0),
    _joint("head", "spherical", 3, 0.175, 0, 0),
    _joint("left_shoulder", "spherical", 2, 0.304074, -0.109983, -0.106071),
    _joint("left_forearm", "revolute", 5, 0, -0.19, 0),
    _joint("left_hand", "spherical", 6, 0, -0.2225, 0),
    _joint("left_finger", "spherical", 7, 0, -0.09, 0),
    _joint("right_shoulder", "spherical", 2, 0.304074, -0.109983, 0.106071),
    _joint("right_forearm", "revolute", 9, 0, -0.19, 0),
    _joint("right_hand", "spherical", 10, 0, -0.2225, 0),
    _joint("right_finger", "spherical", 11, 0, -0.09, 0),
    _joint("left_upper_leg", "spherical", 0, -0.074803, -0.095825, -0.05986),
    _joint("left_leg", "revolute", 13, 0, -0.2, 0),
    _joint("left_foot", "spherical", 14, 0, -0.225, 0),
    _joint("left_toe", "spherical", 15, 0, -0.135, 0),
    _joint("right_upper_leg", "spherical", 0, -0.074803, -0.095825, 0.05986),
    _joint("right_leg", "revolute", 17, 0, -0.2, 0),
    _joint("right_foot", "spherical", 18, 0, -0.225, 0),
    _joint("right_toe", "spherical", 19, 0, -0.135, 0),
    _joint("tail0", "spherical", 0, -0.086, 0, 0),
    _joint("tail1", "spherical", 21, -0.2, 0, 0),
))  # fmt: skip

BODIES = {body.width: body for body in (HUMANOID, DOG)}
