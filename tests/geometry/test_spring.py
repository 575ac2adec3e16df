"""Springs against their differential equation, and against themselves in other step sizes."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from moveset.geometry import quaternion, spring

HALF_LIFE = 0.12
RATE = 2 * np.log(2) / HALF_LIFE


def integrate(x, v, goal, goal_velocity, seconds):
    """x'' = -2 r (x' - g') - r^2 (x - g), solved numerically."""

    def slope(t, state):
        return [
            state[1],
            -2 * RATE * (state[1] - goal_velocity) - RATE**2 * (state[0] - goal - goal_velocity * t),
        ]

    return solve_ivp(slope, (0, seconds), [x, v], rtol=1e-11, atol=1e-13).y[:, -1]


@pytest.mark.parametrize("goal_velocity", [0.0, 0.7])
@pytest.mark.parametrize("seconds", [0.01, 0.1, 1.0])
def test_spring_solves_its_equation(seconds, goal_velocity):
    expected = integrate(1.5, -4.0, 0.3, goal_velocity, seconds)
    np.testing.assert_allclose(
        spring.spring(1.5, -4.0, 0.3, HALF_LIFE, seconds, goal_velocity), expected, rtol=1e-8, atol=1e-10
    )


@pytest.mark.parametrize("steps", [1, 7, 60])
def test_step_size_does_not_matter(steps):
    x, v = np.array([1.0, -2.0, 0.5]), np.array([3.0, 0.0, -1.0])
    expected = spring.decay(x, v, HALF_LIFE, 0.5)
    for _ in range(steps):
        x, v = spring.decay(x, v, HALF_LIFE, 0.5 / steps)
    np.testing.assert_allclose((x, v), expected, atol=1e-12)


def test_damper_halves_in_its_half_life():
    assert spring.damper(8.0, 0.0, 0.2, 0.2) == pytest.approx(4.0)
    assert spring.damper(8.0, 2.0, 0.2, 0.6) == pytest.approx(2.0 + 6.0 / 8)


def test_zero_half_life_arrives_at_once():
    assert spring.damper(8.0, 2.0, 0.0, 0.01) == 2.0
    x, v = spring.spring(8.0, 5.0, 2.0, 0.0, 0.01)
    assert x == 2.0 and v == pytest.approx(0, abs=1e-12)


def test_rotation_about_one_axis_is_the_plain_spring():
    axis = np.array([0.0, 0.6, 0.8])
    q, goal = quaternion.from_axis_angle(axis, 1.2), quaternion.from_axis_angle(axis, 0.2)
    turned, velocity = spring.spring_rotation(q, axis * -2.0, goal, HALF_LIFE, 0.05)
    x, v = spring.spring(1.2, -2.0, 0.2, HALF_LIFE, 0.05)
    np.testing.assert_allclose(turned, quaternion.from_axis_angle(axis, x), atol=1e-12)
    np.testing.assert_allclose(velocity, axis * v, atol=1e-12)
    damped = spring.damper_rotation(q, goal, HALF_LIFE, 0.05)
    expected = quaternion.from_axis_angle(axis, spring.damper(1.2, 0.2, HALF_LIFE, 0.05))
    np.testing.assert_allclose(damped, expected, atol=1e-12)


def test_approach_velocity_is_the_integral_of_its_velocity():
    times = np.linspace(0, 1, 20001)
    x, v, a = spring.approach_velocity(2.0, 1.0, -3.0, 2.5, HALF_LIFE, times)
    np.testing.assert_allclose(np.gradient(x, times)[1:-1], v[1:-1], atol=1e-5)
    np.testing.assert_allclose(np.gradient(v, times)[1:-1], a[1:-1], atol=1e-3)
    assert (x[0], v[0], a[0]) == (2.0, 1.0, -3.0)
    assert v[-1] == pytest.approx(2.5, abs=1e-3)
