"""Roles from names: every naming dialect we know of, told apart by side, word and hierarchy."""

from __future__ import annotations

import numpy as np
import pytest

from moveset.geometry import quaternion
from moveset.motion import Skeleton
from moveset.motion.canonical import canonical_skeleton
from moveset.motion.roles import BODY, REQUIRED
from moveset.rigs.recognize import find_roles, plain, recognize


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mixamorig:LeftForeArm", ("left", "forearm")),
        ("DEF-upper_arm.L", ("left", "upperarm")),
        ("lShldr", ("left", "shldr")),
        ("UpperArm_R", ("right", "upperarm")),
        ("rfemur", ("right", "femur")),
        ("lhumerus", ("left", "humerus")),
        ("Neo_RightUpLeg", ("right", "upleg")),
        ("handslot.l", ("left", "handslot")),
        ("Right shoulder", ("right", "shoulder")),
        ("leg-left", ("left", "leg")),
        ("spine_01", (None, "spine1")),
        ("lowerback", (None, "lowerback")),
        ("root", (None, "root")),
        ("Bip01 L Calf", ("left", "calf")),
        ("JBip_L_UpperLeg", ("left", "upperleg")),
        ("__UpLeg_L", (None, "")),
        ("MCH-forearm_ik.L", (None, "")),
    ],
)
def test_plain_words(name, expected):
    assert plain(name) == expected


def skeleton_of(tree: str) -> Skeleton:
    """A skeleton from indented names, two spaces a level."""
    names, parents, path = [], [], []
    for line in tree.strip("\n").splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        path[depth:] = [len(names)]
        parents.append(path[depth - 1] if depth else -1)
        names.append(line.strip())
    count = len(names)
    return Skeleton(tuple(names), np.array(parents), quaternion.identity((count,)), np.zeros((count, 3)))


def test_the_canonical_skeleton_recognizes_itself():
    skeleton = canonical_skeleton()
    bare = Skeleton(skeleton.names, skeleton.parents, skeleton.rest_rotations, skeleton.rest_translations)
    assert recognize(bare).by_role == skeleton.by_role


def test_given_roles_are_kept():
    skeleton = canonical_skeleton()
    assert recognize(skeleton) is skeleton


def test_a_leg_that_is_a_thigh_and_a_leg_that_is_a_shin():
    mixamo = skeleton_of(
        "Hips\n  LeftUpLeg\n    LeftLeg\n      LeftFoot\n  RightUpLeg\n    RightLeg\n      RightFoot\n  Spine\n    Head"
    )
    avatar = skeleton_of(
        "Hips\n  Left leg\n    Left knee\n      Left ankle\n  Right leg\n    Right knee\n      Right ankle\n  Spine\n    Head"
    )
    assert mixamo.names[find_roles(mixamo)["leftLowerLeg"]] == "LeftLeg"
    assert avatar.names[find_roles(avatar)["leftUpperLeg"]] == "Left leg"
    assert avatar.names[find_roles(avatar)["leftLowerLeg"]] == "Left knee"


def test_feet_that_are_roots_of_their_own_are_still_feet():
    skeleton = skeleton_of(
        "Root\n  Foot.L\n  Foot.R\n  Body\n    UpperLeg.L\n      LowerLeg.L\n    UpperLeg.R\n      LowerLeg.R\n    Torso\n      Head"
    )
    roles = find_roles(skeleton)
    assert (skeleton.names[roles["leftFoot"]], skeleton.names[roles["hips"]]) == ("Foot.L", "Body")


def test_a_long_spine_gives_its_ends_and_its_middle():
    skeleton = skeleton_of(
        "root\n  a\n    b\n      c\n        d\n          e\n            clavicle.L\n              upperarm.L\n"
        "            clavicle.R\n              upperarm.R\n            neck\n              head\n"
        "  thigh.L\n  thigh.R"
    )
    roles = find_roles(skeleton)
    assert [skeleton.names[roles[r]] for r in ("hips", "spine", "chest", "upperChest")] == [
        "root",
        "a",
        "c",
        "e",
    ]


PACK_RIGS = {
    "game/kaykit-adventurers/Knight.glb": {"leftHand": "wrist.l", "leftProp": "handslot.l", "chest": "chest"},
    "game/catprisbrey/melee-library.glb": {"root": "Root", "rightProp": "Weapon", "upperChest": "UpperChest"},
    "game/mesh2motion/human-base-animations.glb": {"leftFoot": "DEF-foot.L", "hips": "DEF-hips"},
    "game/mesh2motion/human-addon-animations.glb": {"leftToes": "ball_l", "leftIndexDistal": "index_03_l"},
    "game/quaternius/glb/KnightCharacter.glb": {"leftFoot": "Foot.L", "rightLowerArm": "LowerArm.R"},
    "game/vrm/cryptovoxels.vrm": {"leftLowerLeg": "Left knee", "leftHand": "Left wrist"},
    "game/makehuman/tpose.bvh": {"hips": "root", "leftLowerArm": "lowerarm01.L", "jaw": "jaw"},
    "game/makehuman/zombieWalk1.bvh": {"leftUpperLeg": "UpLeg_L", "leftLowerLeg": "LoLeg_L"},
    "mocap/cmu/cmu-daz-30fps.zip/01_01.bvh": {"leftUpperArm": "lShldr", "spine": "abdomen"},
    "mocap/cmu/cmu-asfamc-30fps.zip/01_01.bvh": {"hips": "root", "upperChest": "thorax", "leftFoot": "lfoot"},
    "mocap/cmu/cmu-neo-30fps.zip/135_01.bvh": {"leftToes": "Neo_LeftToeBase"},
    "mocap/bandai-namco/bandai-namco-1.zip/dataset-1_walk_normal_001.bvh": {"root": "joint_Root"},
}


@pytest.mark.parametrize("rig", PACK_RIGS)
def test_rigs_of_the_pack(pack, rig):
    formats = pytest.importorskip("moveset.formats")
    asset = formats.read(str(pack / rig))
    skeleton = recognize((asset.clips or asset.characters)[0].skeleton)
    assert not [role for role in REQUIRED if role not in skeleton.by_role]
    for role, name in PACK_RIGS[rig].items():
        assert skeleton.names[skeleton.joint(role)] == name
    assert len({skeleton.by_role[r] for r in BODY if r in skeleton.by_role}) == len(
        [r for r in BODY if r in skeleton.by_role]
    )
