"""What a BVH file says, in its own units, axes and words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from moveset.geometry.quaternion import Array
from moveset.motion import Clip, Finding

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Joint:
    """One ROOT or JOINT block."""

    name: str
    """As the file spells it; not always unique."""
    parent: int
    """-1 for a ROOT."""
    offset: Vector = (0.0, 0.0, 0.0)
    channels: tuple[str, ...] = ()
    """In file order, two letters each: axis X Y Z, kind p(osition) r(otation) s(cale)."""
    tips: tuple[Vector, ...] = ()
    """Offsets of its End Sites."""

    def columns(self, kind: str) -> list[tuple[int, int]]:
        """(axis 0-2, place among this joint's channels) of each channel of `kind` p, r or s, in file order."""
        return [("XYZ".index(c[0]), k) for k, c in enumerate(self.channels) if c[1] == kind]


@dataclass(frozen=True, eq=False)
class Document:
    """A parsed file. `read` adds what it found out: scale, up axis, and the clip that it made."""

    joints: tuple[Joint, ...]
    values: Array
    """(F, C) numbers as printed: file units and degrees, channels joint by joint."""
    frame_time: float
    """Seconds as printed; 0 where the file has none that can be used."""
    frame_time_text: str = ""
    findings: tuple[Finding, ...] = ()
    unit: float = 1.0
    """Metres per file unit."""
    up: str = "Y"
    clip: Clip | None = None
    """What `values` became; a clip that still has these very arrays is written back number by number."""

    @cached_property
    def starts(self) -> np.ndarray:
        """(J + 1,) first column of each joint, and the number of columns."""
        return np.concatenate(
            ([0], np.cumsum([len(j.channels) for j in self.joints], dtype=np.int64))
        ).astype(int)
