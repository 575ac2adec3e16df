"""Asset -> binary FBX 7400."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

import moveset
from moveset.errors import MovesetError
from moveset.formats.fbx.binary import Node, serialize
from moveset.formats.fbx.bind import find_bind
from moveset.formats.fbx.presets import DEFAULT, Preset, preset_of
from moveset.formats.fbx.scene import Scene, top_records
from moveset.formats.fbx.write_animation import ClipWriter
from moveset.formats.fbx.write_material import Materials
from moveset.formats.fbx.write_mesh import add_mesh
from moveset.formats.fbx.write_rig import add_bind_pose, add_rig, in_file
from moveset.formats.scene.fit import same_skeleton
from moveset.motion import Asset, Character, Clip

WRITE_OPTIONS = ("preset",)
_MOST = 1e30
"""Numbers beyond are mistakes, and curves, which hold 4 bytes a number, could not hold them in centimetres."""


def write(asset: Asset, *, path: str, preset: str = DEFAULT) -> bytes:
    """A file of the asset's characters and clips, each clip an animation stack (take).

    `preset` says where the file goes, and so its units and axes: unreal (cm, Z up), unity (m, Y up), maya (cm, Y up,
    rest turns as joint orients), blender (m, Z up, below an armature).
    """
    layout = preset_of(preset)
    characters = _characters(asset, path)
    scene = Scene()
    rates = Counter[float]()
    for clip in asset.clips:
        rates[clip.fps] += len(clip)
    materials = Materials(scene)
    writers = [(character, _add_character(scene, character, layout, materials)) for character in characters]
    takes: list[tuple[str, Node]] = []
    for clip in asset.clips:
        writer, joints = _writer_of(clip, writers)
        takes.append(writer.write(clip, joints))
    records = top_records(
        scene,
        f"Moveset {moveset.__version__}",
        layout.up,
        layout.metres,
        fps=max(rates, key=lambda fps: rates[fps], default=30.0),
        seconds=max(((len(clip) - 1) / clip.fps for clip in asset.clips), default=0.0),
        takes=[take for _, take in takes],
        active=takes[0][0] if takes else "",
    )
    return serialize(records)


def _characters(asset: Asset, path: str) -> list[Character]:
    """The asset's characters, and a bare skeleton for each clip that moves none of them."""
    characters = list(asset.characters)
    for clip in asset.clips:
        _check_clip(clip, path)
        if all(same_skeleton(clip.skeleton, c.skeleton) is None for c in characters):
            if any(c.meshes for c in characters):
                raise MovesetError(
                    f"clip {clip.name!r} moves no character of the asset",
                    file=path,
                    do="retarget the clip first",
                )
            characters.append(Character(clip.skeleton))
    if not characters:
        raise MovesetError("there is neither a character nor a clip to write", file=path)
    for character in characters:
        _check_character(character, path)
    return characters


def _add_character(scene: Scene, character: Character, preset: Preset, materials: Materials) -> ClipWriter:
    rig = add_rig(scene, character, preset)
    bind = find_bind(character.skeleton, character.meshes)
    surfaces = [materials.add(material) for material in character.materials]
    models: list[int] = []
    channels: dict[str, list[int]] = {}
    for mesh, place, links in zip(character.meshes, bind.meshes, bind.links):
        surface = surfaces[mesh.material] if 0 <= mesh.material < len(surfaces) else None
        model, shapes = add_mesh(scene, rig, mesh, links, place, surface)
        models.append(model)
        for curve, channel in shapes.items():
            channels.setdefault(curve, []).append(channel)
    add_bind_pose(scene, rig, in_file(preset, bind.joints), models)
    return ClipWriter(scene, rig, channels)


def _writer_of(clip: Clip, writers: Sequence[tuple[Character, ClipWriter]]) -> tuple[ClipWriter, np.ndarray]:
    """The character that a clip moves: of those that it fits, the one that has most of its joints."""
    fits = [(same_skeleton(clip.skeleton, character.skeleton), writer) for character, writer in writers]
    joints, writer = max(
        ((joints, writer) for joints, writer in fits if joints is not None),
        key=lambda fit: (fit[0] >= 0).sum(),
    )
    return writer, joints


def _check_clip(clip: Clip, path: str) -> None:
    if not len(clip):
        raise MovesetError(f"clip {clip.name!r} has no frames", file=path, do="leave it out")
    curves = [np.asarray(curve) for curve in clip.curves.values()]
    times = np.array([event.time for event in clip.events])
    if not all(_in_range(array) for array in (*clip.tracks, times, *curves)):
        raise MovesetError(
            f"clip {clip.name!r} holds NaN, infinite or huge numbers",
            file=path,
            do="repair it first: moveset audit names the frames",
        )
    for name, curve in clip.curves.items():
        if np.shape(curve) != (len(clip),):
            raise MovesetError(
                f"clip {clip.name!r}: curve {name!r} has shape {np.shape(curve)} for {len(clip)} frames",
                file=path,
                do="give it a number a frame",
            )


def _check_character(character: Character, path: str) -> None:
    skeleton = character.skeleton
    arrays = [skeleton.rest_rotations, skeleton.rest_translations]
    for mesh in character.meshes:
        arrays += [mesh.positions, mesh.inverse_binds, mesh.weights]
        arrays += [part for part in (mesh.normals, mesh.uvs, mesh.morphs) if part is not None]
    if not all(_in_range(array) for array in arrays):
        raise MovesetError(
            f"character {character.name!r} holds NaN, infinite or huge numbers",
            file=path,
            do="repair its rest pose or meshes first",
        )
    for mesh in character.meshes:
        if not len(mesh.skin_joints):
            raise MovesetError(f"mesh {mesh.name!r} is bound to no joint", file=path, do="bind it first")
        sizes = {
            "vertices": (mesh.triangles, len(mesh.positions)),
            "joints": (mesh.joint_indices, len(mesh.skin_joints)),
        }
        for what, (numbers, size) in sizes.items():
            if np.size(numbers) and not (np.min(numbers) >= 0 and np.max(numbers) < size):
                raise MovesetError(
                    f"mesh {mesh.name!r} refers to {what} that it does not have",
                    file=path,
                    do="repair it first",
                )


def _in_range(array: np.ndarray) -> bool:
    """Whether all numbers are finite, as 4-byte numbers too."""
    return bool((np.abs(array) < _MOST).all())
