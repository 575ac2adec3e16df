"""Skinned meshes: geometry, materials' places, skins, blend shapes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from moveset.formats.fbx.binary import Node, array, double, int32, node, text
from moveset.formats.fbx.scene import Scene, matrix, prop, properties
from moveset.formats.fbx.write_rig import Rig, add_model, in_file
from moveset.geometry import transform
from moveset.geometry.mesh import smooth_normals
from moveset.geometry.quaternion import Array
from moveset.motion import Mesh


@dataclass(frozen=True, eq=False)
class Points:
    """The control points of a mesh: where vertices that differ only by normal, uv or color are one."""

    of_vertex: np.ndarray
    """(V,) control point of each vertex."""
    vertex: np.ndarray
    """(P,) a vertex of each control point."""


def add_mesh(
    scene: Scene, rig: Rig, mesh: Mesh, links: Array, place: Array, material: tuple[int, str] | None
) -> tuple[int, dict[str, int]]:
    """A mesh that stands at `place` (4, 4) in Moveset's world when its skin joints stand at `links` (S, 4, 4).

    `material`: its identity and name. Returns its model, and the blend shape channel of each curve.
    """
    mesh = _placed(mesh, in_file(rig.preset, place[None])[0], rig.preset.units)
    points = control_points(mesh)
    name = scene.unique(mesh.name or (material[1] if material else "Mesh"), "Model")
    model = add_model(scene, name, "Mesh", rig.above)
    geometry = scene.add("Geometry", name, "Geometry", "Mesh", _geometry(mesh, points), model)
    if material:
        scene.connect(material[0], model)
    _add_skin(scene, rig, mesh, points, geometry, in_file(rig.preset, links))
    return model, _add_shapes(scene, mesh, points, geometry)


def control_points(mesh: Mesh) -> Points:
    """Vertices of one place, weight and morph as one point, as modellers have them.

    Where that would make two triangles out of the same three points (the two sides of a cape), which Blender takes
    for one, or a triangle with a point twice, the vertices stay apart.
    """
    rows = [np.asarray(mesh.positions, dtype=np.float64), mesh.joint_indices, mesh.weights]
    rows += [] if mesh.morphs is None else [np.swapaxes(mesh.morphs, 0, 1).reshape(len(mesh.positions), -1)]
    key = np.concatenate(rows, axis=1)
    _, vertex, of_vertex = np.unique(key, axis=0, return_index=True, return_inverse=True)
    of_vertex = of_vertex.reshape(-1)
    corners = np.sort(of_vertex[np.asarray(mesh.triangles)], axis=1)
    pinched = (corners[:, 1:] == corners[:, :-1]).any()
    if pinched or len(np.unique(corners, axis=0)) < len(corners):
        return Points(np.arange(len(key)), np.arange(len(key)))
    return Points(of_vertex, vertex)


def _placed(mesh: Mesh, place: Array, units: float) -> Mesh:
    """The mesh in the file's world: turned, scaled, inside out where `place` mirrors."""
    linear = place[:3, :3]
    positions = np.asarray(mesh.positions, dtype=np.float64)
    triangles, normals = np.asarray(mesh.triangles), mesh.normals
    if normals is None:
        normals = smooth_normals(positions, triangles)
    cofactors = np.linalg.inv(linear).T * np.linalg.det(linear)
    mirrored = np.linalg.det(linear) < 0
    normals = np.asarray(normals, dtype=np.float64) @ cofactors.T * (-1 if mirrored else 1)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return replace(
        mesh,
        positions=positions @ (linear.T * units) + place[:3, 3],
        triangles=triangles[:, [0, 2, 1]] if mirrored else triangles,
        normals=np.where(length > 0, normals / np.where(length > 0, length, 1), (0, 0, 1)),
        morphs=None if mesh.morphs is None else np.asarray(mesh.morphs, np.float64) @ (linear.T * units),
    )


