"""The BVH files of the data pack: odd ones read or refused as their notes say, real ones stand and come back."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from moveset import formats
from moveset.conventions import POSITION_TOLERANCE
from moveset.errors import MovesetError
from moveset.formats import bvh
from moveset.motion import Asset

ODD = {
    "bom_utf8": "reads",
    "channel_count_mismatch": "line 11",
    "cr_only": "reads",
    "crlf": "reads",
    "duplicate_joint_names": "duplicate_names",
    "exponent_numbers": "reads",
    "extra_column": "line 123",
    "lowercase_keywords": "reads",
    "missing_closing_brace": "line 3",
    "names_with_colon_namespace": "reads",
    "names_with_spaces": "reads",
    "nan_and_inf": "line 123",
    "positions_on_every_joint_mixed_orders": "reads",
    "rows_wrapped_over_lines": "reads",
    "short_last_row": "incomplete_frame header_mismatch",
    "truncated_in_hierarchy": "line 51",
    "truncated_in_motion": "incomplete_frame header_mismatch",
    "unknown_channel": "line 6",
    "zero_frame_time": "frame_time",
    "zero_frames": "reads",
    "tabs_and_trailing_spaces": "reads",
    "no_newline_at_end": "reads",
}
"""Outcome: read silently, read with these findings, or refused at a line."""
ARCHIVES = (
    "bandai-namco/bandai-namco-1",
    "bandai-namco/bandai-namco-2-subset",
    "cmu/cmu-daz-30fps",
    "cmu/cmu-asfamc-30fps",
    "cmu/cmu-neo-30fps",
    "cmu/cmu-mb-fbx-30fps",
    "cmu/cmu-actions8-30fps",
    "style100-sample/style100-sample",
)


def archive(pack: Path, name: str) -> list[str]:
    file = pack / "mocap" / f"{name}.zip"
    if not file.exists():
        pytest.skip(f"{file.name} is not in the data pack")
    return formats.list_files(file)


def test_synthetic_edits(pack):
    outcomes = {}
    files = formats.list_files(pack / "odd" / "bvh-synthetic")
    for file in files:
        try:
            asset = formats.read(file, unit="inch", up="Y")
            outcomes[Path(file).stem] = " ".join(f.check for f in asset.findings) or "reads"
        except MovesetError as error:
            outcomes[Path(file).stem] = error.where
    assert outcomes == {name: ODD[name] for name in outcomes}


def test_edits_that_change_nothing_read_the_same(pack):
    truth = formats.read(pack / "odd" / "bvh" / "bvhio_example.bvh").clips[0]
    for name in ("bom_utf8", "cr_only", "crlf", "duplicate_joint_names", "exponent_numbers", "lowercase_keywords",
                 "names_with_colon_namespace", "names_with_spaces", "rows_wrapped_over_lines"):  # fmt: skip
        clip = formats.read(pack / "odd" / "bvh-synthetic" / f"{name}.bvh").clips[0]
        np.testing.assert_allclose(clip.world_positions, truth.world_positions, atol=1e-6, err_msg=name)


def test_dialects_of_other_parsers(pack):
    fps = {Path(f).stem: formats.read(f).clips[0].fps for f in formats.list_files(pack / "odd" / "bvh")}
    assert fps["pybvh_full_precision_frame_time"] == pytest.approx(23.976, abs=1e-3)
    root_first = formats.read(pack / "odd" / "bvh" / "pybvh_rotation_first_root.bvh", unit=1.0, up="Y")
    np.testing.assert_allclose(root_first.clips[0].translations[0, 0], (10, 50, -20))


STANDING = {
    "mocap/samples/bandai_dataset-1_punch_normal_001.bvh": (0.01, "Y", "Hips", "Head", "Foot_L"),
    "mocap/samples/cmu_daz_120fps_09_02.bvh": (0.01, "Y", "hip", "head", "lFoot"),
    "mocap/samples/cmu_amc2bvh_16_01.bvh": (0.0254 / 0.45, "Y", "hip", "head", "lfoot"),
    "mocap/samples/makehuman_walk1.bvh": (0.1, "Z", "Hips", "Head", "Foot_L"),
    "game/makehuman/zombieWalk1.bvh": (0.1, "Z", "Hips", "Head", "Foot_L"),
}


@pytest.mark.parametrize("file", STANDING)
def test_people_stand_upright_in_metres(pack, file):
    unit, up, hips, head, foot = STANDING[file]
    asset = formats.read(pack / file)
    found = {f.check: f.value for f in asset.findings}
    assert found["unit_guess"] == pytest.approx(unit) and found["up_axis_guess"] == "XYZ".index(up)
    clip = asset.clips[0]
    height = {n: np.median(clip.world_positions[:, clip.skeleton.index[n], 1]) for n in (hips, head, foot)}
    assert 0.8 < height[hips] < 1.1 and 1.25 < height[head] < 1.65 and 0 < height[foot] < 0.25


@pytest.mark.parametrize("name", ARCHIVES)
def test_one_skeleton_one_guess(pack, name):
    """All clips of an archive are captures of adults in centimetres, Y up."""
    for file in archive(pack, name)[::7]:
        found = {f.check: f.value for f in formats.read(file).findings}
        assert found["unit_guess"] == 0.01 and found["up_axis_guess"] == 1, file


def test_recordings_of_one_body_share_a_skeleton(pack):
    """Bandai Namco's hips OFFSET takes five values; the body differs in 8 of 174 clips only, by 0.4 mm."""
    signatures = [formats.read(f).clips[0].skeleton.signature for f in archive(pack, ARCHIVES[0])]
    assert sorted(Counter(signatures).values()) == [8, 166]


