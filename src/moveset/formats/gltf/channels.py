"""A clip as a glTF animation: the inverse of animation.py."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from moveset.errors import MovesetError
from moveset.formats.gltf import extras
from moveset.formats.gltf.binary import Binary
from moveset.formats.gltf.rig import Rig
from moveset.geometry import quaternion
from moveset.motion import Clip

AT_REST = 1e-6
"""A translation [m] or scale this close to its rest value all along needs no track."""


class ClipWriter:
    """Writes clips onto the nodes of one rig. Clips of equal length share their key times."""

    def __init__(
        self, rig: Rig, binary: Binary, shapes: Mapping[int, tuple[tuple[str, ...], tuple[float, ...]]]
    ) -> None:
        """`shapes`: for each node with blend shapes, the names of their curves and their weights at rest."""
        self._rig = rig
        self._binary = binary
        self._shapes = shapes
        self._times: dict[tuple[int, float, bool], int] = {}

    def write(self, clip: Clip, joints: np.ndarray) -> dict:
        """The animation of `clip`; `joints` (J,) says which joint of the rig each of its joints is, -1 for none."""
        _check(clip)
        known = np.flatnonzero(joints >= 0)
        at = joints[known]
        moving: list[tuple[int, str, np.ndarray]] = []
        still: list[tuple[int, str, np.ndarray]] = []
        for path, values, needed in self._paths(clip, known, at):
            varies = _varies(values)
            tracks = np.ascontiguousarray(np.swapaxes(values[:, varies], 0, 1), dtype=np.float32)
            moving += zip(self._rig.nodes[at[varies]].tolist(), [path] * len(tracks), tracks)
            held = np.flatnonzero(~varies & needed)
            ends = np.repeat(values[0, held, None].astype(np.float32), min(len(clip), 2), axis=1)
            still += zip(self._rig.nodes[at[held]].tolist(), [path] * len(held), ends)
        moving += self._weights(clip)
        animation: dict = {"name": clip.name, "channels": [], "samplers": []}
        for tracks, ends_only in ((moving, False), (still, True)):
            if not tracks:
                continue
            keys = self._key_times(clip, ends_only)
            for (node, path, _), output in zip(tracks, self._binary.pack([values for *_, values in tracks])):
                target = {"node": node, "path": path}
                animation["channels"].append({"sampler": len(animation["samplers"]), "target": target})
                animation["samplers"].append({"input": keys, "output": output, "interpolation": "LINEAR"})
        carried = {curve for names, _ in self._shapes.values() for curve in names}
        loose = {name: curve for name, curve in clip.curves.items() if name not in carried}
        animation["extras"] = extras.write_animation(clip, loose)
        return animation

    def _paths(
        self, clip: Clip, known: np.ndarray, at: np.ndarray
    ) -> list[tuple[str, np.ndarray, np.ndarray]]:
        """(path, values of the nodes (F, K, width), which tracks a reader could not guess (K,))."""
        rig, rest = self._rig, self._rig.skeleton
        rotations = clip.rotations[:, known]
        if len(clip) > 1 and clip.rotations.strides[0]:
            rotations = quaternion.unroll(rotations)
        rotations = rig.unbake(at, quaternion.normalize(rotations))
        translations = clip.translations[:, known]
        moved = np.abs(translations[0] - rest.rest_translations[at]).max(axis=-1, initial=0) > AT_REST
        paths = [
            ("rotation", rotations, np.ones(len(at), dtype=bool)),
            ("translation", rig.unbake_translations(at, translations), moved),
        ]
        if clip.scales is not None:
            scales = clip.scales[:, known]
            scaled = np.abs(scales[0] - 1).max(axis=-1, initial=0) > AT_REST
            paths.append(("scale", scales * rig.rest_scales[at], scaled))
        return paths

    def _weights(self, clip: Clip) -> list[tuple[int, str, np.ndarray]]:
        tracks = []
        for node, (names, weights) in self._shapes.items():
            if not any(name in clip.curves for name in names):
                continue
            rest = [np.full(len(clip), weight) for weight in weights]
            curves = [clip.curves.get(name, held) for name, held in zip(names, rest)]
            tracks.append((node, "weights", np.stack(curves, axis=1).astype(np.float32).ravel()))
        return tracks

    def _key_times(self, clip: Clip, ends_only: bool) -> int:
        key = (len(clip), clip.fps, ends_only)
        if key not in self._times:
            frames = np.arange(len(clip)) if not ends_only else np.arange(len(clip))[:: max(len(clip) - 1, 1)]
            self._times[key] = self._binary.array((frames / clip.fps).astype(np.float32), bounds=True)
        return self._times[key]


def _varies(values: np.ndarray) -> np.ndarray:
    """(K,) whether a track (F, K, width) changes at all."""
    if len(values) < 2 or not values.strides[0]:
        return np.zeros(values.shape[1], dtype=bool)
    return (values != values[:1]).any(axis=(0, 2))


def _check(clip: Clip) -> None:
    if not len(clip):
        raise MovesetError(f"clip {clip.name!r} has no frames", do="leave it out")
    curves = [np.asarray(curve) for curve in clip.curves.values()]
    for array in (clip.rotations, clip.translations, clip.scales, *curves):
        if array is not None and not np.isfinite(array).all():
            raise MovesetError(
                f"clip {clip.name!r} holds NaN or infinite numbers",
                do="repair it first: moveset audit names the frames",
            )
