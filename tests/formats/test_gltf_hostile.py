"""Broken on purpose: any change of a real file is read or refused in a sentence, never a traceback or a warning."""

from __future__ import annotations

import json
import random

import pytest
from gltf_maker import Maker, about, read_bytes
from test_gltf import SQUARE, skinned_arm, swing

from moveset.errors import MovesetError
from moveset.formats.gltf import container, write

ODD_VALUES = (
    None, -1, 0, 1, 2, 7, 10**6, 2**31, 2**63, 10**30, 1.5, 1e308, 1e-320, True, "x", "", [], {}, [1], [[]], {"a": 1},
    "LINEAR", "VEC3", "MAT4", 5126, 5123, [0, 0, 0], [1, 2, 3, 4], [1e30] * 16, [0] * 16,
)  # fmt: skip


def rich_file() -> tuple[dict, bytes]:
    """Skins, blend shapes, sparse accessors, materials, cameras, a VRM extension: a little of everything."""
    bones = [{"bone": "hips", "node": 1}, {"bone": "spine", "node": 2}]
    maker = Maker(
        scenes=[{"nodes": [0]}],
        extensions={"VRM": {"humanoid": {"humanBones": bones}}},
        extensionsUsed=["VRM"],
    )
    maker.node("armature", children=[1, 3, 4], scale=[100, 100, 100])
    maker.node("hips", children=[2], rotation=about("x", 10))
    maker.node("spine", translation=[0, 1, 0])
    skinned_arm(maker, [1, 2])
    maker.json["images"] = [{"bufferView": maker.view(b"\x89PNG....")}]
    maker.json["textures"] = [{"source": 0}]
    maker.add("materials", {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0, "texCoord": 0}}})
    sparse = {
        "count": 1,
        "indices": {"bufferView": maker.view(b"\x01\0"), "componentType": 5123},
        "values": {"bufferView": maker.view(b"\0\0\0\0" * 3)},
    }
    shape = maker.add("accessors", {"componentType": 5126, "count": 3, "type": "VEC3", "sparse": sparse})
    uvs, indices = maker.accessor([[0, 0]] * 3), maker.accessor([0, 1, 2], "u2")
    primitive = {
        "attributes": {"POSITION": maker.accessor(SQUARE), "TEXCOORD_0": uvs},
        "indices": indices, "material": 0, "mode": 4, "targets": [{"POSITION": shape}],
    }  # fmt: skip
    maker.node("face", mesh=maker.add("meshes", {"primitives": [primitive], "weights": [0.5]}))
    spline = [about("z", 10.0 * i) for i in range(9)]
    maker.animation(
        swing(maker, 1),
        maker.track(2, "rotation", [0, 0.1, 0.2], spline, "CUBICSPLINE"),
        maker.track(4, "weights", [0, 0.1], [0, 1]),
        maker.track(1, "scale", [0, 0.1], [[1, 1, 1], [2, 2, 2]], "STEP"),
    )
    return maker.document(), bytes(maker.bytes)


def places(part: object, path: tuple = ()) -> list[tuple]:
    """The path of everything below `part`."""
    items = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    return [place for key, value in items for place in ((*path, key), *places(value, (*path, key)))]


def spoilt(document: dict, rng: random.Random) -> dict:
    document = json.loads(json.dumps(document))
    known = places(document)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        *above, last = rng.choice(known)
        holder = document
        try:
            for key in above:
                holder = holder[key]
            chance = rng.random()
            if chance < 0.2:
                del holder[last]
            elif chance < 0.4 and type(holder[last]) is int:
                holder[last] += rng.choice([-1, 1, 2, 100])
            else:
                holder[last] = rng.choice(ODD_VALUES)
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took the place away
    return document


@pytest.mark.parametrize("seed", range(6))
def test_spoilt_files(seed):
    document, binary = rich_file()
    rng = random.Random(seed)
    verdicts = {"read": 0, "refused": 0}
    for _ in range(150):
        spoilt_bytes = bytearray(binary)
        if rng.random() < 0.3:
            for _ in range(4):
                spoilt_bytes[rng.randrange(len(spoilt_bytes))] = rng.randrange(256)
        try:
            asset = read_bytes(container.join(spoilt(document, rng), spoilt_bytes))
            verdicts["read"] += 1
            write(asset, path="out.glb")
        except MovesetError:
            verdicts["refused"] += 1
    assert min(verdicts.values()) > 10, "the changes should break some files and spare others"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 130))
def test_many_spoilt_files(seed):
    test_spoilt_files(seed)
