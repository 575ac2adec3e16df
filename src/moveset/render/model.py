"""Everything that is drawn, gathered into flat arrays that the kernels can run over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from moveset.geometry.mesh import smooth_normals
from moveset.geometry.quaternion import Array
from moveset.motion import Character, Clip, Material, Mesh
from moveset.render import raster, skinning, texture
from moveset.render.color import encoded, linear

Color = tuple[int, int, int]
"""sRGB, 0 to 255."""

Picture = NDArray[np.uint8]
"""(H, W, 4) sRGB with straight alpha."""

_ALPHA = {"OPAQUE": raster.OPAQUE, "MASK": raster.MASK, "BLEND": raster.BLEND}
_TRAIL_HEIGHT = 0.004
"""[m] Paths lie this far above the floor, the later ones on top of the earlier."""


@dataclass(frozen=True, eq=False)
class Trail:
    """A path drawn on the floor, dotted when `gaps` is set."""

    points: Array
    """(P, 3) [m]; their heights are not used."""
    color: Color = (230, 120, 40)
    width: float = 0.035
    """[m]"""
    gaps: bool = False


@dataclass(frozen=True, eq=False)
class Skin:
    """One skin of one character: which rows of the palette it fills."""

    character: int
    joints: np.ndarray
    inverse_binds: Array
    rows: slice


@dataclass(frozen=True, eq=False)
class Morphs:
    """Blend shapes of one mesh: offsets of a run of vertices, driven by a clip's curves."""

    character: int
    vertices: slice
    names: tuple[str, ...]
    offsets: Array
    """(M, V, 3)"""


@dataclass(frozen=True, eq=False)
class Model:
    """All meshes of a picture: V vertices that P palette rows move, and the surface over them."""

    positions: Array
    """(V, 3) float32 at bind."""
    normals: Array
    joints: np.ndarray
    """(V, K) palette rows."""
    weights: Array
    surface: raster.Surface
    skins: tuple[Skin, ...]
    morphs: tuple[Morphs, ...]
    casters: int
    """The first triangles, that many, throw a shadow."""

    @property
    def palette_rows(self) -> int:
        """Number of palette matrices; the last is the identity, for what no joint moves."""
        return (self.skins[-1].rows.stop if self.skins else 0) + 1


def build_model(
    characters: Sequence[Character],
    trails: Sequence[Trail] = (),
    tints: Sequence[Color | None] | None = None,
) -> Model:
    """Gather characters and floor paths; `tints` colors whole characters, which keeps their light and shade."""
    parts = _Parts()
    for number, character in enumerate(characters):
        parts.add_character(number, character, tints[number] if tints else None)
    casters = sum(len(t) for t in parts.triangles)
    for level, trail in enumerate(trails):
        parts.add_trail(trail, _TRAIL_HEIGHT + 0.001 * level)
    return parts.model(casters)


