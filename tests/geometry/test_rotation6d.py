import numpy as np
import pytest

from moveset.geometry import quaternion, rotation6d


def rotations(scale, seed=0):
    return quaternion.from_rotation_vector(np.random.default_rng(seed).normal(size=(4, 25, 3)) * scale)


@pytest.mark.parametrize("scale", [0, 1e-9, 1.0, 3.0])
def test_both_ways(scale):
    q = quaternion.positive(rotations(scale))
    np.testing.assert_allclose(rotation6d.to_quaternion(rotation6d.from_quaternion(q)), q, atol=1e-14)


def test_holds_where_the_axes_go():
    q = rotations(1.0)
    six = rotation6d.from_quaternion(q)
    np.testing.assert_allclose(
        six[..., :3], quaternion.rotate(q, np.broadcast_to([1.0, 0, 0], (4, 25, 3))), atol=1e-14
    )
    np.testing.assert_allclose(
        six[..., 3:], quaternion.rotate(q, np.broadcast_to([0.0, 1, 0], (4, 25, 3))), atol=1e-14
    )


def test_any_six_numbers_give_a_rotation_and_a_true_one_stays():
    rng = np.random.default_rng(0)
    m = rotation6d.to_matrix(rng.normal(size=(100, 6)))
    np.testing.assert_allclose(np.swapaxes(m, -1, -2) @ m, np.broadcast_to(np.eye(3), m.shape), atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(m), 1, atol=1e-12)
    six = rotation6d.from_quaternion(rotations(1.0)) * (2, 2, 2, 0.5, 0.5, 0.5)
    np.testing.assert_allclose(rotation6d.to_matrix(six), quaternion.to_matrix(rotations(1.0)), atol=1e-12)
