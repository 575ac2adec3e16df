"""A character: a skeleton, the meshes that it moves, and their materials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from moveset.geometry.quaternion import Array
from moveset.motion.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class Material:
    """How a surface looks."""

    name: str = ""
    base_color: tuple[float, float, float, float] = (0.8, 0.8, 0.8, 1.0)
    """Linear RGBA factor, 0 to 1."""
    texture: np.ndarray | None = None
    """(H, W, 4) uint8 sRGB base color, row 0 at the top (v = 0)."""
    double_sided: bool = False
    alpha_mode: str = "OPAQUE"
    """OPAQUE, MASK or BLEND, as in glTF."""
    alpha_cutoff: float = 0.5


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles bound to joints. A rigid part is a mesh with one skin joint of weight 1."""

    positions: Array
    """(V, 3) bind-pose positions in mesh space [m]."""
    triangles: np.ndarray
    """(T, 3) int, counter-clockwise seen from outside."""
    skin_joints: np.ndarray
    """(S,) int: joints of the skeleton that this skin uses."""
    inverse_binds: Array
    """(S, 4, 4): takes mesh space to joint space at bind. Holds what scale the file had above its joints."""
    joint_indices: np.ndarray
    """(V, K) int into skin_joints."""
    weights: Array
    """(V, K), rows sum to 1."""
    normals: Array | None = None
    """(V, 3) unit."""
    uvs: Array | None = None
    """(V, 2) glTF convention: origin at the top left."""
    colors: Array | None = None
    """(V, 4) linear RGBA factor of each vertex."""
    material: int = -1
    """Index into Character.materials; -1 is plain grey."""
    name: str = ""
    morphs: Array | None = None
    """(M, V, 3) position offsets of blend shapes [m]; weights come from curves named in morph_names."""
    morph_names: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Character:
    """What a clip can be shown on."""

    skeleton: Skeleton
    meshes: tuple[Mesh, ...] = ()
    materials: tuple[Material, ...] = ()
    sockets: Mapping[str, int] = field(default_factory=dict)
    """Joint by socket role (leftProp, rightProp) where weapons are held."""
    name: str = ""
