"""Real motion, however fast, has no lone steps; a tear has."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from moveset.audit.steps import lone, peaks


def kick(fps: float, reach: float, seconds: float, start: float) -> np.ndarray:
    """(F, 3) a foot that swings out by `reach` and comes back, its speed a smooth bell each way."""
    t = np.arange(int(2 * fps)) / fps
    out = np.clip((t - start) / seconds, 0, 2)
    share = np.sin(np.pi / 2 * np.where(out > 1, 2 - out, out)) ** 2
    return share[:, None] * np.array([0.3, 0.5, 0.8]) / np.linalg.norm([0.3, 0.5, 0.8]) * reach


@given(
    fps=st.sampled_from([24.0, 30.0, 60.0, 120.0]),
    reach=st.floats(0.1, 1.2),
    seconds=st.floats(0.16, 0.6),
    start=st.floats(0.2, 0.6),
)
def test_kicks_have_no_lone_steps(fps, reach, seconds, start):
    excess, times = lone(np.diff(kick(fps, reach, seconds, start), axis=0)[:, None])
    shorter = np.clip((30 / fps) ** 2, 0.4, 2)
    assert not ((excess > 0.1 * shorter) & (times > 2.5)).any()


@given(
    fps=st.sampled_from([24.0, 30.0, 60.0, 120.0]),
    frame=st.integers(3, 40),
    size=st.floats(0.4, 2.0),
    stays=st.booleans(),
    seed=st.integers(0, 99),
)
def test_tears_in_a_kick_are_lone_steps(fps, frame, size, stays, seed):
    rng = np.random.default_rng(seed)
    path = kick(fps, 0.8, 0.4, 0.4)
    direction = rng.normal(size=3)
    direction[1] = abs(direction[1])
    across = np.cross(direction, [0.3, 0.5, 0.8])  # a tear along the kick may hide in it
    path[frame : None if stays else frame + 1] += size * across / np.linalg.norm(across)
    excess, times = lone(np.diff(path, axis=0)[:, None])
    assert excess[frame - 1, 0] > 0.25 or excess[frame, 0] > 0.25
    assert max(times[frame - 1, 0], times[frame, 0]) > 1.5


def test_a_strike_in_one_frame_with_follow_through_is_no_tear():
    along = np.array([0.01, 0.05, 0.16, 0.4, 0.2, 0.05, 0.01])
    assert (lone(along[:, None, None] * (1, 0, 0))[0] < 0.1).all()
    back_and_forth = along * (1, 1, -1, 1, -1, 1, 1)
    assert lone(back_and_forth[:, None, None] * (1, 0, 0))[0].max() > 0.1


def test_short_clips_have_no_lone_steps():
    for frames in range(3):
        excess, times = lone(np.ones((frames, 2, 3)))
        assert excess.shape == times.shape == (frames, 2)
        assert (excess == 0).all()


def test_peaks():
    assert peaks(np.array([0, 1, 3, 2, 0, 0, 0, 5.0])).tolist() == [2, 7]
    assert peaks(np.zeros(5)).tolist() == []
