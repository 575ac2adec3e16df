"""The ground frame: where a body is on the floor and which way it heads, smoothed over the steps.

Origin under the hips on the floor, +Z along the heading. The heading is the horizontal direction across
(hip line + shoulder line) x up. Both are smoothed in time, so that root speed carries no ripple of the steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from moveset.conventions import FORWARD, LEFT, UP
from moveset.geometry import quaternion, signal
from moveset.geometry.quaternion import Array
from moveset.motion.clip import Clip
from moveset.motion.skeleton import Skeleton

POSITION_SIGMA = 4 / 30
HEADING_SIGMA = 6 / 30
"""Standard deviations of the smoothing [s]."""

_ACROSS = (("leftUpperLeg", "rightUpperLeg"), ("leftUpperArm", "rightUpperArm"))
_LEAST_LEVEL = 0.3
"""Share of the line across the body that must be level for its direction to be read as a heading."""


@dataclass(frozen=True, eq=False)
class GroundFrame:
    """The ground frame in every frame of a clip."""

    positions: Array
    """(F, 3) world positions of the origin [m], y = 0."""
    headings: Array
    """(F,) [rad] about +Y, 0 faces +Z, unwrapped."""

    @cached_property
    def rotations(self) -> Array:
        """(F, 4) turns from ground to world directions."""
        return quaternion.from_axis_angle(UP, self.headings)

    def ground_from_world(self, points: Array) -> Array:
        """World points (F, ..., 3) seen from the ground frame."""
        origin, turn = self._like(points)
        return quaternion.inverse_rotate(turn, points - origin)

    def world_from_ground(self, points: Array) -> Array:
        """Points (F, ..., 3) of the ground frame in the world."""
        origin, turn = self._like(points)
        return quaternion.rotate(turn, points) + origin

    def ground_from_world_directions(self, vectors: Array) -> Array:
        """World directions or velocities (F, ..., 3) turned into the ground frame."""
        return quaternion.inverse_rotate(self._like(vectors)[1], vectors)

    def world_from_ground_directions(self, vectors: Array) -> Array:
        """Directions or velocities (F, ..., 3) of the ground frame turned into the world."""
        return quaternion.rotate(self._like(vectors)[1], vectors)

    def ground_from_world_rotations(self, rotations: Array) -> Array:
        """World rotations (F, ..., 4) seen from the ground frame."""
        return quaternion.inverse_multiply(self._like(rotations)[1], rotations)

    def world_from_ground_rotations(self, rotations: Array) -> Array:
        """Rotations (F, ..., 4) of the ground frame in the world."""
        return quaternion.multiply(self._like(rotations)[1], rotations)

    @cached_property
    def displacements(self) -> Array:
        """(F, 3) side [m], forward [m], turn [rad] since the frame before, in that frame; zeros at first."""
        moved = quaternion.inverse_rotate(self.rotations[:-1], np.diff(self.positions, axis=0))
        steps = np.stack((moved[:, 0], moved[:, 2], np.diff(self.headings)), axis=-1)
        return np.concatenate((np.zeros((1, 3)), steps))

    def _like(self, array: Array) -> tuple[Array, Array]:
        """Origin and turn with the free axes of `array`."""
        free = (1,) * (array.ndim - 2)
        return self.positions.reshape(-1, *free, 3), self.rotations.reshape(-1, *free, 4)


def ground_frame(
    clip: Clip, position_sigma: float = POSITION_SIGMA, heading_sigma: float = HEADING_SIGMA
) -> GroundFrame:
    """The ground frame of a clip; sigmas in seconds, 0 for no smoothing.

    Without roles for shoulders the hips alone give the heading; without any, the root joint's turn from its rest.
    """
    origin = clip.world_positions[:, center_joint(clip.skeleton)] * (1.0, 0.0, 1.0)
    return GroundFrame(
        positions=signal.gaussian(origin, position_sigma * clip.fps, loop=clip.loop),
        headings=_smooth_turn(headings(clip), heading_sigma * clip.fps, clip.loop),
    )


def headings(clip: Clip) -> Array:
    """(F,) unsmoothed headings [rad], unwrapped; read through where the body lies on its side."""
    forward, size = _forward(clip)
    level = np.hypot(forward[:, 0], forward[:, 2])
    angles = np.arctan2(forward[:, 0], forward[:, 2])
    known = level > _LEAST_LEVEL * size
    if not known.any():
        return np.zeros(len(clip))
    frames = np.arange(len(clip))
    return np.interp(frames, frames[known], np.unwrap(angles[known]))


def integrate(displacements: Array, position: Array | None = None, heading: float = 0.0) -> GroundFrame:
    """The ground frame that takes `displacements` (F, 3) from a start: inverse of `GroundFrame.displacements`."""
    turned = heading + np.cumsum(displacements[:, 2]) - displacements[0, 2]
    steps = np.zeros((len(displacements), 3))
    steps[1:, 0], steps[1:, 2] = displacements[1:, 0], displacements[1:, 1]
    steps[1:] = quaternion.rotate(quaternion.from_axis_angle(UP, turned[:-1]), steps[1:])
    steps[0] = 0.0 if position is None else position
    return GroundFrame(np.cumsum(steps, axis=0), turned)


def center_joint(skeleton: Skeleton) -> int:
    """The joint over the origin of the ground frame: the hips, or the first root of a body without that role."""
    return skeleton.by_role.get("hips", skeleton.roots[0])


def _forward(clip: Clip) -> tuple[Array, Array]:
    """(F, 3) forward directions, not normalized, and (F,) their length if the body stood upright."""
    roles, positions = clip.skeleton.by_role, clip.world_positions
    lines = [
        positions[:, roles[left]] - positions[:, roles[right]]
        for left, right in _ACROSS
        if left in roles and right in roles
    ]
    if lines:
        across = np.sum(lines, axis=0)
        return quaternion.cross(across, np.broadcast_to(UP, across.shape)), np.linalg.norm(across, axis=-1)
    joint = center_joint(clip.skeleton)
    rest = clip.skeleton.rest_world[0][joint]
    turn = quaternion.multiply(clip.world_rotations[:, joint], quaternion.conjugate(rest))
    forward = quaternion.rotate(turn, np.broadcast_to(FORWARD, (len(clip), 3)))
    side = quaternion.rotate(turn, np.broadcast_to(LEFT, (len(clip), 3)))
    # where the forward axis stands upright, the side axis still knows the heading
    upright = np.hypot(forward[:, 0], forward[:, 2]) < _LEAST_LEVEL
    level = quaternion.cross(side, np.broadcast_to(UP, side.shape))
    return np.where(upright[:, None], level, forward), np.ones(len(clip))


def _smooth_turn(angles: Array, sigma: float, loop: bool) -> Array:
    """Smoothed headings; a loop may end whole turns further than it began."""
    if not loop or len(angles) < 2:
        return signal.gaussian(angles, sigma)
    turns = np.round((angles[-1] - angles[0]) * len(angles) / (len(angles) - 1) / (2 * np.pi))
    ramp = turns * 2 * np.pi * np.arange(len(angles)) / len(angles)
    return signal.gaussian(angles - ramp, sigma, loop=True) + ramp
