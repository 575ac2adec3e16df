"""The pictures in the README: one character walks a path that was asked for, others are about.

    python examples/07_follow_a_path.py [OUT.png] [NAME.controller]

All clips are synthesized; motion matching strings pieces of them together, and the others wander. With a bundle, e.g.
that of `make demo` or of examples/09, a network moves everyone, and the others have gone where they can watch. The
walker is drawn at several moments, pale ones first, like onion skins on an animator's table.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from moveset.bundle import open_bundle
from moveset.render import Actor, Look, Trail, frame_points, render_actors, save_png
from moveset.rigs.mannequin import mannequin
from moveset.runtime.control import move_to_target, uncontrolled
from moveset.runtime.course import drive, follow
from moveset.runtime.crowd import Crowd
from moveset.runtime.learned import LearnedController
from moveset.runtime.matching import MotionMatching
from moveset.runtime.path import parse_path
from moveset.synthetic import corpus
from moveset.workflows.locomotion import is_locomotion, widened

SIZE = (1000, 420)
SPEED, SECONDS, RADIUS = 1.3, 22.0, 2.5
POSES = 12
PALE, STRONG = np.array((232, 236, 242)), np.array((240, 150, 90))
AROUND = [(-8.5, -7.0), (-5.4, -5.4), (-2.6, -8.0), (0.6, -5.8), (3.4, -8.4), (5.6, -5.6), (8.6, -7.4)]
"""Where the others start, behind the path (x, z) [m]."""

_ANGLES = np.radians(np.linspace(207, 345, len(AROUND)))
WATCHING = np.stack((6.6 * np.cos(_ANGLES), 4.3 * np.sin(_ANGLES)), axis=-1)
"""Where they watch from."""


def main(out: Path, bundle: Path | None) -> None:
    if bundle:
        controller = LearnedController(open_bundle(bundle, "controller"))
    else:
        walks = [clip for clip in corpus() if is_locomotion(clip.name, clip.tags.words)]
        controller = MotionMatching.from_clips(widened(walks))
    run, follower = follow(controller, parse_path(f"eight:{RADIUS}"), SPEED, SECONDS)
    walker = run.clips[0]
    crowd = Crowd(controller, len(AROUND), seed=4)
    crowd.place(np.array(AROUND), 0.0)
    watch = move_to_target(WATCHING, facing=np.arctan2(*(-WATCHING).T))
    control, seconds = (watch, 10.0) if bundle else (uncontrolled(), 2.0)
    others = drive(crowd, lambda frame: crowd.control(control), seconds).clips

    figure = mannequin(walker.skeleton, walker)
    moments = np.linspace(0, len(walker) - 1, POSES).astype(int)
    actors = [
        Actor(walker, figure, _mixed(n / (POSES - 1)), frame=int(frame)) for n, frame in enumerate(moments)
    ]
    actors += [Actor(clip, figure, (176, 196, 222), frame=len(clip) - 1) for clip in others]
    asked = follower.path.polyline(follower.path.length)
    seen = np.concatenate((asked, asked + (0, 1.8, 0), np.array([(0.0, 1.6, -6.5)])))
    camera = frame_points(seen, (-14, 24), size=SIZE, fov=np.radians(20.0), margin=0.06)
    picture = next(
        render_actors(
            actors,
            size=SIZE,
            camera=camera,
            frames=[0],
            trails=[Trail(asked)],
            look=Look(samples=4, reach=18.0),
        )
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    save_png(picture, out)
    print("wrote", out)


def _mixed(share: float) -> tuple[int, int, int]:
    red, green, blue = (PALE + share * (STRONG - PALE)).astype(int).tolist()
    return red, green, blue


if __name__ == "__main__":
    given = [Path(a) for a in sys.argv[1:]]
    main(given[0] if given else Path("out/07/path.png"), given[1] if len(given) > 1 else None)
