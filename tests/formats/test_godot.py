"""Godot animations are written: tracks that an own reader of the text finds again."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from moveset import formats
from moveset.errors import MovesetError
from moveset.formats import godot
from moveset.motion import Asset
from moveset.synthetic import synthesize


def tracks_of(text: str) -> dict[tuple[str, str], np.ndarray]:
    """(kind, bone) -> (K, 2 + n) keys."""
    found = {}
    pattern = r'tracks/\d+/type = "(\w+)"(?s:.)*?NodePath\("([^"]*)"\)(?s:.)*?PackedFloat32Array\(([^)]*)\)'
    for kind, path, numbers in re.findall(pattern, text):
        width = {"rotation_3d": 6, "position_3d": 5, "scale_3d": 5}[kind]
        found[kind, path] = np.array([float(n) for n in numbers.split(",")]).reshape(-1, width)
    return found


def test_one_animation():
    clip = replace(synthesize("walk_100").slice(0, 10), loop=True)
    text = godot.write(Asset(clips=(clip,)), path="a.tres", node="Armature/Skeleton3D").decode()
    assert text.startswith('[gd_resource type="Animation" format=3]')
    assert "loop_mode = 1" in text and f"length = {10 / clip.fps:.6g}" in text
    tracks = tracks_of(text)
    assert len(tracks) == 2 * len(clip.skeleton)
    spine = tracks["rotation_3d", "Armature/Skeleton3D:spine"]
    np.testing.assert_allclose(spine[:, 0], clip.times, atol=1e-6)
    np.testing.assert_allclose(spine[:, 2:], clip.rotations[:, clip.skeleton.index["spine"]], atol=1e-6)
    hips = tracks["position_3d", "Armature/Skeleton3D:hips"]
    np.testing.assert_allclose(hips[:, 2:], clip.translations[:, 0], atol=1e-6)
    still = tracks["position_3d", "Armature/Skeleton3D:spine"]
    assert len(still) == 1 and still[0, 1] == 1


def test_a_library():
    clip = synthesize("walk_100").slice(0, 3)
    pair = Asset(clips=(clip, replace(clip, name='odd:/"name'), replace(clip, name="walk_100")))
    text = godot.write(pair, path="a.tres").decode()
    assert text.startswith('[gd_resource type="AnimationLibrary" load_steps=4 format=3]')
    assert re.findall(r'&"([^"]*)": SubResource\("(\w+)"\)', text) == [
        ("walk_100", "Animation_0"), ("odd___name", "Animation_1"), ("walk_100_2", "Animation_2"),
    ]  # fmt: skip


def test_none_is_read(tmp_path):
    formats.write(Asset(clips=(synthesize("walk_100"),)), tmp_path / "a.tres")
    with pytest.raises(MovesetError, match="godot files can be written, not read"):
        formats.read(tmp_path / "a.tres")
    with pytest.raises(MovesetError, match="holds no file of a known format"):
        formats.list_files(tmp_path)
    with pytest.raises(MovesetError, match="no path of a node"):
        godot.write(Asset(clips=(synthesize("walk_100"),)), path="a.tres", node='a"b')
