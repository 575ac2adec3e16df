"""Measures of motion, one definition each. Audit judges them, clean-up lowers them, evaluation reports them.

Read every figure beside the same figure of the real clips: some have a floor that real motion does not go below.
Functions take a clip where contacts, loops and roles matter, and plain arrays where they do not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from moveset.geometry import quaternion, signal
from moveset.geometry.quaternion import Array
from moveset.motion.clip import Clip, Contacts
from moveset.motion.contacts import detect_contacts, feet, foot_positions, standing_heights
from moveset.motion.ground import GroundFrame, ground_frame
from moveset.motion.skeleton import Skeleton

SKATE_HEIGHT = 0.025
"""Height over standing at which foot skate stops counting [m] (Zhang et al. 2018)."""
_LEAST_SUPPORT = 3


# Feet and floor


def foot_skate(clip: Clip, standing: Array | None = None) -> float:
    """Mean horizontal speed of ankles and toes, weighted by nearness to the floor [m/s]; nan without feet.

    The weight is clamp(2 - 2^(h / 2.5 cm), 0, 1), h the height over standing: Zhang et al. 2018, "Mode-Adaptive
    Neural Networks for Quadruped Motion Control". Real walks have 0.15 to 0.2 m/s: heels lift while toes stand.
    """
    weights, speeds = _skate_terms(clip, standing)
    return _mean(weights * speeds)


def foot_skate_by_frame(clip: Clip, standing: Array | None = None) -> Array:
    """(F,) mean over the feet of the terms of `foot_skate` [m/s], to point at the worst frames."""
    weights, speeds = _skate_terms(clip, standing)
    return (weights * speeds).mean(axis=1) if speeds.shape[1] else np.zeros(len(clip))


def floor_weights(clip: Clip, standing: Array | None = None) -> Array:
    """(F, K) nearness of the foot joints to the floor: 1 at standing height or below, 0 from SKATE_HEIGHT on."""
    return np.clip(2 - np.exp2(np.minimum(_heights(clip, standing) / SKATE_HEIGHT, 1)), 0, 1)


def planted_speed(clip: Clip, contacts: Contacts | None = None) -> float:
    """Mean speed of the toes from one frame to the next where both have the contact flag [m/s]; nan without such.

    A difference over the edge of a contact would measure the landing and the lift-off, not the stand. Flags are
    `contacts`, else the clip's own, else detected; the feet stand in for toes that are not there.
    """
    contacts = contacts or clip.contacts or detect_contacts(clip)
    tracked = [role for role in contacts.roles if role in clip.skeleton.by_role]
    toes = [role for role in tracked if role.endswith("Toes")] or tracked
    if not toes:
        return float("nan")
    columns = [contacts.roles.index(role) for role in toes]
    positions = clip.world_positions[:, clip.skeleton.joints(toes)]
    speeds = np.linalg.norm(np.diff(positions, axis=0), axis=-1) * clip.fps
    flags = contacts.flags[:, columns]
    return _mean(speeds[flags[1:] & flags[:-1]])


def slide_per_support(
    clip: Clip, standing: Array | None = None, height: float = 0.05, rise: float = 0.3
) -> float:
    """Mean over supports of how far a toe gets from where it touched down until it lifts off [m], on the floor.

    Supports are runs of frames lower than `height` over standing and with a vertical speed below `rise` [m/s]:
    found without looking at horizontal speed, which would hide the slide. nan without supports.
    """
    return _mean(np.array([slide for *_, slide in slides_of_supports(clip, standing, height, rise)]))


def slides_of_supports(
    clip: Clip, standing: Array | None = None, height: float = 0.05, rise: float = 0.3
) -> list[tuple[str, int, int, float]]:
    """Role, first frame, end frame (exclusive) and slide [m] of each support of at least three frames."""
    roles = feet(clip.skeleton)
    standing = standing_heights(clip) if standing is None else np.asarray(standing)
    found = []
    for role in [role for role in roles if role.endswith("Toes")] or roles:
        position = clip.world_positions[:, clip.skeleton.joint(role)]
        rising = signal.derivative(position[:, 1], clip.fps, loop=clip.loop)
        low = (position[:, 1] - standing[roles.index(role)] < height) & (np.abs(rising) < rise)
        for start, stop in signal.runs(low):
            if stop - start >= _LEAST_SUPPORT:
                away = np.linalg.norm((position[start:stop] - position[start])[:, ::2], axis=-1)
                found.append((role, start, stop, float(away.max())))
    return found


def skating_ratio(clip: Clip, standing: Array | None = None) -> float:
    """Share of foot frames under 5 cm over standing that move more than 2.5 cm in a frame at 20 fps (0.5 m/s).

    The figure of the literature (Karunratanakul et al. 2023, "Guided Motion Diffusion").
    """
    heights = _heights(clip, standing)
    speeds = _level_speed(foot_positions(clip), clip)
    low = heights < 0.05
    return _mean((speeds[low] > 0.025 * 20).astype(float))


def penetration(clip: Clip, standing: Array | None = None) -> float:
    """99th percentile of how deep the lowest foot joint is under its standing height over y = 0 [m].

    Give the `standing` heights of the character (of its rest pose or library): those of the clip itself would
    call a sunken clip level.
    """
    lowest = _heights(clip, standing).min(axis=1, initial=np.inf)
    return _percentile(np.maximum(-lowest[np.isfinite(lowest)], 0), 99)


def floating(clip: Clip, standing: Array | None = None, contacts: Contacts | None = None) -> float:
    """Fifth percentile of the height of the lowest foot joint over standing while supported [m].

    Supported frames are those of `contacts`, the clip's own or detected flags; nan where there are none.
    """
    contacts = contacts or clip.contacts or detect_contacts(clip)
    lowest = _heights(clip, standing).min(axis=1, initial=np.inf)
    return _percentile(lowest[contacts.flags.any(axis=1)], 5)


def contact_f1(flags: np.ndarray, truth: np.ndarray) -> float:
    """Harmonic mean of precision and recall of contact flags (..., K) against true ones; 1 if both are empty."""
    both = np.count_nonzero(flags & truth)
    total = np.count_nonzero(flags) + np.count_nonzero(truth)
    return 2 * both / total if total else 1.0


def event_error(times: ArrayLike, truth: ArrayLike, fps: float) -> float:
    """Mean distance from each true event to the nearest found one [frames]; inf where nothing was found."""
    times, truth = np.asarray(times, dtype=float), np.asarray(truth, dtype=float)
    if not len(truth):
        return float("nan")
    if not len(times):
        return float("inf")
    return float(np.abs(truth[:, None] - times).min(axis=1).mean() * fps)


# Smoothness and limits


def jerk(clip: Clip) -> float:
    """99th percentile over frames and joints of the jerk of world positions [m/s^3]; nan under four frames."""
    return _percentile(jerks(clip.world_positions, clip.fps), 99)


def jerks(positions: Array, fps: float) -> Array:
    """(F - 3, ...) size of the third difference of positions (F, ..., 3) [m/s^3]."""
    return np.linalg.norm(np.diff(positions, n=3, axis=0), axis=-1) * fps**3


def fit_limits(rotations: Array, skeleton: Skeleton, margin: float = np.radians(5.0)) -> Array:
    """(J, 2, 3) lowest and highest swing and twist [rad] of local rotations (F, J, 4): p0.1 to p99.9 and a margin."""
    low, high = np.percentile(swing_twist_angles(rotations, skeleton), (0.1, 99.9), axis=0)
    return np.stack((low - margin, high + margin), axis=1)


def limit_violation(rotations: Array, limits: Array, skeleton: Skeleton) -> float:
    """Share of joint-frames of local rotations (F, J, 4) beyond the `limits` of `fit_limits`."""
    angles = swing_twist_angles(rotations, skeleton)
    return _mean(((angles < limits[:, 0]) | (angles > limits[:, 1])).any(axis=-1).astype(float))


def swing_twist_angles(rotations: Array, skeleton: Skeleton) -> Array:
    """(F, J, 3): two components of the swing and the twist about each bone [rad], relative to the rest pose."""
    axes = bone_axes(skeleton)
    turned = quaternion.inverse_multiply(skeleton.rest_rotations, rotations)
    swing, twist = quaternion.swing_twist(turned, axes)
    upright = quaternion.between(np.broadcast_to((0.0, 0.0, 1.0), axes.shape), axes)
    across = quaternion.inverse_rotate(upright, quaternion.to_rotation_vector(swing))
    along = np.einsum("...i,...i->...", quaternion.to_rotation_vector(twist), axes)
    return np.concatenate((across[..., :2], along[..., None]), axis=-1)


def bone_axes(skeleton: Skeleton) -> Array:
    """(J, 3) unit direction of each joint's bone in its own frame: to the mean of its children, else its tip."""
    axes = np.tile((0.0, 1.0, 0.0), (len(skeleton), 1))
    for j, children in enumerate(skeleton.children):
        end = np.full(3, np.nan) if skeleton.tips is None else skeleton.tips[j]
        if children:
            end = skeleton.rest_translations[list(children)].mean(axis=0)
        length = np.linalg.norm(end)
        if length > 1e-6:  # false where unknown (nan)
            axes[j] = end / length
    return axes


