"""A controller from clips to a character on a circle, in about a minute of one core.

A frozen figure that glides along follows any path: what the body does is judged beside where it goes.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

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
from moveset.workflows.train import train_autoencoder, train_controller
from moveset.workflows.training.how import How
from moveset.workflows.training.sets import ANY_MOTION, Widening, write_training_set

WALKS = Widening(real=0.3, mirrored=0.3, bent=0.4, retimed=0.0, aside=0.0, standing=0.0, walk=0.0)
ONE = How(steps=1)
NAMES = (
    *("walk_100", "walk_120", "walk_140", "walk_brisk", "walk_curve_left_15", "walk_curve_left_30"),
    *(f"wander_walk_{number}" for number in range(1, 6)),
)


@pytest.fixture(scope="module")
def clips() -> list[Clip]:
    return [synthesize(name) for name in NAMES]


@pytest.fixture(scope="module")
def walks(tmp_path_factory, clips) -> Path:
    folder = tmp_path_factory.mktemp("controller") / "walks"
    write_training_set(folder, clips, [], WALKS)
    return folder


@pytest.fixture(scope="module")
def hardly_trained(walks) -> Bundle:
    below = train_autoencoder(walks, walks.with_suffix(".autoencoder"), "tiny", how=ONE)
    return train_controller(walks, walks.with_suffix(".controller"), "tiny", autoencoder=below, how=ONE)


def test_a_tiny_controller_walks_a_circle(walks, clips, tmp_path):
    """In the suite that CI runs, a minute or not: it is the only one that sees that learning works."""
    bundle = train_controller(walks, tmp_path / "walks.controller", "tiny")
    below = open_bundle(tmp_path / "walks.autoencoder", "autoencoder")
    assert bundle.manifest["stands_on"]["autoencoder"]["hash"] == below.hash
    own = LearnedController(bundle)
    run, follower = follow(own, circle(2), 1.2, 20.0, 4)
    found = measure_path(run, follower, own.fps) | measure_motion(
        run.clips, reference(clips[::2], clips[1::2])
    )
    assert found["path_distance"] < 0.08
    assert found["pose_ratio"] < 1.6
    assert 0.5 < found["jerk_ratio"] < 1.6
    assert found["foot_skate"] < 1.3 * found["foot_skate_real"] + 0.03


def test_it_stands_on_the_autoencoder_that_it_is_given(hardly_trained, walks):
    below = open_bundle(walks.with_suffix(".autoencoder"), "autoencoder")
    assert hardly_trained.latent == below.latent
    assert hardly_trained.manifest["stands_on"]["autoencoder"]["hash"] == below.hash


def test_starts_are_moments_of_the_data(hardly_trained):
    starts = hardly_trained.arrays("starts")
    said = hardly_trained.manifest["controller"]
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
    below = train_autoencoder(data, tmp_path / "other.autoencoder", "tiny", how=ONE)
    walk = synthesize("walk_120")
    rotations = np.array(walk.rotations)
    for joint in walk.skeleton.joints(("leftHand", "rightHand")):  # its twin is mirrored onto it
        rotations[:, joint] = (0, 0, 0, 1)
    still = replace(walk, rotations=rotations)
    write_training_set(tmp_path / "still", [still], [], ANY_MOTION)
    with pytest.raises(MovesetError, match="other joints"):
        train_controller(tmp_path / "still", tmp_path / "x.controller", "tiny", autoencoder=below)


def test_a_body_without_legs_is_refused_before_anything_is_trained(clips, tmp_path):
    skeleton = replace(clips[0].skeleton, roles=(None,) * len(clips[0].skeleton))
    snake = replace(clips[0], skeleton=skeleton, contacts=None)
    write_training_set(tmp_path / "snake.set", [snake], [], ANY_MOTION)
    with pytest.raises(MovesetError, match=r"no joint with role leftUpperLeg.*two legs"):
        train_controller(tmp_path / "snake.set", tmp_path / "snake.controller", "tiny")
    assert [path.name for path in tmp_path.iterdir()] == ["snake.set"]
