"""Meshes of a file as triangles bound to joints: polygons cut, corners welded, one mesh a material.

Vertices are put where the mesh stands when it is bound, in metres: only bind matrices know of the file's space.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from moveset.formats.fbx.clips import Shape
from moveset.formats.fbx.document import FARTHEST, Document
from moveset.formats.scene.rig import Rig
from moveset.motion import Finding, Mesh

_NAN = "hold NaN or infinite numbers"
MOST_INFLUENCES = 32
"""Joints a vertex; weaker ones beyond are left out."""


@dataclass(eq=False)
class MeshReader:
    """Reads the meshes that a rig moves."""

    document: Document
    rig: Rig
    shapes: dict[tuple[int, int], Shape]
    """(node, number of a shape of its mesh) -> shape."""
    findings: list[Finding]
    _parts: dict[int, list[_Part]] = field(default_factory=dict)

    def read(self) -> tuple[tuple[Mesh, ...], set[int]]:
        """Meshes that this rig moves, and which nodes show them."""
        nodes = self.document.nodes
        joint_of = self.rig.joint_of(len(nodes))
        carriers = nodes.nearest(joint_of >= 0)
        meshes: list[Mesh] = []
        taken: set[int] = set()
        for node in nodes.order:
            mesh = self.document.tree[node]["mesh"]
            if mesh < 0:
                continue
            skin = self._skin(node, mesh, joint_of, int(carriers[node]))
            if skin is None:
                continue
            taken.add(node)
            meshes += [self._bound(node, part, skin) for part in self._cut(mesh)]
        return tuple(meshes), taken

    def _cut(self, mesh: int) -> list[_Part]:
        """The parts of a mesh; none, with a finding, of one whose points are no numbers."""
        if mesh in self._parts:
            return self._parts[mesh]
        arrays, key = self.document.arrays, f"mesh{mesh}"
        self._parts[mesh] = []
        if arrays[f"{key}.corners"].max(initial=-1) >= len(arrays[f"{key}.positions"]):
            self._amiss(mesh, "corners name points that are not there", "it is not shown")
            return []
        if not np.isfinite(arrays[f"{key}.positions"]).all():
            self._amiss(mesh, f"positions {_NAN}", "it is not shown")
            return []
        for name in ("normals", "uvs", "colors"):
            values = arrays.get(f"{key}.{name}")
            if values is not None and not np.isfinite(values).all():
                self._amiss(mesh, f"{name} {_NAN}", "0 is taken instead")
                arrays[f"{key}.{name}"] = np.where(np.isfinite(values), values, np.float32(0))
        self._parts[mesh] = _cut(self.document, mesh)
        return self._parts[mesh]

    def _amiss(self, mesh: int, what: str, outcome: str) -> None:
        name = next(node["name"] for node in self.document.tree if node["mesh"] == mesh)
        message = f"{name}: its {what}; {outcome}"
        self.findings.append(Finding("damaged_mesh", "warning", "", message, advice="export the mesh again"))

    def _skin(self, node: int, mesh: int, joint_of: np.ndarray, carrier: int) -> _Skin | None:
        """How the mesh of `node` is bound; None when another character moves it, or nothing does."""
        document, arrays = self.document, self.document.arrays
        points = len(arrays[f"mesh{mesh}.positions"])
        world = document.turn @ document.nodes.world[node] @ affine(arrays["geometry_to_node"][node])
        bones = arrays.get(f"mesh{mesh}.bones", np.zeros(0, np.int64))
        joints = joint_of[bones]
        if np.any(joints < 0) or not np.all(np.abs(world) < FARTHEST):
            return None
        if not len(bones):
            if carrier < 0:
                return None
            joint, bind = joint_of[carrier], self._rigid(joint_of[carrier], world)
            one = np.zeros((points, 1), np.int64), np.ones((points, 1))
            return _Skin(world, np.array([joint]), bind[None], *one)
        geometry_to_bone = np.nan_to_num(affine(arrays[f"mesh{mesh}.geometry_to_bone"]))
        stands, bound = (
            world,
            document.turn @ affine(arrays[f"mesh{mesh}.bind_to_world"])[0] @ geometry_to_bone[0],
        )
        if np.isfinite(bound).all() and abs(np.linalg.det(bound[:3, :3])) > 1e-18:
            world = bound
        binds = self.rig.joint_from_node[joints] @ geometry_to_bone
        indices, weights = _influences(arrays, mesh, points)
        loose = weights.sum(axis=1) <= 0
        if loose.any():
            # what no bone holds stays with the node
            joint = joint_of[carrier] if carrier >= 0 else joints[0]
            bind = self._rigid(joint, stands)
            joints, binds = np.append(joints, joint), np.concatenate((binds, bind[None]))
            indices[loose, 0], weights[loose, 0] = len(joints) - 1, 1
            name = document.nodes.names[node]
            self.findings.append(
                Finding(
                    "unbound_vertices",
                    "warning",
                    "",
                    f"{name}: {int(loose.sum())} vertices have no weight",
                    count=int(loose.sum()),
                    advice=f"bind them; until then they follow {self.rig.skeleton.names[joint]}",
                )
            )
        return _Skin(world, joints, binds, indices, weights / weights.sum(axis=1, keepdims=True))

    def _rigid(self, joint: int, world: np.ndarray) -> np.ndarray:
        """(4, 4) bind matrix of what stands at `world` when the joints are at rest and moves with one of them."""
        node = self.document.turn @ self.document.nodes.world[self.rig.nodes[joint]]
        return self.rig.joint_from_node[joint] @ np.linalg.pinv(node) @ world

    def _bound(self, node: int, part: _Part, skin: _Skin) -> Mesh:
        linear, offset = skin.world[:3, :3], skin.world[:3, 3]
        mirrored = np.linalg.det(linear) < 0
        normals = part.normals
        if normals is not None:
            normals = normals @ np.linalg.pinv(linear)
            length = np.linalg.norm(normals, axis=1, keepdims=True)
            normals = (normals / np.where(length > 0, length, 1)).astype(np.float32)
        materials = self.document.tree[node]["materials"]
        return Mesh(
            (part.positions @ linear.T + offset).astype(np.float32),
            part.triangles[:, ::-1] if mirrored else part.triangles,
            skin.joints,
            skin.binds @ np.linalg.pinv(skin.world),
            skin.indices[part.points],
            skin.weights[part.points].astype(np.float32),
            normals,
            part.uvs,
            part.colors,
            materials[part.material] if part.material < len(materials) else -1,
            self.document.nodes.names[node],
            None if part.morphs is None else (part.morphs @ linear.T).astype(np.float32),
            () if part.morphs is None else tuple(self.shapes[node, i].curve for i in range(len(part.morphs))),
        )


@dataclass(frozen=True, eq=False)
class _Skin:
    """How one mesh is bound."""

    world: np.ndarray
    """(4, 4) from the mesh's own space to where it stands at bind."""
    joints: np.ndarray
    """(S,)"""
    binds: np.ndarray
    """(S, 4, 4) from the mesh's own space to each joint's."""
    indices: np.ndarray
    """(P, K) into joints."""
    weights: np.ndarray
    """(P, K), rows sum to 1."""


