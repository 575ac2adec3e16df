"""A character's joints as limb nodes, and its bind pose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from moveset.formats.fbx.binary import boolean, int32, int64, node, text
from moveset.formats.fbx.presets import Preset
from moveset.formats.fbx.scene import ROOT, Scene, matrix, number, properties, vector, whole
from moveset.geometry import euler, quaternion, transform
from moveset.geometry.quaternion import Array
from moveset.motion import Character, Skeleton

_PARENT_AS_MATRICES = 1
"""InheritType RSrs: a parent's turn, scale and shear act on a child as matrices multiply, as in glTF."""


@dataclass(frozen=True, eq=False)
class Rig:
    """A skeleton as it stands in the scene."""

    skeleton: Skeleton
    preset: Preset
    models: tuple[int, ...]
    """(J) identity of each joint's limb node."""
    above: int
    """What roots and meshes hang under: an armature, or the scene."""
    before: Array
    """(J, 4) PreRotation of each joint: its rest rotation where the preset asks for it."""

    def rotations(self, rotations: Array) -> Array:
        """Lcl Rotation (..., J, 3) [degrees] of local rotations, about x, then y, then z."""
        turned = _turned(self.skeleton, self.preset.turn, rotations)
        angles = euler.from_quaternion(quaternion.inverse_multiply(self.before, turned), "XYZ", "extrinsic")
        if angles.ndim > 2 and len(angles) > 1:  # the joints that turn far enough to jump
            jumping = np.abs(np.diff(angles, axis=0)).max(axis=(0, 2)) > np.pi / 2
            angles[:, jumping] = euler.unroll(angles[:, jumping], "XYZ")
        return np.degrees(angles)

    def translations(self, translations: Array) -> Array:
        """Lcl Translation (..., J, 3) [file units] of local translations [m]."""
        out = np.array(translations, dtype=np.float64)
        roots = list(self.skeleton.roots)
        out[..., roots, :] = quaternion.rotate(self.preset.turn, out[..., roots, :])
        return out * self.preset.units


def add_rig(scene: Scene, character: Character, preset: Preset) -> Rig:
    """The joints of a character as they are at rest; below an armature if the preset or several roots ask for one."""
    skeleton = character.skeleton
    rest = np.asarray(quaternion.normalize(skeleton.rest_rotations))
    before = quaternion.identity((len(skeleton),))
    if preset.joint_orient:
        before = _turned(skeleton, preset.turn, rest)
    models: list[int] = []
    names = [scene.unique(name, "Model") for name in skeleton.names]
    above = ROOT
    if preset.armature or len(skeleton.roots) > 1:
        above = _add_armature(scene, _armature_name(character))
    rig = Rig(skeleton, preset, (), above, before)
    angles, places = rig.rotations(rest), rig.translations(skeleton.rest_translations)
    oriented = np.degrees(euler.from_quaternion(before, "XYZ", "extrinsic"))
    for j, parent in enumerate(skeleton.parents):
        turns = [vector("PreRotation", oriented[j], "Vector3D", ""), whole("RotationActive", 1, "bool", "")]
        entries = [vector("Lcl Translation", places[j]), vector("Lcl Rotation", angles[j])]
        entries += turns if preset.joint_orient else []
        model = add_model(scene, names[j], "LimbNode", above if parent < 0 else models[parent], entries)
        shape = [properties(number("Size", 1.0)), node("TypeFlags", text("Skeleton"))]
        scene.add("NodeAttribute", names[j], "NodeAttribute", "LimbNode", shape, model)
        models.append(model)
    return Rig(skeleton, preset, tuple(models), above, before)


def add_model(scene: Scene, name: str, subtype: str, parent: int, entries: Sequence = ()) -> int:
    """A node of the scene's tree, with properties beside those that all have."""
    own = properties(
        whole("InheritType", _PARENT_AS_MATRICES, "enum", ""),
        whole("DefaultAttributeIndex", 0),
        vector("Lcl Scaling", (1, 1, 1)),
        *entries,
    )
    rest = [
        node("Version", int32(232)),
        own,
        node("Shading", boolean(True)),
        node("Culling", text("CullingOff")),
    ]
    return scene.add("Model", name, "Model", subtype, rest, parent)


def add_bind_pose(scene: Scene, rig: Rig, joints: Array, meshes: Sequence[int]) -> None:
    """Where joints (J, 4, 4) [file units] and meshes stand at bind; meshes and armature at the origin."""
    places = dict(zip(rig.models, joints)) | dict.fromkeys(meshes, np.eye(4))
    if rig.above != ROOT:
        places[rig.above] = np.eye(4)
    nodes = [
        node("PoseNode", children=[node("Node", int64(model)), matrix("Matrix", place)])
        for model, place in places.items()
    ]
    count = node("NbPoseNodes", int32(len(nodes)))
    name = scene.unique("BindPose", "Pose")
    kind = [node("Type", text("BindPose")), node("Version", int32(100)), count, *nodes]
    scene.add("Pose", name, "Pose", "BindPose", kind)


def in_file(preset: Preset, places: Array) -> Array:
    """World transforms (..., 4, 4) [m] of joints in the file's world and units."""
    out = transform.compose(np.zeros(3), preset.turn) @ places
    out[..., :3, 3] *= preset.units
    return out


def _armature_name(character: Character) -> str:
    name = character.name or "Armature"
    return name if name not in character.skeleton.index else f"{name}_armature"


def _add_armature(scene: Scene, name: str) -> int:
    name = scene.unique(name, "Model")
    model = add_model(scene, name, "Null", ROOT)
    kind = [node("TypeFlags", text("Null"))]
    scene.add("NodeAttribute", name, "NodeAttribute", "Null", [properties(), *kind], model)
    return model


def _turned(skeleton: Skeleton, turn: Array, rotations: Array) -> Array:
    """Local rotations (..., J, 4) in a turned world: only the roots' change."""
    out = np.array(rotations, dtype=np.float64)
    roots = list(skeleton.roots)
    out[..., roots, :] = quaternion.multiply(turn, out[..., roots, :])
    return out
