"""Where known points land, and whether everything is in the picture."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moveset.errors import MovesetError
from moveset.render import VIEWS, Camera, frame_points

SIZE = (200, 100)


def test_known_points():
    camera = Camera((0.0, 1.0, 5.0), (0.0, 1.0, 0.0), fov=np.radians(90))
    # at 5 m and 90 degrees the picture is 10 m high: 10 pixels a metre
    points = [(0, 1, 0), (1, 1, 0), (0, 2, 0), (0, 1, 4), (1, 2, -5), (0, 1, 6)]
    expected = [(100, 50), (110, 50), (100, 40), (100, 50), (105, 45), (np.nan, np.nan)]
    assert np.allclose(camera.project(points, SIZE), expected, equal_nan=True)


def test_orthographic_scale_does_not_depend_on_distance():
    camera = Camera((0.0, 1.0, 5.0), (0.0, 1.0, 0.0), fov=None, height=2.0)
    assert np.allclose(
        camera.project([(1, 1, 0), (1, 1, -40), (0, 0, 0)], SIZE), [(150, 50), (150, 50), (100, 100)]
    )


@pytest.mark.parametrize("fov", [np.radians(40), None])
@pytest.mark.parametrize("view", list(VIEWS))
def test_rays_pass_through_what_projects_there(view, fov):
    rng = np.random.default_rng(0)
    camera = frame_points(rng.normal(size=(20, 3)), view, size=SIZE, fov=fov)
    points = rng.normal(size=(9, 3)) * 0.3
    pixels = camera.project(points, SIZE)
    origins, directions = (np.column_stack((pixels, np.ones(9))) @ r.T for r in camera.rays(SIZE))
    off = np.cross(points - origins, directions)
    assert np.abs(off).max() < 1e-9


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(sorted(VIEWS)),
    st.sampled_from([None, 0.3, 0.6]),
    st.floats(-4, 4),
    st.sampled_from([(64, 64), (300, 90), (90, 300)]),
)
def test_framed_points_fill_the_picture_and_stay_inside(seed, view, fov, heading, size):
    points = np.random.default_rng(seed).normal(size=(30, 3)) * (1, 2, 0.5)
    camera = frame_points(points, view, heading=heading, size=size, fov=fov, margin=0.1)
    inside = camera.project(points, size) / size
    assert inside.min() > 0.1 - 1e-6
    assert inside.max() < 0.9 + 1e-6
    assert np.ptp(inside, axis=0).max() > 0.6  # as near as it can be in one direction


def test_side_view_shows_a_character_walking_to_the_right():
    camera = frame_points([(0, 0, 0), (0, 2, 1)], "side", size=SIZE)
    here, ahead = camera.project([(0, 1, 0), (0, 1, 1)], SIZE)
    assert ahead[0] > here[0]
    turned = frame_points([(0, 0, 0), (1, 2, 0)], "side", heading=np.pi / 2, size=SIZE)
    here, ahead = turned.project([(0, 1, 0), (1, 1, 0)], SIZE)
    assert ahead[0] > here[0]


def test_refusals():
    with pytest.raises(MovesetError, match=r"no view is called 'behind'.*three-quarter"):
        frame_points([(0, 0, 0)], "behind")
    with pytest.raises(MovesetError, match="no finite point"):
        frame_points([(np.nan, 0, 0)])
    with pytest.raises(MovesetError, match="own place"):
        Camera((0, 0, 0), (0, 0, 0)).matrix(SIZE)
