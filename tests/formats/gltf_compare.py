"""Joint positions and skinned vertices of what Moveset read, plainly: the other side of comparisons."""

from __future__ import annotations

import numpy as np

from moveset.geometry import quaternion
from moveset.motion import Asset, Character, Clip, Mesh


def joint_matrices(clip: Clip, frame: int) -> np.ndarray:
    """(J, 4, 4) world matrices of a clip's joints."""
    rotations, positions = clip.world
    out = np.tile(np.eye(4), (len(clip.skeleton), 1, 1))
    out[:, :3, :3] = quaternion.to_matrix(rotations[frame])
    if clip.scales is not None:
        scales = clip.scales[frame].copy()
        for joint, parent in enumerate(clip.skeleton.parents):
            if parent >= 0:
                scales[joint] *= scales[parent]
        out[:, :3, :3] *= scales[:, None, :]
    out[:, :3, 3] = positions[frame]
    return out


def rest_matrices(character: Character) -> np.ndarray:
    """(J, 4, 4) world matrices of the rest pose."""
    rotations, positions = character.skeleton.rest_world
    out = np.tile(np.eye(4), (len(character.skeleton), 1, 1))
    out[:, :3, :3] = quaternion.to_matrix(rotations)
    out[:, :3, 3] = positions
    return out


def skinned(mesh: Mesh, joints: np.ndarray, weights: dict[str, float], every: int = 1) -> np.ndarray:
    """World vertices: sum over influences of weight x joint x inverse bind x position."""
    positions = np.asarray(mesh.positions, dtype=float)
    if mesh.morphs is not None:
        for name, offsets in zip(mesh.morph_names, mesh.morphs):
            positions = positions + weights.get(name, 0.0) * offsets
    positions = np.hstack((positions, np.ones((len(positions), 1))))[::every]
    moved = joints[mesh.skin_joints] @ mesh.inverse_binds
    blended = np.einsum("vk,vkij->vij", mesh.weights[::every], moved[mesh.joint_indices[::every]])
    return np.einsum("vij,vj->vi", blended, positions)[:, :3]


def all_vertices(character: Character, clip: Clip, frame: int, every: int = 1) -> list[np.ndarray]:
    """World vertices of each mesh in a frame of a clip."""
    joints = joint_matrices(clip, frame)
    weights = {name: float(curve[frame]) for name, curve in clip.curves.items()}
    return [skinned(mesh, joints, weights, every) for mesh in character.meshes]


def rest_vertices(asset: Asset, character: Character, every: int = 1) -> list[np.ndarray]:
    """World vertices of each mesh at rest."""
    joints, weights = rest_matrices(character), asset.source.document.default_curves
    return [skinned(mesh, joints, weights, every) for mesh in character.meshes]


def character_of(asset: Asset, clip: Clip) -> Character:
    return next(c for c in asset.characters if c.skeleton is clip.skeleton)
