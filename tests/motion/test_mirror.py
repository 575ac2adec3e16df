"""Mirroring is tested by rotations: positions are right under several wrong axis flips."""

from dataclasses import replace

import numpy as np
import pytest

from moveset.geometry import quaternion
from moveset.motion import Annotation, Clip, Contacts, Event, Skeleton, Tags
from moveset.motion.canonical import canonical_skeleton
from moveset.motion.mirror import find_symmetry, find_twins, mirror, swap_sides
from moveset.workflows.load import load

ACROSS = np.array([-1.0, 1.0, 1.0])


def baked(clip: Clip, keep_rest: bool) -> tuple[Clip, np.ndarray]:
    """The same motion with other bone frames: limbs with S = -I, spine diag(1, 1, -1), hips diag(1, -1, 1).

    As in the Bandai-Namco sets. With `keep_rest` the rest pose is carried over; without, rest rotations are the
    identity, so that the rest pose says nothing. Also gives B (J, 4): new frames in the old ones.
    """
    skeleton = clip.skeleton
    rng = np.random.default_rng(5)
    frames = quaternion.identity((len(skeleton),))
    for j, role in enumerate(skeleton.roles):
        assert role is not None
        if role.startswith("left"):
            left = quaternion.normalize(rng.normal(size=4))
            frames[j] = left
            twin = skeleton.joint("right" + role[4:])
            frames[twin] = quaternion.multiply(np.array([1.0, 0, 0, 0]), left)  # diag(1, -1, -1) B
        elif role == "hips":
            frames[j] = quaternion.from_axis_angle([0, 0, 1], np.pi / 2)
        elif not role.startswith("right"):
            frames[j] = quaternion.from_axis_angle([0, 1, 0], np.pi / 2)
    parent = np.where(skeleton.parents[:, None] >= 0, frames[skeleton.parents], quaternion.IDENTITY)

    def rebased(local):
        return quaternion.multiply(quaternion.inverse_multiply(parent, local), frames)

    rest = rebased(skeleton.rest_rotations) if keep_rest else quaternion.identity((len(skeleton),))
    new = replace(
        skeleton,
        rest_rotations=rest,
        rest_translations=quaternion.inverse_rotate(parent, skeleton.rest_translations),
    )
    return replace(
        clip,
        skeleton=new,
        rotations=rebased(clip.rotations),
        translations=quaternion.inverse_rotate(parent, clip.translations),
    ), frames


def assert_mirrored_positions(clip, other, tolerance=1e-9):
    twins = find_twins(clip.skeleton)
    np.testing.assert_allclose(other.world_positions, clip.world_positions[:, twins] * ACROSS, atol=tolerance)


def test_positions_on_a_clean_rig(smooth_clip):
    assert_mirrored_positions(smooth_clip(), mirror(smooth_clip()))


def test_world_rotations_on_a_clean_rig(smooth_clip, assert_same_rotations):
    """With identity rest rotations the mirror of a rotation is (x, -y, -z, w)."""
    clip = smooth_clip()
    twins = find_twins(clip.skeleton)
    expected = clip.world_rotations[:, twins] * [1, -1, -1, 1]
    assert_same_rotations(mirror(clip).world_rotations, expected)


def test_the_rest_pose_is_its_own_mirror(standing_clip, assert_same_rotations):
    clip, _ = baked(standing_clip(), keep_rest=True)
    assert_same_rotations(mirror(clip).rotations, clip.rotations)


@pytest.mark.parametrize("keep_rest", [True, False], ids=["rest pose known", "rest pose says nothing"])
def test_baked_bone_frames(smooth_clip, assert_same_rotations, keep_rest):
    """The mirrored baked clip is the baked mirrored clip, frame by frame, in every local rotation."""
    clip = smooth_clip(size=0.4)
    known, frames = baked(clip, keep_rest)
    other = mirror(known)
    expected = quaternion.multiply(mirror(clip).world_rotations, frames)
    assert_same_rotations(other.world_rotations, expected)
    twice = mirror(other)
    assert_same_rotations(twice.rotations, known.rotations)
    np.testing.assert_allclose(twice.translations, known.translations, atol=1e-12)
    assert_mirrored_positions(known, other) if keep_rest else None
    mean, mirrored_mean = quaternion.mean(known.rotations), quaternion.mean(other.rotations)
    assert np.degrees(quaternion.angle_between(mean, mirrored_mean)[1:].max()) < 40


