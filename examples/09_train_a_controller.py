"""Clips to a character that has learned to move: a library, a training set, two small networks, a crowd, GLB.

    python examples/09_train_a_controller.py [OUT] [--steps N]

It trains for a minute and a half on one core; --steps makes that shorter, and the motion worse. Take clips of your own
in place of the synthetic ones: everything below the first paragraph of `main` stays as it is.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import moveset
from moveset.rigs.mannequin import mannequin
from moveset.runtime.control import uncontrolled, velocity_follow
from moveset.runtime.crowd import Crowd
from moveset.runtime.learned import LearnedController
from moveset.synthetic import synthesize
from moveset.workflows.build import build_library
from moveset.workflows.play import Play, play_bundle, write_played
from moveset.workflows.train import train_autoencoder, train_controller
from moveset.workflows.training.how import How
from moveset.workflows.training.sources import training_set_of

CLIPS = (
    *("walk_080", "walk_100", "walk_120", "walk_140", "walk_curve_left_15", "walk_curve_right_15"),
    *("walk_start", "walk_stop", "wander_walk_1", "wander_walk_2", "wander_walk_3", "wander_walk_4"),
)


def main(out: Path, steps: int | None) -> None:
    for name in CLIPS:
        moveset.write(moveset.Asset(clips=(synthesize(name),)), out / "clips" / f"{name}.glb")
    library = out / "walks.library"
    build_library(library, [str(out / "clips")], fresh=True)

    # training clips mirrored, bent into curves, retimed, standing, and strung into long walks; held-out ones as they are
    training = training_set_of([str(library)], out / "walks.set", "tiny", say=print)
    how = How(steps=steps)
    autoencoder = train_autoencoder(training, out / "walks.autoencoder", "tiny", how=how, say=print)
    bundle = train_controller(
        training, out / "walks.controller", "tiny", how=how, autoencoder=autoencoder, say=print
    )

    # a small path error alone means little: judge the body beside the clips, too
    walk = play_bundle(str(bundle.path), Play(path="circle:2", seconds=12.0, against=str(library)))
    m = walk.measures
    print(
        f"{100 * m['path_distance']:.1f} cm off the path; beside the clips: "
        f"feet slide {m['foot_skate'] / m['foot_skate_real']:.2f} x, jerk {m['jerk_ratio']:.2f} x"
    )
    print("wrote", *write_played(walk, str(out / "walk.glb")))

    # the same network moves any number of characters; each has its own wishes
    crowd = Crowd(LearnedController(bundle), count=3, seed=7)
    crowd.place([(0.0, 0.0), (2.0, 0.0), (4.0, 0.0)], 0.0)
    crowd.record()
    for frame in range(180):
        crowd.control(velocity_follow((0.0, 1.2 if frame < 120 else 0.0)), who=[0, 1])
        crowd.control(uncontrolled(), who=[2])
        crowd.step(1 / 30)
    for clip in crowd.clips(fps=30.0):
        figure = mannequin(clip.skeleton, clip)
        print("wrote", moveset.write(moveset.Asset((figure,), (clip,)), out / f"{clip.name}.glb"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", nargs="?", type=Path, default=Path("out/09"))
    parser.add_argument("--steps", type=int)
    options = parser.parse_args()
    main(options.out, options.steps)
