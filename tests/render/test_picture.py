"""Whole pictures: texture, alpha, shade, clips on characters."""

from dataclasses import replace

import numpy as np
import pytest
from render_scenes import figure, mesh, quad, skeleton, still

from moveset.errors import MovesetError
from moveset.motion import Character, Material, Skeleton
from moveset.motion.canonical import canonical_skeleton
from moveset.render import Actor, Camera, Look, Trail, render_actors, render_clip
from moveset.render.color import encoded, linear
from moveset.rigs.mannequin import mannequin

CAMERA = Camera((0.0, 1.0, 3.0), (0.0, 1.0, 0.0), fov=None, height=1.0)
CLEAR = Look(background=None, samples=1)


PLAIN = (Material(),)


def picture(*meshes, materials=PLAIN, look=CLEAR, camera=CAMERA, size=(32, 32), **more):
    character = figure(*meshes, materials=materials)
    return render_clip(still(skeleton()), character, size=size, camera=camera, look=look, **more)[0]


def test_texture_is_upright_and_not_mirrored():
    texture = np.zeros((2, 2, 4), dtype=np.uint8)
    texture[...] = 255
    texture[0, 0] = (255, 0, 0, 255)  # top left
    texture[1, 1] = (0, 0, 255, 255)  # bottom right
    drawn = picture(quad(), materials=(Material(texture=texture),), look=replace(CLEAR, nearest=True))
    red, blue = drawn[4, 4], drawn[28, 28]
    assert red[0] > 150 > 100 > red[2]
    assert blue[2] > 150 > 100 > blue[0]
    assert drawn[4, 28, :3].min() > 150


def test_smooth_texture_passes_from_texel_to_texel():
    texture = np.full((1, 2, 4), 255, dtype=np.uint8)
    texture[0, 0, :3] = 0
    hard = picture(quad(), materials=(Material(texture=texture),), look=replace(CLEAR, nearest=True))
    soft = picture(quad(), materials=(Material(texture=texture),))
    assert len(np.unique(hard[16, :, 1])) <= 3
    steps = np.diff(soft[16, 9:23, 1].astype(int))
    assert (steps > 0).all()


def test_fine_texture_is_averaged_when_far_away():
    checker = np.full((256, 256, 4), 255, dtype=np.uint8)
    checker[(np.indices((256, 256)).sum(axis=0) % 2) == 0, :3] = 0
    drawn = picture(quad(), materials=(Material(texture=checker),), size=(16, 16))
    inner = drawn[2:-2, 2:-2, 1].astype(int)
    assert np.ptp(inner) < 12
    assert 60 < inner.mean() < 250


def test_mask_cuts_at_the_cutoff_and_blend_covers_its_share():
    texture = np.full((1, 2, 4), 255, dtype=np.uint8)
    texture[0, 0, 3] = 100  # 39 % on the left half
    look = replace(CLEAR, nearest=True, samples=4)
    masked = picture(quad(), materials=(Material(texture=texture, alpha_mode="MASK"),), look=look)
    assert (masked[:, :15, 3] == 0).all()
    assert (masked[:, 17:, 3] == 255).all()
    blended = picture(quad(), materials=(Material(texture=texture, alpha_mode="BLEND"),), look=look)
    assert abs(blended[2:-2, 2:14, 3].mean() / 255 - 100 / 255) < 0.04
    opaque = picture(quad(), materials=(Material(texture=texture),), look=look)
    assert (opaque[..., 3] == 255).all()


def test_edges_have_alpha_without_halo():
    """Where a body covers part of a pixel, the color is the body's own, whatever lies behind."""
    corners = [(-0.4, 0.6, 0), (0.4, 0.63, 0), (0.0, 1.43, 0)]
    drawn = picture(mesh(corners, [(0, 1, 2)]), look=replace(CLEAR, samples=4))
    alpha = drawn[..., 3]
    partial = (alpha > 0) & (alpha < 255)
    assert partial.sum() > 20
    body = drawn[alpha == 255][:, :3].astype(int)
    assert (
        np.abs(drawn[partial][:, :3].astype(int) - body.mean(axis=0)).max() <= np.ptp(body, axis=0).max() + 2
    )
    assert (drawn[alpha == 0] == 0).all()


