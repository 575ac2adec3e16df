"""Real clips measured: by gait, and through a bundle's manifest."""

from __future__ import annotations

import json

import numpy as np
import pytest

from moveset.errors import MovesetError
from moveset.motion.measure import ground_poses
from moveset.runtime.evaluation.reference import from_manifest, references, to_manifest
from moveset.synthetic.corpus import synthesize


@pytest.fixture(scope="module")
def real():
    known = [synthesize(name) for name in ("walk_100", "walk_140", "run_240", "idle_relaxed")]
    return references(known, [synthesize("walk_120"), synthesize("run_280")], keep=500)


def test_every_gait_is_measured_by_its_own_clips(real):
    assert set(real.gaits) == {"walk", "run"}
    assert real.gaits["run"].jerk > 1.5 * real.gaits["walk"].jerk
    assert real.gaits["walk"].jerk < real.everything.jerk < real.gaits["run"].jerk
    assert real.of("walk") is real.gaits["walk"]
    assert real.of("crawl") is real.everything
    # standing, walking, running are further from each other than two steps of a walk
    assert real.everything.diversity > 2 * real.gaits["walk"].diversity


def test_a_gait_that_nobody_walks_is_left_out():
    assert not references([synthesize("idle_relaxed")]).gaits


def test_the_measures_travel_in_a_manifest(real):
    said, arrays = to_manifest(real)
    again = from_manifest(json.loads(json.dumps(said, allow_nan=False)), arrays)
    assert set(again.gaits) == set(real.gaits)
    for gait in ("everything", "walk", "run"):
        one, other = real.of(gait), again.of(gait)
        np.testing.assert_array_equal(other.standing, one.standing)
        for key in ("foot_skate", "planted_speed", "jerk", "pose_distance", "pose_distance_p99", "diversity"):
            assert getattr(other, key) == getattr(one, key)
    asked = ground_poses(synthesize("walk_curve_left_30"))
    np.testing.assert_allclose(
        again.everything.poses.distances(*asked), real.everything.poses.distances(*asked), atol=2e-4
    )
    assert sum(array.nbytes for array in arrays.values()) < 200_000


def test_what_was_not_held_out_has_no_pose_distance_and_still_travels():
    said, arrays = to_manifest(references([synthesize("walk_100")]))
    assert np.isnan(
        from_manifest(json.loads(json.dumps(said, allow_nan=False)), arrays).everything.pose_distance
    )


def test_damaged_measures_are_told(real):
    said, arrays = to_manifest(real)
    with pytest.raises(MovesetError, match=r"damaged.*poses"):
        from_manifest(said, {})
    with pytest.raises(MovesetError, match="damaged"):
        from_manifest({"horizon": 0.1, "measures": {"walk": {}}}, arrays)
