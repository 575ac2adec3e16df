import numpy as np
import pytest

from moveset.geometry import quaternion, transform

RNG = np.random.default_rng(0)
T = RNG.normal(size=(3, 6, 3))
R = quaternion.positive(quaternion.normalize(RNG.normal(size=(3, 6, 4))))
S = RNG.uniform(0.01, 100, (3, 6, 3))


@pytest.mark.parametrize("scales", [S, S * (-1, 1, 1), None], ids=["scaled", "reflected", "rigid"])
def test_decompose_undoes_compose(scales):
    t, r, s = transform.decompose(transform.compose(T, R, scales))
    np.testing.assert_allclose(t, T)
    np.testing.assert_allclose(r, R, atol=1e-12)
    np.testing.assert_allclose(s, np.ones_like(S) if scales is None else scales, rtol=1e-12)


def test_scales_then_rotates_then_translates():
    points = RNG.normal(size=(3, 6, 3))
    expected = quaternion.rotate(R, points * S) + T
    np.testing.assert_allclose(transform.apply(transform.compose(T, R, S), points), expected, atol=1e-12)
    directions = transform.apply_direction(transform.compose(T, R, S), points)
    np.testing.assert_allclose(directions, expected - T, atol=1e-12)


def test_inverse_also_of_shear():
    m = transform.compose(T, R, S) @ transform.compose(T, R[::-1], S)
    np.testing.assert_allclose(transform.inverse(m) @ m, np.broadcast_to(np.eye(4), m.shape), atol=1e-8)


def test_reflection_keeps_a_proper_rotation():
    m = transform.compose(T, R, S * (1, 1, -1))
    t, r, s = transform.decompose(m)
    np.testing.assert_allclose(transform.compose(t, r, s), m, atol=1e-10)
    assert np.all(s[..., 0] < 0)