# Paths and goals


def path_length(path: Array) -> float:
    """Length on the floor of a path (F, 3) [m]."""
    return float(np.linalg.norm(np.diff(path[:, ::2], axis=0), axis=-1).sum())


def drift(path: Array, asked: Array) -> float:
    """Distance on the floor at the end of a path (F, 3) from the asked one, over the asked one's length."""
    length = path_length(asked)
    return float(np.linalg.norm((path[-1] - asked[-1])[::2]) / length) if length > 0 else float("nan")


def path_error(positions: Array, asked: Array) -> float:
    """Mean distance on the floor of positions (F, 3) to the places asked at the same time [m]."""
    return _mean(np.linalg.norm((positions - asked)[:, ::2], axis=-1))


def distance_to_path(positions: Array, path: Array) -> Array:
    """(F,) distance on the floor to the nearest point of a polyline (P, 3) [m]: the error whatever the timing."""
    points, line = positions[:, None, ::2], path[:, ::2]
    start, along = line[:-1], np.diff(line, axis=0)
    length = np.maximum(np.einsum("pi,pi->p", along, along), 1e-18)
    share = np.clip(np.einsum("fpi,pi->fp", points - start, along) / length, 0, 1)
    return np.linalg.norm(points - start - share[..., None] * along, axis=-1).min(axis=1)


