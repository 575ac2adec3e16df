"""A controller from clips to a character on a circle, in about a minute of one core.

A frozen figure that glides along follows any path: what the body does is judged beside where it goes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from moveset.bundle import Bundle, open_bundle
from moveset.errors import MovesetError
from moveset.learn.data import open_training_set
from moveset.motion import Clip
from moveset.runtime.course import follow
from moveset.runtime.evaluation.measures import measure_motion, measure_path
from moveset.runtime.evaluation.reference import reference
from moveset.runtime.learned import LearnedController
from moveset.runtime.path import circle
from moveset.synthetic import synthesize
from moveset.workflows.train import train_autoencoder
from moveset.workflows.train_controller import train_controller
from moveset.workflows.training_set import ANY_MOTION, Widening, write_training_set

WALKS = Widening(real=0.3, mirrored=0.3, bent=0.4, retimed=0.0, aside=0.0, standing=0.0, walk=0.0)
NAMES = (
    *("walk_100", "walk_120", "walk_140", "walk_brisk", "walk_curve_left_15", "walk_curve_left_30"),
    *(f"wander_walk_{number}" for number in range(1, 6)),
)


@pytest.fixture(scope="module")
def clips() -> list[Clip]:
    return [synthesize(name) for name in NAMES]


@pytest.fixture(scope="module")
def controller(tmp_path_factory, clips) -> Bundle:
    folder = tmp_path_factory.mktemp("controller")
    write_training_set(folder / "walks", clips, [], WALKS)
    return train_controller(folder / "walks", folder / "walks.controller", "tiny")


@pytest.mark.slow
def test_a_tiny_controller_walks_a_circle(controller, clips):
    own = LearnedController(controller)
    run, follower = follow(own, circle(2), 1.2, 20.0, 4)
    found = measure_path(run, follower, own.fps) | measure_motion(
        run.clips, reference(clips[::2], clips[1::2])
    )
    assert found["path_distance"] < 0.08
    assert found["pose_ratio"] < 1.6
    assert 0.5 < found["jerk_ratio"] < 1.6
    assert found["foot_skate"] < 1.3 * found["foot_skate_real"] + 0.03


@pytest.mark.slow
def test_it_stands_on_the_autoencoder_that_was_trained_for_it(controller):
    below = open_bundle(controller.path.with_suffix(".autoencoder"), "autoencoder")
    assert controller.latent == below.latent
    assert controller.manifest["stands_on"]["autoencoder"]["hash"] == below.hash


@pytest.mark.slow
def test_starts_are_moments_of_the_data(controller):
    starts = controller.arrays("starts")
    said = controller.manifest["controller"]
    assert starts["contexts"].shape[1:] == (said["context"], said["states"])
    speeds = np.linalg.norm(starts["offsets"][:, -1], axis=-1) / said["times"][-1]
    assert 0.8 < np.median(speeds) < 1.8
    assert starts["recorded"].mean() == 1.0  # bent clips are no place to begin at
    low, high = said["control_range"]["turns"]["low"], said["control_range"]["turns"]["high"]
    assert (starts["turns"] >= np.array(low) - 1e-3).all() and (
        starts["turns"] <= np.array(high) + 1e-3
    ).all()


def test_an_autoencoder_of_other_poses_is_refused(tmp_path):
    write_training_set(tmp_path / "set", [synthesize("walk_120")], [], ANY_MOTION)
    data = open_training_set(tmp_path / "set")
    below = train_autoencoder(data, tmp_path / "other.autoencoder", "tiny", steps=1)
    walk = synthesize("walk_120")
    rotations = np.array(walk.rotations)
    for joint in walk.skeleton.joints(("leftHand", "rightHand")):  # its twin is mirrored onto it
        rotations[:, joint] = (0, 0, 0, 1)
    still = replace(walk, rotations=rotations)
    write_training_set(tmp_path / "still", [still], [], ANY_MOTION)
    with pytest.raises(MovesetError, match="other joints"):
        train_controller(tmp_path / "still", tmp_path / "x.controller", "tiny", autoencoder=below)
