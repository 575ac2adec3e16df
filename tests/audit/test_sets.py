"""Checks across clips."""

from __future__ import annotations

from dataclasses import replace

import faults
import numpy as np
import pytest

from moveset.audit import audit_set, digest
from moveset.geometry import quaternion
from moveset.motion import Clip, Finding
from moveset.motion.mirror import mirror
from moveset.motion.resample import resample
from moveset.synthetic.corpus import synthesize

NAMES = (
    "walk_120",
    "run_360",
    "walk_turn_left_090",
    "one_handed_heavy_overhead",
    "jump_forward",
    "dodge_left",
)


@pytest.fixture(scope="module")
def clips() -> list[Clip]:
    return [synthesize(name) for name in NAMES]


def found(clips: list[Clip], check: str) -> list[list[Finding]]:
    return audit_set([digest(clip) for clip in clips], only=(check,))


def test_a_clip_without_a_rate_to_speak_of_costs_no_other(clips):
    slow = replace(clips[0], fps=1e-3, name="slow")
    assert [bool(f) for f in found([slow, clips[0], clips[1]], "frame_rates")] == [True, False, False]
    assert len(found([slow, slow, clips[0]], "frame_rates")) == 3


def test_different_clips_are_silent(clips):
    assert audit_set([digest(clip) for clip in clips]) == [[] for _ in clips]
    assert audit_set([]) == []


def last(clips: list[Clip], clip: Clip, check: str = "duplicates") -> Finding:
    """The finding about `clip` behind the others, which have none."""
    *before, after = found([*clips, clip], check)
    assert before == [[] for _ in clips]
    assert len(after) == 1
    return after[0]


def test_same_data_under_another_name(clips):
    finding = last(clips, replace(clips[1], name="Run_Copy"))
    assert (finding.severity, finding.clip, finding.value) == ("warning", "Run_Copy", 0.0)
    assert "'run_360'" in finding.message


def test_another_export(clips):
    """Another rate, another place and heading."""
    turn = quaternion.from_axis_angle((0.0, 1.0, 0.0), 2.1)
    other = faults.whole_turned(faults.moved(resample(clips[3], 60), slice(None), (4.0, 0, -2.0)), turn)
    finding = last(clips, replace(other, name="Chop_60"))
    assert finding.severity == "warning"
    assert "same motion as 'one_handed_heavy_overhead'" in finding.message


def test_mirror_image(clips):
    finding = last(clips, replace(mirror(clips[2]), name="walk_turn_right_090"))
    assert finding.severity == "info"
    assert "mirror image of 'walk_turn_left_090'" in finding.message


def test_in_place_twin(clips):
    finding = last(clips, replace(faults.in_place(clips[0]), name="walk_in_place"))
    assert finding.severity == "info"
    assert "another path as 'walk_120'" in finding.message


def test_clips_without_numbers_are_left_out(clips):
    rotations = clips[0].rotations.copy()
    rotations[3] = np.nan
    broken = replace(clips[0], rotations=rotations, name="broken")
    assert found([*clips, broken, clips[0].slice(0, 0)], "duplicates") == [[] for _ in range(len(clips) + 2)]


def with_skeleton(clip: Clip, **fields) -> Clip:
    return replace(clip, skeleton=replace(clip.skeleton, **fields))


def test_renamed_joints(clips):
    names = tuple(name.replace("left", "L_") for name in clips[0].skeleton.names)
    finding = last(clips, with_skeleton(clips[0], names=names), "skeletons")
    assert finding.severity == "info"
    assert "joints renamed (L_Shoulder was leftShoulder" in finding.message


def test_missing_joints(clips):
    kept = [j for j, name in enumerate(clips[0].skeleton.names) if name not in ("leftProp", "rightProp")]
    skeleton = clips[0].skeleton
    number = {j: i for i, j in enumerate(kept)}
    smaller = replace(
        skeleton,
        names=tuple(skeleton.names[j] for j in kept),
        parents=np.array([number.get(int(skeleton.parents[j]), -1) for j in kept]),
        rest_rotations=skeleton.rest_rotations[kept],
        rest_translations=skeleton.rest_translations[kept],
        roles=tuple(skeleton.roles[j] for j in kept),
        tips=None,
    )
    clip = replace(
        clips[0],
        skeleton=smaller,
        rotations=clips[0].rotations[:, kept],
        translations=clips[0].translations[:, kept],
    )
    finding = last(clips, clip, "skeletons")
    assert (finding.severity, finding.value) == ("warning", 2.0)
    assert "2 missing (leftProp, rightProp)" in finding.message


def test_longer_bone(clips):
    rest = clips[0].skeleton.rest_translations.copy()
    rest[clips[0].skeleton.index["leftLowerLeg"]] *= 1.1
    finding = last(clips, with_skeleton(clips[0], rest_translations=rest), "skeletons")
    assert (finding.severity, finding.joint) == ("info", "leftLowerLeg")
    assert finding.value == pytest.approx(0.1)


def test_other_unit(clips):
    finding = last(clips, faults.scaled(clips[0], 100), "skeletons")
    assert finding.severity == "warning"
    assert "all bones 100 times" in finding.message


def test_frame_rates(clips):
    finding = last(clips, resample(clips[0], 24), "frame_rates")
    assert (finding.severity, finding.value) == ("info", 24.0)
    assert found([*clips, replace(clips[0], fps=30.0003)], "frame_rates") == [
        [] for _ in range(len(clips) + 1)
    ]
