"""VRM animations: what is written says which bone is which, and turns as the source did."""

from __future__ import annotations

import json
import struct
from dataclasses import replace

import numpy as np
import pytest

from moveset import formats
from moveset.errors import MovesetError
from moveset.formats import vrma
from moveset.geometry import quaternion
from moveset.motion import Asset
from moveset.retarget.humanoid import on_humanoid
from moveset.rigs.reference import t_pose
from moveset.synthetic import synthesize
from moveset.workflows.load import load


def document_of(data: bytes) -> dict:
    (length,) = struct.unpack("<I", data[12:16])
    return json.loads(data[20 : 20 + length])


def written(clip) -> bytes:
    return vrma.write(Asset(clips=(on_humanoid(clip, t_pose(clip.skeleton, clip)),)), path="a.vrma")


def test_what_it_states():
    clip = synthesize("walk_100")
    document = document_of(written(clip))
    assert "VRMC_vrm_animation" in document["extensionsUsed"]
    stated = document["extensions"]["VRMC_vrm_animation"]
    assert stated["specVersion"] == "1.0"
    bones = {role: bone["node"] for role, bone in stated["humanoid"]["humanBones"].items()}
    assert set(bones) == {role for role in clip.skeleton.roles if role not in ("leftProp", "rightProp")}
    assert all(document["nodes"][node]["name"] == role for role, node in bones.items())
    targets = {(c["target"]["node"], c["target"]["path"]) for c in document["animations"][0]["channels"]}
    assert {node for node, path in targets if path == "translation"} == {bones["hips"]}
    assert {path for _, path in targets} == {"translation", "rotation"}


@pytest.mark.parametrize("name", ["idle_loop", "test"])
def test_the_pack_comes_back(pack, tmp_path, name):
    """Every humanoid bone turns in the world, measured from the rest pose, as in the file that was read."""
    clip = load(str(pack / f"game/vrm/{name}.vrma")).clips[0]
    stance = t_pose(clip.skeleton, clip)
    file = tmp_path / f"{name}.vrma"
    file.write_bytes(written(clip))
    again = formats.read(file).clips[0]
    assert (again.fps, len(again)) == (clip.fps, len(clip))
    roles = [role for role in again.skeleton.roles if role]
    theirs = clip.skeleton.joints(roles)
    expected = quaternion.multiply(
        clip.world_rotations[:, theirs], quaternion.conjugate(stance.world_rotations[0][theirs])
    )
    ours = again.world_rotations[:, again.skeleton.joints(roles)]
    assert quaternion.angle_between(ours, expected).max() < 1e-5
    hips = again.world_positions[:, again.skeleton.joint("hips")]
    np.testing.assert_allclose(hips, clip.world_positions[:, clip.skeleton.joint("hips")], atol=1e-5)


def test_what_is_refused():
    clip = synthesize("walk_100")
    hanging = clip.skeleton.rest_rotations.copy()
    for side, sign in (("left", -1), ("right", 1)):
        hanging[clip.skeleton.joint(f"{side}UpperArm")] = quaternion.from_axis_angle([0, 0, 1], sign * 1.4)
    with pytest.raises(MovesetError, match="does not rest in a T-pose"):
        vrma.write(
            Asset(clips=(replace(clip, skeleton=replace(clip.skeleton, rest_rotations=hanging)),)), path="a"
        )
    with pytest.raises(MovesetError, match="of no humanoid: no joint plays hips"):
        vrma.write(Asset(clips=(replace(clip, skeleton=replace(clip.skeleton, roles=())),)), path="a")
    with pytest.raises(MovesetError, match="one clip, not 2"):
        vrma.write(Asset(clips=(clip, clip)), path="a")


def test_what_is_left_out_is_told():
    clip = synthesize("walk_100")
    moving = clip.translations.copy()
    moving[3, 5] += 0.1
    findings = vrma.losses(Asset(clips=(replace(clip, translations=moving),)))
    assert "how 1 move along is left out" in findings[0].message
    assert not vrma.losses(Asset(clips=(clip,)))
