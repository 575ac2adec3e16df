"""From poses to vertices: joint matrices and linear blend skinning (Magnenat-Thalmann et al. 1988)."""

from __future__ import annotations

import numpy as np
from numba import njit

from moveset.errors import MovesetError
from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Clip


def joint_matrices(clip: Clip, frames: np.ndarray | slice = slice(None)) -> Array:
    """(F, J, 3, 4) world_from_joint of some frames, scales and the shear that they make included."""
    rotations = np.asarray(clip.rotations[frames], dtype=np.float64)
    translations = clip.translations[frames]
    scales = None if clip.scales is None else clip.scales[frames]
    for track in (rotations, translations, scales):
        if track is not None and not np.isfinite(track).all():
            f, j = np.argwhere(~np.isfinite(track).all(axis=-1))[0]
            frame = np.arange(len(clip))[frames][f]
            raise MovesetError(
                f"clip {clip.name!r} holds NaN or infinity: frame {frame}, joint {clip.skeleton.names[j]!r}",
                do="audit the clip, and mend or drop those frames",
            )
    local = np.empty((*rotations.shape[:2], 3, 4))
    local[..., :3] = quaternion.to_matrix(quaternion.normalize(rotations))
    local[..., 3] = translations
    if scales is not None:
        local[..., :3] *= np.asarray(scales)[..., None, :]
    world = np.empty_like(local)
    for j, p in enumerate(clip.skeleton.parents):
        if p < 0:
            world[:, j] = local[:, j]
        else:
            world[:, j] = world[:, p, :, :3] @ local[:, j]
            world[:, j, :, 3] += world[:, p, :, 3]
    return world


@njit(cache=True, nogil=True, error_model="numpy")
def palette(joint_world, skin_joints, inverse_binds, out):  # noqa: ANN201
    """Matrices `out` (S, 3, 4) that take bind-pose mesh coordinates to the world, for each joint of a skin.

    `joint_world` (J, 3, 4), `inverse_binds` (S, 4, 4).
    """
    for s in range(len(skin_joints)):
        world, bind = joint_world[skin_joints[s]], inverse_binds[s]
        for r in range(3):
            for c in range(4):
                out[s, r, c] = world[r, 0] * bind[0, c] + world[r, 1] * bind[1, c] + world[r, 2] * bind[2, c]
            out[s, r, 3] += world[r, 3]


@njit(cache=True, nogil=True, error_model="numpy")
def normal_palette(matrices):  # noqa: ANN201
    """Matrices (S, 3, 3) that turn normals, and which joints mirror (S,), of a palette (S, 3, 4).

    Normals turn by the cofactors of the linear parts: the inverse transpose up to a factor, which exists for flat
    (singular) matrices too. The sign of the determinant is taken out, so that normals of mirrored parts still
    point outwards.
    """
    turns = np.empty((len(matrices), 3, 3), dtype=np.float32)
    mirrored = np.empty(len(matrices), dtype=np.bool_)
    for s in range(len(matrices)):
        m, turn = matrices[s], turns[s]
        for r in range(3):
            a, b = m[(r + 1) % 3], m[(r + 2) % 3]
            for c in range(3):
                d, e = (c + 1) % 3, (c + 2) % 3
                turn[r, c] = a[d] * b[e] - a[e] * b[d]
        mirrored[s] = m[0, 0] * turn[0, 0] + m[0, 1] * turn[0, 1] + m[0, 2] * turn[0, 2] < 0
        if mirrored[s]:
            turn *= np.float32(-1)
    return turns, mirrored


@njit(cache=True, nogil=True, error_model="numpy")
def skin(positions, normals, joints, weights, matrices, normal_matrices, out):  # noqa: ANN201
    """World positions and unit normals (V, 3) of bind-pose ones: each vertex follows its joints by weight.

    `joints` (V, K) index `matrices` (P, 3, 4) and `normal_matrices` (P, 3, 3). Writes both into `out` (V, 6).
    """
    influences = joints.shape[1]
    for v in range(positions.shape[0]):
        x, y, z = positions[v, 0], positions[v, 1], positions[v, 2]
        u, s, t = normals[v, 0], normals[v, 1], normals[v, 2]
        px = py = pz = nx = ny = nz = np.float32(0)
        for k in range(influences):
            w = weights[v, k]
            if w == 0:
                continue
            j = joints[v, k]
            px += w * (
                matrices[j, 0, 0] * x + matrices[j, 0, 1] * y + matrices[j, 0, 2] * z + matrices[j, 0, 3]
            )
            py += w * (
                matrices[j, 1, 0] * x + matrices[j, 1, 1] * y + matrices[j, 1, 2] * z + matrices[j, 1, 3]
            )
            pz += w * (
                matrices[j, 2, 0] * x + matrices[j, 2, 1] * y + matrices[j, 2, 2] * z + matrices[j, 2, 3]
            )
            nx += w * (
                normal_matrices[j, 0, 0] * u + normal_matrices[j, 0, 1] * s + normal_matrices[j, 0, 2] * t
            )
            ny += w * (
                normal_matrices[j, 1, 0] * u + normal_matrices[j, 1, 1] * s + normal_matrices[j, 1, 2] * t
            )
            nz += w * (
                normal_matrices[j, 2, 0] * u + normal_matrices[j, 2, 1] * s + normal_matrices[j, 2, 2] * t
            )
        out[v, 0], out[v, 1], out[v, 2] = px, py, pz
        length = np.sqrt(nx * nx + ny * ny + nz * nz)
        scale = np.float32(1) / length if length > 0 else np.float32(0)
        out[v, 3], out[v, 4], out[v, 5] = nx * scale, ny * scale, nz * scale
