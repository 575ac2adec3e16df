"""A crowd as a game would run it: 60 steps a second, four behaviors, the far ones at a lower level of detail.

    python examples/10_a_crowd_of_learned_characters.py [NAME.controller] [OUT]

Without a bundle it takes the one that the tests play, a stick figure with legs. `moveset train controller` with preset
`small` makes one with three levels, `examples/09_train_a_controller.py` one with a single level in a minute.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from moveset.bundle import open_bundle
from moveset.runtime.control import idle, move_to_target, uncontrolled, velocity_follow
from moveset.runtime.crowd import Crowd
from moveset.runtime.learned import LearnedController
from moveset.workflows.play_picture import draw

GOLDEN = Path(__file__).parents[1] / "tests" / "golden" / "bundle-v1" / "walker.controller"
SIDE, SPACING = 6, 2.0  # characters in a row, and the metres between them
HERTZ, SECONDS = 60, 8.0
NEAR, FAR = 5.0, 9.0  # metres from the eye at which the level of detail changes
STROLL = np.array((0.0, 1.1))  # [m/s] in the world: straight away from the eye, later back


def main(bundle: Path, out: Path) -> None:
    controller = LearnedController(open_bundle(bundle, "controller"))
    row, column = np.divmod(np.arange(SIDE * SIDE), SIDE)
    places = SPACING * np.stack((column - (SIDE - 1) / 2, row), axis=-1)
    crowd = Crowd(controller, count=len(places), seed=3)
    crowd.place(places, 0.0)

    standing, walking, going, wandering = (np.arange(len(places))[k::4] for k in range(4))
    targets = places[going] + np.random.default_rng(0).uniform(-2.5, 2.5, size=(len(going), 2))
    eye = np.array((0.0, -4.0))
    crowd.record()
    spent = []
    for frame in range(round(SECONDS * HERTZ)):
        began = time.perf_counter()
        crowd.control(idle(), who=standing)
        crowd.control(velocity_follow(STROLL if frame < 4 * HERTZ else -STROLL), who=walking)
        crowd.control(move_to_target(targets, facing=np.pi), who=going)
        crowd.control(uncontrolled(), who=wandering)
        if frame % 15 == 0:  # often enough: nobody comes far in a quarter of a second
            away = np.linalg.norm(crowd.positions - eye, axis=-1)
            wanted = np.minimum((away > NEAR).astype(int) + (away > FAR), len(controller.levels) - 1)
            for level in range(len(controller.levels)):
                crowd.set_lod(level, who=np.flatnonzero(wanted == level))
        crowd.step(1 / HERTZ)
        spent.append(time.perf_counter() - began)

    left = np.linalg.norm(crowd.positions[going] - targets, axis=-1)
    moved = np.linalg.norm(crowd.positions[standing] - places[standing], axis=-1)
    print(f"{len(places)} characters at {', '.join(map(str, controller.levels))}")
    print(f"a step took {1000 * np.median(spent):.2f} ms of the {1000 / HERTZ:.1f} ms that a frame has")
    print(
        f"{(left < 0.2).sum()} of {len(going)} came to their targets; who should stand moved {moved.max():.2f} m"
    )
    out.mkdir(parents=True, exist_ok=True)
    draw(crowd.clips(fps=HERTZ), None, str(out / "crowd.gif"))
    print("wrote", out / "crowd.gif")


if __name__ == "__main__":
    arguments = [Path(a) for a in sys.argv[1:]]
    main(
        arguments[0] if arguments else GOLDEN,
        arguments[1] if len(arguments) > 1 else Path("out/10"),
    )
