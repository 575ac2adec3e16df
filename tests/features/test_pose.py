import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moveset.errors import MovesetError
from moveset.features.pose import PoseSpace, pose_space
from moveset.geometry import quaternion
from moveset.motion import Clip, Skeleton
from moveset.motion.ground import ground_frame
from moveset.synthetic import synthesize
from moveset.workflows.load import load


def walk() -> Clip:
    return synthesize("walk_120", seed=3)


def assert_same_motion(clip: Clip, back: Clip, atol: float = 1e-6):
    assert np.allclose(back.world_positions, clip.world_positions, atol=atol)
    turned = np.abs(np.sum(back.world_rotations * clip.world_rotations, axis=-1))
    assert np.allclose(turned, 1, atol=atol)


def test_a_clip_comes_back_from_its_vectors():
    clip = walk()
    space = pose_space([clip])
    ground = ground_frame(clip)
    back = space.clip(space.vectors(clip), clip.fps, ground.positions[0], ground.headings[0])
    assert_same_motion(clip, back)
    assert clip.contacts is not None and back.contacts is not None
    assert np.array_equal(back.contacts.flags, clip.contacts.flags)


def test_single_precision_keeps_a_tenth_of_a_millimetre():
    clip = walk()
    space = pose_space([clip])
    ground = ground_frame(clip)
    back = space.clip(
        space.vectors(clip).astype(np.float32), clip.fps, ground.positions[0], ground.headings[0]
    )
    assert_same_motion(clip, back, atol=1e-4)


def test_where_the_clip_starts_is_the_only_thing_forgotten():
    clip = walk()
    space = pose_space([clip])
    vectors = space.vectors(clip)
    elsewhere = space.clip(vectors, clip.fps, np.array([5.0, 0.0, -2.0]), 1.0)
    assert np.allclose(space.vectors(elsewhere), vectors, atol=1e-6)


def test_blocks_say_what_they_hold():
    clip = walk()
    space = pose_space([clip])
    blocks = space.layout.unpack(space.vectors(clip))
    assert blocks["root"][:, 1].mean() == pytest.approx(1.2, abs=0.1)
    hips = list(space.turning).index(clip.skeleton.joint("hips"))
    assert np.allclose(blocks["positions"][:, hips], blocks["translations"][:, 0], atol=1e-9)
    world = np.gradient(clip.world_positions[:, clip.skeleton.joint("hips")], 1 / clip.fps, axis=0)
    speeds = np.linalg.norm(blocks["velocities"][:, hips], axis=-1)
    assert np.allclose(speeds[2:-2], np.linalg.norm(world, axis=-1)[2:-2], atol=1e-6)


def test_helpers_and_still_joints_are_left_out_and_keep_their_place(pack):
    asset = load(str(pack / "game/kaykit-adventurers/Knight.glb"))
    clips = [clip for clip in asset.clips if not clip.additive][:12]
    space = pose_space(clips)
    left_out = {clips[0].skeleton.names[j] for j in range(len(clips[0].skeleton))} - {
        clips[0].skeleton.names[j] for j in space.turning
    }
    assert any("IK" in name for name in left_out)
    for clip in clips:
        vectors = space.vectors(clip)
        ground = ground_frame(clip)
        back = space.clip(vectors, clip.fps, ground.positions[0], ground.headings[0])
        body = space.turning
        plain = Clip(clip.skeleton, clip.rotations, clip.translations, clip.fps)
        assert np.allclose(back.world_positions[:, body], plain.world_positions[:, body], atol=2e-4)


def chain(rotations: np.ndarray) -> Clip:
    """A body of no known kind: one root and a tail."""
    joints = rotations.shape[1]
    skeleton = Skeleton(
        tuple(f"bone{j}" for j in range(joints)),
        np.arange(joints) - 1,
        quaternion.identity((joints,)),
        np.tile([0.0, 0.3, 0.1], (joints, 1)),
    )
    frames = len(rotations)
    translations = np.broadcast_to(skeleton.rest_translations, (frames, joints, 3)).copy()
    translations[:, 0] += np.linspace(0, 1, frames)[:, None] * [1.0, 0.2, 0.5]
    return Clip(skeleton, rotations, translations, 30.0)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31), st.integers(2, 6), st.integers(2, 12), st.sampled_from([1e-4, 0.3, 3.0]))
def test_any_skeleton_comes_back(seed, joints, frames, size):
    rng = np.random.default_rng(seed)
    axes = rng.normal(size=(frames, joints, 3)) * size
    clip = chain(quaternion.unroll(quaternion.from_rotation_vector(axes)))
    space = pose_space([clip])
    ground = ground_frame(clip)
    back = space.clip(space.vectors(clip), clip.fps, ground.positions[0], ground.headings[0])
    assert_same_motion(clip, back, atol=1e-5)


def test_it_is_written_and_read_exactly():
    space = pose_space([synthesize(name) for name in ("walk_120", "run_240")])
    again = PoseSpace.from_json(json.loads(json.dumps(space.to_json())))
    clip = walk()
    assert np.array_equal(again.vectors(clip), space.vectors(clip))
    assert again.layout.signature == space.layout.signature


def test_another_skeleton_is_refused():
    clip = chain(quaternion.identity((4, 3)))
    with pytest.raises(MovesetError, match="another skeleton"):
        pose_space([walk()]).vectors(clip)
    with pytest.raises(MovesetError, match="another skeleton"):
        pose_space([walk(), clip])
    with pytest.raises(MovesetError, match="no clips"):
        pose_space([])
