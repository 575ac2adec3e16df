"""Roles from names: every naming dialect we know of, told apart by side, word and hierarchy."""

from __future__ import annotations

import numpy as np
import pytest

from moveset.geometry import quaternion
from moveset.motion import Skeleton
from moveset.motion.canonical import canonical_skeleton
from moveset.motion.roles import BODY, REQUIRED, is_auxiliary, mirrored
from moveset.rigs.recognize import find_roles, identify, plain, recognize


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
        ("Oberarm links", ("left", "oberarm")),
        ("Unterschenkel_rechts", ("right", "unterschenkel")),
        ("bras_droit", ("right", "bras")),
        ("avant_bras.gauche", ("left", "avantbras")),
        ("muslo_izq", ("left", "muslo")),
        ("antebrazoDerecho", ("right", "antebrazo")),
        ("Tête", (None, "tete")),
        ("左ひじ", ("left", "ひじ")),
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


GERMAN = """
Wurzel
  Becken
    Wirbel1
      Wirbel2
        Hals
          Kopf
        Schulter links
          Oberarm links
            Unterarm links
              Handgelenk links
        Schulter rechts
          Oberarm rechts
            Unterarm rechts
              Handgelenk rechts
    Oberschenkel links
      Unterschenkel links
        Fuß links
    Oberschenkel rechts
      Unterschenkel rechts
        Fuß rechts
"""


def test_names_of_another_language():
    skeleton = skeleton_of(GERMAN)
    report = identify(skeleton)
    assert (report.convention, report.kind) == ("names", "humanoid")
    told = {role: skeleton.names[joint] for role, joint in report.roles.items()}
    assert told["leftLowerArm"] == "Unterarm links" and told["rightFoot"] == "Fuß rechts"
    assert (told["hips"], told["spine"], told["chest"], told["neck"]) == (
        "Becken",
        "Wirbel1",
        "Wirbel2",
        "Hals",
    )
    assert told["root"] == "Wurzel"


MIXAMO_SIDE = """
      mixamorig:{0}Shoulder
        mixamorig:{0}Arm
          mixamorig:{0}ForeArm
            mixamorig:{0}Hand
              mixamorig:{0}HandIndex1
"""


def mixamo() -> Skeleton:
    arms = "".join("\n".join("  " + line for line in MIXAMO_SIDE.format(s).strip("\n").splitlines()) + "\n"
                   for s in ("Left", "Right"))  # fmt: skip
    legs = "".join(
        f"  mixamorig:{s}UpLeg\n    mixamorig:{s}Leg\n      mixamorig:{s}Foot\n        mixamorig:{s}ToeBase\n"
        for s in ("Left", "Right")
    )
    return skeleton_of(
        "mixamorig:Hips\n  mixamorig:Spine\n    mixamorig:Spine1\n      mixamorig:Spine2\n"
        + "        mixamorig:Neck\n          mixamorig:Head\n"
        + arms
        + legs
    )


def test_a_table_says_whose_names_they_are():
    report = identify(mixamo())
    assert (report.convention, report.kind) == ("Mixamo", "humanoid")
    assert {f.confidence for f in report.found if f.role in BODY} == {1.0}
    assert "Mixamo" in report.found[0].why


@pytest.mark.parametrize(
    ("left", "right"), [("Left", "Right"), ("left_", "right_"), ("L_", "R_"), ("l.", "r."), ("L", "R")]
)
def test_the_words_for_sides_do_not_matter(left, right):
    skeleton = mixamo()
    names = tuple(
        n.replace("mixamorig:", "").replace("Left", left).replace("Right", right) for n in skeleton.names
    )
    renamed = Skeleton(names, skeleton.parents, skeleton.rest_rotations, skeleton.rest_translations)
    assert dict(identify(renamed).roles) == dict(identify(skeleton).roles)


def test_twists_targets_poles_and_controls_have_roles_of_their_own():
    skeleton = skeleton_of(
        GERMAN
        + "    Oberschenkel_twist_01 links\n  foot_ik.L\n  foot_ik.R\n  ik_hand_l\n  ik_hand_r\n  PoleTarget.L\n"
        + "  PoleTarget.R\n  CTRL-all\n  tail_01\n    tail_02\n      tail_end\n  kneeIK.L\n"
    )
    told = {role: skeleton.names[joint] for role, joint in identify(skeleton).roles.items()}
    assert told["leftFootIk"] == "foot_ik.L" and told["rightHandIk"] == "ik_hand_r"
    assert (told["tail1"], told["tail2"]) == ("tail_01", "tail_02") and "tail_end" not in told.values()
    helpers = {role: name for role, name in told.items() if is_auxiliary(role)}
    assert {"PoleTarget.L", "PoleTarget.R", "CTRL-all"} <= set(helpers.values())
    twins = {mirrored(role) for role, name in helpers.items() if name == "PoleTarget.L"}
    assert {told[role] for role in twins} == {"PoleTarget.R"}
    assert not any(is_auxiliary(role) for role in (*BODY, "tail1", "leftWing2", "leftProp"))


def test_twist_joints_are_numbered_along_their_bone():
    skeleton = skeleton_of(
        GERMAN.replace(
            "          Oberarm links\n",
            "          Oberarm links\n            arm_twist_01.L\n            arm_twist_02.L\n",
        )
    )
    told = {role: skeleton.names[joint] for role, joint in identify(skeleton).roles.items()}
    assert (told["leftUpperArmTwist1"], told["leftUpperArmTwist2"]) == ("arm_twist_01.L", "arm_twist_02.L")
    assert told["leftLowerArm"] == "Unterarm links"


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
