"""Clips come back from BVH where they were, whatever rig, unit, axis and order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from bvh_text import FIGURE, POSITIONS, ZXY, random_values, slow_positions, text_of, with_channels
from hypothesis import given, settings
from hypothesis import strategies as st

from moveset.conventions import POSITION_TOLERANCE
from moveset.errors import MovesetError
from moveset.formats import bvh
from moveset.formats.bvh.text import number_block
from moveset.formats.bvh.writer import ORDERS
from moveset.geometry import quaternion
from moveset.motion import Asset, Clip, Skeleton
from moveset.motion.canonical import canonical_skeleton


def random_clip(seed: int, frames: int = 12, rest_turned: bool = True, moving: int = 2) -> Clip:
    """A random tree (not depth first), rest rotations, near-identity and large turns, a few moving joints."""
    rng = np.random.default_rng(seed)
    joints = int(rng.integers(2, 12))
    parents = np.array([-1, *(int(rng.integers(0, j)) for j in range(1, joints))])
    rest = quaternion.normalize(rng.normal(size=(joints, 4)))
    rest = quaternion.positive(rest) if rest_turned else quaternion.identity((joints,))
    skeleton = Skeleton(tuple(f"j{j}" for j in range(joints)), parents, rest, rng.normal(0, 0.3, (joints, 3)))
    size = rng.choice([1e-6, 1e-2, 2.0])
    turns = quaternion.from_rotation_vector(np.cumsum(rng.normal(0, size, (frames, joints, 3)), axis=0))
    translations = np.repeat(skeleton.rest_translations[None], frames, axis=0)
    for j in {0, *rng.integers(0, joints, moving).tolist()}:
        translations[:, j] += np.cumsum(rng.normal(0, 0.05, (frames, 3)), axis=0)
    return Clip(skeleton, quaternion.multiply(rest, turns), translations, 30.0, "random")


def back(clip: Clip, path: str = "random.bvh", **options) -> Clip:
    data = bvh.write(Asset(clips=(clip,)), path=path, **options)
    unit, up = options.get("unit", "cm"), options.get("up", "Y")
    return bvh.read(data, path=path, unit=unit, up=up).clips[0]


def in_order_of(clip: Clip, names: tuple[str, ...]) -> np.ndarray:
    return clip.world_positions[:, [clip.skeleton.index[name] for name in names]]


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    order=st.sampled_from(ORDERS),
    unit=st.sampled_from(["m", "cm", "mm", "inch", 0.123]),
    up=st.sampled_from("YZ"),
    rest=st.sampled_from(["rest", "zero"]),
)
def test_positions_survive(seed, order, unit, up, rest):
    clip = random_clip(seed)
    again = back(clip, order=order, unit=unit, up=up, rest=rest)
    positions = in_order_of(again, clip.skeleton.names)
    assert np.abs(positions - clip.world_positions).max() < POSITION_TOLERANCE / 10
    assert again.fps == clip.fps


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_rest_pose_survives_in_the_offsets(seed):
    clip = random_clip(seed, moving=0)
    again = back(clip).skeleton
    positions = again.rest_world[1][[again.index[name] for name in clip.skeleton.names]]
    np.testing.assert_allclose(positions, clip.skeleton.rest_world[1], atol=1e-6)
    np.testing.assert_allclose(np.abs(again.rest_rotations[:, 3]), 1)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), order=st.sampled_from(ORDERS))
def test_rotations_survive(seed, order):
    clip = random_clip(seed, rest_turned=False)
    again = back(clip, order=order)
    rotations = again.rotations[:, [again.skeleton.index[name] for name in clip.skeleton.names]]
    assert quaternion.angle_between(rotations, clip.rotations).max() < 1e-7


def test_a_canonical_clip_keeps_its_skeleton():
    skeleton = canonical_skeleton()
    rotations = quaternion.identity((4, len(skeleton)))
    clip = Clip(skeleton, rotations, np.broadcast_to(skeleton.rest_translations, (4, len(skeleton), 3)), 30.0)
    again = back(clip).skeleton
    order = [again.index[name] for name in skeleton.names]
    np.testing.assert_allclose(again.rest_translations[order], skeleton.rest_translations, atol=1e-8)
    np.testing.assert_allclose(again.tips[order][5], skeleton.tips[5], atol=1e-8)


def test_only_moving_joints_have_position_channels():
    clip = random_clip(5, moving=0)
    text = bvh.write(Asset(clips=(clip,)), path="a.bvh").decode()
    assert text.count("Xposition") == 1
    moved = np.array(clip.translations)
    moved[:, 2, 1] += np.linspace(0, 0.1, len(clip))
    text = bvh.write(Asset(clips=(replace(clip, translations=moved),)), path="a.bvh").decode()
    assert text.count("CHANNELS 6") == 2


def test_angles_do_not_jump():
    """A turn through gimbal lock and many times round prints as smooth columns."""
    times = np.linspace(0, 1, 400)
    skeleton = Skeleton(("root",), np.array([-1]), quaternion.identity((1,)), np.zeros((1, 3)))
    turns = quaternion.multiply(
        quaternion.from_axis_angle((0, 1, 0), times * 20), quaternion.from_axis_angle((1, 0, 0), times * 9)
    )
    clip = Clip(skeleton, turns[:, None], np.zeros((400, 1, 3)), 30.0)
    document = bvh.parse(bvh.write(Asset(clips=(clip,)), path="a.bvh", order="YXZ"))
    assert np.abs(np.diff(document.values, axis=0)).max() < np.degrees(0.06)
    assert document.values[-1, 3] == pytest.approx(np.degrees(20), abs=1e-5)


MIXED = with_channels(
    FIGURE,
    {
        "Hips": ("Yrotation", "Xrotation", "Zrotation", *POSITIONS),
        "Spine": ("Yrotation", "Zrotation", "Xrotation"),
        "Head": ("Xrotation",),
        "LeftLeg": POSITIONS + ZXY,
        "RightLeg": (*ZXY, "Xscale", "Yscale", "Zscale"),
    },
)


def test_an_untouched_clip_comes_back_number_by_number():
    values = random_values(MIXED)
    asset = bvh.read(text_of(MIXED, values, frame_time="0.0416671").encode(), path="a.bvh")
    again = bvh.parse(bvh.write(asset, path="b.bvh"))
    assert again.joints == asset.source.document.joints
    assert again.frame_time_text == "0.0416671"
    np.testing.assert_array_equal(again.values, values)


def test_a_changed_clip_keeps_the_dialect():
    values = random_values(MIXED)
    asset = bvh.read(text_of(MIXED, values).encode(), path="a.bvh", unit="inch", up="Y")
    clip = asset.clips[0]
    changed = replace(asset, clips=(replace(clip, translations=clip.translations + (0.1, 0, 0)),))
    again = bvh.parse(bvh.write(changed, path="b.bvh"))
    before = asset.source.document.joints
    assert [j.channels for j in again.joints[:2]] == [j.channels for j in before[:2]]
    assert [j.tips for j in again.joints] == [j.tips for j in before]
    assert [j.name for j in again.joints] == [j.name for j in before]
    moved = bvh.read(bvh.write(changed, path="b.bvh"), path="b.bvh", unit="inch", up="Y").clips[0]
    np.testing.assert_allclose(moved.world_positions, changed.clips[0].world_positions, atol=1e-6)


def test_scale_is_written_as_positions():
    clip = random_clip(3)
    scales = 1 + 0.3 * np.random.default_rng(1).uniform(-1, 1, (len(clip), len(clip.skeleton), 3))
    clip = replace(clip, scales=scales)
    again = back(clip)
    positions = in_order_of(again, clip.skeleton.names)
    assert np.abs(positions - clip.world_positions).max() < POSITION_TOLERANCE / 10
    assert [f.check for f in bvh.losses(Asset(clips=(clip,)))] == ["not_carried"]


def test_a_joint_that_stays_at_its_parent_is_not_taken_for_a_silent_one():
    """An IK target at rest a metre away that a clip keeps within a hair of its parent, moving a little."""
    clip = random_clip(6, moving=0)
    translations = np.array(clip.translations)
    translations[:, 1] = np.linspace(0, 1e-5, len(clip))[:, None]
    clip = replace(clip, translations=translations)
    positions = in_order_of(back(clip), clip.skeleton.names)
    assert np.abs(positions - clip.world_positions).max() < POSITION_TOLERANCE


def test_zero_and_one_frame():
    for frames in (0, 1):
        clip = random_clip(2, frames=frames)
        assert len(back(clip)) == frames


def test_names_that_would_break_the_file():
    clip = random_clip(4)
    names = ("a{b}", "line\nbreak", *clip.skeleton.names[2:])
    skeleton = replace(clip.skeleton, names=names)
    again = back(replace(clip, skeleton=skeleton)).skeleton
    assert {"a_b_", "line_break"} <= set(again.names)


@pytest.mark.parametrize(
    ("clips", "options", "words"),
    [
        ((), {}, "one clip, not 0"),
        ((random_clip(1), replace(random_clip(1), name="other")), {}, "random, other"),
        ((random_clip(1),), {"order": "XYX"}, "'XYX'"),
        ((random_clip(1),), {"up": "X"}, "neither Y nor Z"),
        ((replace(random_clip(1), rotations=random_clip(1).rotations * np.nan),), {}, "NaN"),
    ],
)
def test_refusals(clips, options, words):
    with pytest.raises(MovesetError, match=words):
        bvh.write(Asset(clips=clips), path="a.bvh", **options)


def test_rows_print_alike_both_ways(monkeypatch):
    from moveset.formats.bvh import text

    rng = np.random.default_rng(0)
    values = np.concatenate(
        (rng.normal(0, 100, (50, 7)), [[0, -0.0, 1e-9, -1e-9, 0.5e-6, 999999999, -123456.7890125]])
    )
    monkeypatch.setattr(text, "COMPILED_FROM", 0)
    compiled = number_block(values, 6)
    monkeypatch.setattr(text, "COMPILED_FROM", 1 << 40)
    monkeypatch.setattr(text.sys, "modules", {})
    assert number_block(values, 6) == compiled
    np.testing.assert_allclose(
        np.array(compiled.split(), dtype=float).reshape(values.shape), values, atol=5.1e-7
    )
    assert b"-0.000000" not in compiled


def test_agrees_with_pybvh(tmp_path):
    """An independent reader sees the joints where the slow reference sees them."""
    pybvh = pytest.importorskip("pybvh")
    values = random_values(FIGURE)
    asset = bvh.read(text_of(FIGURE, values).encode(), path="a.bvh", unit="cm", up="Y")
    changed = replace(asset.clips[0], rotations=asset.clips[0].rotations.copy())
    file = tmp_path / "a.bvh"
    file.write_bytes(bvh.write(Asset(clips=(changed,)), path="a.bvh", order="XZY"))
    theirs = pybvh.read_bvh_file(file, world_up="+y")
    joints = [k for k, node in enumerate(theirs.nodes) if not node.is_end_site()]
    found = np.asarray(theirs.joint_positions())
    found = found if found.shape[1] == len(FIGURE) else found[:, joints]
    np.testing.assert_allclose(found, slow_positions(FIGURE, values), atol=1e-4)