def heading_error(headings: ArrayLike, asked: ArrayLike) -> float:
    """Mean absolute angle between headings (F,) and the asked ones [rad]."""
    return _mean(np.abs(signal.wrap(np.asarray(headings) - np.asarray(asked))))


def response_time(values: Array, start: int, goal: ArrayLike, fps: float, share: float = 0.9) -> float:
    """Seconds after frame `start` until values (F, ...) first made `share` of the change to `goal`; inf if never.

    Progress is measured along the asked change.
    """
    values = np.asarray(values, dtype=float).reshape(len(values), -1)
    change = np.ravel(goal) - values[start]
    size = float(change @ change)
    if size == 0:
        return 0.0
    reached = np.flatnonzero((values[start:] - values[start]) @ change >= share * size)
    return float(reached[0] / fps) if len(reached) else float("inf")


def stop_distance(path: Array, start: int, fps: float, still: float = 0.1) -> float:
    """Length on the floor of a path (F, 3) from frame `start` until its speed first falls below `still` [m/s].

    inf where it never does.
    """
    steps = np.linalg.norm(np.diff(path[start:, ::2], axis=0), axis=-1)
    stands = np.flatnonzero(steps * fps < still)
    return float(steps[: stands[0]].sum()) if len(stands) else float("inf")


def trend(values: ArrayLike) -> tuple[float, float]:
    """Slope of the straight line through values (T,) and its standard error, both per value; nan under three."""
    y = np.asarray(values, dtype=float)
    if len(y) < 3:
        return float("nan"), float("nan")
    t = np.arange(len(y)) - (len(y) - 1) / 2
    slope = t @ y / (t @ t)
    left = y - y.mean() - slope * t
    return float(slope), float(np.sqrt(left @ left / (len(y) - 2) / (t @ t)))


# Poses


def joint_error(positions: Array, truth: Array) -> tuple[float, float]:
    """Mean and 99th percentile of the distance between joints (..., J, 3) [m]."""
    distances = np.linalg.norm(positions - truth, axis=-1)
    return _mean(distances), _percentile(distances, 99)


def rotation_error(rotations: Array, truth: Array) -> tuple[float, float]:
    """Mean and 99th percentile of the geodesic angle between rotations (..., 4) [rad]."""
    angles = quaternion.angle_between(rotations, truth)
    return _mean(angles), _percentile(angles, 99)


