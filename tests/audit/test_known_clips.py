"""What is known to be wrong in the data pack is found, at its frame; what is known to be right is left alone."""

from __future__ import annotations

import pytest

from moveset.audit import audit
from moveset.workflows.load import load

DAZ, ASF, EIGHT = (f"mocap/cmu/cmu-{name}-30fps.zip" for name in ("daz", "asfamc", "actions8"))

TORN = [
    (DAZ, "09_10", 2), (DAZ, "05_16", 128), (DAZ, "03_02", 13), (DAZ, "01_14", 118), (DAZ, "07_12", 27),
    (ASF, "03_02", 13), (ASF, "01_07", 841),
    (EIGHT, "train_walking_22", 88), (EIGHT, "train_walking_23", 135), (EIGHT, "train_walking_24", 174),
    (EIGHT, "train_walking_49", 56), (EIGHT, "train_walking_50", 76), (EIGHT, "train_directing_traffic_1", 681),
]  # fmt: skip
BALLET = ("05_05", "05_06", "05_08", "05_10", "05_15", "05_17", "05_18", "05_19")


def findings(pack, archive: str, clip: str):
    return audit(load(str(pack / archive / f"{clip}.bvh")).clips[0])


@pytest.mark.parametrize(("archive", "clip", "frame"), TORN)
def test_known_tears(pack, archive, clip, frame):
    found = findings(pack, archive, clip)
    assert frame in {at for f in found if f.check in ("pops", "body_jolt") for at in f.frames}
    assert any(f.check in ("pops", "body_jolt") and f.severity != "info" for f in found)


@pytest.mark.parametrize("clip", [name for archive, name, _ in TORN[:5] if archive == DAZ])
def test_broken_clips_are_errors(pack, clip):
    assert findings(pack, DAZ, clip)[0].severity == "error"


@pytest.mark.parametrize("clip", BALLET)
def test_limbs_that_flip_in_ballet(pack, clip):
    found = {f.check: f for f in findings(pack, DAZ, clip)}
    assert {"pops", "flips", "first_frame_t_pose"} <= set(found)
    assert found["pops"].severity == "error"


CLEAN = [
    ("mocap/cmu/cmu-neo-30fps.zip", "135_01"), ("mocap/cmu/cmu-neo-30fps.zip", "85_12"), (DAZ, "02_03"),
    (DAZ, "13_11"), (ASF, "16_15"),
    *(("mocap/bandai-namco/bandai-namco-1.zip", f"dataset-1_{name}_normal_001") for name in ("kick", "dash", "slash")),
]  # fmt: skip


@pytest.mark.parametrize(("archive", "clip"), CLEAN)
def test_kicks_jumps_and_breakdance_do_not_pop(pack, archive, clip):
    found = {f.check for f in findings(pack, archive, clip) if f.severity != "info"}
    assert found.isdisjoint({"pops", "flips", "body_jolt", "floor_offset", "foot_skate", "scale"})


def test_aim_offsets_are_full_poses(pack):
    clips = load(str(pack / "game/mesh2motion/human-base-animations.glb")).clips
    aims = [clip for clip in clips if clip.name.startswith("Pistol_Aim_")]
    assert len(aims) == 3
    for clip in aims:
        additive = [f for f in audit(clip) if f.check == "additive"]
        assert [f.severity for f in additive] == ["info"]
