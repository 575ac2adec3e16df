"""A pose as a vector, the form in which models train on it: places and velocities in the ground frame, rotations,
contacts, and how the ground frame moves."""

from __future__ import annotations

import numpy as np

from moveset.features.layout import Field, Layout
from moveset.geometry import quaternion, rotation6d, signal
from moveset.geometry.quaternion import Array
from moveset.motion import Clip, Contacts, Skeleton
from moveset.motion.contacts import feet
from moveset.motion.ground import GroundFrame


def pose_layout(skeleton: Skeleton) -> Layout:
    """The blocks of `pose_features` for a skeleton of J joints with K foot roles."""
    joints = len(skeleton)
    return Layout(
        "pose",
        (
            Field("root", (3,), "m/frame m/frame rad/frame"),
            Field("positions", (joints, 3), "m"),
            Field("rotations", (joints, 6)),
            Field("velocities", (joints, 3), "m/s"),
            Field("contacts", (len(feet(skeleton)),)),
        ),
    )


def pose_features(clip: Clip, ground: GroundFrame, contacts: Contacts) -> Array:
    """(F, D) vectors of `pose_layout`.

    root         side [m], forward [m], turn [rad] of the ground frame since the frame before
    positions    of the joints in the ground frame [m]
    rotations    first two columns of the local rotation matrices; of roots, in the ground frame
    velocities   of the joints in the world, turned into the ground frame [m/s]
    contacts     0 or 1
    """
    rotations = clip.rotations.copy()
    roots = list(clip.skeleton.roots)
    rotations[:, roots] = ground.ground_from_world_rotations(clip.rotations[:, roots])
    world = clip.world_positions
    velocities = signal.derivative(world, clip.fps, loop=clip.loop) if len(clip) > 1 else np.zeros_like(world)
    return pose_layout(clip.skeleton).pack(
        {
            "root": ground.displacements,
            "positions": ground.ground_from_world(world),
            "rotations": rotation6d.from_quaternion(quaternion.normalize(rotations)),
            "velocities": ground.ground_from_world_directions(velocities),
            "contacts": contacts.flags.astype(world.dtype),
        }
    )
