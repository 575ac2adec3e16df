"""Cameras: where a picture is taken from, and the one matrix that takes the world to the screen.

Perspective and orthographic cameras share a form. A world point p maps to homogeneous screen coordinates
(X, Y, W, Q) = M @ (p, 1): the pixel is (X / W, Y / W), y down, and (Q / W), larger when nearer, is affine on
the screen, which is all that a depth buffer asks. W is the distance along the view for a perspective camera
and 1 for an orthographic one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from moveset.errors import MovesetError
from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array

VIEWS = {
    # degrees: azimuth from the front of the character towards its left, elevation above the horizon
    "front": (0.0, 6.0),
    "side": (-90.0, 6.0),
    "back": (180.0, 6.0),
    "three-quarter": (-38.0, 14.0),
    "top": (-90.0, 89.0),
}
"""Named views. `side` looks at the right side, so that a character walks from left to right."""

NEAR = 0.05
"""[m] Nothing nearer than this to a perspective camera is drawn."""


@dataclass(frozen=True)
class Camera:
    """A camera at `eye` looking at `target`, Y up."""

    eye: tuple[float, float, float]
    target: tuple[float, float, float]
    fov: float | None = np.radians(30.0)
    """Vertical angle of view [rad]; None for an orthographic camera."""
    height: float = 2.0
    """What an orthographic camera sees from bottom to top [m]."""

    @cached_property
    def axes(self) -> tuple[Array, Array, Array]:
        """Unit right, up and forward (into the picture) directions of the camera in the world."""
        forward = np.subtract(self.target, self.eye).astype(float)
        length = np.linalg.norm(forward)
        if not length > 0:
            raise MovesetError("the camera looks at its own place", do="move its eye or its target")
        forward /= length
        right = quaternion.cross(forward, np.array((0.0, 1.0, 0.0)))
        if np.linalg.norm(right) < 1e-6:  # straight up or down: keep +X to the right
            right = np.array((1.0, 0.0, 0.0))
        right /= np.linalg.norm(right)
        return right, quaternion.cross(right, forward), forward

    def scale(self, size: tuple[int, int]) -> float:
        """Pixels a metre (orthographic), or pixels a unit of slope (perspective)."""
        return size[1] / (self.height if self.fov is None else 2 * np.tan(self.fov / 2))

    def matrix(self, size: tuple[int, int]) -> Array:
        """(4, 4) screen_from_world for a picture of (width, height) pixels; see the module."""
        right, up, forward = self.axes
        rows = np.stack((right, up, forward))
        x, y, distance = np.concatenate((rows, -(rows @ np.asarray(self.eye, dtype=float))[:, None]), axis=1)
        one = np.array((0.0, 0.0, 0.0, 1.0))
        s, (width, height) = self.scale(size), size
        w, q = (one, -distance) if self.fov is None else (distance, one)
        return np.stack((s * x + width / 2 * w, -s * y + height / 2 * w, w, q))

    def rays(self, size: tuple[int, int]) -> Array:
        """(2, 3, 3) origin and direction of the ray through pixel (x, y): rays[k] @ (x, y, 1)."""
        right, up, forward = self.axes
        s, (width, height) = self.scale(size), size
        eye = np.asarray(self.eye, dtype=float)
        step = np.stack((right / s, -up / s, -right * width / (2 * s) + up * height / (2 * s)), axis=1)
        still = np.zeros((3, 3))
        if self.fov is None:
            return np.stack((step + _last_column(eye), still + _last_column(forward)))
        return np.stack((still + _last_column(eye), step + _last_column(forward)))

    def project(self, points: ArrayLike, size: tuple[int, int]) -> Array:
        """Pixels (..., 2) of world points (..., 3); NaN for points behind a perspective camera."""
        points = np.asarray(points, dtype=float)
        matrix = self.matrix(size)
        x, y, w, _ = np.moveaxis(points @ matrix[:, :3].T + matrix[:, 3], -1, 0)
        w = np.where(w > 0, w, np.nan)
        return np.stack((x / w, y / w), axis=-1)

    def moved(self, offset: ArrayLike) -> Camera:
        """The same camera carried along by `offset` (3,) [m]."""
        eye, target = np.add(self.eye, offset), np.add(self.target, offset)
        return replace(self, eye=_triple(eye), target=_triple(target))


def _last_column(v: Array) -> Array:
    out = np.zeros((3, 3))
    out[:, 2] = v
    return out


def _triple(v: Array) -> tuple[float, float, float]:
    return float(v[0]), float(v[1]), float(v[2])


def frame_points(
    points: ArrayLike,
    view: str | tuple[float, float] = "three-quarter",
    *,
    heading: float = 0.0,
    size: tuple[int, int] = (256, 256),
    fov: float | None = np.radians(30.0),
    margin: float = 0.08,
) -> Camera:
    """The nearest camera in a view that sees all `points` (..., 3).

    `view` is a name in VIEWS or (azimuth, elevation) in degrees, relative to a character with this `heading`
    [rad]; `margin` is the share of the picture left free on each side.
    """
    if isinstance(view, str):
        if view not in VIEWS:
            raise MovesetError(f"no view is called {view!r}", do=f"take one of {', '.join(VIEWS)}")
        view = VIEWS[view]
    azimuth, elevation = np.radians(view[0]) + heading, np.radians(view[1])
    back = np.array(
        (np.sin(azimuth) * np.cos(elevation), np.sin(elevation), np.cos(azimuth) * np.cos(elevation))
    )
    points = np.asarray(points, dtype=float).reshape(-1, 3)
    if len(points) == 0 or not np.isfinite(points).all():
        raise MovesetError("there is no finite point to look at", do="mend or drop the frames that hold NaN")
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    right, up, forward = Camera(_triple(middle + back), _triple(middle)).axes
    x, y, z = ((points - middle) @ axis for axis in (right, up, forward))
    aspect, fill = size[0] / size[1], 1 - 2 * margin
    if fov is None:
        middle = middle + right * (x.max() + x.min()) / 2 + up * (y.max() + y.min()) / 2
        height = max(np.ptp(y), np.ptp(x) / aspect, 1e-3) / fill
        reach = np.ptp(z) + height + 1.0
        return Camera(_triple(middle + back * reach), _triple(middle), None, float(height))
    slope = np.tan(fov / 2) * fill
    vertical = _closest(y, z, slope)
    horizontal = _closest(x, z, slope * aspect)
    distance = max(vertical[0], horizontal[0], -z.min() + 2 * NEAR)
    middle = middle + right * horizontal[1] + up * vertical[1]
    return Camera(_triple(middle + back * distance), _triple(middle), fov)


def _closest(a: Array, z: Array, slope: float) -> tuple[float, float]:
    """Distance and sideways shift of the nearest camera whose two side planes hold points (a, z) [m].

    Each plane asks distance >= |a - shift| / slope - z on its side; both are tight at the answer.
    """
    high, low = np.max(a - slope * z), np.max(-a - slope * z)
    return float((high + low) / (2 * slope)), float((high - low) / 2)
