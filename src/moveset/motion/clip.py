"""A clip: full local poses of one skeleton over time, with what is known about them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from moveset.errors import MovesetError
from moveset.geometry.quaternion import Array
from moveset.motion.kinematics import forward_kinematics
from moveset.motion.skeleton import Skeleton


@dataclass(frozen=True)
class Annotation:
    """The eight fields in which animators describe a clip (words/taxonomy.toml); several words a field."""

    motion_type: tuple[str, ...] = ()
    weapon_type: tuple[str, ...] = ()
    attack_type: tuple[str, ...] = ()
    direction: tuple[str, ...] = ()
    power: tuple[str, ...] = ()
    speed: tuple[str, ...] = ()
    impression: tuple[str, ...] = ()
    posture: str = ""
    """How the limbs move once the action has started, as a sentence."""


@dataclass(frozen=True)
class Tags:
    """What is said about a clip, apart from its motion."""

    words: tuple[str, ...] = ()
    """Free tags, lower case: from names, folders, tables."""
    annotation: Annotation = field(default_factory=Annotation)
    sentence: str = ""
    license: str = ""
    """SPDX identifier or the pack's own name; empty when nobody said."""
    source: str = ""
    """File (and clip inside it) that the motion came from."""
    mirrorable: bool = True


@dataclass(frozen=True)
class Event:
    """Something that happens at a moment: a foot lands, a weapon hits."""

    time: float
    """Seconds from the first frame."""
    name: str
    role: str | None = None


@dataclass(frozen=True, eq=False)
class Contacts:
    """Which joints bear on the floor in each frame."""

    roles: tuple[str, ...]
    flags: np.ndarray
    """(F, K) bool, K = len(roles)."""


@dataclass(frozen=True, eq=False)
class Clip:
    """Local poses. A constant track may be a broadcast view (stride 0), which costs nothing."""

    skeleton: Skeleton
    rotations: Array
    """(F, J, 4) local rotations, x y z w."""
    translations: Array
    """(F, J, 3) local translations [m]."""
    fps: float
    name: str = ""
    scales: Array | None = None
    """(F, J, 3) local scales; None when all are 1. A joint's scale acts on its own mesh and all its children."""
    loop: bool = False
    """Whether the frame after the last is the first: F / fps seconds instead of (F - 1) / fps."""
    additive: bool | None = None
    """Whether the clip is meant to be added to another, not played by itself; None where nobody said."""
    tags: Tags = field(default_factory=Tags)
    events: tuple[Event, ...] = ()
    contacts: Contacts | None = None
    curves: Mapping[str, Array] = field(default_factory=dict)
    """Named (F,) signals that ride along: blend-shape weights, IK switches."""

    def __post_init__(self) -> None:
        frames, joints = np.shape(self.rotations)[0], len(self.skeleton)
        for label, array, width in (
            ("rotations", self.rotations, 4),
            ("translations", self.translations, 3),
            ("scales", self.scales, 3),
        ):
            if array is not None and np.shape(array) != (frames, joints, width):
                raise MovesetError(
                    f"clip {self.name!r}: {label} have shape {np.shape(array)}, "
                    f"the skeleton and frames ask for {(frames, joints, width)}"
                )
        if not (np.isfinite(self.fps) and self.fps > 0):
            raise MovesetError(f"clip {self.name!r}: frame rate {self.fps} is not a positive number")

    def __len__(self) -> int:
        return len(self.rotations)

    @property
    def seconds(self) -> float:
        """Duration: (F - 1) / fps, or F / fps of a loop."""
        return (len(self) if self.loop else max(len(self) - 1, 0)) / self.fps

    @property
    def times(self) -> Array:
        """(F,) seconds of each frame from the first."""
        return np.arange(len(self)) / self.fps

    @property
    def tracks(self) -> tuple[Array, ...]:
        """Rotations, translations and, where there are any, scales."""
        return tuple(t for t in (self.rotations, self.translations, self.scales) if t is not None)

    @cached_property
    def is_finite(self) -> bool:
        """Whether no track holds NaN or infinity."""
        return all(bool(np.isfinite(track).all()) for track in self.tracks)

    @cached_property
    def world(self) -> tuple[Array, Array]:
        """World rotations (F, J, 4) and positions (F, J, 3)."""
        return forward_kinematics(self.rotations, self.translations, self.skeleton.parents, self.scales)

    @property
    def world_rotations(self) -> Array:
        """(F, J, 4)."""
        return self.world[0]

    @property
    def world_positions(self) -> Array:
        """(F, J, 3) [m]."""
        return self.world[1]

    @cached_property
    def content_hash(self) -> str:
        """Hash of the motion (not of names and tags): the clip's id in a library."""
        digest = hashlib.sha256(self.skeleton.signature.encode())
        digest.update(f"{self.fps:.4f} {self.loop} {bool(self.additive)}".encode())
        for track in self.tracks:
            digest.update(np.ascontiguousarray(track, dtype=np.float32).tobytes())
        return digest.hexdigest()[:16]

    def slice(self, start: int, stop: int) -> Clip:
        """Frames start to stop (exclusive) as a clip that plays once; events move with it."""
        start, stop, _ = slice(start, stop).indices(len(self))
        first, last = start / self.fps, (stop - 1) / self.fps
        return replace(
            self,
            rotations=self.rotations[start:stop],
            translations=self.translations[start:stop],
            scales=None if self.scales is None else self.scales[start:stop],
            loop=self.loop and start == 0 and stop == len(self),
            events=tuple(
                replace(e, time=e.time - first) for e in self.events if first - 1e-9 <= e.time <= last + 1e-9
            ),
            contacts=None
            if self.contacts is None
            else Contacts(self.contacts.roles, self.contacts.flags[start:stop]),
            curves={name: curve[start:stop] for name, curve in self.curves.items()},
        )
