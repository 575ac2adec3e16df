"""Animation stacks evaluated by ufbx: local transforms of every node that moves, at even frames."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import ufbx

from moveset.formats.fbx.kept import keep, keep_all
from moveset.formats.fbx.rotations import Rotations
from moveset.formats.fbx.timing import Plan, plan_frames
from moveset.formats.fbx.user_properties import text_property, whole_property
from moveset.formats.process.messages import Refused

MOST_EVALUATIONS = 1 << 20
"""Transforms of all stacks, beyond one for every few bytes of the file: more is an error in its times."""
_BYTES_AN_EVALUATION = 4
MOST_NUMBERS = 1 << 25
"""Of the poses of all nodes in all stacks, beyond `_NUMBERS_A_BYTE` for each of the file's bytes."""
_NUMBERS_A_BYTE = 16

_TRANSFORMING = {
    "Lcl Translation", "Lcl Rotation", "Lcl Scaling", "RotationOffset", "RotationPivot", "ScalingOffset",
    "ScalingPivot", "PreRotation", "PostRotation", "RotationOrder", "RotationActive",
}  # fmt: skip
"""Properties of nodes whose curves move them; others show, hide, color them or are the user's own."""
_SAME_TIME = 1e-6
_ROOT = 0
"""The node that ufbx adds above all."""


class Animations:
    """The stacks of one scene."""

    def __init__(self, scene: ufbx.Scene, nodes: list[ufbx.Node], rotations: Rotations, size: int) -> None:
        self._scene, self._nodes, self._rotations = scene, nodes, rotations
        self._evaluations = MOST_EVALUATIONS + size // _BYTES_AN_EVALUATION
        self._numbers = MOST_NUMBERS + size * _NUMBERS_A_BYTE
        self._channels = list(keep_all(scene.blend_channels))

    def read(self, arrays: dict[str, np.ndarray]) -> list[dict]:
        """What is said about each stack; its numbers go into `arrays`."""
        planned = [self._plan(stack) for stack in keep_all(self._scene.anim_stacks)]
        return [self._evaluate(i, *each, arrays) for i, each in enumerate(planned)]

    def _plan(self, stack: ufbx.AnimStack) -> tuple[ufbx.AnimStack, _Driven, Plan]:
        """What a stack drives, and when; refused before anything is evaluated where that is too much."""
        driven = self._animated(list(keep_all(stack.layers)))
        stated = self._scene.settings.frames_per_second
        plan = plan_frames(stack.time_begin, stack.time_end, driven.key_times, stated)
        self._evaluations -= plan.frames * (len(driven.nodes) + len(driven.channels))
        self._numbers -= plan.frames * len(self._nodes) * 10
        if self._evaluations < 0 or self._numbers < 0:
            raise Refused(
                f"{plan.frames:,} frames of {len(self._nodes)} nodes at {plan.fps:g} fps",
                f"animation {stack.name!r}",
                "its time range is far longer than its keys: set the range, or cut the animation",
            )
        return stack, driven, plan

    def _evaluate(
        self, index: int, stack: ufbx.AnimStack, driven: _Driven, plan: Plan, arrays: dict[str, np.ndarray]
    ) -> dict:
        layers, anim = list(keep_all(stack.layers)), keep(stack.anim)
        times = _on_keys(plan.times, driven.key_times).tolist()
        fading = any(layer.weight_is_animated for layer in layers)
        moved, weighted = sorted(driven.nodes), sorted(driven.channels)
        poses = np.empty((len(moved), plan.frames, 10))
        for row, number in enumerate(moved):
            node = self._nodes[number]
            at = times if fading or number in driven.keyed_nodes else times[:1]
            evaluated = [ufbx.evaluate_transform(anim, node, time) for time in at]
            local = np.array([(*each.translation, *each.rotation, *each.scale) for each in evaluated])
            poses[row] = self._rotations.in_stack(number, layers, at, local)
        weights = np.empty((len(weighted), plan.frames))
        for row, number in enumerate(weighted):
            channel = self._channels[number]
            weights[row] = [ufbx.evaluate_blend_weight(anim, channel, time) for time in times]
        arrays |= {
            f"stack{index}.nodes": np.array(moved, dtype=np.int64) - 1,
            f"stack{index}.poses": poses,
            f"stack{index}.channels": np.array(weighted, dtype=np.int64),
            f"stack{index}.weights": weights,
        }
        keyed = {
            "nodes": sorted(n - 1 for n in driven.keyed_nodes),
            "channels": sorted(driven.keyed_channels),
        }
        props = keep(stack.props)
        notes = {"moveset": text_property(props, "moveset"), "additive": whole_property(props, "additive")}
        return {"name": stack.name, "layers": len(layers), "keyed": keyed, "notes": notes, **plan.said}

    def _animated(self, layers: list[ufbx.AnimLayer]) -> _Driven:
        """What the curves of all layers drive."""
        driven = _Driven(set(), set(), set(), set(), [])
        curves: dict[tuple[int, float, float], ufbx.AnimCurve] = {}
        for layer in layers:
            for prop in keep_all(layer.anim_props):
                nodes, channels = self._driven_by(prop)
                driven.nodes.update(nodes)
                driven.channels.update(channels)
                if not nodes and not channels:
                    continue
                for curve in keep_all(keep(prop.anim_value).curves):
                    if curve is not None and len(curve.keyframes):
                        driven.keyed_nodes.update(nodes)
                        driven.keyed_channels.update(channels)
                        # exporters key many curves at the same times: one of each length and range speaks for all
                        curves.setdefault((len(curve.keyframes), curve.min_time, curve.max_time), curve)
        for curve in curves.values():
            times = np.array([key.time for key in curve.keyframes])
            if np.isfinite(times).all():
                driven.key_times.append(times)
        driven.nodes.discard(_ROOT)
        driven.keyed_nodes.discard(_ROOT)
        return driven

    def _driven_by(self, prop: ufbx.AnimProp) -> tuple[list[int], list[int]]:
        """Numbers of the nodes and blend channels that a property drives."""
        element, name = keep(prop.element), prop.prop_name
        if element.type == ufbx.ElementType.NODE:
            return [element.typed_id] * (name in _TRANSFORMING), []
        if element.type == ufbx.ElementType.BLEND_CHANNEL:
            return [], [element.typed_id]
        if (
            element.type == ufbx.ElementType.MESH
        ):  # of old files: a property of the mesh, called like the shape
            deformers = keep_all(keep(self._scene.meshes[element.typed_id]).blend_deformers)
            return [], [c.typed_id for d in deformers for c in keep_all(d.channels) if c.name == name]
        return [], []


@dataclass(frozen=True)
class _Driven:
    """Numbers of what a stack's layers name, of what they have keys for, and when the keys lie."""

    nodes: set[int]
    channels: set[int]
    keyed_nodes: set[int]
    keyed_channels: set[int]
    key_times: list[np.ndarray]


def _on_keys(times: np.ndarray, key_times: list[np.ndarray]) -> np.ndarray:
    """`times`, each moved onto the key that it means: a hair before a step is another value than on it."""
    if not key_times:
        return times
    keys = np.unique(np.concatenate(key_times))
    at = np.clip(np.searchsorted(keys, times), 1, max(len(keys) - 1, 1))
    before, after = keys[at - 1], keys[np.minimum(at, len(keys) - 1)]
    near = np.where(np.abs(times - before) < np.abs(after - times), before, after)
    return np.where(np.abs(near - times) < _SAME_TIME, near, times)
