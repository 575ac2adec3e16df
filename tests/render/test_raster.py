"""Which triangle is seen where, against analytic geometry."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from render_scenes import figure, mesh

from moveset.motion import Material
from moveset.render import Camera, raster
from moveset.render.model import build_model

SIZE = (64, 48)
FRONT = Camera((0.0, 1.0, 3.0), (0.0, 1.0, 0.0))
FLAT = Camera((0.0, 1.0, 3.0), (0.0, 1.0, 0.0), fov=None, height=2.0)


def scanned(points, triangles, camera=FRONT, size=SIZE, double_sided=True, mirrored=False):
    """Triangle and depth at each pixel."""
    points = np.asarray(points, dtype=np.float32)
    flat = mesh(points, triangles, normals=np.tile((0.0, 0.0, 1.0), (len(points), 1)))
    character = figure(flat, materials=(Material(double_sided=double_sided),))
    model = build_model([character])
    screen = np.empty((len(points), raster.SCREEN), dtype=np.float32)
    raster.to_screen(points, camera.matrix(size), screen)
    seen = np.empty(size[::-1], dtype=np.int32)
    depth = np.empty(size[::-1], dtype=np.float32)
    turned = np.full(len(model.surface.triangles), mirrored)
    raster.scan(model.surface, screen, turned, 0.05, False, seen, depth)
    return seen, depth


def inside(corners, size=SIZE):
    """Pixels whose middle lies inside a screen triangle, by half planes."""
    x, y = np.meshgrid(np.arange(size[0]) + 0.5, np.arange(size[1]) + 0.5)
    signs = []
    for k in range(3):
        (ax, ay), (bx, by) = corners[k], corners[(k + 1) % 3]
        signs.append((bx - ax) * (y - ay) - (by - ay) * (x - ax))
    return np.all(np.array(signs) > 0, axis=0) | np.all(np.array(signs) < 0, axis=0)


@pytest.mark.parametrize("camera", [FRONT, FLAT])
def test_coverage_is_that_of_the_projected_triangle(camera):
    points = np.array([(-0.6, 0.4, 0.3), (0.7, 0.8, -0.4), (-0.1, 1.7, 0.1)])
    seen, _ = scanned(points, [(0, 1, 2)], camera)
    expected = inside(camera.project(points, SIZE))
    assert expected.sum() > 200
    assert np.array_equal(seen == 0, expected)


def test_depth_is_one_over_distance():
    points = np.array([(-3, -2, 0), (3, -2, 0), (0, 4, 0)], dtype=float)
    _, depth = scanned(points, [(0, 1, 2)])
    assert np.allclose(depth, 1 / 3)


def test_nearer_triangle_wins_in_any_order():
    near = [(-0.5, 0.5, 0.5), (0.5, 0.5, 0.5), (0.0, 1.5, 0.5)]
    far = [(-0.5, 0.5, -0.5), (0.5, 0.5, -0.5), (0.0, 1.5, -0.5)]
    for points, front in ((near + far, 0), (far + near, 1)):
        seen, _ = scanned(points, [(0, 1, 2), (3, 4, 5)])
        assert seen[SIZE[1] // 2, SIZE[0] // 2] == front


def test_each_triangle_of_a_heap_is_seen_where_it_is_nearest():
    """Drawn together, some skipped as hidden, they show what each of them shows alone and nearest."""
    rng = np.random.default_rng(5)
    middles = rng.uniform((-0.8, 0.4, -1.5), (0.8, 1.6, 1.2), (80, 1, 3))
    points = (middles + rng.normal(0, 0.35, (80, 3, 3))).reshape(-1, 3)
    triangles = np.arange(240).reshape(-1, 3)
    alone = np.stack([scanned(points, [t])[1] for t in triangles])
    seen, depth = scanned(points, triangles)
    assert np.array_equal(depth, alone.max(axis=0))
    covered = seen >= 0
    assert np.array_equal(seen[covered], alone.argmax(axis=0)[covered])
    assert 20 < len(np.unique(seen)) < 75


def test_crossing_triangles_are_cut_where_they_meet():
    points = [(-1, 0, -1), (1, 0, 1), (0, 2.5, 0), (-1, 0, 1), (1, 0, -1), (0, 2.5, 0)]
    seen, _ = scanned(points, [(0, 1, 2), (3, 4, 5)], FLAT)
    row = seen[30]
    middle = SIZE[0] // 2
    assert set(row[middle - 8 : middle]) == {1}
    assert set(row[middle : middle + 8]) == {0}


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_fan_covers_each_pixel_once(seed):
    """Neighbours share an edge without a gap or a double hit, wherever the inner vertex lies."""
    rng = np.random.default_rng(seed)
    corners = np.array([(-0.8, 0.3, 0), (0.8, 0.3, 0), (0.8, 1.7, 0), (-0.8, 1.7, 0)])
    middle = np.array([rng.uniform(-0.7, 0.7), rng.uniform(0.4, 1.6), 0])
    if seed % 3 == 0:  # edges that run exactly through the middles of pixels
        corners = np.round(corners * 32) / 32
        middle = np.round(middle * 16) / 16
    points = np.concatenate((corners, middle[None]))
    fan = [(k, (k + 1) % 4, 4) for k in range(4)]
    single = np.stack([scanned(points, [t], FLAT)[0] == 0 for t in fan])
    whole = inside(FLAT.project(corners, SIZE)[:3]) | inside(FLAT.project(corners, SIZE)[[0, 2, 3]])
    hits = single.sum(axis=0)
    assert hits.max() == 1
    assert np.all(hits[whole] == 1)


def test_backs_are_hidden_unless_double_sided_or_mirrored():
    front = np.array([(-0.5, 0.5, 0), (0.5, 0.5, 0), (0, 1.5, 0)])
    for triangle, mirrored, visible in (
        ((0, 1, 2), False, True),
        ((0, 2, 1), False, False),
        ((0, 1, 2), True, False),
        ((0, 2, 1), True, True),
    ):
        seen, _ = scanned(front, [triangle], double_sided=False, mirrored=mirrored)
        assert bool((seen == 0).any()) == visible
        assert (scanned(front, [triangle], double_sided=True, mirrored=mirrored)[0] == 0).any()


def test_triangle_through_the_camera_is_clipped_at_the_near_plane():
    # a floor that starts behind the eye: seen below the horizon, in perspective, nowhere above
    points = [(-50, 0, 10), (50, 0, 10), (50, 0, -90), (-50, 0, -90)]
    seen, depth = scanned(points, [(0, 1, 2), (0, 2, 3)])
    horizon = SIZE[1] // 2
    assert (seen[: horizon - 1] == raster.NOTHING).all()
    assert (seen[horizon + 1 :] != raster.NOTHING).all()
    rays = FRONT.rays(SIZE)
    for row in (horizon + 3, SIZE[1] - 1):
        direction = rays[1] @ (10.5, row + 0.5, 1)
        # the eye is 1 m up, and rays step one unit of W: the floor is 1 / -direction.y away
        assert depth[row, 10] == pytest.approx(-direction[1], rel=1e-6)


@pytest.mark.parametrize("tilt", [0.0, 0.6])
def test_nothing_is_drawn_nearer_than_the_near_plane(tilt):
    # a wall along the view, 1 cm beside the eye: it leaves the picture where it comes nearer than 5 cm
    beside, along = np.array((np.cos(tilt), np.sin(tilt))), np.array((-np.sin(tilt), np.cos(tilt)))
    corners = [0.01 * beside - 20 * along, 0.01 * beside + 20 * along]
    points = [(x, 1 + y, z) for z, ends in ((8, corners), (-20, corners[::-1])) for x, y in ends]
    seen, depth = scanned(points, [(0, 1, 2), (0, 2, 3)])
    x, y = np.meshgrid(np.arange(SIZE[0]) + 0.5 - SIZE[0] / 2, SIZE[1] / 2 - np.arange(SIZE[1]) - 0.5)
    away = (x * beside[0] + y * beside[1]) / FRONT.scale(SIZE)  # of the sight line, per metre of distance
    distance = 0.01 / np.where(away > 0, away, np.nan)
    assert (seen[(distance > 0.052) & (distance < 20)] != raster.NOTHING).all()
    assert (seen[~(distance > 0.048)] == raster.NOTHING).all()
    assert 15 < depth.max() <= 20


@pytest.mark.parametrize(
    "points",
    [
        [(0, 1, 0), (0, 1, 0), (0, 1, 0)],
        [(-1, 1, 0), (0, 1, 0), (1, 1, 0)],
        [(0, 1, 3.0), (1, 1, 3.0), (0, 2, 3.0)],
        [(0, 1, 9), (1, 1, 9), (0, 2, 9)],
        [(100, 1, 0), (101, 1, 0), (100, 2, 0)],
        [(np.nan, 1, 0), (1, 1, 0), (0, 2, 0)],
        [(np.inf, 1, 0), (1, 1, 0), (0, 2, 0)],
        [(0, 1, 2.9999999), (1, 1, -1e9), (0, 1e9, 0)],
    ],
    ids=["point", "line", "at the eye", "behind", "off screen", "nan", "infinite", "huge"],
)
@pytest.mark.parametrize("camera", [FRONT, FLAT])
def test_degenerate_triangles_do_no_harm(points, camera):
    near = [(-0.2, 0.9, 2.0), (0.2, 0.9, 2.0), (0.0, 1.2, 2.0)]
    seen, _ = scanned(points + near, [(0, 1, 2), (3, 4, 5)], camera)
    assert (seen == 1).any()
