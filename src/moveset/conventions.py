"""Units, axes, component orders, axis letters and tolerances, in one place. Formats convert at the door.

Units          metres, seconds, radians.
World          right-handed, Y up, floor at y = 0. A character faces +Z; its left is +X.
Quaternions    x y z w (glTF, SciPy, Unity, Unreal). w >= 0 at rest, hemisphere-continuous along time.
               Raw components are never interpolated linearly: slerp, or a tangent space.
Matrices       act on column vectors: p_world = M @ p_local. Arrays of them are (..., 3, 3) or (..., 4, 4).
Skeletons      parents come before their children; a root has parent -1.
Axis letters   N characters, F frames, T times, J joints, V vertices, D features. Free leading axes are `...`.
Names          carry space and direction: `local_rotations`, `world_positions`, `ground_from_world` (a transform
               that takes world coordinates to ground coordinates).
Duration       a clip of F frames lasts (F - 1) / fps seconds when it plays once, F / fps when it loops.
Ground frame   origin under the hips on the floor, +Z along the smoothed heading, Y up (motion/ground.py).
Heading        an angle about +Y in radians; 0 faces +Z, positive turns towards +X (to the character's left).
Chance         is passed in as `seed` or `rng`.
"""

from __future__ import annotations

import numpy as np

UP = np.array([0.0, 1.0, 0.0])
FORWARD = np.array([0.0, 0.0, 1.0])
LEFT = np.array([1.0, 0.0, 0.0])

GRAVITY = 9.81
"""Metres per second squared."""

UNIT_NORM_TOLERANCE = 1e-3
"""A quaternion read from a file whose norm is further from 1 than this is reported; all are normalized."""

POSITION_TOLERANCE = 1e-4
"""0.1 mm: what a round trip through any format may move a joint or a vertex."""

DEFAULT_FPS = 30.0
"""Rate of libraries and synthetic clips where nobody asks for another."""

FPS_RANGE = (0.1, 1000.0)
"""Frames a second; rates beyond are mistakes (a duration for a frame time, milliseconds), and seconds of such a
clip resampled would fill any memory. Readers do not believe them, commands refuse them."""
