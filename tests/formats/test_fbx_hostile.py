"""FBX made to break its reader: small files that ask for much, and text that is nearly right."""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator

import numpy as np
import pytest
from fbx_text import FbxText
from hostile import changes, random_changes, spoilt, verdict
from hypothesis import HealthCheck, given, settings

from moveset.errors import MovesetError
from moveset.formats.fbx import read
from moveset.formats.fbx.binary import Node, array, int32, int64, named, node, serialize, text


def nothing(name: str) -> bytes:
    raise MovesetError("is not there")


def figure() -> bytes:
    """A little of everything, as text: bones, a mesh, layers, a take, odd inheritance."""
    file = FbxText()
    root = file.node("Armature", 0, "Null", Lcl_Scaling=(100, 100, 100), Lcl_Rotation=(-90, 0, 0))
    hips = file.node(
        "Hips", root, Lcl_Translation=(0, 0, 1), RotationOrder=4, PreRotation=(10, 20, 30), RotationActive=1
    )
    head = file.node("Head", hips, Lcl_Translation=(0, 0, 1), InheritType=2)
    body = file.node("Body", head, "Mesh", GeometricTranslation=(1, 2, 3))
    file.mesh(
        body,
        [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1)],
        [(0, 1, 2, 3), (0, 1, 4), (3, 2, 1, 0, 4)],
    )
    base, over = file.stack("Armature|Walk", 0, 1, layers=2)
    file.curve(base, hips, "Lcl Rotation", (0, 0.5, 1), X=(0, 10, 20), Y=(0, 5, 0))
    file.curve(over, hips, "Lcl Rotation", (0, 1), Z=(0, 30))
    file.curve(base, head, "Lcl Scaling", (0, 1), X=(1, 2), Y=(1, 1), Z=(1, 3))
    return file.data()


FIGURE = figure()


def test_the_figure_is_good():
    (clip,) = read(FIGURE, path="x.fbx", sibling=nothing).clips
    assert clip.skeleton.names == ("Hips", "Head") and len(clip) == 25


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(changes())
def test_changed_text(what):
    verdict(lambda: read(spoilt(FIGURE, what), path="x.fbx", sibling=nothing), "text")


@pytest.mark.slow
def test_much_changed_text():
    rng = random.Random(0)
    for _ in range(3000):
        what = random_changes(rng)
        verdict(lambda what=what: read(spoilt(FIGURE, what), path="x.fbx", sibling=nothing), str(what))


def _scene(*objects: Node) -> bytes:
    header = node("FBXHeaderExtension", children=[node("FBXVersion", int32(7400))])
    return serialize([header, node("Objects", children=objects)])


def _swollen(values: int) -> bytes:
    """An array of that many zeros, a thousandth of their size when packed."""
    packed = zlib.compress(bytes(8 * values), 9)
    return b"d" + np.array([values, 1, len(packed)], "<u4").tobytes() + packed


def bombs() -> Iterator[tuple[str, bytes]]:
    """Name and content of files below 10 MB."""
    deep = node("Bone")
    for _ in range(300):
        deep = node("Bone", children=[deep])
    yield "records in records", _scene(deep)
    yield "braces in braces", b"; FBX 7.5.0 project file\n" + b"Objects: {\n" * 200_000
    yield "words without end", b"; FBX 7.5.0 project file\nObjects: " + b"a" * 5_000_000
    yield "numbers without end", b"; FBX 7.5.0 project file\nObjects: {\n a: " + b"1," * 2_000_000 + b"1\n}\n"
    points = node("Vertices", _swollen(90_000_000))
    mesh = node("Geometry", int64(5), named("", "Geometry"), text("Mesh"), children=[points])
    yield "points that unpack to 720 MB", _scene(mesh)
    claimed = node("Vertices", b"d" + np.array([1 << 31, 1, 20], "<u4").tobytes() + bytes(20))
    mesh = node("Geometry", int64(5), named("", "Geometry"), text("Mesh"), children=[claimed])
    yield "points that are claimed", _scene(mesh)
    chain = FbxText()
    above = 0
    for i in range(3000):
        above = chain.node(f"Bone{i}", above)
    yield "bones below bones", chain.data()
    wide = FbxText()
    for i in range(20_000):
        wide.node(f"Bone{i}")
    (layer,) = wide.stack("Walk", 0, 3600)
    wide.curve(layer, wide.last - 2, "Lcl Rotation", (0, 3600), X=(0, 1))
    yield "an hour of many bones", wide.data()
    takes = FbxText()
    root = takes.node("Root")
    for i in range(2000):
        (layer,) = takes.stack(f"Walk{i}", 0, 600)
        takes.curve(layer, root, "Lcl Rotation", (0, 600), X=(0, 1))
    yield "takes of ten minutes, by the thousand", takes.data()
    shown = FbxText()
    first = shown.node("Mesh", 0, "Mesh")
    side = 150
    grid = [(x, y, 0) for x in range(side) for y in range(side)]
    quads = [(i, i + 1, i + side + 1, i + side) for i in range(side * (side - 1)) if (i + 1) % side]
    geometry = shown.mesh(first, grid, quads)
    for i in range(3000):
        shown._link(geometry, shown.node(f"Copy{i}", 0, "Mesh"))
    yield "a mesh shown by thousands", shown.data()


@pytest.mark.parametrize(("name", "data"), list(bombs()), ids=[name for name, _ in bombs()])
def test_bombs(name, data):
    assert len(data) < 10 << 20
    verdict(lambda: read(data, path="x.fbx", sibling=nothing), name)


def test_a_texture_outside_its_folder_is_not_read():
    asked = []

    def sibling(name: str) -> bytes:
        asked.append(name)
        raise MovesetError("is not there")

    file = FbxText()
    body = file.node("Body", 0, "Mesh")
    file.mesh(body, [(0, 0, 0), (1, 0, 0), (1, 1, 0)], [(0, 1, 2)])
    for name in ("../../etc/passwd", "/etc/passwd", "C:\\\\secret\\\\key.png", "textures/a.png"):
        texture = file._object("Texture", "t", "", f'FileName: "{name}"\nRelativeFilename: "{name}"')
        material = file._object("Material", "m", "", "")
        file._link(texture, material, "DiffuseColor")
        file._link(material, body)
    read(file.data(), path="x.fbx", sibling=sibling)
    assert asked and not any(".." in name or name.startswith("/") or ":" in name for name in asked)
    assert "textures/a.png" in asked


def test_an_array_of_the_writer_is_an_array_here():
    """The bombs above are built as files are: without what makes them bombs they are read."""
    points = node("Vertices", array(np.array([0.0, 0, 0, 1, 0, 0, 1, 1, 0])))
    faces = node("PolygonVertexIndex", array(np.array([0, 1, -3], dtype=np.int32)))
    mesh = node("Geometry", int64(5), named("", "Geometry"), text("Mesh"), children=[points, faces])
    asset = read(_scene(mesh), path="x.fbx", sibling=nothing)
    assert asset.source.document.document.arrays["mesh0.positions"].tolist() == [
        [0, 0, 0],
        [1, 0, 0],
        [1, 1, 0],
    ]