def test_mean_alpha_is_the_covered_area():
    corners = [(-0.4, 0.6, 0), (0.4, 0.6, 0), (0.0, 1.4, 0)]
    drawn = picture(mesh(corners, [(0, 1, 2)]), look=replace(CLEAR, samples=4))
    assert drawn[..., 3].mean() / 255 == pytest.approx(0.8 * 0.8 / 2, abs=0.003)


def test_nearer_quad_hides_the_other_and_colors_multiply():
    red, blue = Material(base_color=(1, 0, 0, 1)), Material(base_color=(0, 0, 1, 1))
    white = np.ones((4, 4))
    for z in (-0.3, 0.3):
        drawn = picture(quad(0.0, colors=white), quad(z, material=1), materials=(red, blue))
        assert np.argmax(drawn[16, 16, :3]) == (2 if z > 0 else 0)
    dark = picture(quad(colors=white * (0.1, 0.1, 0.1, 1)))
    assert dark[16, 16, 0] < picture(quad())[16, 16, 0] / 2


def test_light_comes_from_above():
    up = mesh([(-1, 1, 1), (1, 1, 1), (1, 1, -1), (-1, 1, -1)], [(0, 1, 2), (0, 2, 3)])
    down = mesh([(-1, 1, 1), (1, 1, 1), (1, 1, -1), (-1, 1, -1)], [(0, 2, 1), (0, 3, 2)])
    above = Camera((0.0, 3.0, 2.0), (0.0, 1.0, 0.0), fov=None)
    below = Camera((0.0, -1.0, 2.0), (0.0, 1.0, 0.0), fov=None)
    assert picture(up, camera=above)[16, 16, 0] > 1.4 * picture(down, camera=below)[16, 16, 0]


def test_shadow_falls_under_the_body_away_from_the_light():
    camera = Camera((0.0, 6.0, 6.0), (0.0, 0.0, 0.0))
    bright = picture(look=Look(), camera=camera, size=(96, 96))
    body = picture(quad(), look=Look(), camera=camera, size=(96, 96))
    unlit = picture(quad(), look=Look(shadow=0.0), camera=camera, size=(96, 96))
    darker = (unlit[..., 0].astype(int) - body[..., 0]) > 20
    assert darker.sum() > 40
    assert np.nonzero(darker)[1].mean() > 48  # the light is on the left
    assert np.abs(bright.astype(int) - unlit)[90:].max() == 0


def test_a_body_below_the_floor_is_still_drawn():
    camera = Camera((0.0, 1.0, 4.0), (0.0, 0.0, 0.0))
    sunk = mesh([(-0.5, -0.8, 0), (0.5, -0.8, 0), (0, -0.1, 0)], [(0, 1, 2)], material=0)
    red = (Material(base_color=(1, 0, 0, 1)),)
    drawn = picture(sunk, materials=red, look=Look(), camera=camera, size=(64, 64))
    assert ((drawn[..., 0].astype(int) - drawn[..., 1]) > 100).sum() > 50


def test_rerun_gives_the_same_bytes():
    canonical = canonical_skeleton()
    clip, body = still(canonical, 3), mannequin(canonical)
    first = render_clip(clip, body, size=(64, 64))
    assert first.tobytes() == render_clip(clip, body, size=(64, 64)).tobytes()
    assert first.shape == (3, 64, 64, 4)
    assert len(np.unique(first[0].reshape(-1, 4), axis=0)) > 100


def test_trail_is_drawn_on_the_floor():
    camera = Camera((0.0, 5.0, 0.1), (0.0, 0.0, 0.0))
    path = np.array([(-1.0, 0.5, 0.0), (0.0, 0.2, 0.5), (1.0, 0.0, 0.0)])
    plain = picture(camera=camera, look=Look(), size=(64, 64))
    drawn = picture(camera=camera, look=Look(), size=(64, 64), trails=[Trail(path, (255, 0, 0), 0.1)])
    changed = np.abs(plain.astype(int) - drawn).max(axis=-1) > 40
    assert changed.sum() > 30
    x, y = camera.project((0.0, 0.0, 0.5), (64, 64))
    assert changed[int(y), int(x)]
    for few in (np.zeros((0, 3)), np.zeros((1, 3)), np.zeros((5, 3)), np.full((3, 3), np.nan)):
        assert (picture(camera=camera, look=Look(), size=(64, 64), trails=[Trail(few)]) == plain).all()
        assert (
            picture(camera=camera, look=Look(), size=(64, 64), trails=[Trail(few, gaps=True)]) == plain
        ).all()


