"""Motion matching: play clips, and every so often jump to the row that fits pose and wish best.

Clavet, Motion Matching and The Road to Next-Gen Animation (GDC 2016); features as in Holden et al. 2020.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np

from moveset.errors import MovesetError
from moveset.features.matching import PATH, matching_layout
from moveset.features.normalizer import fit_normalizer
from moveset.geometry.quaternion import Array
from moveset.motion import Clip
from moveset.motion.floor import directions
from moveset.runtime.behaviors import Wish
from moveset.runtime.control_range import ControlRange
from moveset.runtime.controller import Poses, draw
from moveset.runtime.database import MotionDatabase, build_database
from moveset.runtime.footlock import FootLock
from moveset.runtime.futures import Futures, Wandering, wandering, with_futures
from moveset.runtime.inertialize import Offsets, jump, no_offsets, write_poses
from moveset.runtime.search import build_tree


@dataclass(frozen=True)
class MatchingConfig:
    """How motion matching behaves."""

    search_seconds: float = 0.1
    """Time between searches; a wish that jumps, or the end of a clip, is answered at once."""
    half_life: float = 0.1
    """Half-life of what remains of a jump [s]."""
    margin: float = 0.1
    """How much nearer (share of the distance squared) another row must be to leave the clip that plays."""
    near_seconds: float = 0.2
    """Rows this close on the same clip are the motion that plays anyway: no jump."""
    wish_jump: float = 0.3
    """A change of the wish, in one step, that is answered at once [m at the furthest time]."""

    def __post_init__(self) -> None:
        if self.search_seconds < 0 or self.half_life <= 0 or self.margin < 0:
            raise MovesetError(
                f"motion matching with search_seconds={self.search_seconds}, half_life={self.half_life}, "
                f"margin={self.margin}",
                do="give positive times, and a margin that is not negative",
            )


@dataclass(eq=False)
class MatchingState:
    """What changes of N characters."""

    rows: np.ndarray
    """(N,) the row that plays."""
    fractions: Array
    """(N,) how far towards the next one, 0 to 1."""
    until_search: Array
    """(N,) seconds to the next search."""
    last_wish: Array
    """(N, 2) the furthest asked offset in the step before [m]."""
    fresh: np.ndarray
    """(N,) bool: has not moved yet, so the first wish chooses a pose outright."""
    jumps: np.ndarray
    """(N,) how often each character has left its clip."""
    seeds: np.ndarray
    """(N,) uint64."""
    draws: np.ndarray
    """(N,) uint64, how many random numbers were used."""
    offsets: Offsets
    wandering: Wandering
    poses: Poses

    def arrays(self) -> dict[str, np.ndarray]:
        """All that the next step depends on, by name."""
        parts = {"offsets": self.offsets, "wandering": self.wandering}
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in (*parts, "poses")}
        return own | {
            f"{n}.{f.name}": getattr(part, f.name) for n, part in parts.items() for f in fields(part)
        }


class MotionMatching:
    """A Controller over the rows of a database."""

    def __init__(self, database: MotionDatabase, config: MatchingConfig | None = None) -> None:
        self.database = database
        self.config = config or MatchingConfig()
        self.skeleton, self.fps, self.times = database.skeleton, database.fps, database.times
        self.range: ControlRange | None = None
        self.form: Mapping[str, object] = {"kind": "motion matching", "database": id(database)}
        self.layout = matching_layout(database.times)
        self.normalizer = fit_normalizer(database.features[database.searchable], self.layout)
        weights = self.layout.weights
        # (R, D) what distances are taken of: normalized features by weight
        self.scaled = (self.normalizer.normalize(database.features) * weights).astype(np.float32)
        self._tree = build_tree(self.scaled[database.searchable])
        self._path = np.concatenate([np.arange(self.layout.width)[self.layout.slices[name]] for name in PATH])
        self._path_mean = self.normalizer.mean[self._path]
        self._path_gain = (weights / self.normalizer.scale)[self._path]
        self.futures = _futures(database)

    @classmethod
    def from_clips(
        cls, clips: Sequence[Clip], config: MatchingConfig | None = None, fps: float = 30.0
    ) -> MotionMatching:
        """Motion matching over clips of one skeleton."""
        return cls(build_database(clips, fps), config)

    def start(self, seeds: np.ndarray) -> MatchingState:
        """Characters at random rows; one that is asked for something in its first step begins as that asks."""
        count = len(seeds)
        joints = len(self.skeleton)
        translations = np.broadcast_to(self.database.translations, (count, joints, 3)).copy()
        draws = np.zeros(count, dtype=np.uint64)
        begun = (draw(seeds, draws) * len(self.database.searchable)).astype(np.int64)
        state = MatchingState(
            rows=self.database.searchable[begun],
            fractions=np.zeros(count),
            until_search=np.zeros(count),
            last_wish=np.full((count, 2), np.inf),
            fresh=np.ones(count, dtype=bool),
            jumps=np.zeros(count, dtype=np.int64),
            seeds=seeds.copy(),
            draws=draws + np.uint64(1),
            offsets=no_offsets(self.database, count),
            wandering=wandering(self.futures.offsets[begun], self.futures.turns[begun]),
            poses=Poses(
                np.empty((count, joints, 4)),
                translations,
                np.zeros((count, 4), dtype=bool),
                np.zeros((count, 3)),
            ),
        )
        # not all in one frame: a crowd's searches are spread over the interval
        state.until_search[:] = self.config.search_seconds * self._draw(state, np.arange(count))
        self._write(state)
        return state

    def step(self, state: MatchingState, wish: Wish, dt: float) -> Poses:
        """Search where it is due, then play on."""
        state.until_search -= dt
        if state.fresh.any():
            self._begin(state, wish, np.flatnonzero(state.fresh & ~wish.free))
        wish = with_futures(state.wandering, self.futures, wish, dt, lambda who: self._draw(state, who))
        ends = state.rows + state.fractions + dt * self.fps > self.database.stops[state.rows]
        due = ends | (state.until_search <= 0)
        asked = wish.offsets[:, -1]
        due |= ~wish.free & (np.abs(asked - state.last_wish).max(axis=1) > self.config.wish_jump)
        state.last_wish[:] = np.where(wish.free[:, None], np.inf, asked)
        if due.any():
            self._search(state, wish, np.flatnonzero(due), ends[due])
        return self._play(state, dt)

    def _begin(self, state: MatchingState, wish: Wish, who: np.ndarray) -> None:
        """Put characters on the row whose path fits, of those the one nearest to an average pose."""
        state.fresh[:] = False
        if not len(who):
            return
        queries = np.zeros((len(who), self.layout.width), dtype=np.float32)
        queries[:, self._path] = self._asked(wish, who)
        state.rows[who] = self.database.searchable[self._tree.nearest(queries)[0]]

    def _asked(self, wish: Wish, who: np.ndarray) -> Array:
        """The path part of a query, scaled."""
        path = (wish.offsets[who].reshape(len(who), -1), directions(wish.facings[who]).reshape(len(who), -1))
        return (np.concatenate(path, axis=1) - self._path_mean) * self._path_gain

    def _search(self, state: MatchingState, wish: Wish, who: np.ndarray, ends: np.ndarray) -> None:
        database, config = self.database, self.config
        rows = state.rows[who]
        current = self.scaled[np.minimum(rows + (state.fractions[who] >= 0.5), database.stops[rows])]
        queries = current.copy()
        queries[:, self._path] = self._asked(wish, who)
        state.until_search[who] = config.search_seconds
        gap = queries - current
        bounds = np.where(ends, np.inf, np.einsum("nd,nd->n", gap, gap) * (1 - config.margin))
        found, _ = self._tree.nearest(queries, bounds)
        targets = database.searchable[found]
        same = (np.abs(targets - rows) <= config.near_seconds * self.fps) & (
            database.stops[targets] == database.stops[rows]
        )
        leaves = np.flatnonzero((found >= 0) & (ends | ~same))
        if len(leaves):
            movers = who[leaves]
            jump(database, state.offsets, movers, rows[leaves], state.fractions[movers], targets[leaves])
            state.rows[movers] = targets[leaves]
            state.fractions[movers] = 0.0
            state.jumps[movers] += 1

    def _play(self, state: MatchingState, dt: float) -> Poses:
        database = self.database
        velocities = database.steps[state.rows] + state.offsets.steps[:, 0]
        np.multiply(velocities, dt, out=state.poses.steps)
        position = state.fractions + dt * self.fps
        position = np.where(np.abs(position - np.round(position)) < 1e-6, np.round(position), position)
        whole = np.floor(position)
        stops = database.stops[state.rows]
        state.rows += whole.astype(np.int64)
        state.fractions[:] = np.where(state.rows < stops, position - whole, 0.0)
        np.minimum(state.rows, stops, out=state.rows)
        state.offsets.decay(self.config.half_life, dt)
        return self._write(state)

    def _write(self, state: MatchingState) -> Poses:
        poses = state.poses
        write_poses(
            self.database, state.offsets, state.rows, state.fractions, poses.rotations, poses.translations
        )
        poses.contacts[:] = self.database.contacts[state.rows]
        return poses

    def _draw(self, state: MatchingState, who: np.ndarray) -> Array:
        numbers = draw(state.seeds[who], state.draws[who])
        state.draws[who] += np.uint64(1)
        return numbers

    def set_lod(self, state: MatchingState, who: np.ndarray, lod: int) -> None:
        """Motion matching has one."""
        if lod != 0:
            raise MovesetError(f"there is no level of detail {lod}", do="motion matching has only 0")

    def foot_lock(self) -> FootLock:
        """Foot lock for the database's skeleton."""
        some = max(1, len(self.database.rotations) // 2000)
        return FootLock(self.skeleton, self.database.rotations[::some])

    def snapshot(self, state: MatchingState) -> dict[str, np.ndarray]:
        """Copies of the state's arrays."""
        return {name: array.copy() for name, array in state.arrays().items()}

    def restore(self, state: MatchingState, arrays: Mapping[str, np.ndarray]) -> None:
        """Back to a snapshot."""
        for name, array in state.arrays().items():
            array[...] = arrays[name]
        self._write(state)


def _futures(database: MotionDatabase) -> Futures:
    """What every row that can be jumped to went on to do."""
    layout = matching_layout(database.times)
    offsets, facings = (layout.unpack(database.features[database.searchable])[name] for name in PATH)
    return Futures(offsets.astype(float), np.arctan2(facings[..., 0], facings[..., 1]))
