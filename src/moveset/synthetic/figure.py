"""From what a body does - pelvis, chest, head, feet, arms - to the local rotations of its skeleton."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion.canonical import Body, canonical_skeleton
from moveset.motion.roles import FEET
from moveset.motion.skeleton import Skeleton

SIDES = ("left", "right")
_TORSO = ("spine", "chest", "upperChest")


@dataclass(frozen=True)
class FootTrack:
    """One foot over time."""

    ankle: Array
    """(F, 3) [m]."""
    rotation: Array
    """(F, 4) world rotation of the foot."""
    bend: Array
    """(F,) toes against the foot [rad], negative bends them up."""
    flat: np.ndarray
    """(F,) bool: the whole sole bears, the ankle stands still."""
    ball: np.ndarray
    """(F,) bool: the toe joint stands still."""
    air: Array
    """(F,) 0 on the floor, 1 well within a swing."""


@dataclass(frozen=True)
class ArmTrack:
    """Local rotations (F, 4) of one arm."""

    shoulder: Array
    upper: Array
    lower: Array
    hand: Array


@dataclass(frozen=True)
class Trunk:
    """The body without limbs over time, in world space."""

    hips: Array
    """(F, 3) position of the hips joint [m]."""
    pelvis: Array
    """(F, 4) world rotation."""
    chest: Array
    """(F, 4) world rotation of the upper chest; the spine below shares the turn out evenly."""
    head: Array
    """(F, 4) world rotation."""


class Figure:
    """A canonical skeleton and the lengths that posing it needs."""

    def __init__(self, body: Body | None = None) -> None:
        self.body = body or Body()
        self.skeleton: Skeleton = canonical_skeleton(self.body)
        offset = self.skeleton.rest_translations
        self.offset: Mapping[str, Array] = {
            role: offset[j] for j, role in enumerate(self.skeleton.roles) if role
        }
        ankle = self.skeleton.rest_world[1][self.skeleton.joint("leftFoot")]
        self.thigh = float(np.linalg.norm(self.offset["leftLowerLeg"]))
        self.shank = float(np.linalg.norm(self.offset["leftFoot"]))
        self.leg = self.thigh + self.shank + float(ankle[1])
        """Hip to floor of the straight leg [m]."""
        self.ankle_height = float(ankle[1])
        self.hips_height = float(offset[0, 1])
        self.hip_width = 2 * float(self.offset["leftUpperLeg"][0])
        self.arm = float(
            np.linalg.norm(self.offset["leftLowerArm"]) + np.linalg.norm(self.offset["leftHand"])
        )
        self.size = self.leg / 0.91
        """Leg length over that of the average adult: what step lengths and times scale with."""

    def hip(self, trunk: Trunk, side: str) -> Array:
        """(F, 3) world position of a hip joint."""
        return trunk.hips + quaternion.rotate(trunk.pelvis, self.offset[f"{side}UpperLeg"])

    def upper_chest(self, trunk: Trunk) -> Array:
        """(F, 3) world position of the upper chest joint."""
        rotation, position = trunk.pelvis, trunk.hips
        share = self._torso_share(trunk)
        for role in _TORSO:
            position = position + quaternion.rotate(rotation, self.offset[role])
            rotation = quaternion.multiply(rotation, share)
        return position

    def _torso_share(self, trunk: Trunk) -> Array:
        turn = quaternion.to_rotation_vector(quaternion.inverse_multiply(trunk.pelvis, trunk.chest))
        return quaternion.from_rotation_vector(turn / len(_TORSO))

    def pose(
        self, trunk: Trunk, feet: Mapping[str, FootTrack], arms: Mapping[str, ArmTrack]
    ) -> tuple[Array, Array]:
        """Local rotations (F, J, 4) and translations (F, J, 3)."""
        frames = len(trunk.hips)
        skeleton = self.skeleton
        rotations = quaternion.identity((frames, len(skeleton)))
        put = {role: rotations[:, j] for j, role in enumerate(skeleton.roles)}
        put["hips"][:] = trunk.pelvis
        share = self._torso_share(trunk)
        for role in _TORSO:
            put[role][:] = share
        nod = quaternion.to_rotation_vector(quaternion.inverse_multiply(trunk.chest, trunk.head))
        put["neck"][:] = quaternion.from_rotation_vector(0.45 * nod)
        put["head"][:] = quaternion.from_rotation_vector(0.55 * nod)
        for side in SIDES:
            upper, lower, foot = self._leg(trunk, feet[side], side)
            put[f"{side}UpperLeg"][:], put[f"{side}LowerLeg"][:], put[f"{side}Foot"][:] = upper, lower, foot
            put[f"{side}Toes"][:] = about_x(feet[side].bend)
            arm = arms[side]
            put[f"{side}Shoulder"][:], put[f"{side}UpperArm"][:] = arm.shoulder, arm.upper
            put[f"{side}LowerArm"][:], put[f"{side}Hand"][:] = arm.lower, arm.hand
        rotations = quaternion.unroll(rotations)
        still = skeleton.rest_translations[None, 1:]
        translations = np.concatenate(
            (trunk.hips[:, None], np.broadcast_to(still, (frames, len(skeleton) - 1, 3))), axis=1
        )
        return rotations, translations

    def _leg(self, trunk: Trunk, foot: FootTrack, side: str) -> tuple[Array, Array, Array]:
        """Local rotations of upper leg, lower leg and foot; the knee bends in a plane between pelvis and foot."""
        lateral = quaternion.rotate(trunk.pelvis, np.array([1.0, 0, 0]))
        lateral = lateral + quaternion.rotate(foot.rotation, np.array([1.0, 0, 0]))
        upper, lower = two_bone(
            foot.ankle - self.hip(trunk, side),
            self.offset[f"{side}LowerLeg"],
            self.offset[f"{side}Foot"],
            np.array([1.0, 0, 0]),
            lateral,
        )
        world_shank = quaternion.multiply(upper, lower)
        return (
            quaternion.inverse_multiply(trunk.pelvis, upper),
            lower,
            quaternion.inverse_multiply(world_shank, foot.rotation),
        )

    def contacts(self, feet: Mapping[str, FootTrack]) -> np.ndarray:
        """(F, 4) bool in the order of FEET."""
        columns = {
            f"{side}{part}": flags
            for side in SIDES
            for part, flags in (("Foot", feet[side].flat), ("Toes", feet[side].ball))
        }
        return np.stack([columns[role] for role in FEET], axis=1)


def about_x(angle: Array) -> Array:
    """(..., 4) turns about X [rad]: positive tips forward, toes down."""
    return quaternion.from_axis_angle(np.array([1.0, 0, 0]), angle)


def about_y(angle: Array) -> Array:
    """(..., 4) turns about Y [rad]: positive to the left."""
    return quaternion.from_axis_angle(np.array([0.0, 1, 0]), angle)


def about_z(angle: Array) -> Array:
    """(..., 4) turns about Z [rad]: positive lifts the left side."""
    return quaternion.from_axis_angle(np.array([0.0, 0, 1]), angle)


def turned(heading: Array, pitch: Array, roll: Array) -> Array:
    """Heading about Y, then pitch forward about X, then roll about Z (intrinsic Y, X, Z)."""
    return quaternion.multiply(quaternion.multiply(about_y(heading), about_x(pitch)), about_z(roll))


def two_bone(reach: Array, first: Array, second: Array, hinge: Array, axis: Array) -> tuple[Array, Array]:
    """World rotation of the first bone and local rotation of the second that put the end at `reach` (F, 3).

    `first`, `second`: offsets to the middle and end joint in rest. The joint between turns about `hinge` (unit, in
    rest, square to both bones) by a positive angle; `axis` (F, 3) is where the hinge should point in the world.
    Out of reach, the limb points there fully stretched.
    """
    a, b = np.linalg.norm(first), np.linalg.norm(second)
    distance = np.clip(np.linalg.norm(reach, axis=-1), abs(a - b) + 1e-6, a + b - 1e-9)
    # angle from the first to the second bone about the hinge in rest
    rest = np.arctan2(np.dot(np.cross(first, second), hinge), np.dot(first, second))
    bend = np.arccos(np.clip((distance**2 - a * a - b * b) / (2 * a * b), -1, 1)) - rest
    lower = quaternion.from_axis_angle(hinge, bend)
    chord = first + quaternion.rotate(lower, np.broadcast_to(second, reach.shape))
    local, world = _frame(chord, np.broadcast_to(hinge, reach.shape)), _frame(reach, axis)
    upper = quaternion.from_matrix(np.einsum("...ij,...kj->...ik", world, local))
    return upper, lower


def _frame(along: Array, axis: Array) -> Array:
    """(F, 3, 3) columns: `along`, `axis` made square to it, and their cross product."""
    x = along / np.linalg.norm(along, axis=-1, keepdims=True)
    y = axis - np.einsum("...i,...i->...", axis, x)[..., None] * x
    y = y / np.maximum(np.linalg.norm(y, axis=-1, keepdims=True), 1e-12)
    return np.stack((x, y, quaternion.cross(x, y)), axis=-1)
