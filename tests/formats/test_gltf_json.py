"""What the JSON of a glTF file may hold, and in which words it is refused."""

from __future__ import annotations

import re

import numpy as np
import pytest
from gltf_maker import Maker, read_bytes
from test_gltf import swing

from moveset.errors import MovesetError
from moveset.formats.gltf import write
from moveset.motion import Asset, Character, Clip, Event, Skeleton
from moveset.motion.canonical import canonical_skeleton


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"asset": {"version": "2.0"},\n "x": 1,}', "line 2.*not JSON|not JSON.*line 2"),
        (b'{"asset":\n\n tru}', "not JSON: Expecting value.*line 3|line 3.*Expecting value"),
        (b'{"asset": {"version": "2.0", "x": NaN}}', "NaN is not a JSON number"),
        (b'{"asset": {"version": "2.0", "x": -Infinity}}', "-Infinity is not a JSON number"),
        (b'{"asset": "\xff"}', "not UTF-8 text at byte 11"),
        (b"[1, 2]", "not an object"),
        (b"", "not JSON"),
    ],
)
def test_refused_in_a_sentence(text, message):
    with pytest.raises(MovesetError) as caught:
        read_bytes(text)
    assert re.search(message, str(caught.value))


def test_a_byte_order_mark_is_skipped():
    assert not read_bytes(b'\xef\xbb\xbf{"asset": {"version": "2.0"}}').clips


def swinging(name: str) -> Asset:
    maker = Maker()
    maker.chain(name, "tip")
    maker.animation(swing(maker, 0))
    return maker.read()


@pytest.mark.parametrize("name", ["Hüfte", "half \ud800 pair", "\U0001f9b4"])
def test_names_survive(name):
    asset = swinging(name)
    again = read_bytes(write(asset, path="out.glb"))
    assert again.characters[0].skeleton.names[0] == name == asset.characters[0].skeleton.names[0]


def with_deep_extras(levels: int) -> Asset:
    text = b'{"asset": {"version": "2.0"}, "nodes": [{}], "extras": {"deep": %b}}'
    return read_bytes(text % (b"[" * levels + b"]" * levels))


def test_deep_extras_survive_patching():
    deep: list = []
    for _ in range(299):
        deep = [deep]
    again = read_bytes(write(with_deep_extras(300), path="out.glb"))
    assert again.source.document.document.json["extras"]["deep"] == deep


def test_extras_too_deep_to_write_are_refused():
    with pytest.raises(MovesetError, match="nested too deeply"):
        write(with_deep_extras(1000), path="out.glb")


def test_no_file_says_null_for_nan():
    skeleton = canonical_skeleton()
    turns = np.broadcast_to(skeleton.rest_rotations, (3, len(skeleton), 4))
    places = np.broadcast_to(skeleton.rest_translations, (3, len(skeleton), 3))
    clip = Clip(skeleton, turns, places, 30.0, "hit", events=(Event(float("nan"), "hit"),))
    with pytest.raises(MovesetError, match="NaN"):
        write(Asset(clips=(clip,)), path="out.glb")
    places = np.full_like(skeleton.rest_translations, np.nan)
    broken = Skeleton(skeleton.names, skeleton.parents, skeleton.rest_rotations, places)
    with pytest.raises(MovesetError, match="NaN"):
        write(Asset(characters=(Character(broken),)), path="out.glb")
