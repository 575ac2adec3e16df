"""DeepMimic motions and the dog of motion_imitation, against their own characters and points."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from moveset import formats
from moveset.errors import MovesetError
from moveset.formats import deepmimic
from moveset.formats.deepmimic_characters import DOG, HUMANOID, body_of
from moveset.motion import Asset

RNG = np.random.default_rng(3)


def rows_of(body, frames: int = 5, duration: float = 1 / 60) -> np.ndarray:
    rows = np.full((frames, body.width), duration)
    rows[:, 1:4] = RNG.normal(size=(frames, 3))
    at = 4
    for joint in body.joints:
        if joint.kind == "revolute":
            rows[:, at] = RNG.uniform(-1.5, 1.5, frames)
            at += 1
        elif joint.kind != "fixed":
            turn = RNG.normal(size=(frames, 4))
            turn *= np.sign(turn[:, :1])
            rows[:, at : at + 4] = turn / np.linalg.norm(turn, axis=1, keepdims=True)
            at += 4
    return rows


def text_of(rows, loop: str = "none") -> bytes:
    return json.dumps({"Loop": loop, "Frames": np.asarray(rows).tolist()}).encode()


def matrix(*turn) -> np.ndarray:
    w, x, y, z = np.array(turn) / np.linalg.norm(turn)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def reference_positions(character: dict, rows) -> np.ndarray:
    """Joints in the file's own axes, by matrices, joint after joint of the character file."""
    joints = character["Skeleton"]["Joints"]
    out = []
    for row in rows:
        values, world = list(row[1:]), []
        for joint in joints:
            local = np.eye(4)
            local[:3, 3] = [joint[f"Attach{axis}"] for axis in "XYZ"]
            if joint["Type"] == "none":
                local[:3, 3], values = values[:3], values[3:]
            if joint["Type"] in ("none", "spherical"):
                local[:3, :3], values = matrix(*values[:4]), values[4:]
            elif joint["Type"] == "revolute":
                c, s = np.cos(values[0]), np.sin(values[0])
                local[:3, :3], values = [[c, -s, 0], [s, c, 0], [0, 0, 1]], values[1:]
            world.append(world[joint["Parent"]] @ local if joint["Parent"] >= 0 else local)
        assert not values
        out.append([w[:3, 3] for w in world])
    return np.array(out)


def read_zip(path, name: str) -> bytes:
    with zipfile.ZipFile(path) as archive:
        return archive.read(name)