def _geometry(mesh: Mesh, points: Points) -> list[Node]:
    corners = np.asarray(mesh.triangles).reshape(-1, 3)
    polygons = points.of_vertex[corners].astype(np.int32)
    polygons[:, 2] ^= -1  # the last corner of a polygon is marked by its complement
    corners = corners.reshape(-1)
    normals = _doubles("Normals", np.asarray(mesh.normals)[corners])
    smoothing = node("Smoothing", array(np.ones(len(polygons), np.int32)))
    material = node("Materials", array(np.zeros(1, np.int32)))
    layers = [
        _layer("LayerElementNormal", "ByPolygonVertex", "Direct", normals),
        _layer("LayerElementSmoothing", "ByPolygon", "Direct", smoothing, version=102),
        _layer("LayerElementMaterial", "AllSame", "IndexToDirect", material),
    ]
    if mesh.uvs is not None:
        uvs = np.asarray(mesh.uvs, dtype=np.float64) * (1, -1) + (0, 1)
        layers.append(_indexed("LayerElementUV", "UV", uvs, corners, "UVMap"))
    if mesh.colors is not None:
        layers.append(_indexed("LayerElementColor", "Colors", np.asarray(mesh.colors), corners, "Color"))
    elements = [
        node("LayerElement", children=[node("Type", text(layer.name)), node("TypedIndex", int32(0))])
        for layer in layers
    ]
    return [
        properties(),
        node("GeometryVersion", int32(124)),
        _doubles("Vertices", mesh.positions[points.vertex]),
        node("PolygonVertexIndex", array(polygons)),
        *layers,
        node("Layer", int32(0), children=[node("Version", int32(100)), *elements]),
    ]


def _layer(
    record: str, mapping: str, reference: str, *data: Node, name: str = "", version: int = 101
) -> Node:
    about = [
        node("Version", int32(version)),
        node("Name", text(name)),
        node("MappingInformationType", text(mapping)),
        node("ReferenceInformationType", text(reference)),
    ]
    return node(record, int32(0), children=[*about, *data])


def _indexed(record: str, field: str, values: Array, corners: np.ndarray, name: str) -> Node:
    """A layer with each value once, and which of them each corner has."""
    once, index = np.unique(values, axis=0, return_inverse=True)
    index = node(f"{field.rstrip('s')}Index", array(index.reshape(-1)[corners].astype(np.int32)))
    return _layer(record, "ByPolygonVertex", "IndexToDirect", _doubles(field, once), index, name=name)


def _add_skin(scene: Scene, rig: Rig, mesh: Mesh, points: Points, geometry: int, links: Array) -> None:
    about = [node("Version", int32(101)), node("Link_DeformAcuracy", double(50.0))]
    skin = scene.add("Deformer", "", "Deformer", "Skin", about, geometry)
    joints, weights = mesh.joint_indices[points.vertex], np.asarray(mesh.weights, np.float64)[points.vertex]
    places = transform.inverse(links)
    for slot, joint in enumerate(np.asarray(mesh.skin_joints).tolist()):
        share = np.where(joints == slot, weights, 0).sum(axis=1)
        bound = np.flatnonzero(share > 0)
        influence = []
        if len(bound):
            influence = [node("Indexes", array(bound.astype(np.int32))), _doubles("Weights", share[bound])]
        cluster = scene.add(
            "Deformer",
            rig.skeleton.names[joint],
            "SubDeformer",
            "Cluster",
            [
                node("Version", int32(100)),
                node("UserData", text(""), text("")),
                *influence,
                matrix("Transform", places[slot]),
                matrix("TransformLink", links[slot]),
            ],
            skin,
        )
        scene.connect(rig.models[joint], cluster)


def _add_shapes(scene: Scene, mesh: Mesh, points: Points, geometry: int) -> dict[str, int]:
    """Blend shapes, each a channel whose curve says how many percent of it show."""
    if mesh.morphs is None or not len(mesh.morph_names):
        return {}
    deformer = scene.add(
        "Deformer", mesh.name, "Deformer", "BlendShape", [node("Version", int32(100))], geometry
    )
    channels = {}
    for curve, offsets in zip(mesh.morph_names, mesh.morphs):
        name = curve.removeprefix(f"{mesh.name}.")
        moved = np.flatnonzero(np.abs(offsets[points.vertex]).max(axis=1) > 0)
        shape = [
            properties(),
            node("Version", int32(100)),
            node("Indexes", array(moved.astype(np.int32))),
            _doubles("Vertices", offsets[points.vertex][moved]),
            _doubles("Normals", np.zeros((len(moved), 3))),
        ]
        percent = properties(prop("DeformPercent", "Number", double(0.0), flags="A"))
        about = [node("Version", int32(100)), percent, node("DeformPercent", double(0.0))]
        full = node("FullWeights", array(np.array([100.0])))
        channel = scene.add("Deformer", name, "SubDeformer", "BlendShapeChannel", [*about, full], deformer)
        scene.add("Geometry", name, "Geometry", "Shape", shape, channel)
        channels[curve] = channel
    return channels


def _doubles(name: str, values: Array) -> Node:
    return node(name, array(np.asarray(values, dtype=np.float64)))