def under_a_turned_root(clip):
    """The clip with a still joint above the hips whose own axes lie on their side, as in rigs made for Z up."""
    side = quaternion.from_axis_angle([0.6, 0.8, 0.0], -np.pi / 2)
    skeleton = clip.skeleton
    rooted = Skeleton(
        ("root", *skeleton.names),
        np.concatenate(([-1], skeleton.parents + 1)),
        np.concatenate((side[None], skeleton.rest_rotations)),
        np.concatenate((np.zeros((1, 3)), skeleton.rest_translations)),
        ("root", *skeleton.roles),
    )
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    rotations[:, 0] = quaternion.inverse_multiply(side, rotations[:, 0])
    translations[:, 0] = quaternion.inverse_rotate(side, translations[:, 0])
    still = np.broadcast_to(side, (len(clip), 1, 4))
    return replace(
        clip,
        skeleton=rooted,
        rotations=np.concatenate((still, rotations), axis=1),
        translations=np.concatenate((np.zeros((len(clip), 1, 3)), translations), axis=1),
    )


@pytest.mark.parametrize("rooted", [False, True])
@pytest.mark.parametrize("heading", [0.0, np.pi / 2, 3.0])
def test_the_known_flips_are_found_at_any_heading(smooth_clip, heading, rooted):
    clip = smooth_clip(size=0.4)
    rotations = clip.rotations.copy()
    rotations[:, 0] = quaternion.multiply(quaternion.from_axis_angle([0, 1, 0], heading), rotations[:, 0])
    clip, _ = baked(replace(clip, rotations=rotations), keep_rest=False)
    clip = under_a_turned_root(clip) if rooted else clip
    symmetry = find_symmetry(clip.skeleton, [clip])
    for role, j in clip.skeleton.by_role.items():
        expected = -np.eye(3)
        if role == "root":
            continue
        if role == "hips":
            expected = np.diag([1.0, -1, 1])
        elif not role.startswith(("left", "right")):
            expected = np.diag([1.0, 1, -1])
        np.testing.assert_allclose(symmetry.flips[j], expected, atol=1e-9, err_msg=role)


@pytest.mark.parametrize("seed", range(5))
def test_lopsided_motion_does_not_overrule_the_rest_pose(smooth_clip, seed):
    clip = smooth_clip(size=0.2)
    bend = np.random.default_rng(seed).normal(size=(24, 3))
    bend *= np.radians(80) / np.linalg.norm(bend, axis=-1, keepdims=True)
    bend[0] = 0
    clip = replace(clip, rotations=quaternion.multiply(clip.rotations, quaternion.from_rotation_vector(bend)))
    np.testing.assert_array_equal(
        find_symmetry(clip.skeleton, [clip]).flips, find_symmetry(clip.skeleton).flips
    )


def test_twice_is_the_same_clip(smooth_clip, assert_same_rotations):
    clip = replace(
        smooth_clip(),
        scales=np.random.default_rng(0).uniform(0.5, 2, (90, 24, 3)),
        contacts=Contacts(("leftFoot", "rightFoot"), np.arange(180).reshape(90, 2) % 3 == 0),
        events=(Event(0.5, "left_hit", "leftHand"),),
        tags=Tags(("left", "kick"), Annotation(direction=("From Left",)), "a Left kick"),
        curves={"blinkLeft": np.arange(90.0)},
    )
    once, twice = mirror(clip), mirror(mirror(clip))
    assert_same_rotations(twice.rotations, clip.rotations)
    np.testing.assert_allclose(twice.translations, clip.translations, atol=1e-12)
    np.testing.assert_allclose(twice.scales, clip.scales, atol=1e-12)
    assert (twice.tags, twice.events, twice.name) == (clip.tags, clip.events, clip.name)
    assert once.events == (Event(0.5, "right_hit", "rightHand"),)
    assert once.tags == Tags(("right", "kick"), Annotation(direction=("From Right",)), "a Right kick")
    assert list(once.curves) == ["blinkRight"]
    assert once.contacts is not None and clip.contacts is not None
    assert once.contacts.roles == clip.contacts.roles
    np.testing.assert_array_equal(once.contacts.flags, clip.contacts.flags[:, ::-1])


