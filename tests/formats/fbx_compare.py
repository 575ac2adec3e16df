"""An asset beside what another program sees in its FBX file, corner by corner of every triangle, frame by frame."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from moveset.motion import Asset, Character, Clip, Mesh
from moveset.render.skinning import joint_matrices

ORACLES = Path(__file__).parent / "oracles"


def ufbx_sees(file: Path, clips: Sequence[Clip], step: int = 1) -> Mapping[str, np.ndarray]:
    """oracles/fbx_ufbx.py: world matrices of all nodes in every `step`-th frame, meshes, clusters, weights."""
    return _run(sys.executable, "fbx_ufbx.py", file, clips, step)


def blender_sees(file: Path, clips: Sequence[Clip], step: int = 1) -> Mapping[str, np.ndarray]:
    """oracles/fbx_blender.py: heads of bones and skinned vertices; skips without a Python that has bpy."""
    blender = os.environ.get("MOVESET_BLENDER")
    if not blender:
        pytest.skip("MOVESET_BLENDER is not set to a Python with bpy")
    return _run(blender, "fbx_blender.py", file, clips, step)


def _run(python: str, script: str, file: Path, clips: Sequence[Clip], step: int) -> Mapping[str, np.ndarray]:
    asked = {clip.name: [f / clip.fps for f in range(0, len(clip), step)] for clip in clips}
    out = file.with_suffix(".npz")
    command = [python, str(ORACLES / script), str(file), str(out)]
    run = subprocess.run(command, input=json.dumps(asked) + "\n", text=True, capture_output=True)
    assert run.returncode == 0, run.stderr[-2000:]
    return np.load(out)


def errors_in_ufbx(asset: Asset, seen: Mapping[str, np.ndarray], step: int = 1) -> tuple[float, float]:
    """Worst distance of joints and of skinned corners [m]."""
    nodes, stacks = seen["nodes"].tolist(), seen["stacks"].tolist()
    joints = corners = 0.0
    for clip in asset.clips:
        world = seen[f"world{stacks.index(clip.name)}"]
        ours = joint_matrices(clip, slice(None, None, step))
        theirs = world[:, [nodes.index(name) for name in clip.skeleton.names]]
        joints = max(joints, np.abs(ours[..., 3] - theirs[:, :, :3, 3]).max())
        for character, mesh, m in _meshes(asset, clip, seen["meshes"].tolist()):
            matrices = world[:, seen[f"joints{m}"]] @ seen[f"binds{m}"]
            found = blend(seen[f"points{m}"], seen[f"weights{m}"], matrices[:, :, :3])
            ours = skinned(character, mesh, clip, step)
            corners = max(corners, _apart(ours, mesh, found[:, seen[f"corners{m}"]]))
    return joints, corners


def errors_in_blender(asset: Asset, seen: Mapping[str, np.ndarray], step: int = 1) -> tuple[float, float]:
    """Worst distance of joints and of skinned corners [m]."""
    bones = seen["bones"].tolist()
    joints = corners = 0.0
    for k, clip in enumerate(asset.clips):
        heads = seen[f"heads{k}"][:, [bones.index(name) for name in clip.skeleton.names]]
        ours = joint_matrices(clip, slice(None, None, step))[..., 3]
        joints = max(joints, np.abs(ours - heads).max())
        for character, mesh, m in _meshes(asset, clip, seen["meshes"].tolist()):
            vertices, found = skinned(character, mesh, clip, step), seen[f"points{k}_{m}"]
            corners = max(corners, _apart(vertices, mesh, found[:, seen[f"corners{m}"]]))
    return joints, corners


def _apart(vertices: np.ndarray, mesh: Mesh, corners: np.ndarray) -> float:
    """Worst distance of triangles' corners, the other way round where writing turned a mirrored mesh."""
    triangles = np.asarray(mesh.triangles)
    return min(
        np.abs(vertices[:, order.reshape(-1)] - corners).max()
        for order in (triangles, triangles[:, [0, 2, 1]])
    )


def _meshes(asset: Asset, clip: Clip, names: list[str]):
    """The meshes that a clip moves, and their places in the file."""
    for character in asset.characters:
        if character.skeleton.signature == clip.skeleton.signature:
            taken = dict.fromkeys(character.skeleton.names, 1)
            for mesh in character.meshes:
                plain = mesh.name or character.materials[mesh.material].name
                taken[plain] = taken.get(plain, 0) + 1
                numbered = plain if taken[plain] == 1 else f"{plain}_{taken[plain]}"
                yield character, mesh, names.index(numbered)


def weights_in_blender(asset: Asset, seen: Mapping[str, np.ndarray]) -> float:
    """Worst difference of any corner's share in any joint."""
    worst = 0.0
    for character, mesh, m in _meshes(asset, asset.clips[0], seen["meshes"].tolist()):
        groups, corners = seen[f"groups{m}"].tolist(), seen[f"corners{m}"]
        ours = shares_of(mesh)[np.asarray(mesh.triangles).reshape(-1)]
        for joint, share in zip(mesh.skin_joints, ours.T):
            name = character.skeleton.names[joint]
            theirs = seen[f"weights{m}"][corners, groups.index(name)] if name in groups else 0.0
            worst = max(worst, np.abs(share - theirs).max())
    return worst


def shares_of(mesh: Mesh) -> np.ndarray:
    """(V, S) share of each joint of the skin in each vertex."""
    shares = np.zeros((len(mesh.positions), len(mesh.skin_joints)))
    np.add.at(shares, (np.arange(len(shares))[:, None], mesh.joint_indices), mesh.weights)
    return shares


def skinned(character: Character, mesh: Mesh, clip: Clip, step: int) -> np.ndarray:
    """(F, V, 3) by our own skinning."""
    joints = [clip.skeleton.index[character.skeleton.names[j]] for j in mesh.skin_joints]
    matrices = joint_matrices(clip, slice(None, None, step))[:, joints] @ mesh.inverse_binds
    return blend(mesh.positions, shares_of(mesh), matrices)


def blend(points: np.ndarray, shares: np.ndarray, matrices: np.ndarray) -> np.ndarray:
    """(F, V, 3) of points (V, 3) by shares (V, S) of matrices (F, S, 3, 4)."""
    full = np.concatenate((points, np.ones((len(points), 1))), axis=1)
    weighted = np.einsum("vs,va->vsa", shares, full).reshape(len(full), -1)
    return weighted @ matrices.transpose(0, 1, 3, 2).reshape(len(matrices), -1, 3)
