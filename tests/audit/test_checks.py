"""Each check finds its planted fault, names frame and joint, and is silent on clean clips."""

from __future__ import annotations

from dataclasses import replace

import faults
import numpy as np
import pytest

from moveset.audit import CHECKS, audit
from moveset.geometry import quaternion
from moveset.motion import Clip, Finding


def one(clip: Clip, check: str) -> Finding:
    """The only finding of a check, asked for alone and among all."""
    found = [f for f in audit(clip) if f.check == check]
    assert len(found) == 1, f"{check}: {[(f.check, f.message) for f in audit(clip)]}"
    assert found[0].clip == clip.name
    assert audit(clip, only=(found[0].check,)) == found or found[0].check == "in_place"
    return found[0]


def serious(clip: Clip) -> set[str]:
    return {f.check for f in audit(clip) if f.severity != "info"}


def test_clean_clips_are_clean(clean):
    assert [f for f in audit(clean) if f.severity != "info"] == []


def test_only_and_skip(walk):
    torn = faults.turned(walk, "leftUpperArm", [40], 150)
    assert {f.check for f in audit(torn, only=("pops",))} == {"pops"}
    assert "pops" not in {f.check for f in audit(torn, skip=("pops",))}


@pytest.mark.parametrize("frame", [1, 40, 149])
def test_pop_of_a_limb_names_frame_and_cause(walk, frame):
    finding = one(faults.turned(walk, "rightUpperArm", [frame], 150), "pops")
    assert finding.severity == "error"
    assert finding.joint == "rightUpperArm"
    assert finding.frames[0] in (frame, frame + 1)
    assert 0.3 < finding.value < 1.5


def test_pop_that_stays(walk):
    finding = one(faults.turned(walk, "leftUpperLeg", slice(70, None), 60, axis=(1.0, 0.0, 0.0)), "pops")
    assert (finding.joint, finding.frames[0], finding.count) == ("leftUpperLeg", 70, 1)


def test_pops_list_the_worst_frame_first(walk):
    torn = faults.turned(faults.turned(walk, "leftUpperArm", [30], 60), "leftUpperArm", [90], 150)
    finding = one(torn, "pops")
    assert finding.count == 2
    assert [min(finding.frames[0], 91) in (90, 91), finding.frames[1] in (30, 31)] == [True, True]


def test_flip_that_moves_no_joint(walk):
    flipped = faults.turned(walk, "head", [60], 170, axis=(0.0, 1.0, 0.0))
    finding = one(flipped, "flips")
    assert (finding.severity, finding.joint) == ("warning", "head")
    assert finding.frames[0] in (60, 61)
    assert "pops" not in serious(flipped)


def test_teleport(walk):
    finding = one(faults.moved(walk, slice(80, None), (0.0, 0.0, 1.5)), "body_jolt")
    assert (finding.severity, finding.frames) == ("error", (80,))
    assert finding.value == pytest.approx(1.5, abs=0.1)


def test_shaken_body(walk):
    rng = np.random.default_rng(0)
    shaken = faults.moved(walk, slice(None), rng.normal(0, 0.05, (len(walk), 3)))
    finding = one(shaken, "body_jolt")
    assert finding.severity == "error"
    assert "shaken" in finding.message


def test_not_finite(walk):
    rotations = walk.rotations.copy()
    rotations[33, walk.skeleton.index["neck"], 2] = np.nan
    finding = one(replace(walk, rotations=rotations), "not_finite")
    assert (finding.severity, finding.frames, finding.joint) == ("error", (33,), "neck")
    assert {f.check for f in audit(replace(walk, rotations=rotations))} == {"not_finite"}


def test_not_unit(walk):
    rotations = walk.rotations.copy()
    rotations[12, 3] *= 1.2
    finding = one(replace(walk, rotations=rotations), "not_unit")
    assert (finding.severity, finding.frames[0], finding.joint) == ("warning", 12, walk.skeleton.names[3])
    assert finding.value == pytest.approx(0.2)


def test_sign_flips(walk):
    rotations = walk.rotations.copy()
    rotations[50, 5] *= -1
    finding = one(replace(walk, rotations=rotations), "sign_flips")
    assert (finding.count, finding.joint, set(finding.frames)) == (2, walk.skeleton.names[5], {50, 51})
    assert serious(replace(walk, rotations=rotations)) == set()


