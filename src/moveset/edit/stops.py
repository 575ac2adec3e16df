"""Stops and starts for sets of steady walks: a step that brakes, a step that closes, and a body at rest.

At a moment in which one foot passes the other the walk is left. The swinging foot goes on to where it will stand, more
slowly the nearer it comes; the other one follows and closes up, while the ground frame comes to rest over both and the
rest of the body goes over into the standing pose. A start is a stop of the reversed walk, reversed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from moveset.conventions import LEFT, UP
from moveset.edit.retime import reversed_in_time
from moveset.edit.stand import swaying
from moveset.geometry import quaternion, signal
from moveset.geometry.quaternion import Array
from moveset.motion import Clip
from moveset.motion.contacts import detect_contacts
from moveset.motion.ground import GroundFrame, ground_frame
from moveset.motion.legs import SIDES, find_legs
from moveset.motion.resample import sample
from moveset.motion.rooted import poses_in_ground

LANDS, LIFTS, CLOSES = 0.42, 0.4, 0.95
"""Seconds after the passing at which the first foot lands, the second lifts, and the second stands beside it."""
RESTS = 1.5
"""Seconds at rest after a stop and before a start."""
SLOWEST, QUICKEST = 0.35, 1.8
"""Walks between these speeds [m/s] can be stopped in two steps."""
_STRAIGHT = 0.5  # and such as turn slower than this [rad/s]
_AROUND = 2.0  # seconds of the walk that are kept before and after the passing
_MARGIN = 0.7  # seconds of the clip before and after the passing
_CLEARANCE = 0.06  # how far a closing foot rises [m]
_TILT = 0.35  # how far its toe points down on the way [rad]


def passings(clip: Clip) -> list[tuple[int, int]]:
    """(frame, side of the swinging foot, an index of SIDES) where feet pass each other in a walk."""
    ground = ground_frame(clip)
    feet = clip.world_positions[:, clip.skeleton.joints([f"{side}Foot" for side in SIDES])]
    apart = np.diff(ground.ground_from_world(feet)[..., 2], axis=1)[:, 0]
    speeds = np.linalg.norm(signal.derivative(feet, clip.fps), axis=-1)
    frames = np.flatnonzero(np.diff(np.sign(apart)) != 0)
    return [(int(f), int(speeds[f].argmax())) for f in frames]


def stops_and_starts(walks: Sequence[Clip], pose: Clip, count: int = 80) -> list[Clip]:
    """Up to `count` stops and starts, in turn, of clips that walk straight on, spread over clips and both feet."""
    places: list[tuple[int, int, int]] = []
    for number, walk in enumerate(walks):
        if walk.loop or not len(walk):
            continue
        pace = ground_frame(walk).displacements * walk.fps
        speeds = np.hypot(pace[:, 0], pace[:, 1])
        margin = round(_MARGIN * walk.fps)
        places += [
            (number, frame, side)
            for frame, side in passings(walk)
            if margin <= frame < len(walk) - margin
            and SLOWEST < speeds[frame] < QUICKEST
            and abs(pace[frame, 2]) < _STRAIGHT
            and abs(pace[frame, 0]) < speeds[frame] / 2
        ]
    chosen = [places[k] for k in np.linspace(0, len(places) - 1, min(count, len(places))).round().astype(int)]
    out = []
    for k, (number, frame, side) in enumerate(chosen):
        around = round(_AROUND * walks[number].fps)
        first = max(0, frame - around)
        walk = walks[number].slice(first, frame + around)
        out.append((stop, start)[k % 2](walk, frame - first, side, pose, seed=k))
    return out


def stop(walk: Clip, frame: int, swinging: int, pose: Clip, seed: int = 0) -> Clip:
    """The walk up to a passing (`frame`, `swinging`), two steps that end it, and RESTS seconds of `pose` (one frame)."""
    from moveset.motion.leg_kernels import move_foot

    fps, skeleton = walk.fps, walk.skeleton
    after = np.concatenate((np.arange(-frame, 1), np.arange(1, round((CLOSES + RESTS) * fps) + 1))) / fps
    share = np.clip(after / CLOSES, 0, 1)
    # the walk is played more and more slowly, its rate falling as (1 - t/T)^2
    times = frame / fps + np.where(after < 0, after, CLOSES / 3 * (1 - (1 - share) ** 3))
    played, ground = sample(walk, times), _at(ground_frame(walk), times * fps)
    rotations, translations = poses_in_ground(played, ground)
    body = swaying(pose, (len(after) - 1) / fps, seed, fps)
    weight = _smooth(share)[:, None]
    rotations = quaternion.slerp(rotations, body.rotations, weight)
    translations = translations + weight[..., None] * (body.translations - translations)
    at_rest = GroundFrame(ground.positions[-1:], ground.headings[-1:])
    roots = list(skeleton.roots)
    stopped = replace(
        played,
        rotations=_placed(ground, rotations, translations, roots),
        translations=translations,
        contacts=None,
        events=(),
        name=f"{walk.name}_stop{frame}",
    )
    legs = find_legs(skeleton, walk.rotations)
    turned, placed = stopped.world
    own_places = walk.world_positions
    for side, (chain, marks, hinge) in enumerate(zip(legs.chains, legs.marks, legs.hinges)):
        foot, end = chain[marks[2]], chain[marks[3]]
        goal = at_rest.world_from_ground(pose.world_positions[:, end])[0]
        flat = at_rest.world_from_ground_rotations(pose.world_rotations[:, foot])
        start = own_places[frame, end]
        if side == swinging:
            path = np.clip(after / LANDS, 0, 1)[:, None]
            speed = signal.derivative(own_places[:, end], fps)[frame]
            toe = _hermite(path, start, speed * LANDS, goal)
            toe[:, 1] = np.maximum(toe[:, 1], goal[1])
            turn = quaternion.slerp(played.world_rotations[:, foot], flat, _smooth(path[:, 0]))
        else:
            path = np.clip((after - LIFTS) / (CLOSES - LIFTS), 0, 1)[:, None]
            arc = 16 * (path * (1 - path)) ** 2
            toe = start + (goal - start) * _smooth(path) + _CLEARANCE * arc * UP
            turn = quaternion.slerp(played.world_rotations[:, foot], flat, _smooth(path[:, 0]))
            aside = quaternion.rotate(ground.rotations, np.broadcast_to(LEFT, toe.shape))
            turn = quaternion.multiply(quaternion.from_axis_angle(aside, _TILT * arc[:, 0]), turn)
        begins = (after > 0)[:, None]
        offsets = np.where(begins, toe - placed[:, end], 0.0)
        spins = quaternion.multiply(turn, quaternion.conjugate(turned[:, foot]))
        spins = np.where(begins, spins, quaternion.IDENTITY)
        move_foot(stopped.rotations, translations, chain, marks, hinge, offsets, spins)
    stopped = replace(stopped, rotations=quaternion.unroll(stopped.rotations))
    return replace(stopped, contacts=detect_contacts(stopped))


def start(walk: Clip, frame: int, swinging: int, pose: Clip, seed: int = 0) -> Clip:
    """RESTS seconds of `pose`, then the walk from a passing on: `stop` backwards in time."""
    backwards = stop(reversed_in_time(walk), len(walk) - 1 - frame, swinging, pose, seed)
    return replace(reversed_in_time(backwards), name=f"{walk.name}_start{frame}")


def _placed(ground: GroundFrame, rotations: Array, translations: Array, roots: list[int]) -> Array:
    """Rotations with the roots in the world; translations are written to."""
    rotations = np.array(rotations)
    rotations[:, roots] = ground.world_from_ground_rotations(rotations[:, roots])
    translations[:, roots] = ground.world_from_ground(translations[:, roots])
    return rotations


def _at(ground: GroundFrame, frames: Array) -> GroundFrame:
    """The ground frame between frames."""
    whole = np.arange(len(ground.headings))
    positions = np.stack([np.interp(frames, whole, column) for column in ground.positions.T], axis=-1)
    return GroundFrame(positions, np.interp(frames, whole, ground.headings))


def _smooth(x: Array) -> Array:
    return x * x * (3 - 2 * x)


def _hermite(x: Array, start: Array, slope: Array, goal: Array) -> Array:
    """From `start` with `slope` to rest at `goal` while x goes from 0 to 1."""
    return start + (goal - start) * _smooth(x) + slope * x * (1 - x) ** 2