@dataclass(frozen=True, eq=False)
class _Part:
    """The triangles of one material."""

    points: np.ndarray
    """(V,) the point of the mesh that each vertex is."""
    positions: np.ndarray
    """(V, 3)"""
    triangles: np.ndarray
    normals: np.ndarray | None
    uvs: np.ndarray | None
    colors: np.ndarray | None
    morphs: np.ndarray | None
    """(M, V, 3)"""
    material: int
    """Among those of the node."""


def _cut(document: Document, mesh: int) -> list[_Part]:
    """The parts of a mesh; corners that agree in everything are one vertex."""
    arrays, key = document.arrays, f"mesh{mesh}"
    positions, corners = arrays[f"{key}.positions"], arrays[f"{key}.corners"]
    face, triangle_corners = triangulate(arrays[f"{key}.faces"], positions, corners)
    if not len(positions) or not len(face):
        return []
    materials = arrays[f"{key}.face_materials"]
    material = materials[face] if len(materials) else np.zeros(len(face), np.int64)
    columns = {name: arrays.get(f"{key}.{name}") for name in ("normals", "uvs", "colors")}
    morphs = _morphs(document, mesh, len(positions))
    parts = []
    for number in np.unique(material).tolist():
        used = triangle_corners[material == number].ravel()
        points = corners[used]
        keys = [points.astype(np.int32)[:, None].view(np.float32)]
        keys += [np.where(c == 0, np.float32(0), c)[used] for c in columns.values() if c is not None]
        rows = np.ascontiguousarray(np.concatenate(keys, axis=1))
        _, first, inverse = np.unique(
            rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1])))[:, 0],
            return_index=True,
            return_inverse=True,
        )
        order = np.argsort(first)  # vertices in the order in which the file shows them
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        shown = used[first[order]]
        normals, uvs, colors = (None if c is None else c[shown] for c in columns.values())
        if uvs is not None:
            uvs = np.stack((uvs[:, 0], 1 - uvs[:, 1]), axis=1)
        parts.append(
            _Part(
                corners[shown],
                positions[corners[shown]],
                rank[inverse].reshape(-1, 3),
                normals,
                uvs,
                colors,
                None if morphs is None else morphs[:, corners[shown]],
                number,
            )
        )
    return parts


