"""What lies beside a file about its clips: it comes before what the file says, and never stops it from being read."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moveset import formats
from moveset.audit.additive import is_additive
from moveset.formats.sidecar import with_sidecar
from moveset.motion import Asset, Event
from moveset.synthetic import synthesize
from moveset.synthetic.bad import additive_unsaid


@pytest.fixture(scope="module")
def walk():
    return replace(synthesize("walk_100").slice(0, 12), name="walk")


def said(asset, fields):
    return with_sidecar(asset, json.dumps(fields).encode(), "a.moveset.json")


@pytest.mark.parametrize("archived", [False, True])
def test_a_file_is_read_with_its_sidecar(tmp_path, walk, archived):
    breath = replace(walk, name="breath", additive=False, events=(Event(0.1, "own"),))
    formats.write(Asset(clips=(walk, breath)), tmp_path / "moves.glb")
    base = {"pose": "clip", "clip": "idle", "frame": 3, "space": "mesh", "stored": "poses"}
    fields = {
        "license": "CC0-1.0",
        "clips": {
            "breath": {
                "additive": base,
                "loop": True,
                "tags": ["layer"],
                "events": [{"time": 0.2, "name": "in", "role": "chest"}],
            }
        },
    }
    (tmp_path / "moves.moveset.json").write_text(json.dumps(fields))
    path = tmp_path / "moves.glb"
    if archived:
        with zipfile.ZipFile(tmp_path / "pack.zip", "w") as archive:
            for name in ("moves.glb", "moves.moveset.json"):
                archive.write(tmp_path / name, f"deep/{name}")
        path = tmp_path / "pack.zip" / "deep" / "moves.glb"
    asset = formats.read(path)
    plain, layer = asset.clips
    assert (plain.additive, plain.loop, plain.tags.license) == (None, False, "CC0-1.0")
    assert (layer.additive, layer.loop, layer.tags.license) == (True, True, "CC0-1.0")
    assert layer.events == (Event(0.2, "in", "chest"),) and "layer" in layer.tags.words
    (finding,) = (f for f in asset.findings if f.check == "additive_said")
    assert finding.severity == "warning"  # the file said otherwise
    assert finding.message == (
        "breath: additive to frame 3 of 'idle', says moves.moveset.json; its tracks are full poses; "
        "the file itself says it is not"
    )


def test_the_order_of_evidence(walk):
    """Sidecar, then file, then numbers."""
    differences = replace(additive_unsaid(walk), name="d")
    assert is_additive(differences) and not is_additive(walk)
    assert not is_additive(replace(differences, additive=False)) and is_additive(replace(walk, additive=True))
    asset = Asset(clips=(replace(differences, additive=True),))
    assert not is_additive(said(asset, {"additive": False}).clips[0])
    assert is_additive(said(Asset(clips=(walk,)), {"additive": True}).clips[0])


def test_a_loop_that_ends_on_its_first_frame_is_read_without_it(walk):
    """Unreal and Blender write it so; a loop of ours goes from its last frame to its first."""
    closed = replace(walk, rotations=np.concatenate((walk.rotations[:-1], walk.rotations[:1])))
    (loop,) = said(Asset(clips=(closed,)), {"loop": True}).clips
    assert loop.loop and len(loop) == len(walk) - 1
    (open_one,) = said(Asset(clips=(walk,)), {"loop": True}).clips
    assert open_one.loop and len(open_one) == len(walk)
    assert len(said(Asset(clips=(closed,)), {"loop": False}).clips[0]) == len(walk)


@pytest.mark.parametrize(
    "content, words",
    [
        (b"{", "not JSON"),
        (b"[1]", "not a JSON object"),
        (b'{"clips": 3}', "clips cannot be understood"),
        (b'{"clips": {"wlak": {}}}', "does not hold: wlak"),
        (b'{"additive": "yes", "lop": true}', "additive, lop cannot"),
        (b'{"additive": {"frame": true}}', "additive cannot"),
        (b'{"events": [{"time": NaN, "name": "x"}]}', "events cannot"),
        (b'{"clips": {"walk": {"loop": 1, "tags": "a", "license": 0}}}', "loop, tags, license cannot"),
    ],
)
def test_what_cannot_be_understood_is_a_finding(walk, content, words):
    asset = with_sidecar(Asset(clips=(walk,)), content, "a.moveset.json")
    assert asset.clips[0].tags == walk.tags and asset.clips[0].events == walk.events
    assert [f.check for f in asset.findings] == ["sidecar"] and words in asset.findings[0].message
    assert asset.clips[0].additive is None and not asset.clips[0].loop


fields = st.sampled_from(["additive", "clips", "events", "license", "loop", "tags", "walk", "pose", "frame"])
json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | fields,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(fields, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(fields, json_values | st.dictionaries(fields, json_values), max_size=5))
def test_nothing_in_a_sidecar_stops_reading(walk, content):
    asset = said(Asset(clips=(walk,)), content)
    assert asset.clips[0].rotations is walk.rotations
    assert asset.clips[0].additive in (None, True, False) and asset.clips[0].loop in (True, False)
