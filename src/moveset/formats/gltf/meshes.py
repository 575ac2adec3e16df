"""Meshes bound to joints: skins, and rigid parts that hang on a joint."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from moveset.formats.gltf.accessors import MOST_ELEMENTS, Compressed
from moveset.formats.gltf.document import Document
from moveset.formats.scene.nodes import Nodes
from moveset.formats.scene.rig import Rig
from moveset.motion import Finding, Mesh

DRACO = "KHR_draco_mesh_compression"
_TRIANGLES, _STRIP, _FAN = 4, 5, 6


@dataclass
class _Skin:
    joints: np.ndarray
    inverse_binds: np.ndarray


@dataclass
class MeshReader:
    """Reads the meshes that a rig moves; geometry that several nodes show is read once."""

    document: Document
    nodes: Nodes
    rig: Rig
    findings: list[Finding]
    curve_names: dict[tuple[int, int], str]
    """(node, target) -> name of the curve that drives a blend shape."""
    _geometry: dict[tuple[int, int], dict | None] = field(default_factory=dict)
    _skins: dict[int, _Skin] = field(default_factory=dict)

    def read(self, shown: list[int]) -> tuple[tuple[Mesh, ...], set[int]]:
        """Meshes of those of the `shown` nodes that this rig moves, and which nodes they are."""
        document = self.document
        meshes: list[Mesh] = []
        taken: set[int] = set()
        joint_of = self.rig.joint_of(len(self.nodes))
        carriers = self.nodes.nearest(joint_of >= 0)
        for node in shown:
            entry, where = document.table("nodes")[node], f"nodes[{node}]"
            if "mesh" not in entry:
                continue
            mesh = document.reference(entry, "mesh", "meshes", where)
            skin = document.reference(entry, "skin", "skins", where, default=None)
            weighted = skin is not None and self._has_weights(mesh)
            bound = (
                self._skin(skin, joint_of)
                if skin is not None and weighted
                else self._rigid(node, int(carriers[node]), joint_of)
            )
            if bound is not None:
                taken.add(node)
                meshes.extend(self._instances(node, mesh, bound, weighted))
        return tuple(meshes), taken

    def _instances(self, node: int, mesh: int, bound: _Skin, weighted: bool) -> list[Mesh]:
        document, made = self.document, []
        for at in range(
            len(document.listing(document.table("meshes")[mesh], "primitives", f"meshes[{mesh}]"))
        ):
            if (mesh, at) not in self._geometry:
                self._geometry[mesh, at] = self._primitive(mesh, at)
            geometry = self._geometry[mesh, at]
            if geometry is None:
                continue
            influences = geometry["joint_indices"]
            if not weighted:
                influences = None
            elif influences is not None and influences.max(initial=0) >= len(bound.joints):
                raise document.error(
                    f"a vertex names joint {influences.max()} of a skin with {len(bound.joints)}",
                    f"meshes[{mesh}].primitives[{at}]",
                )
            vertices = len(geometry["positions"])
            targets = 0 if geometry["morphs"] is None else len(geometry["morphs"])
            own = geometry | {
                "joint_indices": np.broadcast_to(np.int64(0), (vertices, 1))
                if influences is None
                else influences,
                "weights": np.broadcast_to(np.float32(1), (vertices, 1))
                if influences is None
                else geometry["weights"],
                "morph_names": tuple(self.curve_names[node, t] for t in range(targets)),
                "name": document.name("nodes", node),
            }
            made.append(Mesh(skin_joints=bound.joints, inverse_binds=bound.inverse_binds, **own))
        return made

    def _has_weights(self, mesh: int) -> bool:
        primitives = self.document.listing(
            self.document.table("meshes")[mesh], "primitives", f"meshes[{mesh}]"
        )
        return any("JOINTS_0" in self._attributes(p, "a primitive") for p in primitives)

    def _attributes(self, primitive: object, where: str) -> dict:
        if not isinstance(primitive, dict):
            raise self.document.error("a primitive is not an object", where)
        return self.document.mapping(primitive, "attributes", where)

    def _skin(self, index: int, joint_of: np.ndarray) -> _Skin | None:
        """The skin's joints and binds; None when they are another character's."""
        if index not in self._skins:
            document, where = self.document, f"skins[{index}]"
            entry = document.table("skins")[index]
            joints = joint_of[document.references(entry, "joints", "nodes", where)]
            if np.any(joints < 0):
                return None
            binds = inverse_binds(document, entry, where)
            binds = np.tile(np.eye(4), (len(joints), 1, 1)) if binds is None else binds
            if len(binds) < len(joints):
                raise document.error(f"{len(binds)} inverse bind matrices for {len(joints)} joints", where)
            self._skins[index] = _Skin(joints, self.rig.joint_from_node[joints] @ binds[: len(joints)])
        return self._skins[index]

    def _rigid(self, node: int, carrier: int, joint_of: np.ndarray) -> _Skin | None:
        """The node's mesh moved by `carrier`, the nearest joint at or above it."""
        if carrier < 0:
            return None
        carrier_from_node = _inverse(self.nodes.world[carrier]) @ self.nodes.world[node]
        joint = joint_of[carrier]
        return _Skin(np.array([joint]), (self.rig.joint_from_node[joint] @ carrier_from_node)[None])

    def _primitive(self, mesh: int, at: int) -> dict | None:
        """Arrays of one primitive; None (and a finding) for what is not made of readable triangles."""
        document, where = self.document, f"meshes[{mesh}].primitives[{at}]"
        primitive = document.listing(document.table("meshes")[mesh], "primitives", where)[at]
        attributes = self._attributes(primitive, where)
        mode = document.integer(primitive, "mode", where, below=7, default=_TRIANGLES)
        extensions = document.mapping(primitive, "extensions", where)
        try:
            if DRACO in extensions:
                raise Compressed(f"{where} is compressed with {DRACO}, which is not read")
            if mode < _TRIANGLES or "POSITION" not in attributes:
                kind = "has no positions" if mode >= _TRIANGLES else "is made of points or lines"
                self.findings.append(Finding("mesh_left_out", "info", "", f"{where} {kind}; it is not shown"))
                return None
            return self._arrays(primitive, attributes, mode, where)
        except Compressed as error:
            self.findings.append(
                Finding(
                    "compressed_mesh",
                    "warning",
                    "",
                    error.message,
                    advice="export the file without mesh compression; its clips were read",
                )
            )
            return None

    def _arrays(self, primitive: dict, attributes: dict, mode: int, where: str) -> dict:
        document = self.document
        positions = self._floats(attributes, "POSITION", (3,), where)
        vertices = len(positions)
        if "indices" in primitive:
            accessor = document.reference(primitive, "indices", "accessors", where)
            indices = document.accessors.decode(accessor, (1,), "an index")[:, 0]
            if indices.dtype.kind == "f":
                raise document.error("its indices are not integers", where)
            indices = indices.astype(np.int64)
        else:
            indices = np.arange(vertices)
        if len(indices) and (indices.max() >= vertices or indices.min() < 0):
            raise document.error(f"an index is {indices.max()}; there are {vertices} vertices", where)
        joints, weights = self._influences(attributes, vertices, where)
        normals = self._optional(attributes, "NORMAL", (3,), vertices, where)
        material = document.reference(primitive, "material", "materials", where, default=-1)
        colors = self._optional(attributes, "COLOR_0", (3, 4), vertices, where)
        if colors is not None and colors.shape[1] == 3:
            colors = np.concatenate((colors, np.ones((vertices, 1), np.float32)), axis=1)
        return {
            "positions": positions,
            "triangles": _triangles(indices, mode),
            "joint_indices": joints,
            "weights": weights,
            "normals": normals,
            "uvs": self._uvs(attributes, material, vertices, where),
            "colors": colors,
            "material": material,
            "morphs": self._morphs(primitive, vertices, where),
        }

    def _floats(self, attributes: dict, key: str, widths: tuple[int, ...], where: str) -> np.ndarray:
        """Values of an attribute. NaN becomes 0 and a finding, except in positions: there it is an error."""
        accessor = self.document.reference(attributes, key, "accessors", where)
        values = self.document.accessors.decode(accessor, widths, key).astype(np.float32, copy=False)
        bad = ~np.isfinite(values)
        if not bad.any():
            return values
        if key == "POSITION":
            raise self.document.error("its positions hold NaN or infinite numbers", where)
        vertices = int(bad.any(axis=1).sum())
        message = f"{where}: {key} of {vertices} vertices holds NaN or infinite numbers"
        self.findings.append(
            Finding("nan_in_mesh", "warning", "", message, advice="0 was taken instead", count=vertices)
        )
        return np.where(bad, np.float32(0), values)

    def _optional(
        self, attributes: dict, key: str, widths: tuple[int, ...], vertices: int, where: str
    ) -> np.ndarray | None:
        if key not in attributes:
            return None
        values = self._floats(attributes, key, widths, where)
        if len(values) != vertices:
            raise self.document.error(f"{len(values)} values of {key} for {vertices} vertices", where)
        return values

    def _influences(
        self, attributes: dict, vertices: int, where: str
    ) -> tuple[np.ndarray | None, np.ndarray | None]:
        """(V, 4 n) joints of the skin and weights, from as many sets as there are; rows sum to 1."""
        sets = 0
        while f"JOINTS_{sets}" in attributes and f"WEIGHTS_{sets}" in attributes:
            sets += 1
        if not sets:
            return None, None
        parts = [
            self._optional(attributes, f"{kind}_{i}", (4,), vertices, where)
            for kind in ("JOINTS", "WEIGHTS")
            for i in range(sets)
        ]
        joints = np.concatenate(parts[:sets], axis=1).astype(np.int64)  # type: ignore[arg-type]
        weights = np.maximum(np.concatenate(parts[sets:], axis=1), 0)  # type: ignore[arg-type]
        joints[weights == 0] = 0  # exporters leave any number beside a weight of 0
        total = weights.sum(axis=1, keepdims=True)
        unbound = int((total <= 0).sum())
        if unbound:
            weights = weights.copy()
            weights[total[:, 0] <= 0, 0] = 1
            total = weights.sum(axis=1, keepdims=True)
            self.findings.append(
                Finding(
                    "unbound_vertices",
                    "warning",
                    "",
                    f"{where}: {unbound} vertices have no weight",
                    count=unbound,
                    advice="bind them; until then they follow the first joint of the skin",
                )
            )
        return joints, weights / total

    def _uvs(self, attributes: dict, material: int, vertices: int, where: str) -> np.ndarray | None:
        document, info = self.document, {}
        if material >= 0:
            entry = document.table("materials")[material]
            surface = document.mapping(entry, "pbrMetallicRoughness", f"materials[{material}]")
            info = document.mapping(surface, "baseColorTexture", f"materials[{material}]")
        transform = document.mapping(
            document.mapping(info, "extensions", where), "KHR_texture_transform", where
        )
        channel = document.integer(info, "texCoord", where, default=0)
        channel = document.integer(transform, "texCoord", where, default=channel)
        uvs = self._optional(attributes, f"TEXCOORD_{channel}", (2,), vertices, where)
        if uvs is None or not transform:
            return uvs
        turn = document.number(transform, "rotation", 0.0, where)
        scale = document.numbers(transform, "scale", (1, 1), where)
        offset = document.numbers(transform, "offset", (0, 0), where)
        cosine, sine = np.cos(turn), np.sin(turn)
        rotation = np.array([[cosine, sine], [-sine, cosine]])
        return (uvs * scale @ rotation.T + offset).astype(np.float32)

    def _morphs(self, primitive: dict, vertices: int, where: str) -> np.ndarray | None:
        targets = self.document.listing(primitive, "targets", where)
        if not targets:
            return None
        if len(targets) * vertices * 3 > MOST_ELEMENTS + self.document.size_in_bytes:
            raise self.document.error(f"{len(targets)} blend shapes of {vertices} vertices", where)
        offsets = np.zeros((len(targets), vertices, 3), dtype=np.float32)
        for i, target in enumerate(targets):
            if not isinstance(target, dict):
                raise self.document.error("is not an object", f"{where}.targets[{i}]")
            moved = self._optional(target, "POSITION", (3,), vertices, f"{where}.targets[{i}]")
            if moved is not None:
                offsets[i] = moved
        return offsets


