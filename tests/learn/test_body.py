import numpy as np
import pytest
import torch

from moveset.features.pose import PoseSpace, pose_space
from moveset.geometry import quaternion, rotation6d
from moveset.learn.body import Body, matrices
from moveset.motion import Skeleton
from moveset.motion.canonical import canonical_skeleton
from moveset.motion.kinematics import forward_kinematics
from moveset.synthetic import synthesize


def random_space(seed: int, joints: int = 9) -> PoseSpace:
    """A random tree, some of whose joints turn and move."""
    rng = np.random.default_rng(seed)
    parents = np.array([-1, *(int(rng.integers(0, j)) for j in range(1, joints))])
    rest = quaternion.normalize(rng.normal(size=(joints, 4)))
    skeleton = Skeleton(tuple(f"j{j}" for j in range(joints)), parents, rest, rng.normal(size=(joints, 3)))
    turning = np.sort(rng.choice(joints, 5, replace=False))
    moving = rng.choice(joints, 2, replace=False)
    return PoseSpace(skeleton, turning, moving, rest, skeleton.rest_translations)


@pytest.mark.parametrize("seed", range(8))
def test_it_is_forward_kinematics_of_the_completed_pose(seed):
    space = random_space(seed)
    rng = np.random.default_rng(seed)
    rotations, translations = rng.normal(size=(4, 5, 6)), rng.normal(size=(4, 2, 3))
    poses = space.complete(rotation6d.to_quaternion(rotations), translations)
    truth = forward_kinematics(*poses, space.skeleton.parents)[1][:, space.turning]
    found = Body(space)(torch.tensor(rotations).float(), torch.tensor(translations).float())
    assert np.allclose(found.permute(2, 1, 0), truth, atol=2e-5)


def test_it_is_what_a_pose_vector_holds():
    clip = synthesize("walk_120", seed=1)
    space = pose_space([clip])
    blocks = space.layout.unpack(space.vectors(clip).astype(np.float32))
    found = Body(space)(torch.from_numpy(blocks["rotations"]), torch.from_numpy(blocks["translations"]))
    assert np.allclose(found.permute(2, 1, 0), blocks["positions"], atol=1e-5)


def test_gradients_are_finite_where_rotations_vanish():
    space = pose_space([synthesize("walk_120", seed=1)])
    for value in (
        torch.zeros(2, len(space.turning), 6),
        torch.tensor([1.0, 0, 0, 0, 1, 0]).expand(2, len(space.turning), 6),
    ):
        rotations = value.clone().requires_grad_()
        Body(space)(rotations, torch.zeros(2, len(space.moving), 3)).sum().backward()
        assert rotations.grad is not None and rotations.grad.isfinite().all()


def test_matrices_are_those_of_geometry():
    numbers = np.random.default_rng(0).normal(size=(7, 6))
    found = matrices(torch.tensor(numbers).T).permute(2, 0, 1)
    assert np.allclose(found, rotation6d.to_matrix(numbers), atol=1e-9)


def test_the_canonical_skeleton_at_rest():
    skeleton = canonical_skeleton()
    everything = np.arange(len(skeleton))
    space = PoseSpace(
        skeleton, everything, np.array([0]), skeleton.rest_rotations, skeleton.rest_translations
    )
    rotations = torch.tensor(rotation6d.from_quaternion(skeleton.rest_rotations)).float()[None]
    found = Body(space)(rotations, torch.tensor(skeleton.rest_translations[:1]).float()[None])
    assert np.allclose(found[:, :, 0].T, skeleton.rest_world[1], atol=1e-6)
