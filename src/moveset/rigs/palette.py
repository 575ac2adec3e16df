"""Materials of the built-in figures. Left and right hands and feet differ, so that a side view can be read."""

from __future__ import annotations

from moveset.motion import Material

SHELL, JOINT, LEFT, RIGHT, STEEL, GRIP = range(6)
MATERIALS = (
    Material("shell", (0.62, 0.63, 0.65, 1.0)),
    Material("joint", (0.050, 0.058, 0.075, 1.0)),
    Material("left", (0.045, 0.26, 0.50, 1.0)),
    Material("right", (0.68, 0.20, 0.05, 1.0)),
    Material("steel", (0.50, 0.53, 0.57, 1.0)),
    Material("grip", (0.12, 0.07, 0.04, 1.0)),
)
