"""The Blender script: what it exports is read with all that it says of the clips."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from moveset import formats
from moveset.geometry import quaternion

SCRIPT = Path(__file__).parents[2] / "integrations" / "blender" / "export_moveset.py"


def blender(*arguments: object) -> subprocess.CompletedProcess:
    python = os.environ.get("MOVESET_BLENDER")
    if not python:
        pytest.skip("MOVESET_BLENDER is not set to a Python with bpy")
    return subprocess.run([python, *map(str, arguments)], text=True, capture_output=True)


@pytest.fixture(scope="module")
def scene(tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("scene") / "figure.blend"
    run = blender(Path(__file__).parent / "blender_scene.py", file)
    assert run.returncode == 0, run.stderr[-2000:]
    return file


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".glb", ".fbx"])
def test_all_actions_come_with_what_is_known_of_them(scene, tmp_path, suffix):
    run = blender(SCRIPT, scene, tmp_path / f"figure{suffix}")
    assert run.returncode == 0, run.stderr[-2000:]
    asset = formats.read(tmp_path / f"figure{suffix}")
    assert not [finding for finding in asset.findings if finding.check == "sidecar"]
    clips = {clip.name: clip for clip in asset.clips}
    assert clips.keys() == {"Walk", "Breathe", "Lean", "Nod"}
    said = {name: (clip.loop, clip.additive, clip.tags.license) for name, clip in clips.items()}
    assert said == {
        "Walk": (True, None, "CC0-1.0"),
        "Breathe": (False, True, "MIT"),
        "Lean": (False, True, "CC0-1.0"),
        "Nod": (False, False, "CC0-1.0"),
    }
    (step,) = clips["Walk"].events
    assert (step.name, step.time) == ("step", pytest.approx(6 / 24))
    assert {"walk", "sad"} <= set(clips["Walk"].tags.words)
    walk = clips["Walk"]
    assert (len(walk), walk.fps) == (13, pytest.approx(24))
    spine = walk.rotations[:, walk.skeleton.index["spine"]]
    assert np.degrees(quaternion.angle_between(spine[0], spine[-1])) == pytest.approx(60, abs=0.1)
    assert len(asset.characters[0].meshes) == 1
    assert json.loads((tmp_path / "figure.moveset.json").read_text())["writer"].startswith("Blender ")


ADD_ON = """
import sys; sys.path.insert(0, sys.argv[1])
import bpy, export_moveset
bpy.ops.wm.open_mainfile(filepath=sys.argv[2])
export_moveset.register()
bpy.context.view_layer.objects.active = bpy.data.objects["Figure"]
assert bpy.ops.export_scene.moveset(filepath=sys.argv[3]) == {"FINISHED"}
bpy.context.view_layer.objects.active = bpy.data.objects["Body"]
assert not bpy.ops.export_scene.moveset.poll()
export_moveset.unregister()
"""


@pytest.mark.slow
def test_it_is_an_add_on_too(scene, tmp_path):
    run = blender("-c", ADD_ON, SCRIPT.parent, scene, tmp_path / "figure.glb")
    assert run.returncode == 0, run.stderr[-2000:]
    assert len(formats.read(tmp_path / "figure.glb").clips) == 4


@pytest.mark.slow
def test_what_it_cannot_export_is_said_in_a_line(scene, tmp_path):
    for arguments, words in (
        ((scene, tmp_path / "a.obj"), "ends in .glb or .fbx"),
        ((scene, tmp_path / "a.glb", "Nobody"), "the scene has Figure"),
    ):
        run = blender(SCRIPT, *arguments)
        assert run.returncode == 1 and words in run.stderr.splitlines()[-1]
