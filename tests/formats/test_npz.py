"""NumPy archives: SMPL poses in the ways that they are published, and clips as plain arrays."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest
from hostile import npz_bombs
from hypothesis import given, settings
from hypothesis import strategies as st

from moveset import formats
from moveset.errors import MovesetError
from moveset.formats import npz
from moveset.formats.arrays import save_npz
from moveset.formats.smpl_table import JOINTS, PELVIS, smpl_skeleton
from moveset.geometry import quaternion
from moveset.motion import Asset, Clip
from moveset.motion.kinematics import forward_kinematics
from moveset.synthetic import synthesize

RNG = np.random.default_rng(5)


def read(arrays: dict, **options) -> Asset:
    return npz.read(save_npz({k: np.asarray(v) for k, v in arrays.items()}), path="a.npz", **options)


def poses(joints: int, frames: int = 6) -> np.ndarray:
    return (0.3 * RNG.normal(size=(frames, joints, 3))).astype(np.float32)


def rodrigues(v: np.ndarray) -> np.ndarray:
    """A rotation matrix from axis times angle, by the formula."""
    angle = np.linalg.norm(v)
    x, y, z = v / max(angle, 1e-12)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def reference_positions(turns, place, rest, parents) -> np.ndarray:
    """Where joints are, as the models define it: each turns about its rest place in the space of its parent."""
    out = []
    for pose, trans in zip(turns, place):
        world = []
        for j, parent in enumerate(parents):
            local = np.eye(4)
            local[:3, :3] = rodrigues(pose[j])
            local[:3, 3] = rest[j] - (rest[parent] if parent >= 0 else 0)
            world.append(world[parent] @ local if parent >= 0 else local)
        out.append([w[:3, 3] + trans for w in world])
    return np.array(out)


@pytest.mark.parametrize("joints", JOINTS)
def test_smpl_against_its_definition(joints):
    turns, place = poses(joints), RNG.normal(size=(6, 3))
    skeleton = smpl_skeleton(joints)
    rest = skeleton.rest_world[1] - skeleton.rest_world[1][0] + PELVIS
    asset = read({"poses": turns.reshape(6, -1), "trans": place, "mocap_framerate": 120.0}, up="Y")
    clip = asset.clips[0]
    assert clip.fps == 120
    expected = reference_positions(turns.astype(float), place, rest, skeleton.parents)
    np.testing.assert_allclose(clip.world_positions, expected, atol=1e-6)


def test_smpl_z_up_is_turned_and_found():
    turns, place = np.zeros((5, 24, 3)), np.zeros((5, 3))
    turns[:, 0] = (np.pi / 2, 0, 0)  # upright in a Z-up world, facing -Y
    place[:, 2] = 0.9
    asset = read({"poses": turns.reshape(5, -1), "trans": place, "mocap_frame_rate": 60.0})
    assert [f.check for f in asset.findings] == ["own_figure", "up_axis_guess"]
    clip = asset.clips[0]
    head, hips, toes = (clip.world_positions[0, clip.skeleton.joint(r)] for r in ("head", "hips", "leftToes"))
    assert head[1] - hips[1] > 0.5 and hips[1] > 0.85
    assert toes[2] > hips[2], "a body that faced -Y faces +Z"
    lying = read({"poses": np.zeros((5, 66)), "trans": np.zeros((5, 3)), "fps": 30}, up="Z")
    assert np.ptp(lying.clips[0].world_positions[0, :, 1]) < 0.4


def test_smpl_parts_make_a_pose():
    turns = poses(55)
    parts = {
        "root_orient": turns[:, 0], "pose_body": turns[:, 1:22].reshape(6, -1), "pose_jaw": turns[:, 22],
        "pose_eye": turns[:, 23:25].reshape(6, -1), "pose_hand": turns[:, 25:].reshape(6, -1),
    }  # fmt: skip
    whole = read({"poses": turns.reshape(6, -1), "trans": np.zeros((6, 3))}, up="Y").clips[0]
    split = read({**parts, "trans": np.zeros((6, 3))}, up="Y").clips[0]
    np.testing.assert_array_equal(whole.rotations, split.rotations)


def test_smpl_of_the_pack(pack):
    folder = pack / "mocap/smpl-style/cmu-smpl-style-30fps.zip"
    files = formats.list_files(folder)
    assert len(files) == 22
    for file in files[:4]:
        clip = formats.read(file).clips[0]
        raw = np.load(io.BytesIO(zip_member(folder, file.rpartition("/")[2])))
        frames = slice(0, None, 40)
        expected = reference_positions(
            raw["poses"].reshape(-1, 24, 3)[frames].astype(float),
            raw["trans"][frames],
            raw["rest_joints"],
            raw["parents"],
        )
        np.testing.assert_allclose(clip.world_positions[frames], expected, atol=1e-5)
        assert clip.skeleton.names == tuple(raw["joint_names"])


@pytest.mark.parametrize("up", ["Y", "Z"])
def test_smpl_round_trip(up):
    clip = read({"poses": poses(52).reshape(6, -1), "trans": RNG.normal(size=(6, 3))}, up="Y").clips[0]
    again = npz.read(npz.write(Asset(clips=(clip,)), path="a.npz", layout="smpl", up=up), path="a.npz").clips[
        0
    ]
    assert again.skeleton.signature == clip.skeleton.signature
    np.testing.assert_allclose(again.world_positions, clip.world_positions, atol=1e-5)


def test_smpl_is_refused_where_the_skeleton_is_another():
    with pytest.raises(MovesetError, match="not on an SMPL skeleton"):
        npz.write(Asset(clips=(synthesize("walk_100"),)), path="a.npz", layout="smpl")


@settings(max_examples=20, deadline=None)
@given(frames=st.integers(1, 5), scaled=st.booleans(), loop=st.booleans(), seed=st.integers(0, 9))
def test_own_round_trip(frames, scaled, loop, seed):
    rng = np.random.default_rng(seed)
    skeleton = synthesize("walk_100").skeleton
    joints = len(skeleton)
    clip = Clip(
        skeleton,
        quaternion.normalize(rng.normal(size=(frames, joints, 4))),
        rng.normal(size=(frames, joints, 3)),
        23.976,
        "ü walk",
        rng.uniform(0.5, 2, (frames, joints, 3)) if scaled else None,
        loop,
    )
    again = npz.read(npz.write(Asset(clips=(clip,)), path="a.npz"), path="b.npz").clips[0]
    assert (again.name, again.fps, again.loop) == (clip.name, clip.fps, clip.loop)
    assert again.skeleton.roles == skeleton.roles and again.skeleton.signature == skeleton.signature
    for ours, theirs in zip(clip.tracks, again.tracks, strict=True):
        np.testing.assert_allclose(theirs, ours, atol=1e-6)


def test_plain_numpy_reads_what_is_written():
    clip = synthesize("walk_100")
    with np.load(io.BytesIO(npz.write(Asset(clips=(clip,)), path="a.npz"))) as raw:
        positions = forward_kinematics(raw["rotations"], raw["translations"], raw["parents"])[1]
        np.testing.assert_allclose(positions, clip.world_positions, atol=1e-5)
        assert raw["names"].tolist() == list(clip.skeleton.names)


@pytest.mark.parametrize(("name", "data"), list(npz_bombs()), ids=lambda v: v if isinstance(v, str) else "")
def test_bombs(name, data):
    with pytest.raises(MovesetError) as caught:
        npz.read(data, path="bomb.npz")
    assert caught.value.file == "bomb.npz"
    assert {"pickled": "could run code", "unpacked": "far more than"}.get(name, "") in caught.value.message


@pytest.mark.parametrize(
    ("arrays", "text"),
    [
        ({"a": np.zeros(3)}, "no motion that is known; its arrays are: a"),
        ({"poses": np.zeros((4, 71))}, "71 numbers a frame, where SMPL has one of 66, 72, 156, 165"),
        ({"poses": np.zeros((4, 72)), "trans": np.zeros((3, 3))}, r"trans: has the shape \(3, 3\)"),
        ({"poses": np.full((4, 72), np.nan)}, "4 of 4 rows hold NaN"),
        ({"poses": np.array(["a"])}, "0 numbers a frame"),
    ],
)
def test_what_is_refused(arrays, text):
    with pytest.raises(MovesetError, match=text):
        read(arrays)


def test_a_folder_shows_only_archives_of_motion(tmp_path):
    (tmp_path / "poses.npz").write_bytes(save_npz({"poses": np.zeros((2, 72))}))
    (tmp_path / "features.npz").write_bytes(save_npz({"x": np.zeros(2)}))
    (tmp_path / "broken.npz").write_bytes(b"PK")
    assert formats.list_files(tmp_path) == [str(tmp_path / f"{name}.npz") for name in ("broken", "poses")]
    with pytest.raises(MovesetError, match="its arrays are: x"):
        formats.read(tmp_path / "features.npz")


def zip_member(archive, name: str) -> bytes:
    with zipfile.ZipFile(archive) as opened:
        return opened.read(name)
