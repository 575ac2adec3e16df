import numpy as np
import pytest
from scipy.ndimage import gaussian_filter1d

from moveset.geometry import quaternion, signal


def test_gaussian_is_the_filter_in_the_middle():
    x = np.random.default_rng(0).normal(size=(200, 2))
    expected = gaussian_filter1d(x, 3, axis=0, truncate=4)
    np.testing.assert_allclose(signal.gaussian(x, 3)[12:-12], expected[12:-12], atol=1e-12)
    np.testing.assert_allclose(signal.gaussian(x.T, 3, axis=1), signal.gaussian(x, 3).T, atol=1e-15)


@pytest.mark.parametrize("frames", [1, 2, 5, 100])
def test_gaussian_keeps_constant_speed_up_to_the_ends(frames):
    line = np.arange(frames)[:, None] * [0.3, -2.0] + [5.0, 1.0]
    np.testing.assert_allclose(signal.gaussian(line, 4), line, atol=1e-12)


def test_gaussian_of_a_loop_does_not_know_where_it_starts():
    x = np.random.default_rng(0).normal(size=50)
    rolled = np.roll(signal.gaussian(x, 3, loop=True), 7)
    np.testing.assert_allclose(signal.gaussian(np.roll(x, 7), 3, loop=True), rolled, atol=1e-12)


def test_no_smoothing():
    x = np.random.default_rng(0).normal(size=(5, 3))
    assert signal.gaussian(x, 0) is x


def test_derivative_of_a_parabola_and_its_ends():
    t = np.arange(10) / 20
    velocity = signal.derivative(3 * t**2, 20)
    np.testing.assert_allclose(velocity[1:-1], 6 * t[1:-1], atol=1e-12)
    np.testing.assert_allclose(velocity[[0, -1]], (3 * (t[1] ** 2) * 20, 3 * (t[-1] ** 2 - t[-2] ** 2) * 20))
    assert signal.derivative(np.ones((1, 3)), 30).tolist() == [[0, 0, 0]]


def test_derivative_of_a_loop():
    phase = np.arange(40) * 2 * np.pi / 40
    velocity = signal.derivative(np.sin(phase), 40, loop=True)
    np.testing.assert_allclose(velocity, np.sin(2 * np.pi / 40) * 40 * np.cos(phase), atol=1e-12)


@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize("frames", [1, 2, 30])
def test_angular_velocity_of_a_steady_turn(loop, frames):
    axis = np.array([0.0, 0.6, 0.8])
    fps = 30
    speed = 2 * np.pi * fps / frames if loop else 3.0
    q = quaternion.from_axis_angle(axis, np.arange(frames) * speed / fps)
    q = quaternion.multiply(q, quaternion.normalize(np.array([0.3, -0.2, 0.5, 1.0])))
    expected = np.zeros(3) if frames == 1 or (loop and frames == 2) else axis * speed
    velocity = signal.angular_velocity(q, fps, loop)
    np.testing.assert_allclose(velocity, np.broadcast_to(expected, (frames, 3)), atol=1e-12)


def test_unwrap_and_wrap():
    angles = np.linspace(0, 20, 100)
    np.testing.assert_allclose(np.unwrap(signal.wrap(angles)), angles, atol=1e-12)
    assert np.abs(signal.wrap(angles)).max() <= np.pi


def test_runs_are_half_open():
    assert signal.runs(np.array([1, 1, 0, 0, 1, 0, 1], dtype=bool)) == [(0, 2), (4, 5), (6, 7)]
    assert signal.runs(np.zeros(3, dtype=bool)) == []
