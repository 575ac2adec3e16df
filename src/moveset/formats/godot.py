"""Godot 4 animations (.tres): an Animation, or an AnimationLibrary of several. Written only.

The tracks of such a file name bones, not their parents or rest: without the scene that plays it there is no
skeleton to read. Bone poses are local and whole, axes are glTF's, so numbers go over as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from moveset.errors import MovesetError
from moveset.formats.registry import Format, left_out
from moveset.formats.scene.nodes import unique
from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Asset, Clip, Finding

_NODE = "Skeleton3D"
_STILL = {"rotation_3d": 1e-7, "position_3d": 1e-7, "scale_3d": 1e-5}
_FORBIDDEN = re.compile(r'[:/"\\\n]')


def write(asset: Asset, *, path: str, node: str = _NODE) -> bytes:
    """The asset's clips for the bones of the node `node`, as the AnimationPlayer sees it."""
    if not asset.clips:
        raise MovesetError("there is no clip to write", file=path, do="give a file with animations")
    if '"' in node or "\n" in node or ":" in node:
        raise MovesetError(f"{node!r} is no path of a node", file=path, do="give e.g. Armature/Skeleton3D")
    if len(asset.clips) == 1:
        lines = [
            '[gd_resource type="Animation" format=3]',
            "",
            "[resource]",
            *_animation(asset.clips[0], node),
        ]
    else:
        count = len(asset.clips) + 1
        lines = [f'[gd_resource type="AnimationLibrary" load_steps={count} format=3]', ""]
        names = unique([_clean(clip.name) or "clip" for clip in asset.clips])
        for number, clip in enumerate(asset.clips):
            lines += [f'[sub_resource type="Animation" id="Animation_{number}"]', *_animation(clip, node), ""]
        entries = ",\n".join(f'&"{name}": SubResource("Animation_{n}")' for n, name in enumerate(names))
        lines += ["[resource]", f"_data = {{\n{entries}\n}}"]
    return ("\n".join(lines) + "\n").encode()


def losses(asset: Asset) -> tuple[Finding, ...]:
    """What a .tres leaves out."""
    return left_out("a .tres", asset, "meshes", "events", "curves")


def recognizes(stream: BinaryIO) -> bool:
    """No .tres can be read, so none counts where a folder is walked."""
    return False


def _animation(clip: Clip, node: str) -> Iterator[str]:
    if not clip.is_finite:
        raise MovesetError(f"clip {clip.name!r} holds NaN or infinite numbers", do="repair it first")
    yield f'resource_name = "{_clean(clip.name)}"'
    yield f"length = {max(clip.seconds, 1e-3):.6g}"
    if clip.loop:
        yield "loop_mode = 1"
    yield f"step = {1 / clip.fps:.8g}"
    bones = [_clean(name) for name in clip.skeleton.names]
    tracks = [
        ("rotation_3d", quaternion.unroll(quaternion.normalize(clip.rotations))),
        ("position_3d", clip.translations),
    ]
    if clip.scales is not None:
        tracks.append(("scale_3d", clip.scales))
    number = 0
    for joint, bone in enumerate(bones):
        for kind, values in tracks:
            yield f'tracks/{number}/type = "{kind}"'
            yield f"tracks/{number}/imported = false"
            yield f"tracks/{number}/enabled = true"
            yield f'tracks/{number}/path = NodePath("{node}:{bone}")'
            yield f"tracks/{number}/interp = 1"
            yield f"tracks/{number}/loop_wrap = true"
            yield f"tracks/{number}/keys = PackedFloat32Array({_keys(clip.times, values[:, joint], _STILL[kind])})"
            number += 1


def _keys(times: Array, values: Array, still: float) -> str:
    """Time, transition 1, then the value, key after key; one key where nothing moves."""
    if np.ptp(values, axis=0).max(initial=0) <= still:
        times, values = times[:1], values[:1]
    rows = np.column_stack((times, np.ones(len(times)), values))
    return ", ".join(f"{value:.7g}" for value in rows.ravel().tolist())


def _clean(name: str) -> str:
    """A name as Godot's own importers leave it: without what separates paths."""
    return _FORBIDDEN.sub("_", name)


FORMAT = Format(
    "godot", (".tres",), None, write, (), ("node",), holds_meshes=False, losses=losses, recognizes=recognizes
)