def triangulate(
    faces: np.ndarray, positions: np.ndarray, corners: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Faces (F, 2: first corner, number of corners) as triangles: the face of each (T,) and its corners (T, 3).

    A quad is cut along the diagonal that leaves both halves on one side, the shorter one where both do; larger
    polygons are cut into fans. Points and lines are left out.
    """
    begin, count = faces.T
    quads = np.flatnonzero(count == 4)
    cut = np.zeros(len(faces), np.int64)
    if len(quads):
        p = positions[corners[begin[quads, None] + np.arange(4)]]
        cut[quads] = _better_diagonal(p)
    number = np.maximum(count - 2, 0)
    face = np.repeat(np.arange(len(faces)), number)
    step = np.arange(len(face)) - np.repeat(np.cumsum(number) - number, number)
    within = np.stack((np.zeros_like(step), step + 1, step + 2), axis=1)
    within = (within + cut[face, None]) % np.maximum(count[face, None], 1)
    return face, begin[face, None] + within


def _better_diagonal(p: np.ndarray) -> np.ndarray:
    """(Q,) 0 to cut quads (Q, 4, 3) between their first and third corner, 1 between the others."""
    a, b, c, d = np.moveaxis(p, 1, 0)
    same = [
        np.einsum("qi,qi->q", np.cross(b - a, c - a), np.cross(c - a, d - a)) >= 0,
        np.einsum("qi,qi->q", np.cross(c - b, d - b), np.cross(d - b, a - b)) >= 0,
    ]
    longer = np.linalg.norm(c - a, axis=1) > np.linalg.norm(d - b, axis=1) * (1 + 1e-6)
    return np.where(same[0] & same[1], longer, ~same[0] & same[1]).astype(np.int64)


def _influences(arrays: dict[str, np.ndarray], mesh: int, points: int) -> tuple[np.ndarray, np.ndarray]:
    """(P, K) clusters and weights of each point, the strongest first."""
    key = f"mesh{mesh}"
    cluster = np.repeat(np.arange(len(arrays[f"{key}.counts"])), arrays[f"{key}.counts"])
    vertices, weights = arrays[f"{key}.vertices"], arrays[f"{key}.weights"]
    used = (vertices >= 0) & (vertices < points) & np.isfinite(weights) & (weights > 0)
    cluster, vertices, weights = cluster[used], vertices[used], weights[used]
    order = np.lexsort((-weights, vertices))
    cluster, vertices, weights = cluster[order], vertices[order], weights[order]
    counts = np.bincount(vertices, minlength=points)
    place = np.arange(len(vertices)) - np.repeat(np.cumsum(counts) - counts, counts)
    kept = place < MOST_INFLUENCES
    width = max(min(int(counts.max(initial=1)), MOST_INFLUENCES), 1)
    indices, out = np.zeros((points, width), np.int64), np.zeros((points, width))
    indices[vertices[kept], place[kept]] = cluster[kept]
    out[vertices[kept], place[kept]] = weights[kept]
    return indices, out


def _morphs(document: Document, mesh: int, points: int) -> np.ndarray | None:
    """(M, P, 3) offsets of the blend shapes."""
    shapes = document.header["meshes"][mesh]["shapes"]
    if not shapes:
        return None
    out = np.zeros((len(shapes), points, 3))
    for i in range(len(shapes)):
        at = document.arrays[f"mesh{mesh}.shape{i}.vertices"]
        offsets = document.arrays[f"mesh{mesh}.shape{i}.offsets"]
        good = (at < points) & np.isfinite(offsets).all(axis=1)
        out[i, at[good]] = offsets[good]
    return out


def affine(matrix: np.ndarray) -> np.ndarray:
    """(..., 3, 4) as (..., 4, 4)."""
    out = np.zeros((*matrix.shape[:-2], 4, 4))
    out[..., :3, :] = matrix
    out[..., 3, 3] = 1
    return out