def test_one_sided_contacts_change_their_role(smooth_clip):
    clip = replace(smooth_clip(), contacts=Contacts(("leftFoot",), np.ones((90, 1), dtype=bool)))
    contacts = mirror(clip).contacts
    assert contacts is not None and contacts.roles == ("rightFoot",)


def test_joints_without_roles_find_their_twin_by_place(smooth_clip):
    skeleton = canonical_skeleton()
    names = (*skeleton.names, "a", "b", "c", "d", "tail")
    arm, other = skeleton.joint("leftLowerArm"), skeleton.joint("rightLowerArm")
    extra = np.array([[0.2, 0, 0], [0.1, 0.02, 0], [-0.1, 0.02, 0], [-0.2, 0, 0], [0, 0, -0.2]])
    bigger = Skeleton(
        names,
        np.concatenate((skeleton.parents, [arm, arm, other, other, 0])),
        quaternion.identity((29,)),
        np.concatenate((skeleton.rest_translations, extra)),
        (*skeleton.roles, None, None, None, None, None),
    )
    twins = find_twins(bigger)
    assert [names[twins[bigger.index[n]]] for n in ("a", "b", "c", "d", "tail")] == [
        "d",
        "c",
        "b",
        "a",
        "tail",
    ]
    clip = smooth_clip(bigger)
    assert_mirrored_positions(clip, mirror(clip))


def test_a_rest_pose_that_faces_the_side(smooth_clip, assert_same_rotations):
    """The same body with a rest pose turned by a quarter: the mirrored motion is the same."""
    clip = smooth_clip()
    turn = quaternion.from_axis_angle([0, 1, 0], np.pi / 2)
    rotations, translations = clip.skeleton.rest_rotations.copy(), clip.skeleton.rest_translations.copy()
    rotations[0], translations[0] = turn, quaternion.rotate(turn, translations[0])
    turned = replace(clip.skeleton, rest_rotations=rotations, rest_translations=translations)
    other = mirror(replace(clip, skeleton=turned))
    assert_mirrored_positions(clip, other)
    assert_same_rotations(other.world_rotations, mirror(clip).world_rotations)


@pytest.mark.parametrize(
    "text, expected",
    [("turn left", "turn right"), ("LeftFoot", "RightFoot"), ("LEFT_right", "RIGHT_left"), ("idle", "idle")],
)
def test_swap_sides(text, expected):
    assert swap_sides(text) == expected


def test_bandai_frames_are_told_from_one_run(pack):
    """Rest rotations of this set say nothing; the flips are known from fitting many of its clips."""
    clip = load(pack / "mocap/samples/dataset-2_run_normal_001.bvh").clips[0]
    other = mirror(clip)
    symmetry = find_symmetry(clip.skeleton, [clip])
    for role, j in clip.skeleton.by_role.items():
        if role.startswith(("left", "right")):
            np.testing.assert_array_equal(symmetry.flips[j], -np.eye(3), err_msg=role)
        elif role in ("spine", "chest", "neck", "head"):
            np.testing.assert_array_equal(symmetry.flips[j], np.diag([1, 1, -1]), err_msg=role)
    np.testing.assert_array_equal(symmetry.flips[clip.skeleton.joint("hips")], np.diag([1, -1, 1]))
    mean, mirrored_mean = quaternion.mean(clip.rotations), quaternion.mean(other.rotations)
    assert np.degrees(quaternion.angle_between(mean, mirrored_mean)).max() < 12
