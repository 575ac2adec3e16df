"""Euler angles against scipy.spatial.transform."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from moveset.errors import MovesetError
from moveset.geometry import euler, quaternion

KINDS = ("intrinsic", "extrinsic")


def spelled(order, kind):
    return order if kind == "intrinsic" else order.lower()


def assert_same_rotation(a, b, tolerance=1e-14):
    sign = np.where(np.sum(a * b, axis=-1, keepdims=True) < 0, -1, 1)
    np.testing.assert_allclose(a, b * sign, atol=tolerance, rtol=0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", euler.ORDERS)
@pytest.mark.parametrize("size", [4.0, 1e-7])
def test_both_ways(order, kind, size):
    angles = np.random.default_rng(0).uniform(-size, size, (200, 3))
    q = euler.to_quaternion(angles, order, kind)
    expected = Rotation.from_euler(spelled(order, kind), angles)
    assert_same_rotation(q, expected.as_quat())
    back = euler.from_quaternion(q, order, kind)
    assert_same_rotation(euler.to_quaternion(back, order, kind), q)
    if size > 1:
        difference = back - expected.as_euler(spelled(order, kind))
        np.testing.assert_allclose(np.sin(difference / 2), 0, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", euler.ORDERS)
@pytest.mark.parametrize("distance", [0.0, 1e-9, 1e-5])
def test_gimbal_lock_gives_the_same_rotation(order, kind, distance):
    angles = np.random.default_rng(0).uniform(-3, 3, (50, 3))
    locked = (0, np.pi) if order[0] == order[2] else (-np.pi / 2, np.pi / 2)
    for middle in locked:
        angles[:, 1] = middle - np.sign(middle) * distance
        q = euler.to_quaternion(angles, order, kind)
        back = euler.from_quaternion(q, order, kind)
        assert_same_rotation(euler.to_quaternion(back, order, kind), q, 1e-7)
        assert np.all(np.isfinite(back)) and np.abs(back).max() <= np.pi + 1e-12


def test_bvh_order_is_intrinsic():
    """ZXY channels of a BVH file: R = Rz Rx Ry."""
    z, x, y = 0.3, -0.4, 0.5
    expected = quaternion.from_axis_angle([0, 0, 1], z)
    expected = quaternion.multiply(expected, quaternion.from_axis_angle([1, 0, 0], x))
    expected = quaternion.multiply(expected, quaternion.from_axis_angle([0, 1, 0], y))
    np.testing.assert_allclose(euler.to_quaternion([z, x, y], "ZXY"), expected, atol=1e-15)


@pytest.mark.parametrize("order", euler.ORDERS)
def test_unroll_runs_through_gimbal_lock(order):
    """Smooth angles whose middle one goes far beyond its usual range come back smooth."""
    t = np.linspace(0, 1, 200)
    smooth = np.stack((t, 7 * t - 2, np.sin(5 * t)), axis=-1)[None].repeat(2, axis=0)
    q = euler.to_quaternion(smooth, order)
    plain = euler.from_quaternion(q, order)
    assert np.abs(np.diff(np.unwrap(plain, axis=1), axis=1)).max() > 1  # the plain angles jump
    unrolled = euler.unroll(plain, order, axis=1)
    assert np.abs(np.diff(unrolled, axis=1)).max() < 0.05
    assert_same_rotation(euler.to_quaternion(unrolled, order), q, 1e-12)


@pytest.mark.parametrize("frames", [0, 1, 2])
def test_unroll_of_the_shortest(frames):
    assert euler.unroll(np.zeros((frames, 3)), "XYZ").shape == (frames, 3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_precision_and_leading_axes_are_kept(dtype):
    angles = np.zeros((2, 3, 5, 3), dtype=dtype)
    q = euler.to_quaternion(angles, "XYZ")
    assert q.dtype == dtype and q.shape == (2, 3, 5, 4)
    back = euler.from_quaternion(q, "XYX")
    assert back.dtype == dtype and back.shape == angles.shape


@pytest.mark.parametrize("order", ["XXY", "XY", "xyz", "ABC"])
def test_unknown_order_is_named(order):
    with pytest.raises(MovesetError, match=f"'{order}'"):
        euler.to_quaternion(np.zeros(3), order)


def test_unknown_kind_is_named():
    with pytest.raises(MovesetError, match="'static'"):
        euler.from_quaternion(np.array([0, 0, 0, 1.0]), "XYZ", "static")  # type: ignore[arg-type]
