import numpy as np
import pytest

from moveset.features.pose import pose_space
from moveset.features.principal import (
    BLOCK_WEIGHTS,
    LEAST_LEVER,
    fit_principal_components,
    levers,
    mean_and_scale,
    without_root,
    without_root_block,
)
from moveset.motion import Clip, Skeleton
from moveset.synthetic import synthesize


@pytest.fixture(scope="module")
def walk():
    clip = synthesize("walk_120", seed=3)
    space = pose_space([clip])
    return space, without_root_block(space.vectors(clip), space.layout)


def test_with_all_components_nothing_is_lost(walk):
    space, poses = walk
    line = fit_principal_components(poses, space, poses.shape[1])
    missed = (line.decode(line.encode(poses)) - poses) / line.scale
    # directions with a thousandth of the first one's deviation have no say
    assert np.sqrt(np.square(missed).mean()) < 3e-3


def test_latents_have_mean_0_and_deviation_1_and_more_of_them_miss_less(walk):
    space, poses = walk
    missed = []
    for count in (2, 8, 16):
        line = fit_principal_components(poses, space, count)
        latents = line.encode(poses)
        assert np.allclose(latents.mean(axis=0), 0, atol=1e-9) and np.allclose(latents.std(axis=0), 1)
        missed.append(np.square((line.decode(latents) - poses) / line.scale).mean())
    assert missed[0] > missed[1] > missed[2] > 0


def test_it_is_the_best_linear_coding(walk):
    """No other subspace of as many directions misses less (Eckart and Young 1936); random ones stand for all."""
    space, poses = walk
    line = fit_principal_components(poses, space, 6)
    normalized = (poses - line.mean) / line.scale
    best = np.square(normalized - normalized @ line.components @ line.components.T).mean()
    rng = np.random.default_rng(0)
    for tilt in (0.01, 0.1, 1.0):
        other, _ = np.linalg.qr(line.components + tilt * rng.normal(size=line.components.shape))
        assert np.square(normalized - normalized @ other @ other.T).mean() > best


def test_more_components_than_there_are_directions_stay_silent(walk):
    space, poses = walk
    line = fit_principal_components(poses[:5], space, 30)
    assert np.isfinite(line.decode(line.encode(poses))).all()
    assert not line.components[:, 5:].any() and (line.deviations[5:] == 1).all()


def test_levers_by_hand():
    """A chain of three bones of 1 m: the first turns two joints, 1 and 2 m away."""
    skeleton = Skeleton(
        ("a", "b", "c"), np.array([-1, 0, 1]), np.tile([0, 0, 0, 1.0], (3, 1)), np.eye(3)[[1, 1, 1]]
    )
    rotations = np.tile([0, 0, 0, 1.0], (2, 3, 1))
    rotations[1] = (0.6, 0, 0, 0.8)
    clip = Clip(skeleton, rotations, np.tile(skeleton.rest_translations, (2, 1, 1)), 30.0)
    squares = np.array([1 + 4, 1, 0]) + LEAST_LEVER**2
    assert np.allclose(levers(pose_space([clip])), np.sqrt(squares))


def test_blocks_have_the_mean_square_of_their_weight(walk):
    space, poses = walk
    mean, scale = mean_and_scale(poses, space)
    normalized = (poses - mean) / scale
    for name, block in without_root(space.layout).slices.items():
        assert np.square(normalized[:, block]).mean() == pytest.approx(BLOCK_WEIGHTS.get(name, 1.0), rel=1e-6)