class PoseIndex:
    """Distance of poses to the nearest pose of a library: is this motion on the data?

    A pose is joint positions and velocities in the ground frame; velocities are weighted by `horizon` seconds,
    so both are metres. Distances are root mean squares over joints. Compare with held-out real clips: a frozen
    figure that glides has small path errors, but velocities that no clip has.
    """

    def __init__(self, positions: Array, velocities: Array, horizon: float = 0.1) -> None:
        self._hold(_pose_rows(positions, velocities, horizon), horizon)

    @classmethod
    def of_rows(cls, rows: Array, horizon: float = 0.1) -> PoseIndex:
        """An index from `rows` of another one, or from some of them."""
        index = cls.__new__(cls)
        index._hold(np.asarray(rows, dtype=np.float32), horizon)
        return index

    def _hold(self, rows: Array, horizon: float) -> None:
        from scipy.spatial import KDTree

        self.rows, self.horizon = rows, horizon
        self._center = rows.mean(axis=0)
        # a tree looks along a few axes first: turned so that these tell most apart, it is several times as fast
        spread = (rows - self._center).T @ (rows - self._center)
        self._axes = np.linalg.eigh(spread)[1][:, ::-1]
        self._tree = KDTree(self._turned(rows))

    def _turned(self, rows: Array) -> Array:
        return (rows - self._center) @ self._axes

    def distances(self, positions: Array, velocities: Array) -> Array:
        """(F,) [m] of positions and velocities (F, J, 3) in the ground frame."""
        return self._tree.query(self._turned(_pose_rows(positions, velocities, self.horizon)))[0]


def ground_poses(clip: Clip) -> tuple[Array, Array]:
    """Joint positions and velocities (F, J, 3) in the ground frame; a joint above the hips, which holds no flesh,
    is left out."""
    ground = ground_frame(clip)
    positions = clip.world_positions[:, _flesh(clip.skeleton)]
    velocities = signal.derivative(positions, clip.fps)
    return ground.ground_from_world(positions), ground.ground_from_world_directions(velocities)


def moments(clip: Clip, seconds: float = 1.0, samples: int = 5) -> Array:
    """(W, D) all stretches of `seconds` as vectors: joint positions at `samples` times, seen from the ground frame
    at their start. Scaled so that the distance of two is the root mean square of that of their joints [m]."""
    count = len(clip) - round(seconds * clip.fps)
    if count < 1:
        return np.empty((0, 0))
    ground = ground_frame(clip)
    start = GroundFrame(ground.positions[:count], ground.headings[:count])
    positions = clip.world_positions[:, _flesh(clip.skeleton)]
    times = np.linspace(0, round(seconds * clip.fps), samples).round().astype(int)
    seen = [start.ground_from_world(positions[t : t + count]).reshape(count, -1) for t in times]
    return np.concatenate(seen, axis=1) / np.sqrt(samples * positions.shape[1])


def diversity(features: Array, pairs: int = 300, seed: int = 0) -> float:
    """Mean distance between `pairs` of features (W, D) drawn at random (Guo et al. 2020, "Action2Motion")."""
    if len(features) < 2:
        return float("nan")
    one, other = np.random.default_rng(seed).integers(0, len(features), (2, pairs))
    return _mean(np.linalg.norm(features[one] - features[other], axis=-1))


# Shared terms


def _heights(clip: Clip, standing: Array | None) -> Array:
    """(F, K) heights of the feet over standing [m]."""
    standing = standing_heights(clip) if standing is None else np.asarray(standing)
    return foot_positions(clip)[..., 1] - standing


def _level_speed(positions: Array, clip: Clip) -> Array:
    """Horizontal speeds of positions (F, K, 3) [m/s]."""
    velocity = signal.derivative(positions[..., ::2], clip.fps, loop=clip.loop)
    return np.linalg.norm(velocity, axis=-1)


def _skate_terms(clip: Clip, standing: Array | None) -> tuple[Array, Array]:
    return floor_weights(clip, standing), _level_speed(foot_positions(clip), clip)


def _mean(values: Array) -> float:
    return float(np.mean(values)) if np.size(values) else float("nan")


def _percentile(values: Array, share: float) -> float:
    return float(np.percentile(values, share)) if np.size(values) else float("nan")


def _flesh(skeleton: Skeleton) -> list[int]:
    return [j for j in range(len(skeleton)) if skeleton.roles[j] != "root"]


def _pose_rows(positions: Array, velocities: Array, horizon: float) -> Array:
    rows = np.concatenate((positions, horizon * velocities), axis=-1).reshape(len(positions), -1)
    return (rows / np.sqrt(positions.shape[1])).astype(np.float32)
