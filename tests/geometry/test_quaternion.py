"""Quaternions against scipy.spatial.transform, over kinds of rotations, leading shapes and seeds."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from moveset.geometry import quaternion

SHAPES = [(), (1,), (7,), (3, 5)]
KINDS = {
    "any": lambda rng, shape: rng.normal(size=(*shape, 4)),
    "near identity": lambda rng, shape: np.concatenate(
        (rng.normal(size=(*shape, 3)) * 10.0 ** rng.uniform(-12, -3, (*shape, 1)), np.ones((*shape, 1))), -1
    ),
    "near half turn": lambda rng, shape: np.concatenate(
        (rng.normal(size=(*shape, 3)), rng.normal(size=(*shape, 1)) * 1e-9), -1
    ),
    "about an axis": lambda rng, shape: np.eye(4)[rng.integers(0, 3, shape)] * 0.8 + [0, 0, 0, -0.6],
    "identity": lambda rng, shape: np.broadcast_to([0.0, 0, 0, 1], (*shape, 4)),
}


@pytest.fixture(params=[(k, s, seed) for k in KINDS for s in SHAPES for seed in (0, 1)], ids=str)
def q(request):
    kind, shape, seed = request.param
    return quaternion.normalize(KINDS[kind](np.random.default_rng(seed), shape))


def scipy(q):
    return Rotation.from_quat(q.reshape(-1, 4))


def assert_same_rotation(a, b, tolerance=1e-14):
    """Equal up to sign, by components: arccos would hide errors under 1e-8."""
    b = np.reshape(b, np.shape(a))
    sign = np.where(np.sum(a * b, axis=-1, keepdims=True) < 0, -1, 1)
    np.testing.assert_allclose(a, b * sign, atol=tolerance, rtol=0)


def others(q, seed=9):
    return quaternion.normalize(np.random.default_rng(seed).normal(size=q.shape))


def vectors(q, seed=8):
    return np.random.default_rng(seed).normal(size=(*q.shape[:-1], 3))


def test_multiply(q):
    assert_same_rotation(quaternion.multiply(q, others(q)), (scipy(q) * scipy(others(q))).as_quat())


def test_inverse_multiply(q):
    expected = (scipy(q).inv() * scipy(others(q))).as_quat()
    assert_same_rotation(quaternion.inverse_multiply(q, others(q)), expected)


def test_rotate_and_back(q):
    v = vectors(q)
    turned = quaternion.rotate(q, v)
    np.testing.assert_allclose(turned.reshape(-1, 3), scipy(q).apply(v.reshape(-1, 3)), atol=1e-14)
    np.testing.assert_allclose(quaternion.inverse_rotate(q, turned), v, atol=1e-14)


def test_matrix_both_ways(q):
    m = quaternion.to_matrix(q)
    np.testing.assert_allclose(m.reshape(-1, 3, 3), scipy(q).as_matrix(), atol=1e-14)
    back = quaternion.from_matrix(m)
    assert_same_rotation(back, q)
    assert np.all(back[..., 3] >= 0)


def test_rotation_vector_both_ways(q):
    v = quaternion.to_rotation_vector(q)
    assert np.all(np.linalg.norm(v, axis=-1) <= np.pi + 1e-12)
    assert_same_rotation(quaternion.from_rotation_vector(v), q)
    expected = scipy(q).as_rotvec().reshape(v.shape)
    half_turn = np.linalg.norm(v, axis=-1, keepdims=True) > np.pi - 1e-6  # either axis is right there
    # relative to the angle, so that tiny rotations are looked at closely
    error = np.where(half_turn, 0, v - expected)
    assert np.all(np.abs(error) <= 1e-9 * np.linalg.norm(expected, axis=-1, keepdims=True) + 1e-300)


def test_angle(q):
    np.testing.assert_allclose(np.ravel(quaternion.angle(q)), scipy(q).magnitude(), rtol=1e-9, atol=1e-15)


def test_between_turns_one_direction_to_the_other(q):
    a = vectors(q)
    b = quaternion.rotate(q, a)
    shortest = quaternion.between(a, b)
    np.testing.assert_allclose(quaternion.rotate(shortest, a), b, atol=1e-7)
    angle = np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), np.sum(a * b, axis=-1))
    np.testing.assert_allclose(quaternion.angle(shortest), angle, atol=1e-7)


@pytest.mark.parametrize("axis", np.vstack((np.eye(3), -np.eye(3), [[0.6, -0.8, 0]])))
def test_between_opposite_directions(axis):
    turned = quaternion.rotate(quaternion.between(axis, -3 * axis), axis)
    np.testing.assert_allclose(turned, -axis, atol=1e-12)


def test_swing_twist(q):
    axis = np.array([0.48, 0.6, 0.64])
    swing, twist = quaternion.swing_twist(q, axis)
    assert_same_rotation(quaternion.multiply(swing, twist), q)
    np.testing.assert_allclose(np.cross(twist[..., :3], axis), 0, atol=1e-14)  # the twist is about the axis
    np.testing.assert_allclose(swing[..., :3] @ axis, 0, atol=1e-14)  # the swing has no turn about it


@pytest.mark.parametrize("t", [0.0, 0.25, 0.5, 1.0])
def test_slerp(q, t):
    a, b = q.reshape(-1, 4), others(q).reshape(-1, 4)
    expected = [Slerp([0, 1], Rotation.from_quat([x, y]))(t).as_quat() for x, y in zip(a, b, strict=True)]
    assert_same_rotation(quaternion.slerp(a, b, t), np.array(expected), 1e-12)


def test_slerp_of_nearly_equal_rotations():
    a = quaternion.identity()
    b = quaternion.from_rotation_vector(np.array([0, 1e-9, 0]))
    middle = quaternion.to_rotation_vector(quaternion.slerp(a, b, 0.25))
    np.testing.assert_allclose(middle, [0, 0.25e-9, 0], rtol=1e-6)


@pytest.mark.parametrize("angle", [1e-5, 1e-3, 0.05, 0.3])
def test_slerp_moves_at_constant_speed(angle):
    turn = np.array([0.0, 0.6, 0.8]) * angle
    between = quaternion.slerp(quaternion.identity(), quaternion.from_rotation_vector(turn), 0.25)
    np.testing.assert_allclose(quaternion.to_rotation_vector(between), 0.25 * turn, rtol=1e-9)


def test_mean():
    q = quaternion.normalize(np.random.default_rng(0).normal(size=(40, 3, 4)) * 0.3 + [0, 0, 0.5, 1])
    weights = np.random.default_rng(1).uniform(0.1, 1, 40)
    for j in range(3):
        expected = Rotation.from_quat(q[:, j]).mean(weights).as_quat()
        assert_same_rotation(quaternion.mean(q, weights=weights)[j], expected, 1e-12)


def test_unroll_removes_sign_flips_only():
    angles = np.linspace(0, 4 * np.pi, 50)
    smooth = quaternion.from_axis_angle([0, 1, 0], angles)
    flipped = smooth * np.random.default_rng(0).choice([-1, 1], (50, 1))
    unrolled = quaternion.unroll(flipped)
    np.testing.assert_array_equal(unrolled, smooth * np.sign(flipped[0] @ smooth[0]))


def test_normalize_where_squares_overflow():
    huge = np.array([[3e38, 0, 0, 0], [0, 0, 3, 4]], dtype=np.float32)
    np.testing.assert_allclose(quaternion.normalize(huge), [[1, 0, 0, 0], [0, 0, 0.6, 0.8]], atol=1e-7)


def test_normalize_makes_zero_the_identity():
    np.testing.assert_array_equal(quaternion.normalize(np.zeros((2, 4))), [[0, 0, 0, 1]] * 2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_precision_is_kept(dtype):
    q = quaternion.normalize(np.random.default_rng(0).normal(size=(5, 4)).astype(dtype))
    v = q[:, :3]
    results = [
        quaternion.multiply(q, q), quaternion.rotate(q, v), quaternion.to_matrix(q), quaternion.unroll(q),
        quaternion.from_matrix(quaternion.to_matrix(q)), quaternion.to_rotation_vector(q),
        quaternion.from_rotation_vector(v), quaternion.between(v, v[::-1]), quaternion.slerp(q, q[::-1], 0.3),
    ]  # fmt: skip
    assert {r.dtype for r in results} == {np.dtype(dtype)}
