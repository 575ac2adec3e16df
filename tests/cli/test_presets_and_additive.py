"""`moveset convert --preset` and what `moveset info` says of additive clips."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from moveset import formats
from moveset.motion import Asset
from moveset.synthetic import synthesize
from moveset.synthetic.bad import additive_unsaid


@pytest.fixture
def walk(tmp_path):
    clip = replace(synthesize("walk_100").slice(0, 20), name="walk")
    formats.write(Asset(clips=(clip,)), tmp_path / "walk.bvh")
    return tmp_path / "walk.bvh"


def test_convert_writes_fbx_for_a_program(moveset, walk, tmp_path):
    run = moveset("convert", walk, "-o", tmp_path / "walk.fbx", "--preset", "unreal")
    assert run.code == 0 and "wrote" in run.out
    told = moveset("info", tmp_path / "walk.fbx").out
    assert (
        "walk     20 frames" in told and "+Z is up" in told and "meshes" in told
    )  # the mannequin came along


def test_an_unknown_preset_and_a_preset_for_another_format(moveset, walk, tmp_path):
    run = moveset("convert", walk, "-o", tmp_path / "a.fbx", "--preset", "ue5")
    assert (
        run.code == 2 and "'ue5' is no preset of FBX -- give one of unreal, unity, maya, blender" in run.err
    )
    run = moveset("convert", walk, "-o", tmp_path / "a.glb", "--preset", "unreal")
    assert run.code == 2 and "takes no option 'preset'" in run.err
    assert not (tmp_path / "a.fbx").exists() and not (tmp_path / "a.glb").exists()


def test_info_shows_additive_clips_and_who_says_so(moveset, walk, tmp_path):
    plain = formats.read(walk).clips[0]
    added = replace(additive_unsaid(plain), name="layer")
    formats.write(Asset(clips=(plain, added)), tmp_path / "two.glb")
    told = moveset("info", tmp_path / "two.glb").out.splitlines()
    assert "additive" in next(line for line in told if line.strip().startswith("layer"))
    assert "additive" not in next(line for line in told if line.strip().startswith("walk"))
    assert any("bones have no length" in line for line in told)  # by its numbers
    (tmp_path / "two.moveset.json").write_text(
        json.dumps({"clips": {"layer": {"additive": {"pose": "reference"}}}})
    )
    told = moveset("info", tmp_path / "two.glb").out
    assert "layer: additive to the reference pose, says two.moveset.json" in told
    assert "no length" not in told
