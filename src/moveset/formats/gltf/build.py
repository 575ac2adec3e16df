"""A new document from characters and clips."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import moveset
from moveset.errors import MovesetError
from moveset.formats.gltf import extras
from moveset.formats.gltf.binary import ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, Binary
from moveset.formats.gltf.channels import ClipWriter
from moveset.formats.png import encode_png
from moveset.formats.scene.fit import same_skeleton
from moveset.formats.scene.rig import Rig
from moveset.geometry import quaternion
from moveset.motion import Asset, Character, Clip, Material, Mesh, Skeleton


def build(asset: Asset, clips: Sequence[Clip]) -> tuple[dict, bytes]:
    """JSON and buffer of a file that holds the asset's characters, moved by `clips`."""
    characters = list(asset.characters)
    for clip in clips:
        if all(same_skeleton(clip.skeleton, c.skeleton) is None for c in characters):
            characters.append(Character(clip.skeleton))
    builder = _Builder()
    for character in characters:
        _check(character)
        builder.add(character)
    for clip in clips:
        builder.animate(clip)
    return builder.finish(asset)


class _Builder:
    """Collects the tables of the document."""

    def __init__(self) -> None:
        self.tables: dict[str, list] = {
            name: []
            for name in (
                "nodes",
                "meshes",
                "skins",
                "materials",
                "textures",
                "images",
                "animations",
                "accessors",
                "bufferViews",
            )
        }
        self.binary = Binary(self.tables["accessors"], self.tables["bufferViews"])
        self.scene: list[int] = []
        self._writers: list[tuple[Skeleton, ClipWriter]] = []
        self._images: dict[int, int] = {}

    def add(self, character: Character) -> None:
        """A character: an armature node above its joints, skins, meshes, materials."""
        skeleton, nodes = character.skeleton, self.tables["nodes"]
        armature = len(nodes)
        first = armature + 1
        nodes.append({"name": _armature_name(character), "children": [first + j for j in skeleton.roots]})
        self.scene.append(armature)
        for joint in range(len(skeleton)):
            nodes.append(_joint_node(skeleton, joint, first))
        self._add_tips(skeleton, first)
        shapes = self._add_meshes(character, first)
        if not character.meshes:  # the skin tells readers that the nodes are bones
            self._skin(np.arange(len(skeleton)), _rest_binds(skeleton), first, armature)
        self._writers.append((skeleton, ClipWriter(_plain_rig(skeleton, first), self.binary, shapes)))

    def animate(self, clip: Clip) -> None:
        """An animation of the character whose skeleton is the clip's."""
        for skeleton, writer in self._writers:
            joints = same_skeleton(clip.skeleton, skeleton)
            if joints is not None:
                self.tables["animations"].append(writer.write(clip, joints))
                return
        raise MovesetError(
            f"clip {clip.name!r} moves no character of the asset", do="retarget the clip first"
        )

    def finish(self, asset: Asset) -> tuple[dict, bytes]:
        """The document and its buffer."""
        content = self.binary.bytes()
        about = {"version": "2.0", "generator": f"Moveset {moveset.__version__}"}
        licenses = sorted({clip.tags.license for clip in asset.clips} - {""})
        if licenses:
            about["copyright"] = "; ".join(licenses)
        document: dict = {"asset": about}
        if self.scene:
            document |= {"scene": 0, "scenes": [{"nodes": self.scene}]}
        document |= {name: table for name, table in self.tables.items() if table}
        if content:
            document["buffers"] = [{"byteLength": len(content)}]
        return document, content

    def _add_tips(self, skeleton: Skeleton, first: int) -> None:
        """Ends of the last bones, as the leaf nodes that readers draw bones towards."""
        if skeleton.tips is None:
            return
        nodes = self.tables["nodes"]
        for joint in np.flatnonzero(np.isfinite(skeleton.tips).all(axis=1)):
            nodes[first + joint].setdefault("children", []).append(len(nodes))
            nodes.append(
                {"name": f"{skeleton.names[joint]}_end", "translation": skeleton.tips[joint].tolist()}
            )

    def _add_meshes(
        self, character: Character, first: int
    ) -> dict[int, tuple[tuple[str, ...], tuple[float, ...]]]:
        offset = len(self.tables["materials"])
        for material in character.materials:
            self.tables["materials"].append(self._material(material))
        skins: dict[tuple[bytes, bytes], int] = {}
        shapes = {}
        for mesh in character.meshes:
            key = (np.asarray(mesh.skin_joints).tobytes(), np.asarray(mesh.inverse_binds).tobytes())
            if key not in skins:
                skins[key] = self._skin(mesh.skin_joints, mesh.inverse_binds, first, first - 1)
            node = len(self.tables["nodes"])
            entry = {"mesh": len(self.tables["meshes"]), "skin": skins[key]} | (
                {"name": mesh.name} if mesh.name else {}
            )
            self.tables["nodes"].append(entry)
            self.tables["meshes"].append(self._mesh(mesh, offset))
            self.scene.append(node)
            if mesh.morph_names:
                shapes[node] = (mesh.morph_names, (0.0,) * len(mesh.morph_names))
        return shapes

    def _skin(self, joints: np.ndarray, binds: np.ndarray, first: int, root: int) -> int:
        columns = np.swapaxes(np.asarray(binds, dtype=np.float32), -1, -2).reshape(-1, 16).copy()
        columns[:, [3, 7, 11]], columns[:, 15] = 0, 1
        matrices = self.binary.array(columns)
        nodes = [first + int(joint) for joint in joints]
        self.tables["skins"].append({"joints": nodes, "inverseBindMatrices": matrices, "skeleton": root})
        return len(self.tables["skins"]) - 1

    def _mesh(self, mesh: Mesh, material_offset: int) -> dict:
        binary = self.binary
        attributes = {"POSITION": binary.array(_floats(mesh.positions), bounds=True, target=ARRAY_BUFFER)}
        if mesh.normals is not None:
            attributes["NORMAL"] = binary.array(_unit(mesh.normals), target=ARRAY_BUFFER)
        if mesh.uvs is not None:
            attributes["TEXCOORD_0"] = binary.array(_floats(mesh.uvs), target=ARRAY_BUFFER)
        if mesh.colors is not None:
            attributes["COLOR_0"] = binary.array(_floats(mesh.colors), target=ARRAY_BUFFER)
        joints, weights = _influences(mesh)
        for i in range(joints.shape[1] // 4):
            part = slice(4 * i, 4 * i + 4)
            attributes[f"JOINTS_{i}"] = binary.array(joints[:, part], target=ARRAY_BUFFER)
            attributes[f"WEIGHTS_{i}"] = binary.array(weights[:, part], target=ARRAY_BUFFER)
        small = len(mesh.positions) < 65535
        indices = np.asarray(mesh.triangles).ravel().astype(np.uint16 if small else np.uint32)
        primitive: dict = {
            "attributes": attributes,
            "indices": binary.array(indices, target=ELEMENT_ARRAY_BUFFER),
        }
        if mesh.material >= 0:
            primitive["material"] = material_offset + mesh.material
        out: dict = {"primitives": [primitive]} | ({"name": mesh.name} if mesh.name else {})
        if mesh.morphs is not None:
            primitive["targets"] = [
                {"POSITION": binary.array(_floats(offsets), bounds=True, target=ARRAY_BUFFER)}
                for offsets in mesh.morphs
            ]
            prefix = f"{mesh.name}."
            out["extras"] = {"targetNames": [name.removeprefix(prefix) for name in mesh.morph_names]}
            out["weights"] = [0.0] * len(mesh.morph_names)
        return out

    def _material(self, material: Material) -> dict:
        surface: dict = {"baseColorFactor": [float(c) for c in material.base_color], "metallicFactor": 0.0}
        if material.texture is not None:
            surface["baseColorTexture"] = {"index": self._texture(material.texture)}
        entry: dict = {"pbrMetallicRoughness": surface}
        if material.name:
            entry["name"] = material.name
        if material.double_sided:
            entry["doubleSided"] = True
        if material.alpha_mode != "OPAQUE":
            entry["alphaMode"] = material.alpha_mode
        if material.alpha_mode == "MASK":
            entry["alphaCutoff"] = material.alpha_cutoff
        return entry

    def _texture(self, pixels: np.ndarray) -> int:
        if id(pixels) not in self._images:
            view = self.binary.view(encode_png(pixels))
            self.tables["images"].append({"bufferView": view, "mimeType": "image/png"})
            self.tables["textures"].append({"source": len(self.tables["images"]) - 1})
            self._images[id(pixels)] = len(self.tables["textures"]) - 1
        return self._images[id(pixels)]


def _check(character: Character) -> None:
    skeleton = character.skeleton
    shapes = [mesh.positions for mesh in character.meshes]
    shapes += [mesh.morphs for mesh in character.meshes if mesh.morphs is not None]
    for array in (skeleton.rest_rotations, skeleton.rest_translations, *shapes):
        if not np.isfinite(array).all():
            raise MovesetError(
                f"character {character.name!r} holds NaN or infinite numbers",
                do="repair its rest pose or meshes first",
            )


def _joint_node(skeleton: Skeleton, joint: int, first: int) -> dict:
    node: dict = {
        "name": skeleton.names[joint],
        "translation": skeleton.rest_translations[joint].tolist(),
        "rotation": quaternion.normalize(skeleton.rest_rotations[joint]).tolist(),
    }
    if skeleton.children[joint]:
        node["children"] = [first + child for child in skeleton.children[joint]]
    if skeleton.roles[joint]:
        node["extras"] = {extras.KEY: {"role": skeleton.roles[joint]}}
    return node


def _armature_name(character: Character) -> str:
    name = character.name or "Armature"
    return name if name not in character.skeleton.index else f"{name}_armature"


def _plain_rig(skeleton: Skeleton, first: int) -> Rig:
    """A rig whose nodes are its joints, nothing baked."""
    joints = len(skeleton)
    none = quaternion.identity((joints,))
    return Rig(
        skeleton,
        nodes=first + np.arange(joints),
        left=none,
        right=none,
        linear=np.tile(np.eye(3), (joints, 1, 1)),
        offset=np.zeros((joints, 3)),
        rest_scales=np.ones((joints, 3)),
        joint_from_node=np.tile(np.eye(4), (joints, 1, 1)),
    )


def _rest_binds(skeleton: Skeleton) -> np.ndarray:
    """(J, 4, 4) inverse binds of the rest pose."""
    rotations, positions = skeleton.rest_world
    world = np.tile(np.eye(4), (len(skeleton), 1, 1))
    world[:, :3, :3] = quaternion.to_matrix(rotations)
    world[:, :3, 3] = positions
    return np.linalg.inv(world)


def _influences(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    """Joints and weights (V, 4 n) for whole sets of 4; a joint is named once and weight 0 names joint 0."""
    joints, weights = np.asarray(mesh.joint_indices), np.asarray(mesh.weights, dtype=np.float64)
    order = np.argsort(-weights, axis=1, kind="stable")
    joints, weights = np.take_along_axis(joints, order, 1), np.take_along_axis(weights, order, 1)
    used = max(int((weights > 0).sum(axis=1).max(initial=1)), 1)
    pad = -used % 4
    joints = np.pad(joints[:, :used], ((0, 0), (0, pad)))
    weights = np.pad(weights[:, :used], ((0, 0), (0, pad)))
    weights = (weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)).astype(np.float32)
    joints = np.where(weights > 0, joints, 0)
    return joints.astype(np.uint8 if len(mesh.skin_joints) <= 256 else np.uint16), weights


def _floats(array: np.ndarray) -> np.ndarray:
    return np.asarray(array, dtype=np.float32)


def _unit(normals: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    up = np.array([0.0, 1.0, 0.0])
    return np.where(length > 1e-12, normals / np.maximum(length, 1e-12), up).astype(np.float32)
