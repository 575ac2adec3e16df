"""A crowd, frame by frame, as a game loop would drive it: one follows a path, one a velocity, one wanders.

python examples/03_characters_that_move.py [OUT]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import moveset
from moveset.rigs.mannequin import mannequin
from moveset.runtime.control import uncontrolled, velocity_follow
from moveset.runtime.crowd import Crowd
from moveset.runtime.matching import MotionMatching
from moveset.runtime.path import PathFollower, parse_path
from moveset.synthetic import synthesize

CLIPS = ("wander_walk_1", "wander_walk_2", "wander_walk_3", "walk_start", "walk_stop", "idle_relaxed")


def main(out: Path) -> None:
    controller = MotionMatching.from_clips([synthesize(name) for name in CLIPS])
    crowd = Crowd(controller, count=3, seed=7)
    crowd.place([(0.0, 0.0), (3.0, 0.0), (-3.0, 0.0)], 0.0)
    crowd.record()
    circle = PathFollower(parse_path("circle:2"), speed=1.2, starts=np.zeros(1))
    for frame in range(300):
        time = frame / 30
        crowd.control(circle.control(time, controller.times), who=[0])
        crowd.control(velocity_follow((0.0, 1.3 if time < 5 else 0.0)), who=[1])
        crowd.control(uncontrolled(), who=[2])
        poses = crowd.step(
            1 / 30
        )  # local rotations and translations of three characters, ready for an engine
    print(
        f"{poses.rotations.shape[0]} characters, {poses.rotations.shape[1]} joints; at {crowd.positions.round(2)}"
    )
    out.mkdir(parents=True, exist_ok=True)
    for clip in crowd.clips(fps=30.0):
        figure = mannequin(clip.skeleton)
        print("wrote", moveset.write(moveset.Asset((figure,), (clip,)), out / f"{clip.name}.glb"))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out/03"))