def test_too_short(walk):
    assert one(walk.slice(10, 14), "too_short").severity == "warning"
    assert one(walk.slice(10, 11), "too_short").severity == "info"
    assert one(walk.slice(10, 10), "too_short").severity == "error"
    assert one(faults.held(walk, 0, 5).slice(0, 4), "too_short").severity == "info"


def test_t_pose_clip(walk):
    rest = faults.with_t_pose_first(walk).slice(0, 1)
    finding = one(
        replace(
            rest, rotations=np.repeat(rest.rotations, 30, 0), translations=np.repeat(rest.translations, 30, 0)
        ),
        "t_pose",
    )
    assert finding.severity == "warning"


def test_t_pose_is_told_whatever_the_bone_frames(walk):
    """Bones of another rig: every joint frame turned, so that identity is not the rest any more."""
    rng = np.random.default_rng(1)
    other = _with_other_bone_frames(faults.with_t_pose_first(walk), rng)
    assert one(other, "first_frame_t_pose").frames == (0,)
    assert one(faults.whole_turned(other, quaternion.from_axis_angle((1.0, 0, 0), 1.2)), "first_frame_t_pose")


def test_first_frame_t_pose_does_not_show_as_a_pop(walk):
    clip = faults.with_t_pose_first(walk)
    assert one(clip, "first_frame_t_pose").frames == (0,)
    assert serious(clip) == {"first_frame_t_pose"}
    torn = faults.turned(clip, "rightUpperArm", [61], 150)
    assert one(torn, "pops").frames[0] in (61, 62)  # counted from the first frame of the file


def test_frozen_inside_and_at_the_end(walk):
    finding = one(faults.held(walk, 60, 90), "frozen")
    assert (finding.severity, finding.frames) == ("warning", (60,))
    assert finding.value == pytest.approx(29 / 30)
    assert one(faults.held(walk, 120, 151), "frozen").severity == "info"


def test_idle(walk, idle):
    assert "idle" not in {f.check for f in audit(walk)}
    still = faults.held(idle, 0, len(idle))
    slow = faults.moved(still, slice(None), np.linspace(0, 0.02, len(idle))[:, None] * (1, 0, 0))
    finding = one(slow, "idle")
    assert finding.severity == "info"
    assert finding.value > 4


@pytest.mark.parametrize(("factor", "word"), [(100.0, "centimetres"), (39.37, "inches"), (0.01, "metres")])
def test_scale(walk, factor, word):
    finding = one(faults.scaled(walk, factor), "scale")
    assert finding.severity == "warning"
    assert word in finding.advice
    assert finding.value == pytest.approx(1.75 * factor, rel=0.05)


def test_stylized_scale_is_information(walk):
    assert one(faults.scaled(walk, 0.6), "scale").severity == "info"


def test_up_axis(walk):
    lying = faults.whole_turned(walk, quaternion.from_axis_angle((1.0, 0, 0), np.pi / 2))
    finding = one(lying, "up_axis")
    assert finding.severity == "warning"
    assert "Z" in finding.message


def test_a_sleeper_is_not_on_another_axis(idle):
    turn = quaternion.from_axis_angle((1.0, 0, 0), -np.pi / 2)
    rotations, translations = idle.rotations.copy(), idle.translations.copy()
    rotations[:, 0], translations[:, 0] = quaternion.multiply(turn, rotations[:, 0]), (0, 0.15, 0)
    assert "up_axis" not in serious(replace(idle, rotations=rotations, translations=translations))


def test_foot_skate(walk):
    slide = np.sin(np.arange(len(walk)) / 30 * 2 * np.pi * 0.5)[:, None] * (0.5, 0, 0)
    finding = one(faults.moved(walk, slice(None), slide), "foot_skate")
    assert finding.severity == "warning"
    assert 0.3 < finding.value < 2


def test_in_place_cycle_is_information(walk):
    clip = faults.in_place(walk)
    assert serious(clip) == set()
    finding = one(clip, "in_place")
    assert finding.value == pytest.approx(1.2, rel=0.15)


