"""Clips laid end to end as rows of poses in the ground frame: the motion that motion matching plays from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from moveset.conventions import UP
from moveset.errors import MovesetError
from moveset.features.matching import TIMES, future, matching_features
from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Clip, Skeleton
from moveset.motion.contacts import detect_contacts
from moveset.motion.ground import ground_frame, integrate
from moveset.motion.resample import resample
from moveset.motion.roles import FEET
from moveset.motion.rooted import poses_in_ground
from moveset.motion.skeleton import same_bones

_STILL = 1e-4  # a joint that moves less than this against its parent [m] keeps one translation for all rows


@dataclass(frozen=True, eq=False)
class MotionDatabase:
    """R rows, clip after clip. Joints without a parent are stored as seen from the ground frame."""

    skeleton: Skeleton
    fps: float
    times: tuple[float, ...]
    """Seconds ahead at which `features` look at the path."""
    rotations: Array
    """(R, J, 4) float32 local rotations."""
    translations: Array
    """(J, 3) local translations of the joints that keep theirs [m]."""
    moving: np.ndarray
    """(M,) joints whose translation moves: the hips, and what else the rig stretches."""
    moving_translations: Array
    """(R, M, 3) float32 [m]."""
    steps: Array
    """(R, 3) root velocity to the next row: side and forward [m/s] in the ground frame, turn [rad/s]."""
    contacts: np.ndarray
    """(R, 4) bool, the roles of FEET."""
    features: Array
    """(R, D) float32."""
    stops: np.ndarray
    """(R,) the last row of each row's clip."""
    searchable: np.ndarray
    """(S,) rows from which a whole horizon of the clip is left to play."""
    names: tuple[str, ...]
    """Clip names, in order."""
    left_out: tuple[str, ...]
    """A sentence for each clip that was not taken."""

    @property
    def seconds(self) -> float:
        """How much motion there is."""
        return len(self.rotations) / self.fps


def build_database(
    clips: Sequence[Clip], fps: float = 30.0, times: tuple[float, ...] = TIMES
) -> MotionDatabase:
    """Rows of all clips that share the skeleton of the first usable one.

    Clips that are additive, not finite, too short for one horizon or on another skeleton are left out and named.
    """
    horizon = int(np.ceil(max(times) * fps))
    taken: list[Clip] = []
    left_out: list[str] = []
    for clip in clips:
        reason = _unfit(clip, taken[0].skeleton if taken else None)
        if reason is None:
            clip = resample(clip, fps) if abs(clip.fps - fps) > 1e-6 else clip
            clip = unroll_loop(clip, horizon + int(fps))
            if len(clip) <= horizon + 2:
                reason = f"lasts {clip.seconds:.2f} s, less than the {max(times):.2f} s that are looked ahead"
        if reason is None:
            taken.append(clip)
        else:
            left_out.append(f"{clip.name}: {reason}")
    if not taken:
        raise MovesetError(
            "no clip can be used for motion matching: " + ("; ".join(left_out[:3]) or "none was given"),
            do="give clips of a humanoid that walks, each longer than a second",
        )
    return _lay_out(taken, fps, times, horizon, tuple(left_out))


def _unfit(clip: Clip, skeleton: Skeleton | None) -> str | None:
    if clip.additive:
        return "is additive"
    missing = [role for role in ("hips", *FEET[::2]) if role not in clip.skeleton.by_role]
    if missing:
        return f"has no joint with role {', '.join(missing)}"
    if not (np.isfinite(clip.rotations).all() and np.isfinite(clip.translations).all()):
        return "has values that are not finite"
    if skeleton is not None and not same_bones(clip.skeleton, skeleton):
        return "is on another skeleton than the clips before it"
    return None


def unroll_loop(clip: Clip, frames: int) -> Clip:
    """A loop played over and over for one round and at least `frames` more, its travel carried on."""
    if not clip.loop:
        return clip
    rounds = 1 + -(-frames // len(clip))
    ground = ground_frame(replace(clip, loop=False))
    through = ground.ground_from_world(np.broadcast_to(ground.positions[-1], (len(clip), 3)))[0]
    turn = ground.headings[-1] - ground.headings[0]
    seam = (ground.displacements[1] + ground.displacements[-1]) / 2
    legs = [np.zeros(3)] + [np.array((through[0], through[2], turn)), seam] * (rounds - 1)
    starts = integrate(np.array(legs), ground.positions[0], ground.headings[0])
    roots = list(clip.skeleton.roots)
    rotations, translations = (
        np.tile(clip.rotations, (rounds, 1, 1)),
        np.tile(clip.translations, (rounds, 1, 1)),
    )
    for k in range(1, rounds):
        span = slice(k * len(clip), (k + 1) * len(clip))
        yaw = quaternion.from_axis_angle(UP, starts.headings[2 * k] - ground.headings[0])
        rotations[span, roots] = quaternion.multiply(yaw, rotations[span, roots])
        from_start = translations[span, roots] - ground.positions[0]
        translations[span, roots] = starts.positions[2 * k] + quaternion.rotate(yaw, from_start)
    return replace(
        clip,
        rotations=rotations,
        translations=translations,
        scales=None if clip.scales is None else np.tile(clip.scales, (rounds, 1, 1)),
        contacts=clip.contacts and replace(clip.contacts, flags=np.tile(clip.contacts.flags, (rounds, 1))),
        loop=False,
        events=(),
        curves={},
    )


def _lay_out(
    clips: list[Clip], fps: float, times: tuple[float, ...], horizon: int, left_out: tuple[str, ...]
) -> MotionDatabase:
    skeleton = clips[0].skeleton
    rotations, translations, steps, contacts, features = [], [], [], [], []
    for clip in clips:
        ground = ground_frame(clip)
        local_rotations, local_translations = poses_in_ground(clip, ground)
        rotations.append(quaternion.unroll(local_rotations))
        translations.append(local_translations)
        moves, turns = future(ground, fps, (1 / fps,))
        steps.append(np.column_stack((moves[:, 0], turns[:, 0])) * fps)
        contacts.append(_feet(clip))
        features.append(matching_features(clip, ground, times))
    lengths = np.array([len(clip) for clip in clips])
    ends = np.cumsum(lengths)
    starts = ends - lengths
    all_translations = np.concatenate(translations)
    spread = np.ptp(all_translations, axis=0).max(axis=1)
    moving = np.flatnonzero(spread > _STILL)
    return MotionDatabase(
        skeleton=skeleton,
        fps=fps,
        times=tuple(times),
        rotations=np.concatenate(rotations).astype(np.float32),
        translations=all_translations.mean(axis=0),
        moving=moving,
        moving_translations=np.ascontiguousarray(all_translations[:, moving], dtype=np.float32),
        steps=np.concatenate(steps),
        contacts=np.concatenate(contacts),
        features=np.concatenate(features).astype(np.float32),
        stops=np.repeat(ends - 1, lengths),
        searchable=np.concatenate([np.arange(start, end - horizon) for start, end in zip(starts, ends)]),
        names=tuple(clip.name for clip in clips),
        left_out=left_out,
    )


def _feet(clip: Clip) -> np.ndarray:
    """(F, 4) contact flags in the order of FEET; a foot without toes lends its own flag to them."""
    contacts = clip.contacts or detect_contacts(clip)
    flags = np.zeros((len(clip), len(FEET)), dtype=bool)
    for k, role in enumerate(FEET):
        if role in contacts.roles:
            flags[:, k] = contacts.flags[:, contacts.roles.index(role)]
        elif k % 2 and FEET[k - 1] in contacts.roles:
            flags[:, k] = flags[:, k - 1]
    return flags
