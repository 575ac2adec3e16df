"""Where to stand so that a whole clip is seen: extents of characters and cameras that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from moveset.errors import MovesetError
from moveset.geometry import signal
from moveset.geometry.quaternion import Array
from moveset.motion import Character, Clip
from moveset.render.camera import Camera, frame_points
from moveset.render.skinning import joint_matrices

View = str | tuple[float, float] | Camera | list[Camera]
"""A name in VIEWS, (azimuth, elevation) in degrees from the front, a still camera, or one camera a frame."""

_SMOOTH = 0.25
"""[s] Standard deviation of the Gaussian that smooths the path of a following camera."""


@dataclass(frozen=True, eq=False)
class Extent:
    """Boxes around what each joint moves: K joints that move anything."""

    joints: np.ndarray
    corners: Array
    """(K, 8, 3) in joint space [m]."""

    def places(self, joint_worlds: Array) -> Array:
        """World places (F, K * 8, 3) of the corners in poses (F, J, 3, 4)."""
        chosen = joint_worlds[:, self.joints]
        placed = np.einsum("fkab,kcb->fkca", chosen[..., :3], self.corners) + chosen[..., None, :, 3]
        return placed.reshape(len(joint_worlds), -1, 3)


def extent(character: Character) -> Extent:
    """The extent of a character's meshes; of its joints alone where it has none."""
    count = len(character.skeleton)
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    for mesh in character.meshes:
        if len(mesh.positions) == 0:
            continue
        strongest = np.argmax(mesh.weights, axis=1)[:, None]
        slot = np.take_along_axis(np.asarray(mesh.joint_indices), strongest, axis=1)[:, 0]
        binds = mesh.inverse_binds[slot]
        local = np.einsum("vab,vb->va", binds[:, :3, :3], mesh.positions) + binds[:, :3, 3]
        joints = np.asarray(mesh.skin_joints)[slot]
        np.minimum.at(low, joints, local)
        np.maximum.at(high, joints, local)
    joints = np.flatnonzero(np.isfinite(low).all(axis=1))
    if len(joints) == 0:
        return Extent(np.arange(count), np.zeros((count, 8, 3)))
    picks = np.array(list(np.ndindex(2, 2, 2)), dtype=bool)
    return Extent(joints, np.where(picks, high[joints, None], low[joints, None]))


def heading(clip: Clip, frame: int = 0) -> float:
    """Where the character faces in a frame [rad about +Y from +Z]; 0 where the skeleton has no thighs."""
    roles = clip.skeleton.by_role
    if "leftUpperLeg" not in roles or "rightUpperLeg" not in roles:
        return 0.0
    places = joint_matrices(clip, np.array([frame]))[0, :, :, 3]
    across = places[roles["leftUpperLeg"]] - places[roles["rightUpperLeg"]]
    if np.hypot(across[0], across[2]) < 1e-6:
        return 0.0
    return float(np.arctan2(-across[2], across[0]))


def shots(
    view: View, centers: Array, places: Array, stride: int, fps: float, size: tuple[int, int], heading: float
) -> Sequence[Camera]:
    """One camera a frame for `centers` (F, 3) that keeps `places` (F / stride, P, 3) in the picture.

    A named view stands still while the actors stay within about their own size, and follows their smoothed path
    otherwise; it never turns, so that turns of the character can be seen.
    """
    if isinstance(view, Camera):
        return [view] * len(centers)
    if isinstance(view, list):
        if len(view) < len(centers):
            raise MovesetError(
                f"{len(view)} cameras for {len(centers)} pictures", do="give one camera a picture"
            )
        return view
    body = float(np.ptp(places, axis=1).max(axis=1).mean())
    if np.linalg.norm(np.ptp(centers[:, (0, 2)], axis=0)) < 0.7 * body:
        return [frame_points(places, view, heading=heading, size=size)] * len(centers)
    offsets = signal.gaussian(centers * (1, 0, 1), _SMOOTH * fps)
    near = frame_points(places - offsets[::stride, None], view, heading=heading, size=size)
    return [near.moved(offset) for offset in offsets]