@dataclass
class _Parts:
    """Lists that grow mesh by mesh and are joined once."""

    positions: list[Array] = field(default_factory=list)
    normals: list[Array] = field(default_factory=list)
    uvs: list[Array] = field(default_factory=list)
    colors: list[Array] = field(default_factory=list)
    joints: list[np.ndarray] = field(default_factory=list)
    weights: list[Array] = field(default_factory=list)
    triangles: list[np.ndarray] = field(default_factory=list)
    surfaces: list[np.ndarray] = field(default_factory=list)
    materials: list[tuple[Material, bool]] = field(default_factory=list)
    skins: list[Skin] = field(default_factory=list)
    morphs: list[Morphs] = field(default_factory=list)
    rows: int = 0
    vertices: int = 0

    def add_character(self, number: int, character: Character, tint: Color | None) -> None:
        start = len(self.materials)
        self.materials += [(m, False) for m in (*character.materials, Material(double_sided=True))]
        factor = None if tint is None else np.append(linear(np.array(tint) / 255), 1.0)
        for mesh in character.meshes:
            material = mesh.material if mesh.material >= 0 else len(character.materials)
            rows = slice(self.rows, self.rows + len(mesh.skin_joints))
            self.skins.append(Skin(number, mesh.skin_joints, mesh.inverse_binds, rows))
            if mesh.morphs is not None and len(mesh.morphs):
                span = slice(self.vertices, self.vertices + len(mesh.positions))
                self.morphs.append(Morphs(number, span, mesh.morph_names, mesh.morphs.astype(np.float32)))
            self._add(mesh, start + material, factor)
            self.rows = rows.stop

    def add_trail(self, trail: Trail, height: float) -> None:
        positions, triangles = ribbon(trail.points, trail.width, height, trail.gaps)
        red, green, blue = (float(c) for c in linear(np.array(trail.color) / 255))
        self.materials.append((Material(base_color=(red, green, blue, 1.0), double_sided=True), True))
        self.positions.append(positions)
        self.normals.append(np.tile((0.0, 1.0, 0.0), (len(positions), 1)))
        self.uvs.append(np.zeros((len(positions), 2)))
        self.colors.append(np.tile((red, green, blue, 1.0), (len(positions), 1)))
        self.joints.append(np.full((len(positions), 1), -1))
        self.weights.append(np.ones((len(positions), 1)))
        self._add_triangles(triangles, len(positions), len(self.materials) - 1)

    def _add(self, mesh: Mesh, material: int, factor: Array | None) -> None:
        count = len(mesh.positions)
        self.positions.append(mesh.positions)
        normals = mesh.normals
        self.normals.append(
            smooth_normals(mesh.positions, mesh.triangles) if normals is None else np.asarray(normals)
        )
        self.uvs.append(np.zeros((count, 2)) if mesh.uvs is None else mesh.uvs)
        color = np.tile(self.materials[material][0].base_color, (count, 1))
        if mesh.colors is not None:
            color = color * mesh.colors
        if factor is not None:
            color = color * factor
        self.colors.append(color)
        self.joints.append(np.asarray(mesh.joint_indices) + self.rows)
        self.weights.append(mesh.weights)
        self._add_triangles(np.asarray(mesh.triangles), count, material)

    def _add_triangles(self, triangles: np.ndarray, vertices: int, material: int) -> None:
        self.triangles.append(triangles.reshape(-1, 3) + self.vertices)
        self.surfaces.append(np.full(len(self.triangles[-1]), material))
        self.vertices += vertices

    def model(self, casters: int) -> Model:
        influences = max((w.shape[1] for w in self.weights), default=1)
        joints = _join([_widen(j, influences) for j in self.joints], (influences,), np.int32)
        joints[joints < 0] = self.rows
        table, atlas = _atlas(self.materials)
        triangles, material = _join(self.triangles, (3,), np.int32), _join(self.surfaces, (), np.int32)
        uvs = _join(self.uvs, (2,), np.float32)
        surface = raster.Surface(
            triangles=np.concatenate((triangles, material[:, None]), axis=1),
            attributes=np.concatenate((_join(self.colors, (4,), np.float32), uvs), axis=1),
            materials=table,
            cutoffs=np.array([m.alpha_cutoff for m, _ in self.materials], dtype=np.float32),
            atlas=atlas,
            texels=_texel_areas(triangles, uvs, table[material, texture.WIDTH : texture.HEIGHT + 1]),
        )
        return Model(
            _join(self.positions, (3,), np.float32),
            _join(self.normals, (3,), np.float32),
            joints,
            _join([_widen(w, influences) for w in self.weights], (influences,), np.float32),
            surface,
            tuple(self.skins),
            tuple(self.morphs),
            casters,
        )


def _join(parts: list, tail: tuple[int, ...], dtype: type) -> np.ndarray:
    if not parts:
        return np.zeros((0, *tail), dtype=dtype)
    return np.ascontiguousarray(np.concatenate(parts), dtype=dtype)


def _widen(array: np.ndarray, width: int) -> np.ndarray:
    return np.pad(array, ((0, 0), (0, width - array.shape[1])))


def _atlas(materials: Sequence[tuple[Material, bool]]) -> tuple[np.ndarray, np.ndarray]:
    """Table of materials (S, 7) and texels (N, 4) of raster.Surface; shared textures are stored once."""
    table = np.zeros((len(materials), 7), dtype=np.int64)
    texels, places, size = [np.zeros((1, 4), dtype=np.uint8)], {}, 1
    for row, (material, unlit) in zip(table, materials):
        row[texture.MODE] = _ALPHA.get(material.alpha_mode, raster.OPAQUE)
        row[texture.DOUBLE_SIDED], row[texture.UNLIT] = material.double_sided, unlit
        image = material.texture
        if image is None or image.size == 0:
            continue
        if id(image) not in places:
            levels = [level.reshape(-1, 4) for level in halves(image)]
            places[id(image)] = size, len(levels)
            texels += levels
            size += sum(map(len, levels))
        row[texture.OFFSET], row[texture.LEVELS] = places[id(image)]
        row[texture.HEIGHT], row[texture.WIDTH] = image.shape[:2]
    return table, np.concatenate(texels)


