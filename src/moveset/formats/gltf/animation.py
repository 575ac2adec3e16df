"""Samplers evaluated at a uniform rate: animations of nodes become clips of a skeleton.

Most tracks of most files hold still, so those are found first, all at once, and written into one pose a clip;
what moves is evaluated for all clips together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from moveset.conventions import DEFAULT_FPS
from moveset.formats.gltf import extras
from moveset.formats.gltf.document import Document
from moveset.formats.gltf.keys import SCALE_TOLERANCE, Keys, read_keys
from moveset.formats.gltf.sampling import Range, course, evaluate, join, runs
from moveset.formats.gltf.tracks import CUBIC, LINEAR, ROTATION, SCALE, STEP, TRANSLATION, WEIGHTS, Tracks
from moveset.formats.scene.nodes import Nodes, unique
from moveset.formats.scene.rig import Rig
from moveset.formats.scene.signs import make_continuous
from moveset.formats.scene.timing import ON_FRAME, choose_rate
from moveset.motion import Clip, Finding

MOST_NUMBERS = 1 << 26
"""Of all clips of a file (512 MB), beyond what the file itself holds: more is an error in its key times."""


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
    starts: dict[str, float] = field(default_factory=dict)
    """When each clip that was read starts in the file [s]."""

    def read(self, animations: Sequence[int]) -> list[Clip]:
        """The clips of `animations`, in the file's order."""
        tracks, rig = self.tracks, self.rig
        table = self.document.table("animations")
        self._known = {animation: extras.read_animation(table[animation]) for animation in animations}
        joint = np.where(tracks.path == WEIGHTS, -1, rig.joint_of(len(self.nodes))[tracks.node])
        chosen = (joint >= 0) & np.isin(tracks.clip, animations)
        near = rig.unbake(np.arange(len(rig.skeleton)), rig.skeleton.rest_rotations)
        rest = (near, self.nodes.translations[rig.nodes], rig.rest_scales)
        keys = []
        for path in (ROTATION, TRANSLATION, SCALE):
            rows = np.flatnonzero(chosen & (tracks.path == path))
            keys.append(read_keys(tracks, rows, path, rest[path][joint[rows]]))
        moves = tracks.path == WEIGHTS
        for some in keys:
            moves[some.rows] = ~some.still
        spans, offset = self._spans(animations, moves), np.searchsorted(tracks.clip, animations)
        names = dict(zip(animations, unique([self.document.name("animations", a) for a in animations])))
        self._check_size(spans)
        broken = self._report(keys, spans, names)
        direct = self._direct(spans, moves)
        arrays = [self._arrays(path, some, spans, direct, joint) for path, some in enumerate(keys)]
        clips = []
        for animation, start in zip(animations, offset):
            if animation in broken:
                continue
            self.starts[names[animation]] = spans[animation].start
            rows = np.arange(start, np.searchsorted(tracks.clip, animation, side="right"))
            of_clip = [by_animation[animation] for by_animation in arrays]
            clips.append(self._clip(animation, names[animation], rows, spans[animation], of_clip))
        return clips

    def _direct(self, spans: dict[int, Range], moves: np.ndarray) -> np.ndarray:
        """(tracks,) which moving tracks have a key on every frame, and need no interpolation."""
        tracks = self.tracks
        direct = np.zeros(len(tracks), dtype=bool)
        candidates = np.flatnonzero(moves & (tracks.interpolation != CUBIC) & (tracks.path != WEIGHTS))
        pair = tracks.clip[candidates] * len(self.document.accessors) + tracks.input[candidates]
        pairs, inverse = np.unique(pair, return_inverse=True)
        good = np.zeros(len(pairs), dtype=bool)
        for i, (clip, accessor) in enumerate(zip(*np.divmod(pairs, max(len(self.document.accessors), 1)))):
            span = spans.get(int(clip))
            good[i] = span is not None and span.has_keys(tracks.times[int(accessor)])
        direct[candidates] = good[inverse]
        return direct

    def _arrays(
        self, path: int, keys: Keys, spans: dict[int, Range], direct: np.ndarray, joint: np.ndarray
    ) -> dict[int, np.ndarray]:
        """(F, J, width) of one path by animation: a view of one pose where nothing moves, else a part of one array."""
        tracks, still = self.tracks, self._still_poses(path, keys, joint)
        moving = np.flatnonzero(~keys.still)
        clip_of, joint_of = tracks.clip[keys.rows], joint[keys.rows]
        active = np.unique(clip_of[moving])
        frames = np.array([spans[a].frames for a in active.tolist()], dtype=np.int64)
        full = np.repeat(still[active], frames, axis=0)
        begin = np.zeros(len(still), dtype=np.int64)
        begin[active] = np.cumsum(frames) - frames
        joints, flat = full.shape[1], full.reshape(-1, full.shape[2])
        place = begin[clip_of] * joints + joint_of  # of each track's first frame in `flat`

        direct = direct[keys.rows]
        at = moving[direct[moving]]
        counts = tracks.keys[keys.rows[at]]
        values = keys.values[runs(keys.first[at], counts)]
        values = self._to_joints(path, np.repeat(joint_of[at], counts), values)
        flat[runs(place[at], counts, joints)] = values

        between = moving[~direct[moving]]
        for interpolation in (STEP, LINEAR, CUBIC):
            at = between[tracks.interpolation[keys.rows[between]] == interpolation]
            if len(at):
                counts, values = self._sampled(path, keys, at, spans, interpolation)
                values = self._to_joints(path, np.repeat(joint_of[at], counts), values)
                if path == ROTATION and interpolation == CUBIC:
                    near = self.rig.skeleton.rest_rotations[joint_of[at]]
                    make_continuous(values, np.cumsum(counts) - counts, counts, near)
                flat[runs(place[at], counts, joints)] = values
        parts = {a: full[begin[a] : begin[a] + f] for a, f in zip(active.tolist(), frames.tolist())}
        return parts | {
            a: np.broadcast_to(still[a], (span.frames, *still[a].shape))
            for a, span in spans.items()
            if a not in parts
        }

    def _sampled(
        self, path: int, keys: Keys, at: np.ndarray, spans: dict[int, Range], interpolation: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Number of frames of each of the tracks `at`, and their values at these, end to end."""
        tracks, rows, accessors = self.tracks, keys.rows[at], len(self.document.accessors)
        pairs, which = np.unique(tracks.clip[rows] * accessors + tracks.input[rows], return_inverse=True)
        clips, inputs = np.divmod(pairs, accessors)
        courses = [course(tracks.times[i], spans[a]) for a, i in zip(clips.tolist(), inputs.tolist())]
        frames = np.array([len(one) for one in courses])
        counts = frames[which]
        joined = join(courses)[runs((np.cumsum(frames) - frames)[which], counts)]
        first = np.repeat(keys.first[at], counts)
        return counts, evaluate(keys.values, first, joined, interpolation, path == ROTATION)

    def _still_poses(self, path: int, keys: Keys, joint: np.ndarray) -> np.ndarray:
        """(A, J, 4 or 3): for each animation the rest pose with every track put in that holds still."""
        skeleton, tracks = self.rig.skeleton, self.tracks
        rest = (skeleton.rest_rotations, skeleton.rest_translations, np.ones((len(skeleton), 3)))[path]
        poses = np.tile(rest, (self.document.size("animations"), 1, 1))
        rows = keys.rows[keys.still]
        cubic = tracks.interpolation[rows] == CUBIC
        held = keys.values[keys.first[keys.still] + cubic] if len(rows) else np.zeros((0, rest.shape[1]))
        poses[tracks.clip[rows], joint[rows]] = self._to_joints(path, joint[rows], held)
        return poses

    def _to_joints(self, path: int, joints: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Node values (..., K, width) as joint values."""
        if path == ROTATION:
            return self.rig.bake(joints, values)
        if path == TRANSLATION:
            return self.rig.bake_translations(joints, values)
        return values / self.rig.rest_scales[joints]

    def _clip(
        self, animation: int, name: str, rows: np.ndarray, span: Range, arrays: list[np.ndarray]
    ) -> Clip:
        known, (rotations, translations, scales) = self._known[animation], arrays
        return Clip(
            self.rig.skeleton,
            rotations,
            translations,
            span.fps,
            name,
            scales=scales if _off_one(scales) else None,
            loop=known.loop,
            additive=known.additive,
            tags=extras.tags_of(known, self.document, name),
            events=known.events,
            contacts=known.contacts(span.frames),
            curves=self._curves(rows, span, known.curves(span.frames)),
        )

    def _spans(self, animations: Sequence[int], moves: np.ndarray) -> dict[int, Range]:
        """When the frames of each animation lie. One that holds still has the rate of most others."""
        tracks = self.tracks
        every: dict[int, list[int]] = {a: [] for a in animations}
        moving: dict[int, list[int]] = {a: [] for a in animations}
        for chosen, inputs in ((np.ones_like(moves), every), (moves, moving)):
            pairs = np.unique(tracks.clip[chosen] * len(self.document.accessors) + tracks.input[chosen])
            for clip, accessor in zip(
                *(part.tolist() for part in np.divmod(pairs, len(self.document.accessors)))
            ):
                if clip in inputs:
                    inputs[clip].append(accessor)
        rates: dict[int, float] = {}
        for animation in animations:
            hint = self._known[animation].fps
            if every[animation] and (moving[animation] or hint):
                key_times = [tracks.times[i] for i in every[animation]]
                start, end = min(t[0] for t in key_times), max(t[-1] for t in key_times)
                rates[animation], beside = choose_rate(
                    [tracks.times[i] for i in moving[animation]], start, end, hint
                )
                self._uneven(animation, beside, rates[animation])
        usual = Counter(rates.values()).most_common(1)[0][0] if rates else DEFAULT_FPS
        return {a: self._span([tracks.times[i] for i in every[a]], rates.get(a, usual)) for a in animations}

    def _span(self, key_times: list[np.ndarray], fps: float) -> Range:
        if not key_times:
            return Range(0.0, fps, 1)
        start, end = min(t[0] for t in key_times), max(t[-1] for t in key_times)
        return Range(float(start), fps, max(int(np.ceil((end - start) * fps - ON_FRAME)) + 1, 1))

    def _check_size(self, spans: dict[int, Range]) -> None:
        """Refuse clips that would take more memory than the file can have meant, here or where a view is unfolded."""
        joints = max(len(self.rig.skeleton), 1)
        numbers = sum(span.frames for span in spans.values()) * joints * 7 + len(spans) * joints * 10
        if numbers > MOST_NUMBERS + self.document.size_in_bytes:
            longest = max(spans, key=lambda a: spans[a].frames)
            span = spans[longest]
            raise self.document.error(
                f"{span.frames} frames of {joints} joints, {span.frames / span.fps / 3600:.1f} hours at {span.fps:g} fps",
                f"animations[{longest}]",
                do="key times are seconds: scale them, or cut the clip",
            )

    def _uneven(self, animation: int, beside: float, fps: float) -> None:
        if beside:
            name = self.document.name("animations", animation)
            self.findings.append(
                Finding(
                    "uneven_keys",
                    "info",
                    name,
                    f"{name}: keys lie up to {beside / fps * 1000:.1f} ms beside the frames of {fps:g} fps",
                    value=beside / fps,
                    unit="s",
                    advice="sampled at even frames; export with sampling on to keep each key",
                )
            )

    def _report(self, keys: list[Keys], spans: dict[int, Range], names: dict[int, str]) -> set[int]:
        """Findings about the keys; the animations that cannot be shown."""
        tracks, broken = self.tracks, set()
        for some in keys:
            for at in np.flatnonzero(~some.finite):
                row = int(some.rows[at])
                name = names[int(tracks.clip[row])]
                broken.add(int(tracks.clip[row]))
                advice = "export the clip again; it was left out"
                message = f"{name}: {tracks.where(row)} holds NaN or infinite numbers"
                self.findings.append(Finding("nan", "error", name, message, advice=advice))
        rotations = keys[ROTATION]
        for animation in np.unique(tracks.clip[rotations.rows[rotations.off_norm > 0]]):
            count = int(rotations.off_norm[tracks.clip[rotations.rows] == animation].sum())
            name = names[int(animation)]
            message = f"{name}: {count} rotations are not of unit length"
            advice = "they were normalized; export again if the motion looks wrong"
            self.findings.append(
                Finding("non_unit_quaternions", "warning", name, message, advice=advice, count=count)
            )
        late = sum(abs(span.start) > 1e-6 for span in spans.values())
        if late:
            message = f"{late} clips do not start at 0 s; they were shifted"
            self.findings.append(Finding("late_start", "info", "", message, count=late))
        flips = int(rotations.flips.sum())
        if flips:
            message = f"{flips} neighbouring rotations have opposite signs; made continuous"
            self.findings.append(Finding("sign_flips", "info", "", message, count=flips))
        return broken

    def _curves(self, rows: np.ndarray, span: Range, kept: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Blend-shape weights over time, beside what curves an earlier writing of ours kept."""
        curves = kept | {name: np.full(span.frames, value) for name, value in self.default_curves.items()}
        for row in rows[self.tracks.path[rows] == WEIGHTS]:
            times = self.tracks.times[int(self.tracks.input[row])]
            values = self.document.accessors.decode(int(self.tracks.output[row]))[:, 0]
            interpolation = int(self.tracks.interpolation[row])
            values = values.reshape(len(times) * (3 if interpolation == CUBIC else 1), -1)
            sampled = evaluate(values, 0, course(times, span), interpolation, False)
            for target in range(sampled.shape[1]):
                curve = self.curve_names.get((int(self.tracks.node[row]), target))
                if curve is not None:
                    curves[curve] = sampled[:, target]
        return curves


def _off_one(scales: np.ndarray) -> bool:
    """Whether any scale (F, J, 3) is not 1; looks at one frame where all share it."""
    shown = scales if scales.strides[0] else scales[:1]
    return bool(np.abs(shown - 1).max(initial=0) > SCALE_TOLERANCE)