def round_trip_error(file: str) -> float:
    """Metres between the joints before and after writing from quaternions."""
    asset = formats.read(file)
    clip = asset.clips[0]
    foreign = replace(asset, clips=(replace(clip, rotations=clip.rotations.copy()),), source=None)
    again = bvh.read(bvh.write(foreign, path=file), path=file, unit="cm", up="Y").clips[0]
    assert again.skeleton.names == clip.skeleton.names and again.fps == pytest.approx(clip.fps, rel=1e-8)
    return float(np.abs(again.world_positions - clip.world_positions).max(initial=0))


@pytest.mark.parametrize("name", ARCHIVES)
def test_round_trip_sampled(pack, name):
    files = archive(pack, name)
    assert max(round_trip_error(file) for file in files[:: max(1, len(files) // 3)]) < POSITION_TOLERANCE


@pytest.mark.slow
@pytest.mark.parametrize("name", ARCHIVES)
def test_round_trip_of_everything(pack, name):
    assert max(round_trip_error(file) for file in archive(pack, name)) < POSITION_TOLERANCE


@pytest.mark.parametrize("name", ARCHIVES[:1] + ARCHIVES[2:6])
def test_pymotion_sees_the_same_joints(pack, name, tmp_path):
    """An independent reader on what we read and on what we write."""
    pytest.importorskip("pymotion")
    from pymotion.io.bvh import BVH
    from pymotion.ops.skeleton import fk

    def theirs(data: bytes) -> np.ndarray:
        (tmp_path / "a.bvh").write_bytes(data)
        file = BVH()
        file.load(str(tmp_path / "a.bvh"))
        rotations, positions, parents, offsets, *_ = file.get_data()
        found, _ = fk(rotations, positions[:, 0], offsets, parents)
        return found

    file = archive(pack, name)[0]
    asset = formats.read(file)
    clip = asset.clips[0].slice(0, 40)
    rigid = np.array(clip.translations[:, 1:])
    if np.ptp(rigid, axis=0).max() > 0:
        pytest.skip("the peer reads root positions only")
    written = bvh.write(replace(asset, clips=(clip,), source=None), path="a.bvh")
    np.testing.assert_allclose(theirs(written) / 100, clip.world_positions, atol=POSITION_TOLERANCE)


@pytest.mark.slow
def test_blender_sees_the_same_joints_and_its_export_reads(pack, tmp_path):
    """MOVESET_BLENDER is a Python that has bpy. Blender is Z up and writes six channels on every joint."""
    blender = os.environ.get("MOVESET_BLENDER")
    if not blender:
        pytest.skip("MOVESET_BLENDER is not set to a Python with bpy")
    script = Path(__file__).parent / "oracles" / "bvh_blender.py"
    clip = formats.read(archive(pack, "cmu/cmu-asfamc-30fps")[0]).clips[0].slice(0, 30)
    formats.write(Asset(clips=(clip,)), tmp_path / "ours.bvh", order="XYZ")
    arguments = [tmp_path / "ours.bvh", tmp_path / "theirs.bvh", tmp_path / "notes.npz"]
    subprocess.run([blender, script, *arguments], check=True, capture_output=True)
    notes = np.load(tmp_path / "notes.npz")
    x, y, z = np.moveaxis(notes["positions"], -1, 0)
    blenders = np.stack((x, z, -y), axis=-1)
    for name in ("ours.bvh", "theirs.bvh"):
        again = formats.read(tmp_path / name).clips[0]
        joints = [again.skeleton.index[joint] for joint in notes["names"]]
        np.testing.assert_allclose(again.world_positions[:, joints], blenders, atol=1e-5, err_msg=name)
