"""The learned controller over networks in onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest

from handmade import handmade
from moveset.bundle import open_bundle
from moveset.runtime.control import uncontrolled
from moveset.runtime.crowd import Crowd
from moveset.runtime.learned import LearnedController
from moveset.runtime.path import PathFollower, circle

pytest.importorskip("torch")
from handmade_bundle import write_handmade


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    return write_handmade(tmp_path_factory.mktemp("bundle") / "made.controller", handmade())


def run(controller, count, frames=240):
    crowd = Crowd(controller, count, seed=11)
    follower = PathFollower(circle(2), 1.2, 0.7 * np.arange(count))
    crowd.place(*follower.place())
    for frame in range(frames):
        crowd.control(follower.control(frame / 30, controller.times) if frame < 150 else uncontrolled())
        crowd.step(1 / 30)
    return crowd


def test_a_bundle_moves_as_its_networks_in_numpy_do(bundle):
    ours, made = run(LearnedController(bundle), 3), run(LearnedController(handmade()), 3)
    np.testing.assert_allclose(ours.positions, made.positions, atol=1e-4)
    np.testing.assert_allclose(ours.poses.rotations, made.poses.rotations, atol=1e-4)


@pytest.mark.parametrize("count", [2, 5, 17, 64])
def test_how_many_share_a_batch_hardly_matters(bundle, count):
    """onnxruntime sums in another order in batches of another size: the last bits of float32 differ."""
    controller = LearnedController(open_bundle(bundle.path))
    alone, among = run(controller, 1), run(controller, count)
    np.testing.assert_allclose(alone.positions[0], among.positions[0], atol=1e-5)
    np.testing.assert_allclose(alone.poses.rotations[0], among.poses.rotations[0], atol=1e-5)
