"""Skinning against a plain loop, and what poses it refuses."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from render_scenes import skeleton, still

from moveset.errors import MovesetError
from moveset.geometry import quaternion
from moveset.motion import Clip
from moveset.render.skinning import joint_matrices, normal_palette, palette, skin


def random_clip(rng, joints=5, frames=3, scales=True):
    s = skeleton(joints)
    return Clip(
        s,
        quaternion.normalize(rng.normal(size=(frames, joints, 4))),
        rng.normal(size=(frames, joints, 3)),
        30.0,
        scales=rng.uniform(0.5, 1.5, (frames, joints, 3)) if scales else None,
    )


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_skin_equals_a_plain_loop(seed):
    rng = np.random.default_rng(seed)
    clip = random_clip(rng)
    vertices, slots = 12, 4
    skin_joints = rng.permutation(5)[:slots]
    inverse_binds = np.tile(np.eye(4), (slots, 1, 1))
    inverse_binds[:, :3] = rng.normal(size=(slots, 3, 4))
    positions, joints = rng.normal(size=(vertices, 3)), rng.integers(0, slots, (vertices, 3))
    weights = rng.dirichlet((1, 1, 1), vertices)
    normals = rng.normal(size=(vertices, 3))
    matrices = np.empty((slots, 3, 4), dtype=np.float32)
    palette(joint_matrices(clip)[1], skin_joints, inverse_binds, matrices)
    out = np.empty((vertices, 6), dtype=np.float32)
    turns, _ = normal_palette(matrices)
    f4 = np.float32
    skin(positions.astype(f4), normals.astype(f4), joints, weights.astype(f4), matrices, turns, out)

    worlds = []
    for j in range(5):
        local = np.eye(4)
        local[:3, :3] = quaternion.to_matrix(clip.rotations[1, j]) @ np.diag(clip.scales[1, j])
        local[:3, 3] = clip.translations[1, j]
        worlds.append(local if j == 0 else worlds[j - 1] @ local)
    for v in range(vertices):
        place, normal = np.zeros(4), np.zeros(3)
        for k in range(3):
            m = worlds[skin_joints[joints[v, k]]] @ inverse_binds[joints[v, k]]
            place += weights[v, k] * (m @ np.append(positions[v], 1))
            linear = m[:3, :3]
            turned = np.linalg.inv(linear).T @ normals[v] * abs(np.linalg.det(linear))
            normal += weights[v, k] * turned
        assert np.allclose(out[v, :3], place[:3], atol=2e-5)
        assert np.allclose(out[v, 3:], normal / np.linalg.norm(normal), atol=2e-3)


def test_joint_matrices_agree_with_forward_kinematics():
    clip = random_clip(np.random.default_rng(1), scales=False)
    worlds = joint_matrices(clip)
    assert np.allclose(worlds[..., 3], clip.world_positions)
    assert np.allclose(worlds[..., :3], quaternion.to_matrix(clip.world_rotations))


def test_mirrored_joints_are_found():
    m = np.zeros((2, 3, 4), dtype=np.float32)
    m[0, :, :3], m[1, :, :3] = np.eye(3), np.diag((-1, 1, 1))
    _, mirrored = normal_palette(m)
    assert mirrored.tolist() == [False, True]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_names_clip_frame_and_joint(bad):
    clip = still(skeleton(3), frames=4)
    rotations = clip.rotations.copy()
    rotations[2, 1, 0] = bad
    with pytest.raises(MovesetError, match=r"'still' holds NaN or infinity: frame 2, joint 'j1'"):
        joint_matrices(replace(clip, rotations=rotations))
    assert len(joint_matrices(replace(clip, rotations=rotations), np.array([0, 1]))) == 2
