"""Kinematics: the compiled kernels against NumPy, both against 4 x 4 matrices."""

from importlib import import_module

import numpy as np
import pytest

from moveset.geometry import quaternion, transform
from moveset.motion import kinematics
from moveset.motion.kinematics import forward_kinematics, inverse_kinematics

PARENTS = np.array([-1, 0, 1, 1, 0, 4, -1, 6])
SHAPES = [(), (1,), (5,), (2, 3), (0,), (4, 0)]


def poses(shape, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    rotations = quaternion.normalize(rng.normal(size=(*shape, len(PARENTS), 4)))
    return rotations.astype(dtype), rng.normal(size=(*shape, len(PARENTS), 3)).astype(dtype)


@pytest.fixture(params=["numpy", "compiled"])
def way(request, monkeypatch):
    """Both ways through the door."""
    kernels = None if request.param == "numpy" else import_module("moveset.motion.kernels")
    monkeypatch.setattr(kinematics, "_compiled", lambda joints, numbers: kernels)
    return request.param


def by_matrices(rotations, translations, scales=None):
    world = np.empty((*rotations.shape[:-1], 4, 4))
    local = transform.compose(translations, rotations, scales)
    for j, p in enumerate(PARENTS):
        world[..., j, :, :] = local[..., j, :, :] if p < 0 else world[..., p, :, :] @ local[..., j, :, :]
    return world


@pytest.mark.parametrize("shape", SHAPES)
def test_matrices_agree(way, shape):
    local = poses(shape)
    rotations, positions = forward_kinematics(*local, PARENTS)
    world = by_matrices(*local)
    np.testing.assert_allclose(positions, world[..., :3, 3], atol=1e-13)
    np.testing.assert_allclose(quaternion.to_matrix(rotations), world[..., :3, :3], atol=1e-13)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(), (3,), (2, 5)])
def test_compiled_and_numpy_give_the_same_bits(shape, dtype, monkeypatch):
    local = poses(shape, dtype)
    results = []
    for kernels in (None, import_module("moveset.motion.kernels")):
        monkeypatch.setattr(kinematics, "_compiled", lambda joints, numbers, kernels=kernels: kernels)
        world = forward_kinematics(*local, PARENTS)
        results.append((*world, *inverse_kinematics(*world, PARENTS)))
    for slow, fast in zip(*results, strict=True):
        np.testing.assert_array_equal(slow, fast)
        assert slow.dtype == fast.dtype == dtype


def test_a_pose_in_a_batch_equals_the_pose_alone(way):
    local = poses((13,))
    together = forward_kinematics(*local, PARENTS)
    back = inverse_kinematics(*together, PARENTS)
    for n in range(13):
        alone = forward_kinematics(local[0][n], local[1][n], PARENTS)
        again = inverse_kinematics(*alone, PARENTS)
        for a, b in zip((*alone, *again), (*together, *back), strict=True):
            np.testing.assert_array_equal(a, b[n])


@pytest.mark.parametrize("shape", SHAPES)
def test_inverse(way, shape):
    local = poses(shape)
    back = inverse_kinematics(*forward_kinematics(*local, PARENTS), PARENTS)
    np.testing.assert_allclose(back[0], local[0], atol=1e-13)
    np.testing.assert_allclose(back[1], local[1], atol=1e-13)


def test_uniform_scales_are_as_in_gltf(way):
    local = poses((4,))
    scales = np.repeat(np.random.default_rng(1).uniform(0.1, 10, (4, len(PARENTS), 1)), 3, axis=-1)
    rotations, positions = forward_kinematics(*local, PARENTS, scales)
    np.testing.assert_allclose(positions, by_matrices(*local, scales)[..., :3, 3], rtol=1e-12)
    np.testing.assert_array_equal(rotations, forward_kinematics(*local, PARENTS)[0])


def test_a_scale_acts_on_children_not_on_the_joint_itself(way):
    rotations, translations = quaternion.identity((3,)), np.array([[0, 1.0, 0], [0, 1, 0], [0, 1, 0]])
    scales = np.array([[1, 1, 1], [2, 3, 4], [5, 5, 5.0]])
    positions = forward_kinematics(rotations, translations, np.array([-1, 0, 1]), scales)[1]
    assert positions[:, 1].tolist() == [1, 2, 5]


def test_broadcasting_views_and_other_strides(way):
    rotations, _ = poses((6,))
    rest = poses(())[1]
    expected = forward_kinematics(rotations.copy(), np.repeat(rest[None], 6, axis=0), PARENTS)
    for r, t in (
        (rotations, rest),
        (rotations, np.broadcast_to(rest, (6, *rest.shape))),
        (np.asfortranarray(rotations), rest),
        (np.repeat(rotations, 2, axis=0)[::2], rest),
    ):
        for a, b in zip(forward_kinematics(r, t, PARENTS), expected, strict=True):
            np.testing.assert_array_equal(a, b)


def test_parents_of_any_integer_type_and_read_only_input(way):
    local = poses((2,))
    for array in local:
        array.setflags(write=False)
    expected = forward_kinematics(*local, PARENTS)[1]
    for parents in (PARENTS.tolist(), PARENTS.astype(np.int32)):
        np.testing.assert_array_equal(forward_kinematics(*local, parents)[1], expected)


def test_kernels_load_when_numpy_has_cost_as_much(monkeypatch):
    monkeypatch.setattr(kinematics, "_kernels", None)
    monkeypatch.setattr(kinematics, "_spent", 0.0)
    monkeypatch.setattr(kinematics, "_LOADING", 0.7)
    local = poses((10,))
    forward_kinematics(*local, PARENTS)
    assert kinematics._kernels is None
    monkeypatch.setattr(kinematics, "_spent", 0.7)
    forward_kinematics(*local, PARENTS)
    assert kinematics._kernels is not None
