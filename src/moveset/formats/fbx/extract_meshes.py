"""Meshes, skins, blend shapes, materials and textures as plain arrays, corner by corner as FBX has them."""

from __future__ import annotations

import numpy as np
import ufbx

from moveset.formats.fbx.kept import keep, keep_all
from moveset.formats.fbx.user_properties import text_property


class Geometry:
    """What the nodes of one scene show."""

    def __init__(self, scene: ufbx.Scene) -> None:
        self._scene = scene

    def meshes(self, arrays: dict[str, np.ndarray]) -> list[dict]:
        """What is said about each mesh; its numbers go into `arrays`."""
        return [self._mesh(f"mesh{i}", mesh, arrays) for i, mesh in enumerate(keep_all(self._scene.meshes))]

    def _mesh(self, key: str, mesh: ufbx.Mesh, arrays: dict[str, np.ndarray]) -> dict:
        arrays[f"{key}.positions"] = _floats(mesh.vertices, 3)
        arrays[f"{key}.corners"] = _integers(mesh.vertex_indices)
        arrays[f"{key}.faces"] = np.array(keep(mesh.faces), dtype=np.int64).reshape(-1, 2)
        arrays[f"{key}.face_materials"] = _integers(mesh.face_material)
        for name, attribute, width in (
            ("normals", mesh.vertex_normal, 3),
            ("uvs", mesh.vertex_uv, 2),
            ("colors", mesh.vertex_color, 4),
        ):
            if keep(attribute).exists:
                values = _floats(attribute.values, width).astype(np.float32)
                arrays[f"{key}.{name}"] = values[_integers(attribute.indices)]
        skins = list(keep_all(mesh.skin_deformers))
        if skins:
            self._skin(key, skins[0], arrays)
        return {
            "name": mesh.name,
            "skins": len(skins),
            "dual_quaternions": bool(skins) and skins[0].skinning_method in _DUAL_QUATERNION,
            "caches": len(mesh.cache_deformers),
            "shapes": self._shapes(key, mesh, arrays),
        }

    def _skin(self, key: str, skin: ufbx.SkinDeformer, arrays: dict[str, np.ndarray]) -> None:
        """Clusters end to end: node, bind matrices, number of weights of each; vertices and weights."""
        clusters = [(c, keep(c.bone_node)) for c in keep_all(skin.clusters)]
        clusters = [(cluster, bone) for cluster, bone in clusters if bone is not None]
        vertices = [_integers(cluster.vertices) for cluster, _ in clusters]
        weights = [_floats(cluster.weights, 0) for cluster, _ in clusters]
        arrays |= {
            f"{key}.bones": np.array([bone.typed_id - 1 for _, bone in clusters], dtype=np.int64),
            f"{key}.geometry_to_bone": _matrices([c.geometry_to_bone for c, _ in clusters]),
            f"{key}.bind_to_world": _matrices([c.bind_to_world for c, _ in clusters]),
            f"{key}.counts": np.array([len(v) for v in vertices], dtype=np.int64),
            f"{key}.vertices": np.concatenate([*vertices, np.zeros(0, np.int64)]),
            f"{key}.weights": np.concatenate([*weights, np.zeros(0)]),
        }

    def _shapes(self, key: str, mesh: ufbx.Mesh, arrays: dict[str, np.ndarray]) -> list[dict]:
        """Blend shapes of all channels: sparse offsets, and at which weight of its channel each shows in full."""
        shapes = []
        for deformer in keep_all(mesh.blend_deformers):
            for channel in keep_all(deformer.channels):
                keyframes = list(channel.keyframes)
                for keyframe in keyframes:
                    shape = keep(keyframe.shape)
                    at = f"{key}.shape{len(shapes)}"
                    arrays[f"{at}.vertices"] = _integers(shape.offset_vertices)
                    offsets, shares = _floats(shape.position_offsets, 3), _floats(shape.offset_weights, 0)
                    arrays[f"{at}.offsets"] = offsets * shares[:, None] if len(shares) else offsets
                    shapes.append(
                        {
                            "name": channel.name,
                            "channel": channel.typed_id,
                            "weight": channel.weight,
                            "full_at": keyframe.target_weight,
                        }
                    )
        return shapes

    def materials(self) -> list[dict]:
        """Name, base color, opacity and texture of each material."""
        materials = []
        for material in keep_all(self._scene.materials):
            pbr = keep(material.pbr)
            color, factor = keep(pbr.base_color), keep(pbr.base_factor)
            opacity = keep(pbr.opacity)
            value = color.value_vec4 if color.has_value else (1.0, 1.0, 1.0, 1.0)
            strength = factor.value_vec4[0] if factor.has_value else 1.0
            materials.append(
                {
                    "name": material.name,
                    "color": [float(c) * strength for c in tuple(value)[:3]],
                    "opacity": float(opacity.value_vec4[0]) if opacity.has_value else 1.0,
                    "texture": _file_texture(keep(color.texture)),
                    "note": text_property(keep(material.props), "moveset"),
                    "double_sided": keep(keep(material.features).double_sided).enabled,
                }
            )
        return materials

    def textures(self, arrays: dict[str, np.ndarray]) -> list[dict]:
        """Where the image of each texture lies: in the file (then in `arrays`), or beside it."""
        textures = []
        for i, texture in enumerate(keep_all(self._scene.textures)):
            content = texture.content
            if content:
                arrays[f"texture{i}"] = np.frombuffer(content, np.uint8)
            names = [texture.relative_filename, texture.filename, texture.absolute_filename]
            textures.append({"name": texture.name, "files": [name for name in names if name]})
        return textures


_DUAL_QUATERNION = (ufbx.SkinningMethod.DUAL_QUATERNION, ufbx.SkinningMethod.BLENDED_DQ_LINEAR)


def _file_texture(texture: ufbx.Texture | None) -> int:
    """Number of the image that a texture shows, the first of several; -1 for none."""
    if texture is None:
        return -1
    files = list(keep_all(texture.file_textures))
    return files[0].typed_id if files else texture.typed_id


def _integers(values: ufbx.Uint32List) -> np.ndarray:
    # a missing index is 2**32 - 1
    return np.fromiter(values, np.uint32, len(values)).astype(np.int64)


def _floats(values: object, width: int) -> np.ndarray:
    array = np.array(keep(values), dtype=np.float64)  # type: ignore[call-overload]
    return array.reshape(-1, width) if width else array.reshape(-1)


def _matrices(matrices: list) -> np.ndarray:
    return np.array([np.transpose(m) for m in matrices], dtype=np.float64).reshape(-1, 3, 4)
