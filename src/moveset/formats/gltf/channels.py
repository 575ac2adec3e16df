"""A clip as a glTF animation: the inverse of animation.py."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from moveset.errors import MovesetError
from moveset.formats.gltf import extras
from moveset.formats.gltf.binary import Binary
from moveset.formats.scene.rig import Rig
from moveset.geometry import quaternion
from moveset.motion import Clip

AT_REST = 1e-6
"""A translation [m] or scale this close to its rest value all along needs no track."""

Block = tuple[str, list[int], np.ndarray]
"""Tracks of one path and equal length: the path, K nodes, values (K, keys, width)."""


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
        moving, still = self._blocks(clip, joints)
        moving += self._weights(clip)
        animation: dict = {"name": clip.name, "channels": [], "samplers": []}
        samplers, channels = animation["samplers"], animation["channels"]
        for blocks, ends_only in ((moving, False), (still, True)):
            if not blocks:
                continue
            keys = self._key_times(clip, ends_only)
            outputs = self._binary.rows([values for *_, values in blocks])
            targets = [{"node": node, "path": path} for path, nodes, _ in blocks for node in nodes]
            channels += [
                {"sampler": at, "target": target} for at, target in enumerate(targets, len(samplers))
            ]
            samplers += [{"input": keys, "output": o, "interpolation": "LINEAR"} for o in outputs]
        carried = {curve for names, _ in self._shapes.values() for curve in names}
        loose = {name: curve for name, curve in clip.curves.items() if name not in carried}
        animation["extras"] = extras.write_animation(clip, loose)
        return animation

    def _blocks(self, clip: Clip, joints: np.ndarray) -> tuple[list[Block], list[Block]]:
        """Tracks that move, and two keys of those that hold still and that a reader could not guess."""
        rig = self._rig
        known, ends = np.flatnonzero(joints >= 0), min(len(clip), 2)
        rest, ones = rig.skeleton.rest_translations, np.ones((len(rig.skeleton), 3))
        moving: list[Block] = []
        still: list[Block] = []
        for path, values, to_nodes, guessed in (
            ("rotation", clip.rotations, self._rotations, None),
            ("translation", clip.translations, rig.unbake_translations, rest),
            ("scale", clip.scales, self._scales, ones),
        ):
            if values is None:
                continue
            varies = _varies(values)[known]
            at, held = known[varies], known[~varies]
            if guessed is not None:
                off = np.abs(values[0, held] - guessed[joints[held]]).max(axis=-1, initial=0)
                held = held[off > AT_REST]
            for blocks, some, keys, times in ((moving, at, values, 1), (still, held, values[:1], ends)):
                if len(some):
                    own = np.swapaxes(to_nodes(joints[some], keys[:, some]), 0, 1)
                    blocks.append((path, rig.nodes[joints[some]].tolist(), own.repeat(times, axis=1)))
        return moving, still

    def _rotations(self, joints: np.ndarray, rotations: np.ndarray) -> np.ndarray:
        if len(rotations) > 1:
            rotations = quaternion.unroll(rotations)
        return self._rig.unbake(joints, quaternion.normalize(rotations))

    def _scales(self, joints: np.ndarray, scales: np.ndarray) -> np.ndarray:
        return scales * self._rig.rest_scales[joints]

    def _weights(self, clip: Clip) -> list[Block]:
        tracks: list[Block] = []
        for node, (names, weights) in self._shapes.items():
            if not any(name in clip.curves for name in names):
                continue
            rest = [np.full(len(clip), weight) for weight in weights]
            curves = [clip.curves.get(name, held) for name, held in zip(names, rest)]
            tracks.append(("weights", [node], np.stack(curves, axis=1).reshape(1, -1, 1)))
        return tracks

    def _key_times(self, clip: Clip, ends_only: bool) -> int:
        key = (len(clip), clip.fps, ends_only)
        if key not in self._times:
            frames = np.arange(len(clip)) if not ends_only else np.arange(len(clip))[:: max(len(clip) - 1, 1)]
            self._times[key] = self._binary.array((frames / clip.fps).astype(np.float32), bounds=True)
        return self._times[key]


def _varies(values: np.ndarray) -> np.ndarray:
    """(J,) whether a track of values (F, J, width) changes at all."""
    if len(values) < 2 or not values.strides[0]:
        return np.zeros(values.shape[1], dtype=bool)
    return (values[1:] != values[0]).any(axis=0).any(axis=-1)


def _check(clip: Clip) -> None:
    if not len(clip):
        raise MovesetError(f"clip {clip.name!r} has no frames", do="leave it out")
    curves = [np.asarray(curve) for curve in clip.curves.values()]
    times = np.array([event.time for event in clip.events])
    for array in (clip.rotations, clip.translations, clip.scales, times, *curves):
        if array is not None and not np.isfinite(array).all():
            raise MovesetError(
                f"clip {clip.name!r} holds NaN or infinite numbers",
                do="repair it first: moveset audit names the frames",
            )
