"""A clip as an animation stack: one layer, a curve for each number that a frame sets."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from functools import cache

import numpy as np

from moveset.formats.clip_json import clip_to_json
from moveset.formats.fbx.binary import Node, array, double, int32, int64, node, text
from moveset.formats.fbx.scene import SECOND, Scene, note, prop, properties, ticks, time, whole
from moveset.formats.fbx.write_rig import Rig
from moveset.geometry.quaternion import Array
from moveset.motion import Clip

STILL = {"R": 1e-4, "T": 1e-6, "S": 1e-6}
"""A number that changes by less is constant: degrees, metres, and a share of scale."""
_LINEAR = 0x6104
"""Key flags of straight lines between keys."""
_KEY_DATA = (0.0, 0.0, struct.unpack("<f", struct.pack("<I", 0x0D050D05))[0], 0.0)
"""Slopes, and both tangent weights of a third, as the SDK writes them."""


class ClipWriter:
    """Writes clips onto one rig."""

    def __init__(self, scene: Scene, rig: Rig, channels: Mapping[str, list[int]]) -> None:
        """`channels`: the blend shape channels that each curve sets."""
        self._scene = scene
        self._rig = rig
        self._channels = channels

    def write(self, clip: Clip, joints: np.ndarray) -> tuple[str, Node]:
        """The stack of `clip`; `joints` (J,) says which joint of the rig each of its joints is, -1 for none.

        Returns the stack's name and its take record.
        """
        scene, end = self._scene, (len(clip) - 1) / clip.fps
        name = scene.unique(clip.name, "AnimStack")
        span = [
            time("LocalStart", 0),
            time("LocalStop", end),
            time("ReferenceStart", 0),
            time("ReferenceStop", end),
        ]
        marks = [whole("additive", 1, "bool", "", "U")] if clip.additive else []
        loose = {name: curve for name, curve in clip.curves.items() if name not in self._channels}
        marks.append(note("moveset", json.dumps(clip_to_json(clip, loose))))
        stack = scene.add("AnimationStack", name, "AnimStack", "", [properties(*span, *marks)])
        # a layer that is called like its stack lets Blender name the action Armature|Walk
        layer = scene.add("AnimationLayer", name, "AnimLayer", "", [], stack)
        self._add_poses(clip, joints, layer)
        for curve, values in clip.curves.items():
            for channel in self._channels.get(curve, ()):
                self._add(
                    layer,
                    channel,
                    "DeformPercent",
                    {"DeformPercent": 100 * np.asarray(values)},
                    clip.fps,
                    1e-4,
                )
        self._add_loose(clip, loose, layer)
        return name, _take(name, end)

    def _add_poses(self, clip: Clip, joints: np.ndarray, layer: int) -> None:
        """Rotations of every joint; positions and scales of those that leave their rest."""
        rig, known = self._rig, np.flatnonzero(joints >= 0)
        places = joints[known]
        rotations, translations, scales = self._full(clip, known, places)
        angles = rig.rotations(rotations)
        moved = rig.translations(translations)
        rest = rig.translations(rig.skeleton.rest_translations)
        off = np.abs(moved - rest).max(axis=(0, 2)) > STILL["T"] * rig.preset.units
        scaled = (
            np.zeros(len(rest), bool) if scales is None else np.abs(scales - 1).max(axis=(0, 2)) > STILL["S"]
        )
        for j in places.tolist():
            model = rig.models[j]
            if off[j]:
                self._add_vector(layer, model, "T", "Lcl Translation", moved[:, j], clip.fps)
            self._add_vector(layer, model, "R", "Lcl Rotation", angles[:, j], clip.fps)
            if scaled[j]:
                self._add_vector(layer, model, "S", "Lcl Scaling", scales[:, j], clip.fps)  # type: ignore[index]

    def _full(self, clip: Clip, known: np.ndarray, places: np.ndarray) -> tuple[Array, Array, Array | None]:
        """The clip's tracks on all joints of the rig; those that it lacks are at rest."""
        skeleton, frames = self._rig.skeleton, len(clip)
        rotations = np.tile(skeleton.rest_rotations, (frames, 1, 1))
        translations = np.tile(skeleton.rest_translations, (frames, 1, 1))
        rotations[:, places] = clip.rotations[:, known]
        translations[:, places] = clip.translations[:, known]
        if clip.scales is None:
            return rotations, translations, None
        scales = np.ones(translations.shape)
        scales[:, places] = clip.scales[:, known]
        return rotations, translations, scales

    def _add_vector(self, layer: int, model: int, short: str, of: str, values: Array, fps: float) -> None:
        still = STILL[short] * (self._rig.preset.units if short == "T" else 1)
        parts = {f"d|{axis}": values[:, k] for k, axis in enumerate("XYZ")}
        self._add(layer, model, of, parts, fps, still, short)

    def _add_loose(self, clip: Clip, curves: Mapping[str, Array], layer: int) -> None:
        """Curves that no blend shape takes, as animated properties of the first root, from where Unreal takes them."""
        root = self._rig.models[self._rig.skeleton.roots[0]]
        for curve, values in curves.items():
            self._add(layer, root, curve, {f"d|{curve}": np.asarray(values, dtype=float)}, clip.fps, 0.0)

    def _add(
        self,
        layer: int,
        target: int,
        of: str,
        parts: Mapping[str, Array],
        fps: float,
        still: float,
        short: str | None = None,
    ) -> None:
        """The curves of one property `of` of `target`: each of `parts` (F,) a key a frame, or two where it is still."""
        scene = self._scene
        defaults = properties(
            *(prop(part, "Number", double(float(v[0])), flags="A") for part, v in parts.items())
        )
        curve_node = scene.add("AnimationCurveNode", short or of, "AnimCurveNode", "", [defaults], layer)
        scene.connect(curve_node, target, of)
        for part, values in parts.items():
            frames = len(values)
            if frames > 1 and np.ptp(values) <= still:
                times, values = _key_times(frames, fps, True), values[[0, 0]]
            else:
                times = _key_times(frames, fps, False)
            children = [
                node("Default", double(float(values[0]))),
                _KEY_VERSION,
                times,
                node("KeyValueFloat", array(values.astype(np.float32))),
                _FLAGS,
                _DATA,
                node("KeyAttrRefCount", array(np.array([len(values)], dtype=np.int32))),
            ]
            scene.connect(scene.add("AnimationCurve", "", "AnimCurve", "", children), curve_node, part)


_KEY_VERSION = node("KeyVer", int32(4009))
_FLAGS = node("KeyAttrFlags", array(np.array([_LINEAR], dtype=np.int32)))
_DATA = node("KeyAttrDataFloat", array(np.array(_KEY_DATA, dtype=np.float32)))


@cache
def _key_times(frames: int, fps: float, ends_only: bool) -> Node:
    """Times of all frames, or of the first and the last."""
    at = np.array([0, frames - 1]) if ends_only else np.arange(frames)
    return node("KeyTime", array(np.rint(at * (SECOND / fps)).astype(np.int64)))


def _take(name: str, seconds: float) -> Node:
    span = int64(0), int64(ticks(seconds))
    return node(
        "Take",
        text(name),
        children=[
            node("FileName", text(f"{name}.tak")),
            node("LocalTime", *span),
            node("ReferenceTime", *span),
        ],
    )
