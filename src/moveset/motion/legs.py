"""Where the legs of a skeleton are and which way their knees bend: what foot lock and clean-up need to know."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion.roles import FEET
from moveset.motion.skeleton import Skeleton

SIDES = ("left", "right")


@dataclass(frozen=True, eq=False)
class Legs:
    """Where the two legs are on a skeleton."""

    chains: tuple[np.ndarray, ...]
    """Left and right: (L,) joints from a root of the skeleton to the toes (or the foot of a rig without toes)."""
    marks: np.ndarray
    """(2, 4) places in the chain of upper leg, lower leg, foot, toes."""
    hinges: Array
    """(2, 3) the axis about which the knee bends, in the frame of the upper leg."""
    flags: np.ndarray
    """(2,) which of FEET says that the end of the chain bears."""


def find_legs(skeleton: Skeleton, rotations: Array) -> Legs:
    """Chains by role, hinges from how the knees bend in local `rotations` (F, J, 4)."""
    chains, marks, hinges, flags = [], [], [], []
    for side in SIDES:
        foot = skeleton.joint(f"{side}Foot")
        end = skeleton.by_role.get(f"{side}Toes", foot)
        chain = skeleton.lineage(end)[::-1]
        upper, lower = skeleton.joint(f"{side}UpperLeg"), skeleton.joint(f"{side}LowerLeg")
        chains.append(np.array(chain))
        marks.append([chain.index(joint) for joint in (upper, lower, foot, end)])
        below = chain[chain.index(upper) + 1 : chain.index(foot) + 1]
        hinges.append(_hinge(skeleton, rotations, below, lower))
        flags.append(FEET.index(f"{side}Foot") if end == foot else FEET.index(f"{side}Toes"))
    return Legs(tuple(chains), np.array(marks), np.array(hinges), np.array(flags))


def _hinge(skeleton: Skeleton, rotations: Array, below: list[int], lower: int) -> Array:
    """Unit axis, in the frame of the upper leg, about which a straight leg turns to bend as the clips bend it."""
    turn = quaternion.identity((len(rotations),))
    thigh = np.zeros((len(rotations), 3))
    shank = np.zeros((len(rotations), 3))
    for joint in below:
        step = quaternion.rotate(turn, np.broadcast_to(skeleton.rest_translations[joint], thigh.shape))
        if joint <= lower:
            thigh += step
        else:
            shank += step
        turn = quaternion.multiply(turn, rotations[:, joint].astype(np.float64))
    bend = quaternion.cross(thigh, shank).sum(axis=0)
    return bend / max(np.linalg.norm(bend), 1e-12)
