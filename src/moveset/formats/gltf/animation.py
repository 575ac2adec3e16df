"""Samplers evaluated at a uniform rate: animations of nodes become clips of a skeleton.

Most tracks of most files hold still, so those are found first, all at once, and written into one pose a clip;
what moves is evaluated in blocks of tracks that share their key times.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from moveset.conventions import UNIT_NORM_TOLERANCE
from moveset.formats.gltf import extras
from moveset.formats.gltf.document import Document
from moveset.formats.gltf.nodes import Nodes
from moveset.formats.gltf.rig import Rig
from moveset.formats.gltf.timing import choose_rate
from moveset.formats.gltf.tracks import CUBIC, ROTATION, SCALE, STEP, TRANSLATION, WEIGHTS, Tracks
from moveset.geometry import quaternion
from moveset.motion import Clip, Finding

SCALE_TOLERANCE = 1e-4
"""Scales this close to 1 everywhere in a clip are export noise; the clip then has none."""

MOST_NUMBERS = 1 << 26
"""Of one clip (512 MB): beyond this its key times are not seconds."""


@dataclass(frozen=True)
class Range:
    """When a clip's frames lie, in the file's time."""

    start: float
    fps: float
    frames: int

    @property
    def times(self) -> np.ndarray:
        """(F,) seconds in the file's time."""
        return self.start + np.arange(self.frames) / self.fps


