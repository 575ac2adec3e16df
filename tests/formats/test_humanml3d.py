"""HumanML3D: the published definition step by step, exact round trips, and the traps of its files."""

from __future__ import annotations

import io
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter1d

from moveset import formats
from moveset.errors import MovesetError
from moveset.formats import humanml3d
from moveset.formats.humanml3d_layout import JOINTS, decode, encode, placed
from moveset.formats.smpl_table import smpl_skeleton
from moveset.geometry import quaternion
from moveset.motion import Asset
from moveset.motion.canonical import Body, canonical_skeleton
from moveset.motion.kinematics import forward_kinematics
from moveset.motion.resample import resample
from moveset.synthetic import synthesize

CHAINS = [[0, 2, 5, 8, 11], [0, 1, 4, 7, 10], [0, 3, 6, 9, 12, 15], [9, 14, 17, 19, 21], [9, 13, 16, 18, 20]]
DIRECTIONS = {
    1: (1, 0, 0), 2: (-1, 0, 0), 3: (0, 1, 0), 6: (0, 1, 0), 9: (0, 1, 0), 10: (0, 0, 1), 11: (0, 0, 1), 12: (0, 1, 0),
    13: (1, 0, 0), 14: (-1, 0, 0), 15: (0, 0, 1),
}  # fmt: skip


def walk(name: str = "walk_100", seconds: float = 3.0):
    """Joints (F, 22, 3) at 20 Hz in HumanML3D's order."""
    clip = resample(synthesize(name), 20.0)
    clip = clip.slice(0, int(seconds * 20))
    roles = [role for role in smpl_skeleton(JOINTS).roles if role]
    return clip, clip.world_positions[:, clip.skeleton.joints(roles)]


def shortest(a, b):
    """Matrix of the shortest turn from one direction to another."""
    a, b = np.asarray(a, float) / np.linalg.norm(a), np.asarray(b, float) / np.linalg.norm(b)
    v, c = np.cross(a, b), a @ b
    k = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + k + k @ k / (1 + c)


def facing_of(joints):
    across = np.array([(p[2] - p[1]) + (p[17] - p[16]) for p in joints])
    return np.array([np.cross((0, 1, 0), a / np.linalg.norm(a)) for a in across])


def reference(joints):
    """The features frame by frame, with matrices."""
    joints = joints.copy()
    joints[..., 1] -= joints[..., 1].min()
    joints -= joints[0, 0] * (1, 0, 1)
    turn = shortest(facing_of(joints)[0], (0, 0, 1))
    joints = np.array([[turn @ p for p in frame] for frame in joints])
    ahead = gaussian_filter1d(facing_of(joints), 20, axis=0, mode="nearest")
    local = [shortest(f, (0, 0, 1)) for f in ahead]  # world to facing
    local[0] = np.eye(3)
    rows = []
    for t in range(len(joints) - 1):
        now, later = joints[t], joints[t + 1]
        turned = local[t + 1] @ local[t].T
        angle = np.arctan2(turned[0, 2], turned[0, 0])
        step = local[t + 1] @ (later[0] - now[0])
        row = [angle / 2, step[0], step[2], now[0, 1]]
        row += [v for j in range(1, 22) for v in local[t] @ (now[j] - now[0] * (1, 0, 1))]
        turns = {}
        for chain in CHAINS:
            above = local[t]
            for start, end in pairwise(chain):
                bone = shortest(DIRECTIONS.get(end, (0, -1, 0)), now[end] - now[start])
                turns[end] = above.T @ bone
                above = bone
        row += [v for j in range(1, 22) for v in (*turns[j][:, 0], *turns[j][:, 1])]
        row += [v for j in range(22) for v in local[t] @ (later[j] - now[j])]
        row += [float(np.sum((later[j] - now[j]) ** 2) < 0.002) for j in (7, 10, 8, 11)]
        rows.append(row)
    return np.array(rows)


@pytest.mark.parametrize("name", ["walk_100", "turn_left_180", "wander_run_1", "jump"])
def test_against_the_definition(name):
    _, joints = walk(name)
    joints = joints.astype(float) + (3.0, 0.4, -2.0)
    np.testing.assert_allclose(encode(joints), reference(joints), atol=1e-8)


@pytest.mark.parametrize("turned", [0.0, 2.5])
def test_positions_come_back_exactly(turned):
    _, joints = walk()
    joints = quaternion.rotate(quaternion.from_axis_angle([0, 1, 0], turned), joints) + (1, 0, 2)
    np.testing.assert_allclose(decode(encode(joints)), placed(joints)[:-1], atol=1e-9)