def halves(image: np.ndarray) -> Iterator[np.ndarray]:
    """A texture (H, W, 4) uint8 and its halves down to a few texels; colors count by their alpha."""
    yield image
    light = np.concatenate((linear(image[..., :3] / 255), image[..., 3:] / 255), axis=-1)
    while min(light.shape[:2]) > 4:
        rows, columns = light.shape[0] // 2, light.shape[1] // 2
        four = light[: 2 * rows, : 2 * columns].reshape(rows, 2, columns, 2, 4)
        weight = np.maximum(four[..., 3:], 1e-4)
        color = (four[..., :3] * weight).sum(axis=(1, 3)) / weight.sum(axis=(1, 3))
        light = np.concatenate((color, four[..., 3:].mean(axis=(1, 3))), axis=-1)
        yield np.round(255 * np.concatenate((encoded(color), light[..., 3:]), axis=-1)).astype(np.uint8)


def _texel_areas(triangles: np.ndarray, uvs: Array, sizes: np.ndarray) -> Array:
    """(T,) float32: twice the area of triangles in texels, for textures of `sizes` (T, 2)."""
    a, b, c = (uvs[triangles[:, k]] * sizes for k in range(3))
    u, v = b - a, c - a
    return np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]).astype(np.float32)


def ribbon(points: Array, width: float, height: float, gaps: bool = False) -> tuple[Array, np.ndarray]:
    """A flat strip along a path (P, 3) at `height` above the floor: vertices (V, 3) and triangles (T, 3)."""
    points = np.asarray(points, dtype=float).reshape(-1, 3)[:, (0, 2)]
    points = points[np.isfinite(points).all(axis=1)]
    keep = np.append(True, np.linalg.norm(np.diff(points, axis=0), axis=1) > 1e-4)[: len(points)]
    points = points[keep]
    if len(points) < 2:
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)
    if gaps:
        along = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1)))
        even = np.arange(0.0, along[-1], width * 1.5)
        points = np.stack([np.interp(even, along, points[:, k]) for k in range(2)], axis=1)
    tangent = np.gradient(points, axis=0) if len(points) > 1 else np.ones((1, 2))
    tangent /= np.maximum(np.linalg.norm(tangent, axis=1, keepdims=True), 1e-9)
    aside = np.stack((-tangent[:, 1], tangent[:, 0]), axis=1) * width / 2
    sides = np.stack((points + aside, points - aside), axis=1).reshape(-1, 2)
    vertices = np.stack((sides[:, 0], np.full(len(sides), height), sides[:, 1]), axis=1)
    start = 2 * np.arange(len(points) - 1)
    if gaps:
        start = start[::3]
    quads = np.stack((start, start + 1, start + 2, start + 2, start + 1, start + 3), axis=1)
    return vertices, quads.reshape(-1, 3)


def morphed(model: Model, clips: Sequence[Clip], frames: Sequence[int]) -> Array:
    """(V, 3) bind-pose positions with the blend shapes that the clips' curves ask for."""
    active = [
        (m, k, float(clips[m.character].curves[name][frames[m.character]]))
        for m in model.morphs
        for k, name in enumerate(m.names)
        if name in clips[m.character].curves
    ]
    if not active:
        return model.positions
    positions = model.positions.copy()
    for m, k, weight in active:
        positions[m.vertices] += np.float32(weight) * m.offsets[k]
    return positions


def fill_palette(model: Model, joint_worlds: Sequence[Array]) -> Array:
    """(P, 3, 4) palette of one frame; `joint_worlds` has (J, 3, 4) for each character."""
    out = np.empty((model.palette_rows, 3, 4), dtype=np.float32)
    for skin in model.skins:
        skinning.palette(joint_worlds[skin.character], skin.joints, skin.inverse_binds, out[skin.rows])
    out[-1] = np.eye(3, 4)
    return out