def inverse_binds(document: Document, skin: dict, where: str) -> np.ndarray | None:
    """(S, 4, 4) of a skin; None where the file leaves them out, which means the identity."""
    accessor = document.reference(skin, "inverseBindMatrices", "accessors", where, default=None)
    if accessor is None:
        return None
    columns = document.accessors.decode(accessor, (16,), "inverseBindMatrices").astype(np.float64)
    if not np.isfinite(columns).all():
        raise document.error("its inverse bind matrices hold NaN or infinite numbers", where)
    return np.swapaxes(columns.reshape(-1, 4, 4), -1, -2)


def _triangles(indices: np.ndarray, mode: int) -> np.ndarray:
    """(T, 3) of a list, strip or fan."""
    if mode == _TRIANGLES:
        return indices[: len(indices) // 3 * 3].reshape(-1, 3)
    if len(indices) < 3:
        return np.zeros((0, 3), dtype=np.int64)
    if mode == _FAN:
        return np.stack((np.full(len(indices) - 2, indices[0]), indices[1:-1], indices[2:]), axis=1)
    strip = np.stack((indices[:-2], indices[1:-1], indices[2:]), axis=1)
    strip[1::2] = strip[1::2, [1, 0, 2]]
    return strip


def _inverse(matrix: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return np.linalg.pinv(matrix)
