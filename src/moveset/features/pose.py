"""A pose as a vector, the form in which models learn it, and back.

A pose space says which joints of a skeleton a vector speaks of. Joints above the hips carry the root motion, helpers
of the rig that hang beside the body serve whoever animates it, and many joints never move: all of these keep one local
pose, and the vectors hold what is left.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from moveset.errors import MovesetError
from moveset.features.layout import Field, Layout
from moveset.geometry import quaternion, rotation6d, signal
from moveset.geometry.quaternion import Array
from moveset.motion import Clip, Contacts, Skeleton
from moveset.motion.contacts import detect_contacts, feet
from moveset.motion.ground import GroundFrame, center_joint, ground_frame, integrate
from moveset.motion.kinematics import forward_kinematics
from moveset.motion.rooted import poses_in_ground
from moveset.motion.skeleton import same_bones
from moveset.motion.skeleton_json import skeleton_from_json, skeleton_to_json

_TURNS = 1e-5  # a joint whose quaternions differ by less over all clips does not turn
_MOVES = 1e-4  # a joint that moves less than this in every clip against its parent [m] keeps its translation
_DIFFERS = 1e-3  # what a translation may differ from clip to clip [m]: actors of one set whose bones count as the same


@dataclass(frozen=True, eq=False)
class PoseSpace:
    """What a pose vector of a skeleton of J joints holds."""

    skeleton: Skeleton
    turning: np.ndarray
    """(A,) joints whose local rotation is in the vector, parents first."""
    moving: np.ndarray
    """(M,) joints whose local translation is in the vector, the hips first."""
    rotations: Array
    """(J, 4) local rotations of the joints that do not turn."""
    translations: Array
    """(J, 3) local translations of the joints that do not move [m]."""

    @cached_property
    def layout(self) -> Layout:
        """The blocks of a vector.

        root          side, forward [m/s], turn [rad/s] of the ground frame since the frame before, seen from it
        translations  local, of moving joints; of roots, in the ground frame
        rotations     first two columns of the local matrices of turning joints; of roots, in the ground frame
        positions     of turning joints in the ground frame
        velocities    of turning joints against the world, along the axes of the ground frame
        contacts      0 or 1, the foot roles that the skeleton has
        """
        joints = len(self.turning)
        return Layout(
            "pose",
            (
                Field("root", (3,), "m/s m/s rad/s"),
                Field("translations", (len(self.moving), 3), "m"),
                Field("rotations", (joints, 6)),
                Field("positions", (joints, 3), "m"),
                Field("velocities", (joints, 3), "m/s"),
                Field("contacts", (len(feet(self.skeleton)),)),
            ),
        )

    def vectors(self, clip: Clip, ground: GroundFrame | None = None) -> Array:
        """(F, D) vectors of the frames of a clip; contacts are detected where it brings none."""
        if not same_bones(clip.skeleton, self.skeleton):
            raise MovesetError(
                f"clip {clip.name!r} is on another skeleton than the pose space",
                do="retarget it, or make a pose space of clips of its skeleton",
            )
        ground = ground or ground_frame(clip)
        contacts = clip.contacts or detect_contacts(clip)
        rotations, translations = self._at_rest(*poses_in_ground(clip, ground))
        positions = forward_kinematics(rotations, translations, clip.skeleton.parents)[1][:, self.turning]
        world = ground.world_from_ground(positions)
        velocities = signal.derivative(world, clip.fps, loop=clip.loop) if len(clip) > 1 else 0 * world
        root = ground.displacements * clip.fps
        root[:1] = (
            root[1:2] if len(clip) > 1 else 0
        )  # nobody saw the step into the first frame; it was hardly a stop
        return self.layout.pack(
            {
                "root": root,
                "translations": translations[:, self.moving],
                "rotations": rotation6d.from_quaternion(quaternion.normalize(rotations[:, self.turning])),
                "positions": positions,
                "velocities": ground.ground_from_world_directions(velocities),
                "contacts": contacts.flags.astype(world.dtype),
            }
        )

    def local_poses(self, vectors: Array) -> tuple[Array, Array]:
        """Local rotations (..., J, 4) and translations (..., J, 3) in the ground frame, of vectors (..., D)."""
        blocks = self.layout.unpack(vectors)
        return self.complete(rotation6d.to_quaternion(blocks["rotations"]), blocks["translations"])

    def complete(self, rotations: Array, translations: Array) -> tuple[Array, Array]:
        """Poses of all J joints from those of the turning (..., A, 4) and the moving (..., M, 3) ones."""
        leading = rotations.shape[:-2]
        every_rotation = np.broadcast_to(self.rotations, (*leading, *self.rotations.shape)).copy()
        every_translation = np.broadcast_to(self.translations, (*leading, *self.translations.shape)).copy()
        every_rotation[..., self.turning, :] = rotations
        every_translation[..., self.moving, :] = translations
        return every_rotation, every_translation

    def clip(
        self,
        vectors: Array,
        fps: float,
        position: Array | None = None,
        heading: float = 0.0,
        name: str = "",
    ) -> Clip:
        """The clip of vectors (F, D) that starts at `position` (3,) [m] with `heading` [rad]: inverse of `vectors`."""
        blocks = self.layout.unpack(vectors.astype(np.float64))
        ground = integrate(blocks["root"] / fps, position, heading)
        rotations, translations = self.local_poses(vectors.astype(np.float64))
        roots = list(self.skeleton.roots)
        rotations[:, roots] = ground.world_from_ground_rotations(rotations[:, roots])
        translations[:, roots] = ground.world_from_ground(translations[:, roots])
        contacts = Contacts(feet(self.skeleton), blocks["contacts"] > 0.5)
        return Clip(self.skeleton, quaternion.unroll(rotations), translations, fps, name, contacts=contacts)

    def to_json(self) -> dict[str, object]:
        """As plain lists and numbers, exactly."""
        return {
            "skeleton": json.loads(skeleton_to_json(self.skeleton)),
            "turning": self.turning.tolist(),
            "moving": self.moving.tolist(),
            "rotations": self.rotations.tolist(),
            "translations": self.translations.tolist(),
        }

    @classmethod
    def from_json(cls, said: Mapping) -> PoseSpace:
        """The inverse of `to_json`."""
        return cls(
            skeleton_from_json(json.dumps(said["skeleton"])),
            np.array(said["turning"], dtype=np.int64),
            np.array(said["moving"], dtype=np.int64),
            np.array(said["rotations"]),
            np.array(said["translations"]),
        )

    def _at_rest(self, rotations: Array, translations: Array) -> tuple[Array, Array]:
        return self.complete(rotations[:, self.turning], translations[:, self.moving])


def pose_space(clips: Iterable[Clip]) -> PoseSpace:
    """The space of clips of one skeleton: which joints of the body, from the hips down, turn and move in them.

    The others keep the pose of the first clip's first frame.
    """
    first: tuple[Skeleton, Array, Array] | None = None
    turns, moves = np.zeros(0), np.zeros(0)
    for clip in clips:
        rotations, translations = poses_in_ground(clip, ground_frame(clip))
        if first is None:
            first = clip.skeleton, rotations[0], translations[0]
            turns, moves = np.zeros(len(clip.skeleton)), np.zeros(len(clip.skeleton))
        elif not same_bones(clip.skeleton, first[0]):
            raise MovesetError(
                f"clip {clip.name!r} is on another skeleton than the clips before it",
                do="bring the clips onto one body first",
            )
        np.maximum(turns, _farthest_turn(rotations, first[1]), out=turns)
        np.maximum(moves, np.ptp(translations, axis=0).max(axis=-1) / _MOVES, out=moves)
        np.maximum(moves, np.abs(translations - first[2]).max(axis=(0, 2)) / _DIFFERS, out=moves)
    if first is None:
        raise MovesetError("no clips to make a pose space of", do="give at least one clip")
    skeleton, rotations, translations = first
    center = center_joint(skeleton)
    body = np.array([center in skeleton.lineage(joint) for joint in range(len(skeleton))])
    turning = np.flatnonzero(body & ((turns > _TURNS) | (np.arange(len(skeleton)) == center)))
    moving = np.flatnonzero(body & (moves > 1) & (np.arange(len(skeleton)) != center))
    return PoseSpace(
        skeleton, turning, np.concatenate(([center], moving)), quaternion.normalize(rotations), translations
    )


def _farthest_turn(rotations: Array, start: Array) -> Array:
    """(J,) the largest difference of rotations (F, J, 4) from `start` (J, 4), either sign of a quaternion being the same."""
    apart = np.minimum(np.abs(rotations - start).max(axis=-1), np.abs(rotations + start).max(axis=-1))
    return apart.max(axis=0)
