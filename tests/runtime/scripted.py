"""Controllers whose motion is known beforehand: what they are asked does not matter."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from moveset.motion import Clip
from moveset.motion.floor import ground_from_world
from moveset.motion.ground import GroundFrame
from moveset.motion.rooted import poses_in_ground
from moveset.runtime.controller import Poses

FPS = 30.0


class Scripted:
    """N characters that are at `places(frame)` (N, 2) and face `headings(frame)` (N,), playing a clip as it goes.

    A frozen one keeps the pose of the clip's first frame.
    """

    def __init__(
        self,
        clip: Clip,
        places: Callable[[int], np.ndarray],
        headings: Callable[[int], np.ndarray],
        frozen: bool = False,
    ) -> None:
        self.skeleton, self.fps, self.times = clip.skeleton, FPS, (1 / FPS, 0.5, 1.0)
        self.range, self.form = None, {}
        self.places, self.headings, self.frozen = places, headings, frozen
        # a clip that walks straight on: its poses seen from a ground frame that moves evenly
        way = clip.world_positions[:, 0] * (0, 0, 1)
        even = np.linspace(way[0], way[-1], len(clip))
        self.rotations, self.translations = poses_in_ground(clip, GroundFrame(even, np.zeros(len(clip))))
        self.contacts = clip.contacts.flags

    def start(self, seeds):
        return {"frame": 0}

    def step(self, state, wish, dt):
        frame, count = state["frame"], len(wish.free)
        moved = np.broadcast_to(self.places(frame + 1) - self.places(frame), (count, 2))
        heading = np.broadcast_to(self.headings(frame), count)
        turned = np.broadcast_to(self.headings(frame + 1), count) - heading
        steps = np.column_stack((ground_from_world(moved, heading), turned))
        state["frame"] = frame + 1
        shown = 0 if self.frozen else (frame + 1) % len(self.rotations)
        return Poses(
            np.tile(self.rotations[shown], (count, 1, 1)),
            np.tile(self.translations[shown], (count, 1, 1)),
            np.tile(self.contacts[shown], (count, 1)),
            steps,
        )
