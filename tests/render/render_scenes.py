"""Small figures that the tests of pictures draw."""

from __future__ import annotations

import numpy as np

from moveset.motion import Character, Clip, Material, Mesh, Skeleton


def skeleton(joints: int = 1) -> Skeleton:
    """A chain of joints, 0.5 m apart along Y."""
    translations = np.zeros((joints, 3))
    translations[1:, 1] = 0.5
    rest = np.tile((0.0, 0.0, 0.0, 1.0), (joints, 1))
    return Skeleton(tuple(f"j{k}" for k in range(joints)), np.arange(joints) - 1, rest, translations)


def still(skeleton: Skeleton, frames: int = 1) -> Clip:
    """The rest pose."""
    return Clip(
        skeleton,
        np.repeat(skeleton.rest_rotations[None], frames, axis=0),
        np.repeat(skeleton.rest_translations[None], frames, axis=0),
        30.0,
        "still",
    )


def mesh(positions: object, triangles: object, material: int = 0, **more: object) -> Mesh:
    """A rigid mesh on joint 0."""
    positions = np.asarray(positions, dtype=float).reshape(-1, 3)
    return Mesh(
        positions,
        np.asarray(triangles, dtype=int).reshape(-1, 3),
        np.array([0]),
        np.eye(4)[None],
        np.zeros((len(positions), 1), dtype=int),
        np.ones((len(positions), 1)),
        material=material,
        **more,
    )


def quad(z: float = 0.0, half: float = 0.5, **more: object) -> Mesh:
    """A square in the x, y plane that faces +Z, texture upright, centre at (0, 1)."""
    corners = [(-half, 1 - half, z), (half, 1 - half, z), (half, 1 + half, z), (-half, 1 + half, z)]
    uvs = np.array([(0, 1), (1, 1), (1, 0), (0, 0)], dtype=float)
    return mesh(corners, [(0, 1, 2), (0, 2, 3)], **{"uvs": uvs, **more})


def figure(*meshes: Mesh, materials: tuple[Material, ...] = (Material(),)) -> Character:
    """A character of one joint."""
    return Character(skeleton(), meshes, materials)