@pytest.mark.parametrize(
    ("archive", "character", "body"),
    [
        ("deepmimic-humanoid", "humanoid3d", HUMANOID),
        ("sie-punch-run", "humanoid3d", HUMANOID),
        ("deepmimic-dog3d", "dog3d", DOG),
    ],
)
def test_the_pack(pack, archive, character, body):
    """Every motion against matrices along its character file, turned from facing +X to +Z."""
    path = pack / f"mocap/deepmimic/{archive}.zip"
    described = json.loads(read_zip(path, f"characters/{character}.txt"))
    stated = body_of(described, "a")
    assert [replace(j, role=None) for j in body.joints] == [
        replace(j, attach=(0.0, 0.0, 0.0) if j.parent < 0 else j.attach) for j in stated.joints
    ]
    files = formats.list_files(path)
    assert not any("characters" in file for file in files)
    for file in files:
        clip = formats.read(file).clips[0]
        rows = json.loads(read_zip(path, file.rpartition("/")[2]))["Frames"]
        frames = [0, 1, len(clip) // 2]
        if "roll" in file:
            frames = [0, 1]  # resampled behind a frame that lasts twice as long
        x, y, z = np.moveaxis(reference_positions(described, [rows[f] for f in frames]), -1, 0)
        np.testing.assert_allclose(clip.world_positions[frames], np.stack((-z, y, x), -1), atol=2e-6)
        assert clip.fps in (16, 24, 30, 60, 120), file


def test_the_dog_of_motion_imitation(pack):
    """Poses along our hierarchy meet the points of the files beside them."""
    path = pack / "mocap/dog/dog-mocap-30fps.zip"
    files = formats.list_files(path)
    assert len(files) == 15 and all(file.endswith("_pose.txt") for file in files)
    for file in files[:5]:
        asset = formats.read(file, fps=30.0)
        clip = asset.clips[0]
        name = file.rpartition("/")[2].replace("_pose", "_joint_pos")
        points = np.loadtxt(io.BytesIO(read_zip(path, name)), delimiter=",").reshape(-1, 27, 3)
        tips = np.isfinite(clip.skeleton.tips[:, 0])
        joints = np.delete(np.arange(27), [5, 10, 15, 19, 23, 26])
        np.testing.assert_allclose(clip.world_positions, points[:, joints], atol=3e-5)
        assert tips.sum() == 6 and clip.fps == 30 and not asset.findings


@pytest.mark.parametrize("body", [HUMANOID, DOG], ids=["humanoid", "dog"])
def test_round_trip(body):
    rows = rows_of(body)
    asset = deepmimic.read(text_of(rows), path="a.txt")
    assert not deepmimic.losses(asset)
    again = json.loads(deepmimic.write(asset, path="b.txt"))
    assert again["Loop"] == "none"
    rows[-1, 0] = 0
    np.testing.assert_allclose(again["Frames"], rows, atol=2e-6)


def test_a_knee_that_leaves_its_hinge_is_told():
    asset = deepmimic.read(text_of(rows_of(HUMANOID)), path="a.txt")
    clip = asset.clips[0]
    rotations = clip.rotations.copy()
    rotations[:, clip.skeleton.joint("leftLowerLeg")] = (0, np.sin(0.2), 0, np.cos(0.2))
    bent = Asset(clips=(replace(clip, rotations=rotations),))
    assert [f.check for f in deepmimic.losses(bent)] == ["hinge"]
    assert deepmimic.losses(bent)[0].value == pytest.approx(np.degrees(0.4), abs=1e-3)


def test_a_closed_cycle_loops():
    rows = rows_of(HUMANOID, 7)
    rows[-1] = rows[0]
    clip = deepmimic.read(text_of(rows, "wrap"), path="a.txt").clips[0]
    assert clip.loop and len(clip) == 6
    rows[-1, 1] += 1
    asset = deepmimic.read(text_of(rows, "wrap"), path="a.txt")
    assert not asset.clips[0].loop and len(asset.clips[0]) == 7
    assert "1.00 m away" in asset.findings[0].message


def test_frames_that_last_longer_are_resampled():
    rows = rows_of(HUMANOID, 4, 1 / 30)
    rows[1, 0] = 2 / 30
    rows[1:3, 4:] = rows[0, 4:]
    rows[1, 1:4], rows[2, 1:4] = (0, 0, 0), (1, 0, 0)
    asset = deepmimic.read(text_of(rows), path="a.txt")
    clip = asset.clips[0]
    assert len(clip) == 5 and clip.fps == 30
    np.testing.assert_allclose(clip.translations[1:4, 0, 2], [0, 0.5, 1], atol=1e-9)
    assert [f.check for f in asset.findings] == ["uneven_keys"]


def test_another_body_comes_from_its_character_file():
    character = {
        "Skeleton": {
            "Joints": [
                {"Name": "root", "Type": "none", "Parent": -1, "AttachX": 0, "AttachY": 0, "AttachZ": 0},
                {"Name": "arm", "Type": "spherical", "Parent": 0, "AttachX": 0, "AttachY": 1, "AttachZ": 0},
            ]
        }
    }
    rows = rows_of(body_of(character, "a"))

    def sibling(name: str) -> bytes:
        if name != "characters/stick.txt":
            raise MovesetError("no")
        return json.dumps(character).encode()

    clip = deepmimic.read(text_of(rows), path="clips/stick_swing_a.txt", sibling=sibling).clips[0]
    assert clip.skeleton.names == ("root", "arm")
    assert deepmimic.read(sibling("characters/stick.txt"), path="stick.txt").characters[0].skeleton.names == (
        "root",
        "arm",
    )
    with pytest.raises(MovesetError, match="12 numbers a frame; known are 44 and 84"):
        deepmimic.read(text_of(rows), path="clips/pole_swing.txt", sibling=sibling)


def lasting(usual: float, last: float) -> np.ndarray:
    rows = rows_of(HUMANOID, 5, usual)
    rows[3, 0] = last
    return rows


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"notes on a walk", "no motion that is known"),
        (b'{"a": 1}', "holds no Frames"),
        (b'{"Frames": [[1, 2], [1]]}', "frame 1 is not a row of 2 numbers"),
        (b'{"Frames": [["a", 2]]}', "more than numbers"),
        (text_of(np.zeros((2, 44))), "quaternion of zeros"),
        (text_of(lasting(0.1, 1e9)), "10,?000,?000,?\\d+ poses of 15 joints would take"),
        (text_of(lasting(-1.0, -1.0)), "frames last no time"),
        (b'{"Frames":' + b"[" * 100000, "is no JSON"),
        (b"1,2,3,4,5,6,7,8,9,10,11\n", "11 numbers in a row, where poses of the dog have 87"),
        (b",".join([b"1"] * 86 + [b"nan"]), "hold NaN"),
    ],
)
def test_what_is_refused(data, text):
    with pytest.raises(MovesetError, match=text):
        deepmimic.read(data, path="a.txt")
