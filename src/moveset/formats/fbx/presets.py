"""Units, axes and habits of the programs that FBX files go to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from moveset.errors import MovesetError
from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array

_TO_Z_UP = quaternion.from_axis_angle((1.0, 0.0, 0.0), np.pi / 2)
"""Turns Y up, facing +Z, to Z up, facing -Y."""


@dataclass(frozen=True)
class Preset:
    """How a file is laid out. Data are scaled, never joints: every Lcl Scaling is 1."""

    up: str
    """Y (a character faces +Z) or Z (it faces -Y); its left is +X either way."""
    metres: float
    """Length of the file's unit [m]."""
    armature: bool
    """Whether an empty object stands above the joints and meshes."""
    joint_orient: bool
    """Whether the rest rotation lies in PreRotation, which Maya calls jointOrient, and Lcl Rotation is 0 at rest."""

    @property
    def turn(self) -> Array:
        """(4,) rotation from Moveset's world to the file's."""
        return _TO_Z_UP if self.up == "Z" else quaternion.IDENTITY

    @property
    def units(self) -> float:
        """File units in a metre."""
        return 1 / self.metres


PRESETS = {
    # what Unreal's own exporter writes: its importer then converts nothing and adds no turn above the root
    "unreal": Preset("Z", 0.01, armature=False, joint_orient=False),
    # Unity's own unit and up axis: file scale 1, no turn on the model
    "unity": Preset("Y", 1.0, armature=False, joint_orient=False),
    # the SDK's defaults; rotate channels are 0 at rest, as animators expect
    "maya": Preset("Y", 0.01, armature=False, joint_orient=True),
    # Blender's world: the armature object stands unturned and unscaled
    "blender": Preset("Z", 1.0, armature=True, joint_orient=False),
}
DEFAULT = "maya"
"""The plainest: what a reader assumes of a file that states neither units nor axes."""


def preset_of(name: str) -> Preset:
    """The preset called `name`."""
    if name not in PRESETS:
        raise MovesetError(f"{name!r} is no preset of FBX", do=f"give one of {', '.join(PRESETS)}")
    return PRESETS[name]
