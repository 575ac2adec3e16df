"""`moveset info` and `moveset convert`, as a person uses them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from moveset import formats
from moveset.library.split import HELD_OUT
from moveset.library.training_set import SetClip, write_set
from moveset.motion import Asset
from moveset.synthetic import synthesize
from moveset.workflows.load import load


def bvh_text(frames: int = 5, unit: float = 1.0) -> str:
    """A stick figure that walks up z, in centimetres times `unit`."""
    lines = ["HIERARCHY", "ROOT Hips", "{", "OFFSET 0 0 0"]
    lines.append("CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation")
    for name, offset in (("Spine", (0, 12, 0)), ("LeftFoot", (9, -90, 0))):
        lines += [f"JOINT {name}", "{", "OFFSET " + " ".join(str(x * unit) for x in offset)]
        lines += ["CHANNELS 3 Zrotation Xrotation Yrotation"]
        if name == "Spine":
            lines += [
                "JOINT Head",
                "{",
                f"OFFSET 0 {60 * unit} 0",
                "CHANNELS 3 Zrotation Xrotation Yrotation",
            ]
            lines += ["End Site", "{", f"OFFSET 0 {20 * unit} 0", "}", "}"]
        lines += ["}"]
    lines += ["}", "MOTION", f"Frames: {frames}", "Frame Time: 0.0333333"]
    lines += [f"0 {95 * unit} {3 * f * unit} 0 0 {f} 0 0 0 {2 * f} 0 0 0 {f} 0" for f in range(frames)]
    return "\n".join(lines) + "\n"


@pytest.fixture
def clips(tmp_path: Path) -> Path:
    """Two good files, a broken one, one in an archive with its license."""
    folder = tmp_path / "clips"
    (folder / "deep").mkdir(parents=True)
    (folder / "walk.bvh").write_text(bvh_text())
    (folder / "deep" / "run.bvh").write_text(bvh_text(9))
    (folder / "broken.bvh").write_text(bvh_text().replace("CHANNELS 3", "CHANNELS 4", 1))
    with zipfile.ZipFile(folder / "pack.zip", "w") as archive:
        archive.writestr("inner/jump.bvh", bvh_text(7))
        archive.writestr("inner/LICENSE.txt", "Creative Commons Zero v1.0 Universal, CC0 1.0")
    return folder


BUNDLE = Path(__file__).parents[1] / "golden" / "bundle-v1" / "walker.controller"


def test_info_of_a_bundle(moveset, clips, tmp_path):
    run = moveset("info", BUNDLE, clips / "walk.bvh")
    assert run.code == 0
    for words in (
        "walker.controller  (controller, format 1)",
        "skeleton: 9 joints, 9 with a role",
        "stands on autoencoder walker",
        "lod1.onnx     6 kB, ",
        "license CC0-1.0",
        "skeleton walk: 4 joints",
    ):
        assert words in run.out
    assert json.loads(moveset("info", BUNDLE, "--json").out)["controller"]["execute"] == 4
    edited = Path(shutil.copytree(BUNDLE, tmp_path / "edited.controller"))
    (edited / "decoder.onnx").write_bytes(b"other")
    run = moveset("info", edited)
    assert run.code == 2 and "refused: " in run.out and "decoder.onnx" in run.out


def test_info_of_a_training_set(moveset, tmp_path):
    walk = synthesize("walk_120")
    write_set(
        tmp_path / "walk.set",
        [SetClip(walk, "real"), SetClip(synthesize("run_280"), "real", HELD_OUT)],
        {"real": 1.0},
    )
    told = moveset("info", tmp_path / "walk.set")
    assert told.code == 0
    assert told.out.startswith(
        f"{tmp_path}/walk.set  (training set, {walk.fps:g} fps)\n  skeleton: 24 joints, 24 with a role\n"
    )
    assert (
        f"  train: real {len(walk) / walk.fps:.1f} s\n" in told.out and "  a batch: real 100%\n" in told.out
    )
    said = json.loads(moveset("info", tmp_path / "walk.set", "--json").out)
    assert said["clips"] == 2 and said["frames"] == len(walk) + len(synthesize("run_280"))

    (tmp_path / "walk.set" / "view.json").unlink()
    told = moveset("info", tmp_path / "walk.set")
    assert told.code == 2 and "refused: " in told.out and "is damaged" in told.out


def test_info_of_one_file(moveset, clips):
    run = moveset("info", clips / "walk.bvh", "--tree")
    assert run.code == 0 and run.err == ""
    for words in (
        "skeleton walk: 4 joints",
        "5 frames",
        "30 fps",
        "0.13 s",
        "Hips  [hips]",
        "    Head  [head]",
        "cm",
    ):
        assert words in run.out


def test_info_of_a_folder_goes_on_past_a_bad_file(moveset, clips):
    run = moveset("info", clips)
    assert run.code == 2
    assert "unreadable: line 9: CHANNELS announces 4 and names 3" in run.out
    assert "4 files, 1 unreadable: 3 clips, 21 frames" in run.out
    assert "license CC0-1.0" in run.out


def test_info_as_json(moveset, clips):
    run = moveset("info", clips / "pack.zip", "--json")
    (file,) = (json.loads(line) for line in run.out.splitlines())
    assert file["clips"][0]["frames"] == 7 and file["license"] == "CC0-1.0"
    assert (
        file["skeletons"][0]["parents"]["Head"] == "Spine" and file["skeletons"][0]["roles"]["head"] == "Head"
    )
    assert {f["check"] for f in file["findings"]} == {"unit_guess", "up_axis_guess"}


def test_info_tells_what_tables_and_sidecars_say(moveset, clips):
    (clips / "walk.json").write_text(
        json.dumps({"sentence": "a calm walk", "loop": True, "license": "CC-BY-4.0"})
    )
    run = moveset("info", clips / "walk.bvh")
    assert "loop  a calm walk" in run.out and "license CC-BY-4.0" in run.out


def test_convert_one_file(moveset, clips, tmp_path):
    run = moveset(
        "convert",
        clips / "walk.bvh",
        "-o",
        tmp_path / "out.bvh",
        "--fps",
        60,
        "--order",
        "XYZ",
        "--to-unit",
        "m",
    )
    assert run.code == 0 and "wrote" in run.out and "1 clip, 9 frames" in run.out
    before, after = (formats.read(f).clips[0] for f in (clips / "walk.bvh", tmp_path / "out.bvh"))
    assert after.fps == 60
    np.testing.assert_allclose(after.world_positions[::2], before.world_positions, atol=1e-5)
    assert formats.read(tmp_path / "out.bvh").source.document.unit == 1.0


def test_convert_keeps_the_layout_and_goes_on_past_a_bad_file(moveset, clips, tmp_path):
    run = moveset("convert", clips, "-o", tmp_path / "out", "--to", "bvh")
    assert run.code == 2
    assert (
        "broken.bvh, line 9: CHANNELS" in run.err
        and "wrote 3 files to" in run.out
        and "3 clips, 21 frames; 1 file failed" in run.out
    )
    written = sorted(p.relative_to(tmp_path / "out").as_posix() for p in (tmp_path / "out").rglob("*.*vh"))
    assert written == ["deep/run.bvh", "pack/inner/jump.bvh", "walk.bvh"]


def test_several_inputs_do_not_meet(moveset, tmp_path):
    for name in ("a/walk.bvh", "b/walk.bvh"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(bvh_text())
    moveset("convert", tmp_path / "a", tmp_path / "b", "-o", tmp_path / "out", "--to", "bvh")
    assert sorted(p.parent.name for p in (tmp_path / "out").rglob("walk.bvh")) == ["a", "b"]


def test_same_stem_twice_keeps_both(moveset, tmp_path):
    source = tmp_path / "in"
    source.mkdir()
    (source / "walk.bvh").write_text(bvh_text(3))
    (source / "WALK.BVH").write_text(bvh_text(4))
    if len(list(source.iterdir())) < 2:
        pytest.skip("this file system knows one case only")
    moveset("convert", source, "-o", tmp_path / "out", "--to", "bvh")
    assert len(list((tmp_path / "out").iterdir())) == 2


def test_convert_never_overwrites_an_input(moveset, clips):
    before = (clips / "walk.bvh").read_bytes()
    run = moveset("convert", clips / "walk.bvh", "-o", clips / "walk.bvh", "--fps", 10)
    assert run.code == 2 and "is an input" in run.err and "nothing was written" in run.err
    assert (clips / "walk.bvh").read_bytes() == before
    run = moveset("convert", clips, "-o", clips, "--to", "bvh")
    assert run.code == 2 and (clips / "walk.bvh").read_bytes() == before


def test_json_of_a_conversion(moveset, clips, tmp_path):
    run = moveset(
        "convert", clips / "walk.bvh", clips / "broken.bvh", "-o", tmp_path / "o", "--to", "bvh", "--json"
    )
    good, bad = (json.loads(line) for line in run.out.splitlines())
    assert good["targets"] == [str(tmp_path / "o" / "walk.bvh")] and good["error"] == ""
    assert bad["targets"] == [] and "line 9" in bad["error"] and run.code == 2


def test_a_motion_becomes_a_figure_in_glb(moveset, clips, tmp_path):
    run = moveset("convert", clips / "walk.bvh", "-o", tmp_path / "walk.glb")
    assert run.code == 0
    asset, before = formats.read(tmp_path / "walk.glb"), formats.read(clips / "walk.bvh").clips[0]
    assert asset.characters[0].meshes
    clip = asset.clips[0]
    joints = [clip.skeleton.index[name] for name in before.skeleton.names]
    np.testing.assert_allclose(clip.world_positions[:, joints], before.world_positions, atol=1e-5)
    bare = moveset("convert", clips / "walk.bvh", "-o", tmp_path / "bare.glb", "--no-mannequin")
    assert bare.code == 0 and not any(c.meshes for c in formats.read(tmp_path / "bare.glb").characters)


def test_many_clips_become_a_folder_of_bvh(moveset, pack, tmp_path):
    knight = pack / "game" / "kaykit-adventurers" / "Knight.glb"
    run = moveset("convert", knight, "-o", tmp_path, "--to", "bvh")
    assert run.code == 0 and "76 clips" in run.out and "meshes: BVH holds skeletons only" in run.out
    assert len(list((tmp_path / "Knight").glob("*.bvh"))) == 76
    clip = formats.read(f"{knight}#Walking_A").clips[0]
    again = formats.read(tmp_path / "Knight" / "Walking_A.bvh", unit="cm", up="Y").clips[0]
    joints = [again.skeleton.index[name] for name in clip.skeleton.names]
    assert np.abs(again.world_positions[:, joints] - clip.world_positions).max() < 1e-4
    one = moveset("convert", f"{knight}#Walking_A", "-o", tmp_path / "one.bvh")
    assert one.code == 0 and (tmp_path / "one.bvh").exists()


def test_a_closed_pipe_is_no_error(clips):
    command = f'"{sys.executable}" -m moveset info "{clips}" --json | true'
    run = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    )
    assert "Traceback" not in run.stderr


def test_files_without_clips_are_named_and_do_not_fail_a_batch(moveset, clips, pack, tmp_path):
    weapon = pack / "game" / "quaternius" / "weapons-glb" / "Axe.glb"
    run = moveset("convert", weapon, clips / "walk.bvh", "-o", tmp_path / "o", "--to", "bvh")
    assert run.code == 0 and "1 file without a clip" in run.out
    alone = moveset("convert", weapon, "-o", tmp_path / "axe.bvh")
    assert alone.code == 2 and "Axe.glb holds no clip" in alone.err


@pytest.mark.parametrize(
    ("suffix", "joints"), [("vrma", 22), ("npz", 24), ("npy", 22), ("anim", 24), ("fbx", 24)]
)
def test_other_formats_hold_the_same_walk(moveset, tmp_path, suffix, joints):
    clip = synthesize("walk_100").slice(0, 31)
    formats.write(Asset(clips=(clip,)), tmp_path / "in/walk.bvh")
    run = moveset("convert", str(tmp_path / "in"), "-o", str(tmp_path / "out"), "--to", suffix)
    assert run.code == 0, run.err
    again = load(str(tmp_path / "out" / f"walk.{suffix}")).clips[0]
    assert (
        len(again.skeleton.by_role.keys() - {"leftProp", "rightProp"}) == 22 and len(again.skeleton) >= joints
    )
    hips = [c.world_positions[:, c.skeleton.joint("hips"), 1] for c in (again, clip)]
    heads = [c.world_positions[:, c.skeleton.joint("head"), 1] for c in (again, clip)]
    rise = [head.mean() - hip.mean() for head, hip in zip(heads, hips)]
    assert rise[0] == pytest.approx(rise[1], abs=2e-3)


def test_a_body_that_lacks_joints_becomes_humanml3d(moveset, tmp_path):
    clip = synthesize("walk_100")
    plain = clip.skeleton.with_roles(
        {r: r for r in clip.skeleton.roles if r and "Toes" not in r and r != "upperChest"}
    )
    formats.write(Asset(clips=(replace(clip, skeleton=plain),)), tmp_path / "walk.glb")
    run = moveset("convert", str(tmp_path / "walk.glb"), "-o", str(tmp_path / "walk.npy"))
    assert run.code == 0, run.err
    assert np.load(tmp_path / "walk.npy").shape == (round(clip.seconds * 20), 263)


def test_processes_give_what_one_gives(moveset, tmp_path):
    for number in range(8):
        (tmp_path / f"in/{number}").mkdir(parents=True)
        (tmp_path / f"in/{number}/walk.bvh").write_text(bvh_text(3 + number))
    (tmp_path / "in/bad.bvh").write_text("HIERARCHY")
    for workers in ("1", "2"):
        out = tmp_path / f"out{workers}"
        run = moveset("convert", str(tmp_path / "in"), "-o", str(out), "--to", "npz", "--workers", workers)
        assert run.code == 2 and "8 clips, 52 frames; 1 file failed" in run.out and "bad.bvh" in run.err
    made = [
        sorted(p.relative_to(tmp_path / o) for p in (tmp_path / o).rglob("*.npz")) for o in ("out1", "out2")
    ]
    assert made[0] == made[1] and len(made[0]) == 8
    for name in made[0]:
        assert (tmp_path / "out1" / name).read_bytes() == (tmp_path / "out2" / name).read_bytes()
