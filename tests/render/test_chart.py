"""Charts show where numbers go."""

from __future__ import annotations

import numpy as np
import pytest

from moveset.render.chart import Panel, chart

LINE = (38, 108, 176)


def drawn(picture):
    """(N, 2) rows and columns of pixels in the color of the curve."""
    return np.argwhere((np.abs(picture[..., :3].astype(int) - LINE) < 30).all(axis=-1))


@pytest.mark.parametrize(
    ("y", "up"), [(np.arange(50.0), True), (-np.arange(50.0), False), (10.0 ** np.arange(50), True)]
)
def test_a_curve_goes_where_its_numbers_go(y, up):
    at = drawn(chart([Panel("y", np.arange(50), y)]))
    left, right = at[at[:, 1] < at[:, 1].min() + 20], at[at[:, 1] > at[:, 1].max() - 20]
    assert len(at) > 100 and at[:, 1].max() - at[:, 1].min() > 200
    assert (left[:, 0].mean() > right[:, 0].mean() + 80) == up
    # straight, also where it spans many decades
    fit = np.polyfit(at[:, 1], at[:, 0], 1)
    assert np.abs(np.polyval(fit, at[:, 1]) - at[:, 0]).max() < 4


@pytest.mark.parametrize(
    "y",
    [
        np.full(5, np.nan),
        np.empty(0),
        np.zeros(5),
        np.full(5, 1e-30),
        np.array([2.0]),
        np.array([np.inf, 1, 1e300]),
    ],
)
def test_hard_numbers_are_drawn(y):
    assert chart([Panel("hard", np.arange(len(y)), y)]).shape == (200, 320, 4)


def test_panels_fill_rows():
    panel = Panel("y", np.arange(3), np.arange(3.0))
    assert chart([panel] * 5, columns=2, size=(100, 80)).shape == (240, 200, 4)
    assert chart([]).shape == (200, 320, 4)
