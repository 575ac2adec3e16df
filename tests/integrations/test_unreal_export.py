"""The Unreal script against a stand-in for Unreal's Python module: what it writes beside a file is understood."""

from __future__ import annotations

import importlib.util
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from moveset.formats.sidecar import with_sidecar
from moveset.motion import Asset, Event
from moveset.synthetic import synthesize

SCRIPT = Path(__file__).parents[2] / "integrations" / "unreal" / "export_moveset.py"


@dataclass(eq=False)
class AnimSequence:
    name: str
    properties: dict
    notifies: list = field(default_factory=list)

    def get_editor_property(self, name):
        return self.properties[name]

    def get_name(self):
        return self.name

    def get_path_name(self):
        return f"/Game/{self.name}.{self.name}"


class Settings:
    """Export task and options: they take any property."""

    def __init__(self):
        self.properties = {}

    def set_editor_property(self, name, value):
        self.properties[name] = value


class Progress:
    def __init__(self, *_):
        pass

    def __enter__(self):
        return SimpleNamespace(
            make_dialog=lambda _: None, should_cancel=lambda: False, enter_progress_frame=lambda *_: None
        )

    def __exit__(self, *_):
        pass


def run_task(task):
    if "Broken" in task.properties["filename"]:
        return False
    Path(task.properties["filename"]).write_bytes(b"fbx")
    return True


@pytest.fixture
def script(monkeypatch, tmp_path):
    unreal = ModuleType("unreal")
    unreal.logged = []
    vars(unreal).update(
        AdditiveAnimationType=SimpleNamespace(
            AAT_NONE=0, AAT_LOCAL_SPACE_BASE=1, AAT_ROTATION_OFFSET_MESH_SPACE=2
        ),
        AdditiveBasePoseType=SimpleNamespace(
            ABPT_REF_POSE=1, ABPT_ANIM_SCALED=2, ABPT_ANIM_FRAME=3, ABPT_LOCAL_ANIM_FRAME=4
        ),
        AnimSequence=AnimSequence,
        AnimSequenceExporterFBX=object,
        AssetExportTask=Settings,
        FbxExportOption=Settings,
        ScopedSlowTask=Progress,
        Exporter=SimpleNamespace(run_asset_export_task=run_task),
        Paths=SimpleNamespace(project_saved_dir=lambda: str(tmp_path)),
        SystemLibrary=SimpleNamespace(get_engine_version=lambda: "5.4.1"),
        EditorUtilityLibrary=SimpleNamespace(get_selected_assets=lambda: unreal.selected),
        AnimationLibrary=SimpleNamespace(
            get_animation_notify_events=lambda sequence: sequence.notifies,
            get_anim_notify_event_trigger_time=lambda notify: notify.time,
        ),
        log=unreal.logged.append,
        log_error=unreal.logged.append,
    )
    monkeypatch.setitem(sys.modules, "unreal", unreal)
    spec = importlib.util.spec_from_file_location("unreal_export_moveset", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sequence(name, additive=0, base=1, other=None, frame=0, loop=False, root=False, notifies=()):
    properties = {
        "additive_anim_type": additive, "ref_pose_type": base, "ref_pose_seq": other, "ref_frame_index": frame,
        "loop": loop, "enable_root_motion": root,
    }  # fmt: skip
    events = [
        SimpleNamespace(time=t, get_editor_property=lambda key, n=n: {"notify_name": n}[key])
        for t, n in notifies
    ]
    return AnimSequence(name, properties, events)


def test_what_is_written_beside_a_sequence_is_understood(script, tmp_path):
    idle = sequence("Idle", loop=True)
    walk = sequence("Walk", loop=True, root=True, notifies=[(0.5, "Right"), (0.1, "Left")])
    aim = sequence("Aim", additive=2, base=3, other=idle, frame=4)
    breathe = sequence("Breathe", additive=1, base=4, frame=2)
    hit = sequence("Hit", additive=1)
    script.unreal.selected = [walk, aim, breathe, hit, "a mesh", sequence("Walk"), sequence("Broken")]
    written = script.export_selected()
    assert [Path(file).name for file in written] == [
        "Walk.fbx",
        "Aim.fbx",
        "Breathe.fbx",
        "Hit.fbx",
        "Walk_2.fbx",
    ]
    assert any("Broken" in line for line in script.unreal.logged)
    clip = synthesize("walk_100").slice(0, 30)

    def read(name):
        content = (tmp_path / "Moveset" / f"{name}.moveset.json").read_bytes()
        asset = with_sidecar(Asset(clips=(clip,)), content, f"{name}.moveset.json")
        assert not [finding for finding in asset.findings if finding.check == "sidecar"]
        return asset.clips[0], [f.message for f in asset.findings]

    moving, _ = read("Walk")
    assert (moving.loop, moving.additive) == (True, False) and "root motion" in moving.tags.words
    assert moving.events == (Event(0.1, "Left"), Event(0.5, "Right"))
    layer, (message,) = read("Aim")
    assert layer.additive and "additive to frame 4 of 'Idle', says" in message and "full poses" in message
    assert "to its own frame 2" in read("Breathe")[1][0]
    assert "to the reference pose" in read("Hit")[1][0]
    assert json.loads((tmp_path / "Moveset" / "Aim.moveset.json").read_text())["additive"]["space"] == "mesh"