def test_a_clip_comes_back_with_rotations_of_its_own():
    """On a body of other proportions: every joint where it was, bones of one length, no spin where none was."""
    clip, _ = walk()
    other = canonical_skeleton(Body(height=1.6, leg=1.1))
    clip = replace(clip, skeleton=other, translations=_on(clip, other))
    data = humanml3d.write(Asset(clips=(clip,)), path="a.npy")
    asset = humanml3d.read(data, path="a.npy")
    again = asset.clips[0]
    assert not asset.findings and again.fps == 20 and len(again) == len(clip) - 1
    roles = [role for role in again.skeleton.roles if role]
    truth = placed(clip.world_positions[:, clip.skeleton.joints(roles)])[:-1]
    assert np.abs(again.world_positions - truth).max() < 1e-5
    own = again.skeleton.rest_translations[1:]
    np.testing.assert_allclose(
        np.linalg.norm(own, axis=1), np.linalg.norm(_lengths(other, roles), axis=1), atol=1e-5
    )
    steps = quaternion.angle_between(again.rotations[1:], again.rotations[:-1])
    ours = quaternion.angle_between(clip.rotations[1:], clip.rotations[:-1])
    assert steps.max() < 1.5 * ours.max() + 0.05


def _on(clip, skeleton):
    translations = np.repeat(skeleton.rest_translations[None], len(clip), axis=0)
    translations[:, 0] = clip.translations[:, 0]
    return translations


def _lengths(skeleton, roles):
    return skeleton.rest_translations[skeleton.joints(roles)][1:]


def test_its_own_rotations_are_no_pose():
    """What the documentation says of columns 67 to 192: a turn about a bone leaves no trace in them."""
    clip, _ = walk(seconds=0.5)
    roles = [role for role in smpl_skeleton(JOINTS).roles if role]
    twisted = clip.rotations.copy()
    arm = clip.skeleton.joint("leftHand")
    twisted[:, arm] = quaternion.multiply(twisted[:, arm], quaternion.from_axis_angle([1, 0, 0], 1.0))
    joints = [
        forward_kinematics(r, clip.translations, clip.skeleton.parents)[1][:, clip.skeleton.joints(roles)]
        for r in (clip.rotations, twisted)
    ]
    np.testing.assert_array_equal(encode(joints[0]), encode(joints[1]))


def test_joints_arrays(tmp_path):
    _, joints = walk()
    asset = Asset(clips=(resample(synthesize("walk_100"), 20.0).slice(0, 60),))
    file = formats.write(asset, tmp_path / "a.npy", layout="joints")
    again = formats.read(file).clips[0]
    np.testing.assert_allclose(again.world_positions, joints, atol=1e-5)
    z_up = np.stack((joints[..., 0], -joints[..., 2], joints[..., 1]), axis=-1)
    turned = humanml3d.read(npy(z_up), path="z.npy")
    assert [f.check for f in turned.findings] == ["up_axis_guess"]
    np.testing.assert_allclose(turned.clips[0].world_positions, joints, atol=1e-5)


def test_left_and_right_mixed_up_is_told():
    _, joints = walk()
    swapped = joints.copy()
    pairs = [(1, 2), (4, 5), (7, 8), (10, 11), (13, 14), (16, 17), (18, 19), (20, 21)]
    for a, b in pairs:
        swapped[:, [a, b]] = joints[:, [b, a]]
    assert [f.check for f in humanml3d.read(npy(encode(swapped)), path="a.npy").findings] == [
        "left_right_swap"
    ]
    assert not humanml3d.read(npy(encode(joints)), path="a.npy").findings
    mirrored = swapped * (-1, 1, 1)
    assert not humanml3d.read(npy(encode(mirrored)), path="a.npy").findings, "a mirrored body is a body"


def test_bones_that_stretch_are_told():
    _, joints = walk()
    joints = joints.copy()
    joints[30:, 20] += (0.2, 0, 0)
    assert [f.check for f in humanml3d.read(npy(joints), path="a.npy").findings] == ["loose_bones"]


def npy(array) -> bytes:
    out = io.BytesIO()
    np.save(out, np.asarray(array))
    return out.getvalue()


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.zeros((4, 251)), r"shape \(4, 251\) of float64 -- HumanML3D has \(F, 263\)"),
        (np.zeros((0, 263)), "shape"),
        (np.array(["a"]), "shape"),
        (np.zeros((4, 263)), "looks normalized"),
        (np.full((4, 263), np.nan), "4 of 4 rows hold NaN"),
        (np.full((4, 263), 1e9), "no metres"),
    ],
)
def test_what_is_refused(array, text):
    with pytest.raises(MovesetError, match=text):
        humanml3d.read(npy(array), path="a.npy")


def test_a_body_that_lacks_joints_is_refused():
    clip = synthesize("walk_100")
    roles = {role: role for role in clip.skeleton.roles if role and role != "leftToes"}
    short = replace(clip, skeleton=clip.skeleton.with_roles(roles))
    with pytest.raises(MovesetError, match="lacks leftToes"):
        humanml3d.write(Asset(clips=(short,)), path="a.npy")


def test_a_folder_shows_only_arrays_of_motion(tmp_path):
    np.save(tmp_path / "motion.npy", np.zeros((3, 263)))
    np.save(tmp_path / "mean.npy", np.zeros(263))
    (tmp_path / "text.npy").write_text("no array")
    assert formats.list_files(tmp_path) == [str(tmp_path / "motion.npy")]
