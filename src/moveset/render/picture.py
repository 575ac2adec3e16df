"""One picture: skin, project, scan, shade."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from moveset.errors import MovesetError
from moveset.geometry.quaternion import Array
from moveset.render import raster, shading, skinning
from moveset.render.camera import NEAR, Camera
from moveset.render.model import Color, Model, Picture, fill_palette

_CELL = 0.02
"""[m] Cell of the shadow map; larger where a crowd would make the map larger than _MAP cells."""
_MAP = 512
_KEY_FROM = (-0.55, 0.95, 0.62)
"""Where the key light comes from as the camera sees it: left, above, from the front (right, up, to the eye)."""
_RIM_FROM = (0.75, 0.45, -0.65)


@dataclass(frozen=True)
class Look:
    """How a picture looks, apart from what is in it."""

    background: Color | None = (236, 238, 241)
    """sRGB; None leaves the background transparent, without a floor."""
    floor: Color = (221, 224, 229)
    lines: Color = (176, 182, 190)
    """Grid on the floor, one line a metre."""
    ground: bool = True
    shadow: float = 0.55
    """How dark the shadow on the floor is, 0 to 1."""
    samples: int = 2
    """Samples a pixel along each axis: 1 is quick and jagged, 2 smooth, 4 for still pictures."""
    nearest: bool = False
    """Whether textures show their texels (pixel art) instead of being smoothed."""
    reach: float = 9.0
    """[m] The floor fades into the background at this distance."""


class Canvas:
    """Buffers for pictures of one size, used again from picture to picture."""

    def __init__(self, model: Model, size: tuple[int, int], samples: int) -> None:
        width, height = size
        if min(size) < 1 or max(size) * samples > 16384 or samples < 1:
            raise MovesetError(f"a picture of {width} x {height} with {samples} samples cannot be drawn")
        vertices = len(model.positions)
        self.size, self.samples = (int(width), int(height)), int(samples)
        self.seen = np.empty((height * samples, width * samples), dtype=np.int32)
        self.depth = np.empty(self.seen.shape, dtype=np.float64)
        self.points = np.empty((vertices, 3), dtype=np.float32)
        self.normals = np.empty((vertices, 3), dtype=np.float32)
        self.screen = np.empty((vertices, 4), dtype=np.float64)
        self.first_row = model.joints[model.triangles[:, 0], 0]


def draw(
    model: Model,
    joint_worlds: Sequence[Array],
    camera: Camera,
    look: Look,
    canvas: Canvas,
    positions: Array | None = None,
    middle: Array | None = None,
) -> Picture:
    """(H, W, 4) sRGB picture with straight alpha.

    `joint_worlds` has (J, 3, 4) for each character, `positions` (V, 3) replaces the bind-pose positions (blend
    shapes), `middle` (3,) is where the floor is brightest, by default under the camera's target.
    """
    matrices = fill_palette(model, joint_worlds)
    if not np.isfinite(matrices).all():
        raise MovesetError("a joint matrix holds NaN or infinity", do="mend or drop the frames that hold NaN")
    skinning.skin(
        model.positions if positions is None else positions,
        model.normals,
        model.joints,
        model.weights,
        matrices,
        skinning.normal_palette(matrices),
        canvas.points,
        canvas.normals,
    )
    width, height = canvas.size
    fine = (width * canvas.samples, height * canvas.samples)
    raster.to_screen(canvas.points, camera.matrix(fine), canvas.screen)
    mirrored = np.linalg.det(matrices[:, :, :3].astype(np.float64)) < 0
    raster.scan(
        canvas.screen, model.triangles, model.surfaces, mirrored[canvas.first_row], model.double_sided,
        model.modes, model.cutoffs, model.uvs, model.colors, model.textures, model.atlas, look.nearest,
        NEAR, canvas.seen, canvas.depth,
    )  # fmt: skip
    right, _, forward = camera.axes()
    level = _level_axes(right)
    key, rim = (_unit(np.asarray(d) @ level) for d in (_KEY_FROM, _RIM_FROM))
    transparent = look.background is None
    ground = look.ground and not transparent
    if ground and look.shadow > 0 and model.casters:
        shadow, origin, cell = _shadow(canvas.points, model.triangles[: model.casters], key)
    else:
        shadow, origin, cell = np.zeros((1, 1), dtype=np.float32), np.zeros(2), 1.0
    out = np.empty((height, width, 4), dtype=np.uint8)
    shading.resolve(
        canvas.seen, canvas.samples, canvas.screen, model.triangles, model.surfaces, model.unlit,
        canvas.points, canvas.normals, model.uvs, model.colors, model.textures, model.atlas, look.nearest,
        -forward if camera.fov is None else np.asarray(camera.eye, dtype=np.float64), camera.fov is None,
        key, rim, camera.rays(canvas.size), shadow, origin, cell,
        np.asarray(camera.target if middle is None else middle, dtype=np.float64)[[0, 2]], look.reach,
        _linear(look.background), _linear(look.floor), _linear(look.lines), look.shadow,
        transparent, ground, out,
    )  # fmt: skip
    return out


def _shadow(points: Array, triangles: np.ndarray, light: Array) -> tuple[Array, Array, float]:
    """Soft shadow map on the floor, where it starts (x, z) [m], and the size of its cells [m]."""
    fallen = points[:, (0, 2)] - np.maximum(points[:, 1:2], 0) * (light[[0, 2]] / light[1])
    low, high = fallen.min(axis=0).astype(np.float64), fallen.max(axis=0).astype(np.float64)
    cell = max(_CELL, float((high - low).max()) / (_MAP - 16))
    # whole cells, so that the map does not crawl under a moving character
    origin = (np.floor(low / cell) - 8) * cell
    columns, rows = np.minimum(np.ceil((high - origin) / cell).astype(int) + 8, _MAP)
    shadow = np.zeros((rows, columns), dtype=np.float32)
    raster.cast(points, triangles, light, origin, cell, shadow)
    raster.blur(shadow, 1, 3, np.empty((columns, rows), dtype=np.float32))
    return shadow, origin, cell


def _level_axes(right: Array) -> Array:
    """(3, 3) rows right, up and towards the viewer, with the camera's tilt taken out: light stays overhead."""
    return np.stack((right, (0.0, 1.0, 0.0), np.cross(right, (0.0, 1.0, 0.0))))


def _unit(v: Array) -> Array:
    return v / np.linalg.norm(v)


def _linear(color: Color | None) -> Array:
    return shading.linear(np.asarray(color or (0, 0, 0)) / 255)
