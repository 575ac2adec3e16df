"""One picture: skin, project, scan, shade."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from moveset.errors import MovesetError
from moveset.geometry.quaternion import Array
from moveset.render import floor, raster, shading, skinning
from moveset.render.camera import NEAR, Camera
from moveset.render.color import linear
from moveset.render.model import Color, Model, Picture, fill_palette
from moveset.render.shadow import NO_SHADOW, cast_shadow

_KEY_FROM = np.array((-0.55, 0.95, 0.62))
"""Where the key light comes from as the camera sees it: left, above, from the front (right, up, to the eye)."""
_RIM_FROM = np.array((0.75, 0.45, -0.65))


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
    reach: float = 11.0
    """[m] The floor has faded into the background at this distance."""


class Canvas:
    """Buffers for pictures of one model and one size, used again from picture to picture."""

    def __init__(self, model: Model, size: tuple[int, int], samples: int) -> None:
        width, height = size
        if min(size) < 1 or samples < 1 or max(size) * samples > 16384:
            raise MovesetError(
                f"a picture of {width} x {height} pixels with {samples} samples cannot be drawn",
                do="ask for 1 to 16384 samples along each side",
            )
        vertices = len(model.positions)
        self.size, self.samples = (int(width), int(height)), int(samples)
        self.seen = np.empty((height * samples, width * samples), dtype=np.int32)
        self.depth = np.empty(self.seen.shape, dtype=np.float32)
        self.posed = np.empty((vertices, 6), dtype=np.float32)
        self.screen = np.empty((vertices, raster.SCREEN), dtype=np.float32)
        self.first_row = model.joints[model.surface.triangles[:, 0], 0]


def draw(
    model: Model,
    joint_worlds: Sequence[Array],
    camera: Camera,
    look: Look,
    canvas: Canvas,
    positions: Array | None = None,
) -> Picture:
    """(H, W, 4) sRGB picture with straight alpha.

    `joint_worlds` has (J, 3, 4) for each character; `positions` (V, 3) replaces the bind-pose positions (blend
    shapes).
    """
    matrices = fill_palette(model, joint_worlds)
    if not np.isfinite(matrices).all():
        raise MovesetError("a joint matrix holds NaN or infinity", do="mend or drop the frames that hold NaN")
    turns, mirrored = skinning.normal_palette(matrices)
    at_bind = model.positions if positions is None else positions
    skinning.skin(at_bind, model.normals, model.joints, model.weights, matrices, turns, canvas.posed)
    fine = canvas.size[0] * canvas.samples, canvas.size[1] * canvas.samples
    raster.to_screen(canvas.posed, camera.matrix(fine), canvas.screen)
    raster.scan(
        model.surface,
        canvas.screen,
        mirrored[canvas.first_row],
        NEAR,
        look.nearest,
        canvas.seen,
        canvas.depth,
    )
    right, _, forward = camera.axes
    # the camera's tilt is taken out: light stays overhead
    level = np.stack((right, (0.0, 1.0, 0.0), np.array((-right[2], 0.0, right[0]))))
    key, rim = (_unit(direction @ level) for direction in (_KEY_FROM, _RIM_FROM))
    orthographic = camera.fov is None
    lights = np.stack((key, rim, -forward if orthographic else np.array(camera.eye, float)))
    transparent = look.background is None
    background = _linear(look.background or (0, 0, 0))
    surface, lines = (_linear(c) if look.ground else background for c in (look.floor, look.lines))
    ground = floor.Ground(
        camera.rays(canvas.size), np.array(camera.target, float)[[0, 2]], look.reach, background, surface, lines,
        look.shadow,
    )  # fmt: skip
    shaded = look.ground and not transparent and look.shadow > 0 and model.casters > 0
    casters = model.surface.triangles[: model.casters]
    shadow = cast_shadow(canvas.posed, casters, key) if shaded else NO_SHADOW
    out = np.empty((canvas.size[1], canvas.size[0], 4), dtype=np.uint8)
    shading.resolve(
        canvas.seen, canvas.samples, model.surface, canvas.screen, canvas.posed, lights, orthographic,
        look.nearest, ground, shadow, transparent, out,
    )  # fmt: skip
    return out


def _unit(v: Array) -> Array:
    return v / np.linalg.norm(v)


def _linear(color: Color) -> Array:
    return linear(np.array(color) / 255)