def test_several_actors_stand_where_they_are_put():
    red = figure(quad(half=0.2), materials=(Material(base_color=(1, 0, 0, 1)),))
    white = figure(quad(half=0.2))
    clip = still(skeleton())
    actors = [
        Actor(clip, red, offset=(-0.6, 0, 0)),
        Actor(clip, white, tint=(0, 0, 255), offset=(0.6, 0, 0)),
    ]
    wide = Camera((0.0, 1.0, 3.0), (0.0, 1.0, 0.0), fov=None, height=2.0)
    drawn = next(render_actors(actors, size=(40, 40), camera=wide, look=CLEAR))
    assert np.argmax(drawn[20, 8, :3]) == 0
    assert np.argmax(drawn[20, 32, :3]) == 2
    assert drawn[20, 20, 3] == 0


def test_morph_moves_vertices_with_its_curve():
    lifted = np.zeros((1, 4, 3))
    lifted[0, :, 0] = 0.5
    face = replace(quad(half=0.2), morphs=lifted, morph_names=("slide",))
    clip = replace(still(skeleton(), 2), curves={"slide": np.array([0.0, 1.0])})
    still_face, moved = render_clip(clip, figure(face), size=(32, 32), camera=CAMERA, look=CLEAR)
    assert still_face[16, 16, 3] == 255
    assert moved[16, 16, 3] == 0
    assert moved[16, 30, 3] == 255


def test_follow_camera_keeps_a_walker_in_the_picture():
    clip = still(skeleton(), 90)
    translations = np.array(clip.translations)
    translations[:, 0, 2] = np.linspace(0, 20, 90)
    drawn = render_clip(
        replace(clip, translations=translations), figure(quad()), size=(32, 32), camera="front", look=CLEAR
    )
    covered = (drawn[..., 3] > 0).mean(axis=(1, 2))
    assert covered.min() > 0.1
    assert (drawn[:, 0, :, 3] == 0).all()


def test_other_skeleton_is_refused_by_name():
    with pytest.raises(MovesetError, match=r"does not move joints of character .*j1, j2.*retarget"):
        render_clip(still(skeleton()), replace(figure(quad()), skeleton=skeleton(3)))


def test_same_joints_in_another_order_are_matched_by_name():
    """A clip with the joints of the character among others, in its own order."""
    branches = Skeleton(
        ("base", "b", "a"),
        [-1, 0, 0],
        np.tile((0.0, 0, 0, 1), (3, 1)),
        [(0, 0, 0), (0.5, 0, 0), (-0.5, 0, 0)],
    )
    swapped = replace(
        branches, names=("base", "a", "b"), rest_translations=branches.rest_translations[[0, 2, 1]]
    )
    on_a = replace(quad(half=0.2), skin_joints=np.array([2]))
    body = Character(branches, (on_a,), (Material(),))
    wide = Camera((0.0, 1.0, 3.0), (0.0, 1.0, 0.0), fov=None, height=2.0)
    for clip in (still(branches), still(swapped)):
        drawn = render_clip(clip, body, size=(40, 40), camera=wide, look=CLEAR)[0]
        assert drawn[20, 10, 3] == 255
        assert drawn[20, 30, 3] == 0


def test_empty_things():
    canonical = canonical_skeleton()
    assert render_clip(still(canonical, 2), mannequin(canonical), frames=[]).shape == (0, 256, 256, 4)
    with pytest.raises(MovesetError, match="no frames"):
        render_clip(still(canonical, 0), mannequin(canonical), frames=[0])
    with pytest.raises(MovesetError, match="nobody"):
        next(render_actors([]))
    with pytest.raises(MovesetError, match="cannot be drawn"):
        render_clip(still(canonical), mannequin(canonical), size=(0, 10))
    bare = render_clip(still(skeleton(3)), replace(figure(), skeleton=skeleton(3)), size=(16, 16), look=CLEAR)
    assert (bare == 0).all()


def test_transfer_curve_goes_both_ways():
    values = np.linspace(0, 1, 50)
    assert np.allclose(linear(encoded(values)), values)
    assert linear(0.5) == pytest.approx(0.2140, abs=1e-4)