@dataclass
class ClipReader:
    """Reads every animation onto one rig."""

    document: Document
    nodes: Nodes
    rig: Rig
    tracks: Tracks
    curve_names: dict[tuple[int, int], str]
    default_curves: dict[str, float]
    findings: list[Finding]

    def read(self, animations: list[int]) -> list[Clip]:
        """The clips of `animations`, in the file's order."""
        self._flips, self._late = 0, 0
        self._names = _unique_names(self.document, animations)
        joint = self.rig.joint_of(len(self.nodes))[self.tracks.node]
        self._joint = joint = np.where(self.tracks.path == WEIGHTS, -1, joint)
        chosen = np.isin(self.tracks.clip, animations)
        still = self._still_poses(np.flatnonzero(chosen & (joint >= 0)))
        clips = []
        for animation in animations:
            rows = np.flatnonzero(self.tracks.clip == animation)
            clip = self._clip(animation, rows, still)
            if clip is not None:
                clips.append(clip)
        self._summary()
        return clips

    def _still_poses(self, rows: np.ndarray) -> list[np.ndarray]:
        """(A, J, 4 or 3) for each path: the rest pose with every track put in that holds still.

        Marks those tracks in `self._moves`.
        """
        rig, tracks = self.rig, self.tracks
        animations, joints = self.document.size("animations"), len(rig.skeleton)
        skeleton = rig.skeleton
        poses = [
            np.tile(skeleton.rest_rotations, (animations, 1, 1)),
            np.tile(skeleton.rest_translations, (animations, 1, 1)),
            np.ones((animations, joints, 3)),
        ]
        self._moves = np.ones(len(tracks), dtype=bool)
        short = rows[(tracks.keys[rows] <= 2) & (tracks.interpolation[rows] != CUBIC)]
        for path in (ROTATION, TRANSLATION, SCALE):
            for keys in (1, 2):
                some = short[(tracks.path[short] == path) & (tracks.keys[short] == keys)]
                if not len(some):
                    continue
                values = self.document.accessors.gather(tracks.output[some])
                same = np.all(values[:, 0] == values[:, -1], axis=-1) & np.isfinite(values).all(axis=(1, 2))
                some, held = some[same], values[same, 0].astype(np.float64)
                self._moves[some] = False
                poses[path][tracks.clip[some], self._joint[some]] = self._to_joints(
                    path, self._joint[some], held
                )
        flipped = np.einsum("aji,ji->aj", poses[ROTATION], skeleton.rest_rotations) < 0
        poses[ROTATION][flipped] *= -1
        return poses

    def _to_joints(self, path: int, joints: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Node values (..., K, width) as joint values."""
        if path == ROTATION:
            return self.rig.bake(joints, quaternion.normalize(values))
        if path == TRANSLATION:
            return self.rig.bake_translations(joints, values)
        return values / self.rig.rest_scales[joints]

    def _clip(self, animation: int, rows: np.ndarray, still: list[np.ndarray]) -> Clip | None:
        document, tracks, name = self.document, self.tracks, self._names[animation]
        known = extras.read_animation(document.table("animations")[animation])
        span = self._range(rows, name, known.fps)
        arrays: list[np.ndarray | None] = [None, None, None]
        moving = rows[self._moves[rows] & (self._joint[rows] >= 0)]
        for block in _blocks(tracks, moving):
            path, joints = int(tracks.path[block[0]]), self._joint[block]
            keys, values = (
                tracks.times[int(tracks.input[block[0]])],
                document.accessors.gather(tracks.output[block]),
            )
            if not np.isfinite(values).all():
                self.findings.append(
                    Finding(
                        "nan",
                        "error",
                        name,
                        f"{name}: {tracks.where(int(block[0]))} holds NaN or infinite numbers",
                        advice="export the clip again; it was left out",
                    )  # fmt: skip
                )
                return None
            sampled = self._evaluate(path, int(tracks.interpolation[block[0]]), keys, values, span, name)
            baked = self._to_joints(path, joints, sampled)
            if path == ROTATION:
                baked = self._continuous(baked, joints)
            if arrays[path] is None:
                pose = still[path][animation]
                arrays[path] = np.empty((span.frames, *pose.shape))
                arrays[path][:] = pose
            arrays[path][:, joints] = baked
        full = [
            np.broadcast_to(pose[animation], (span.frames, *pose.shape[1:])) if array is None else array
            for array, pose in zip(arrays, still)
        ]
        scales = full[SCALE] if np.abs(full[SCALE] - 1).max(initial=0) > SCALE_TOLERANCE else None
        self._late += abs(span.start) > 1e-6
        return Clip(
            self.rig.skeleton,
            full[ROTATION],
            full[TRANSLATION],
            span.fps,
            name,
            scales=scales,
            loop=known.loop,
            additive=known.additive,
            tags=known.tags_of(document, name),
            events=known.events,
            contacts=known.contacts(span.frames),
            curves=self._curves(rows, span, known.curves(span.frames)),
        )

    def _range(self, rows: np.ndarray, name: str, hint: float | None) -> Range:
        tracks = self.tracks
        if not len(rows):
            return Range(0.0, hint or choose_rate([], 0.0)[0], 1)
        every = [tracks.times[int(i)] for i in np.unique(tracks.input[rows])]
        start, end = min(t[0] for t in every), max(t[-1] for t in every)
        moving = rows[self._moves[rows]]
        fps, beside = choose_rate(
            [tracks.times[int(i)] for i in np.unique(tracks.input[moving])], start, hint
        )
        frames = (end - start) * fps + 1
        if frames * max(len(self.rig.skeleton), 1) * 7 > MOST_NUMBERS:
            raise self.document.error(
                f"it lasts {(end - start) / 3600:.1f} hours, {frames:.0f} frames at {fps:g} fps",
                f"clip {name!r}",
                do="key times are seconds: scale them, or cut the clip",
            )
        if beside:
            self.findings.append(
                Finding(
                    "uneven_keys",
                    "info",
                    name,
                    f"{name}: keys lie up to {beside / fps * 1000:.1f} ms beside the frames of {fps:g} fps",
                    value=beside / fps,
                    unit="s",
                    advice="sampled at even frames; export with sampling on to keep each key",
                )  # fmt: skip
            )
        return Range(float(start), fps, round(frames - 1) + 1)

    def _evaluate(
        self, path: int, interpolation: int, keys: np.ndarray, values: np.ndarray, span: Range, name: str
    ) -> np.ndarray:
        """(F, K, width) of key values (K, keys, width)."""
        if path == ROTATION:
            keyed = values if interpolation != CUBIC else values.reshape(len(values), -1, 3, 4)[:, :, 1]
            self._check_norms(keyed, name)
            if interpolation != CUBIC:
                values = quaternion.normalize(values.astype(np.float64))
                if interpolation != STEP:
                    values = self._counted(values)
        return evaluate(keys, np.swapaxes(values, 0, 1), span, interpolation, path == ROTATION)

    def _counted(self, values: np.ndarray) -> np.ndarray:
        """Key rotations (K, keys, 4) with neighbours in one hemisphere; counts those that were not."""
        flips = np.einsum("kti,kti->kt", values[:, 1:], values[:, :-1]) < 0
        if not flips.any():
            return values
        self._flips += int(flips.sum())
        return quaternion.unroll(values, axis=1)

    def _check_norms(self, keyed: np.ndarray, name: str) -> None:
        norms = np.einsum("kti,kti->kt", keyed, keyed)
        off = np.abs(norms - 1) > 2 * UNIT_NORM_TOLERANCE
        if off.any():
            self.findings.append(
                Finding(
                    "non_unit_quaternions",
                    "warning",
                    name,
                    f"{name}: {int(off.sum())} rotations are not of unit length (worst {np.sqrt(norms[off]).min():.3g})",
                    value=float(off.sum()),
                    advice="they were normalized; export again if the motion looks wrong",
                )  # fmt: skip
            )

    def _continuous(self, rotations: np.ndarray, joints: np.ndarray) -> np.ndarray:
        """(F, K, 4) in one hemisphere along time, starting in that of the rest pose."""
        if (np.einsum("fki,fki->fk", rotations[1:], rotations[:-1]) < 0).any():
            rotations = quaternion.unroll(rotations)
        away = np.einsum("ki,ki->k", rotations[0], self.rig.skeleton.rest_rotations[joints]) < 0
        return rotations * np.where(away, -1.0, 1.0)[:, None] if away.any() else rotations

    def _curves(self, rows: np.ndarray, span: Range, kept: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Blend-shape weights over time, beside what curves an earlier writing of ours kept."""
        curves = kept | {name: np.full(span.frames, value) for name, value in self.default_curves.items()}
        for row in rows[self.tracks.path[rows] == WEIGHTS]:
            keys = self.tracks.times[int(self.tracks.input[row])]
            values = self.document.accessors.decode(int(self.tracks.output[row]))[:, 0]
            interpolation = int(self.tracks.interpolation[row])
            per_key = 3 if interpolation == CUBIC else 1
            values = values.reshape(len(keys) * per_key, -1)
            sampled = evaluate(keys, values[:, None, :], span, interpolation, False)[:, 0]
            for target in range(sampled.shape[1]):
                curve = self.curve_names.get((int(self.tracks.node[row]), target))
                if curve is not None:
                    curves[curve] = sampled[:, target]
        return curves

    def _summary(self) -> None:
        if self._late:
            self.findings.append(
                Finding(
                    "late_start",
                    "info",
                    "",
                    f"{self._late} clips do not start at 0 s; they were shifted",
                    count=self._late,
                )  # fmt: skip
            )
        if self._flips:
            self.findings.append(
                Finding(
                    "sign_flips",
                    "info",
                    "",
                    f"{self._flips} neighbouring rotations have opposite signs; made continuous",
                    count=self._flips,
                )  # fmt: skip
            )


def evaluate(
    keys: np.ndarray, values: np.ndarray, span: Range, interpolation: int, rotation: bool
) -> np.ndarray:
    """(F, K, width) at the frames of `span`, of values (keys, K, width); three rows a key for cubic splines."""
    times, values = span.times, values.astype(np.float64, copy=False)
    if interpolation != CUBIC and len(keys) == len(times) and np.abs(keys - times).max() * span.fps < 1e-3:
        return values
    # a key counts as reached a hundredth of a frame early: float32 times lie on either side of their frame
    at = np.clip(np.searchsorted(keys, times + 0.01 / span.fps, side="right") - 1, 0, len(keys) - 1)
    if interpolation == STEP:
        return values[at]
    after = np.minimum(at + 1, len(keys) - 1)
    width = keys[after] - keys[at]
    u = np.clip((times - keys[at]) / np.where(width > 0, width, 1), 0, 1)
    if interpolation == CUBIC:
        sampled = _hermite(values.reshape(len(keys), 3, *values.shape[1:]), at, after, width, u)
        return quaternion.normalize(sampled) if rotation else sampled
    if rotation:
        return quaternion.slerp(values[at], values[after], u[:, None])
    weight = u[:, None, None]
    return values[at] * (1 - weight) + values[after] * weight


def _hermite(
    keyed: np.ndarray, at: np.ndarray, after: np.ndarray, width: np.ndarray, u: np.ndarray
) -> np.ndarray:
    """glTF 2.0 appendix C: in-tangent, value, out-tangent a key; tangents are per second."""
    u, width = u[:, None, None], width[:, None, None]
    u2, u3 = u * u, u * u * u
    return (
        (2 * u3 - 3 * u2 + 1) * keyed[at, 1]
        + width * (u3 - 2 * u2 + u) * keyed[at, 2]
        + (3 * u2 - 2 * u3) * keyed[after, 1]
        + width * (u3 - u2) * keyed[after, 0]
    )


def _blocks(tracks: Tracks, rows: np.ndarray) -> list[np.ndarray]:
    """Rows in blocks that share path, interpolation and key times."""
    if not len(rows):
        return []
    key = (tracks.input[rows] * 4 + tracks.path[rows]) * 4 + tracks.interpolation[rows]
    order = np.argsort(key, kind="stable")
    return np.split(rows[order], np.flatnonzero(np.diff(key[order])) + 1)


def _unique_names(document: Document, animations: list[int]) -> dict[int, str]:
    names: dict[int, str] = {}
    taken: set[str] = set()
    for animation in animations:
        name = base = document.name("animations", animation)
        number = 2
        while name in taken:
            name, number = f"{base}_{number}", number + 1
        taken.add(name)
        names[animation] = name
    return names
