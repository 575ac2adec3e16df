"""BVH text for tests, written the naive way, and its poses computed the slow way."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

AXES = {"X": 0, "Y": 1, "Z": 2}
ZXY = ("Zrotation", "Xrotation", "Yrotation")
POSITIONS = ("Xposition", "Yposition", "Zposition")


@dataclass(frozen=True)
class Bone:
    name: str
    parent: int
    offset: tuple[float, float, float]
    channels: tuple[str, ...] = ZXY
    tip: tuple[float, float, float] | None = None


FIGURE = (
    Bone("Hips", -1, (0, 0, 0), POSITIONS + ZXY),
    Bone("Spine", 0, (0, 12.5, -1)),
    Bone("Head", 1, (0, 45, 2), tip=(0, 18, 0)),
    Bone("LeftLeg", 0, (9, -4, 0)),
    Bone("LeftFoot", 3, (0, -80, 1.5), tip=(0, -6, 14)),
    Bone("RightLeg", 0, (-9, -4, 0)),
    Bone("RightFoot", 5, (0, -80, 1.5), tip=(0, -6, 14)),
)
"""A stick figure in centimetres, Y up."""


def with_channels(bones: tuple[Bone, ...], channels: dict[str, tuple[str, ...]]) -> tuple[Bone, ...]:
    return tuple(replace(b, channels=channels.get(b.name, b.channels)) for b in bones)


def random_values(bones: tuple[Bone, ...], frames: int = 10, seed: int = 0) -> np.ndarray:
    """(F, C): angles up to 170 degrees, scales near 1, positions near the OFFSET, the root about a metre up."""
    rng = np.random.default_rng(seed)
    columns = []
    for bone in bones:
        for channel in bone.channels:
            noise = rng.uniform(-1, 1, frames)
            axis = AXES[channel[0]]
            if channel.endswith("rotation"):
                columns.append(noise * (170 if bone.parent >= 0 else 20))
            elif channel.endswith("scale"):
                columns.append(1 + 0.2 * noise)
            else:
                columns.append(noise * 3 + bone.offset[axis] + (95 if bone.parent < 0 and axis == 1 else 0))
    return np.round(np.stack(columns, axis=1), 6) if columns else np.zeros((frames, 0))


def text_of(
    bones: tuple[Bone, ...],
    values: np.ndarray,
    frame_time: str = "0.0333333",
    frames: int | None = None,
    brace: str = "\n{pad}{{\n",
) -> str:
    lines = ["HIERARCHY\n"]

    def block(j: int, depth: int) -> None:
        bone, pad = bones[j], "  " * depth
        lines.append(f"{pad}{'JOINT' if bone.parent >= 0 else 'ROOT'} {bone.name}" + brace.format(pad=pad))
        lines.append(f"{pad}  OFFSET {bone.offset[0]} {bone.offset[1]} {bone.offset[2]}\n")
        if bone.channels:
            lines.append(f"{pad}  CHANNELS {len(bone.channels)} {' '.join(bone.channels)}\n")
        for child, other in enumerate(bones):
            if other.parent == j:
                block(child, depth + 1)
        if bone.tip:
            lines.append(f"{pad}  End Site" + brace.format(pad=pad + "  "))
            lines.append(f"{pad}    OFFSET {bone.tip[0]} {bone.tip[1]} {bone.tip[2]}\n{pad}  }}\n")
        lines.append(f"{pad}}}\n")

    for j, bone in enumerate(bones):
        if bone.parent < 0:
            block(j, 0)
    lines.append(f"MOTION\nFrames: {len(values) if frames is None else frames}\nFrame Time: {frame_time}\n")
    lines.extend(" ".join(repr(float(v)) for v in row) + "\n" for row in values)
    return "".join(lines)


def slow_positions(bones: tuple[Bone, ...], values: np.ndarray) -> np.ndarray:
    """(F, J, 3) world positions in file units by 3 x 3 matrices, one joint and frame at a time."""
    out = np.zeros((len(values), len(bones), 3))
    for f, row in enumerate(values):
        rotations: list[np.ndarray] = []
        scales: list[np.ndarray] = []
        column = 0
        for j, bone in enumerate(bones):
            turn, place, scale = np.eye(3), np.array(bone.offset, dtype=float), np.ones(3)
            for channel in bone.channels:
                value, axis = row[column], AXES[channel[0]]
                column += 1
                if channel.lower().endswith("position"):
                    place[axis] = value
                elif channel.lower().endswith("scale"):
                    scale[axis] = value
                else:
                    turn = turn @ about(axis, np.radians(value))
            if bone.parent < 0:
                out[f, j] = place
            else:
                place = place * scales[bone.parent]
                out[f, j] = out[f, bone.parent] + rotations[bone.parent] @ place
                turn, scale = rotations[bone.parent] @ turn, scale * scales[bone.parent]
            rotations.append(turn)
            scales.append(scale)
    return out


def about(axis: int, angle: float) -> np.ndarray:
    cosine, sine = np.cos(angle), np.sin(angle)
    m = np.eye(3)
    a, b = (axis + 1) % 3, (axis + 2) % 3
    m[a, a] = m[b, b] = cosine
    m[a, b], m[b, a] = -sine, sine
    return m