def test_floor_offset(walk):
    below = one(faults.moved(walk, slice(None), (0, -0.3, 0)), "floor_offset")
    assert (below.severity, round(below.value, 1)) == ("warning", -0.3)
    assert "+0.3" in below.advice
    assert one(faults.moved(walk, slice(None), (0, 0.4, 0)), "floor_offset").value > 0.3
    assert one(faults.moved(walk, slice(None), (0, -0.9, 0)), "floor_offset").severity == "error"


def test_floor_dip(walk):
    dip = np.zeros((len(walk), 3))
    dip[60:80, 1] = -0.2 * np.sin(np.linspace(0, np.pi, 20))
    finding = one(faults.moved(walk, slice(None), dip), "floor_dip")
    assert finding.frames[0] in range(65, 76)


def test_animated_scale(walk):
    scales = np.ones((len(walk), len(walk.skeleton), 3))
    scales[:, 4] = np.linspace(1, 1.5, len(walk))[:, None]
    finding = one(replace(walk, scales=scales), "animated_scale")
    assert (finding.severity, finding.joint) == ("warning", walk.skeleton.names[4])
    scales[:, 4] = np.linspace(1, 1.1, len(walk))[:, None]
    assert one(replace(walk, scales=scales), "animated_scale").severity == "info"


def test_constant_joints(walk):
    rotations = walk.rotations.copy()
    rotations[:, walk.skeleton.index["leftProp"]] = rotations[0, walk.skeleton.index["leftProp"]]
    finding = one(replace(walk, rotations=rotations), "constant_joints")
    assert finding.severity == "info"
    assert "leftProp" in finding.message


def test_additive_by_flag(walk):
    finding = one(replace(walk, additive=True), "additive")
    assert (finding.severity, finding.value) == ("error", None)
    assert serious(replace(walk, additive=True)) == {"additive"}


def test_additive_by_numbers_whatever_the_name(idle):
    finding = one(replace(faults.difference(idle), name="breathing"), "additive")
    assert finding.severity == "error"
    assert serious(faults.difference(idle)) == {"additive"}


def test_additive_without_translations(idle):
    """As a BVH stores it: bones keep their offsets, only rotations and the root are differences."""
    clip = faults.difference(idle)
    translations = np.broadcast_to(idle.skeleton.rest_translations, clip.translations.shape).copy()
    translations[:, 0] = clip.translations[:, 0]
    found = one(replace(clip, translations=translations, name="breathing_add"), "additive")
    assert found.severity == "error"


def test_additive_never_by_name_alone(walk):
    finding = one(replace(walk, name="Pistol_Aim_Up"), "additive")
    assert finding.severity == "info"
    assert "additive" not in {f.check for f in audit(replace(walk, name="Ladder_address"))}


def test_every_check_was_seen(walk):
    """A check without a test above would go unnoticed: their names are listed here."""
    assert {check.name for check in CHECKS} == {
        "not_finite", "too_short", "additive", "t_pose", "first_frame_t_pose", "not_unit", "sign_flips", "pops",
        "body_jolt", "flips", "frozen", "idle", "scale", "up_axis", "foot_skate", "floor_offset", "floor_dip",
        "animated_scale", "constant_joints",
    }  # fmt: skip


def _with_other_bone_frames(clip: Clip, rng: np.random.Generator) -> Clip:
    """The same motion of the same joints, every joint frame turned at random."""
    skeleton = clip.skeleton
    turns = quaternion.normalize(rng.normal(size=(len(skeleton), 4)))
    parents = skeleton.parents
    above = np.where((parents >= 0)[:, None], turns[parents], quaternion.IDENTITY)

    def local(rotations, translations):
        rotated = quaternion.multiply(quaternion.multiply(quaternion.conjugate(above), rotations), turns)
        return rotated, quaternion.inverse_rotate(np.broadcast_to(above, rotations.shape), translations)

    rest = local(skeleton.rest_rotations, skeleton.rest_translations)
    motion = local(clip.rotations, clip.translations)
    other = replace(skeleton, rest_rotations=rest[0], rest_translations=rest[1])
    return replace(clip, skeleton=other, rotations=motion[0], translations=motion[1])
