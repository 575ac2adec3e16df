"""Animation stacks as clips of a skeleton."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from moveset.formats.fbx.document import FARTHEST, Document, split
from moveset.formats.fbx.notes import read_notes
from moveset.formats.scene.nodes import unique
from moveset.formats.scene.rig import Rig
from moveset.formats.scene.signs import make_continuous
from moveset.motion import Clip, Finding

SCALE_TOLERANCE = 1e-4
"""Scales this close to those at rest are export noise."""


@dataclass(frozen=True)
class Shape:
    """A blend shape of a mesh, the curve that drives it, and its place among those of its channel."""

    curve: str
    channel: int
    stops: tuple[float, ...]
    """Channel weights at which one of its shapes, or none at all, shows alone; in order."""
    stop: int
    """Which of them is this shape's."""
    rest: float
    """Weight of the channel outside of any animation."""

    def weight(self, channel: np.ndarray) -> np.ndarray:
        """How much of the shape shows at weights of its channel: linear between stops, and on beyond the last."""
        stops = np.array(self.stops)
        before = np.clip(np.searchsorted(stops, channel, side="right") - 1, 0, len(stops) - 2)
        share = (channel - stops[before]) / (stops[before + 1] - stops[before])
        return np.where(before == self.stop, 1 - share, np.where(before + 1 == self.stop, share, 0.0))


def clip_names(document: Document) -> tuple[str, ...]:
    """Names of the stacks without what Blender puts around them: `Armature|Walk|BaseLayer` is Walk."""
    names = [stack["name"] for stack in document.stacks]
    objects = set(document.nodes.names)
    short = []
    for name in names:
        parts = name.removesuffix("|BaseLayer").split("|")
        while len(parts) > 1 and parts[0] in objects:
            parts = parts[1:]
        short.append("|".join(parts) or name)
    names = short if len(set(short)) == len(names) else names
    return unique([name or f"stack_{i}" for i, name in enumerate(names)])


def moved_nodes(document: Document, stack: int) -> np.ndarray:
    """Nodes that a stack has keys for."""
    return np.array(document.stacks[stack]["keyed"]["nodes"], dtype=np.int64)


def stands_still(document: Document, node: int) -> bool:
    """Whether no stack takes `node` away from its rest: an armature that an exporter keyed for nothing."""
    rest = document.rest[node]
    for stack in range(len(document.stacks)):
        poses = document.poses(stack, np.array([node]))[:, 0]
        apart = np.abs(poses - rest)
        apart[:, 3:7] = np.minimum(apart[:, 3:7], np.abs(poses + rest)[:, 3:7].max(axis=1, keepdims=True))
        if not np.all(apart <= 1e-5 * np.maximum(np.abs(rest), 1)):
            return False
    return True


def read_clips(
    document: Document, rig: Rig, stacks: Iterable[int], shapes: list[Shape], findings: list[Finding]
) -> list[Clip]:
    """The clips of `stacks`: those with keys for anything of this rig, since programs write a take anyway.

    One with numbers that are none is left out, with a finding.
    """
    names = clip_names(document)
    clips = []
    channels = {shape.channel for shape in shapes}
    for stack in stacks:
        keyed = channels & set(document.stacks[stack]["keyed"]["channels"])
        if not keyed and not np.isin(moved_nodes(document, stack), rig.nodes).any():
            continue
        clip = _clip(document, rig, stack, names[stack], shapes)
        if clip is None:
            message = f"{names[stack]}: its curves hold NaN or infinite numbers"
            findings.append(
                Finding(
                    "nan", "error", names[stack], message, advice="export the clip again; it was left out"
                )
            )
        else:
            clips.append(clip)
    return clips


def _clip(document: Document, rig: Rig, stack: int, name: str, shapes: list[Shape]) -> Clip | None:
    local = document.poses(stack, rig.nodes)
    frames = len(local)
    weights = document.arrays[f"stack{stack}.weights"]
    if not (np.all(np.abs(local) < FARTHEST) and np.isfinite(weights).all()):
        return None
    every = np.arange(len(rig.nodes))
    translations, rotations, scales = split(local)
    rotations = _continuous(rig.bake(every, rotations), rig.skeleton.rest_rotations)
    scales = scales / rig.rest_scales
    known = read_notes(document.stacks[stack]["notes"])
    channel_row = {c: row for row, c in enumerate(document.arrays[f"stack{stack}.channels"].tolist())}
    curves = {}
    for shape in shapes:
        row = channel_row.get(shape.channel)
        weight = shape.weight(np.full(frames, shape.rest) if row is None else weights[row])
        if row is not None or weight.any():
            curves[shape.curve] = weight
    return Clip(
        rig.skeleton,
        rotations,
        rig.bake_translations(every, translations),
        document.stacks[stack]["fps"],
        name,
        scales=scales if np.abs(scales - 1).max(initial=0) > SCALE_TOLERANCE else None,
        curves=curves | known.curves(frames),
        loop=known.loop,
        additive=known.additive,
        tags=known.tags,
        events=known.events,
        contacts=known.contacts(frames),
    )


def _continuous(rotations: np.ndarray, near: np.ndarray) -> np.ndarray:
    frames, joints = rotations.shape[:2]
    runs = np.ascontiguousarray(np.swapaxes(rotations, 0, 1)).reshape(-1, 4)
    if len(runs):
        make_continuous(runs, np.arange(joints) * frames, np.full(joints, frames), near)
    return np.ascontiguousarray(np.swapaxes(runs.reshape(joints, frames, 4), 0, 1))
