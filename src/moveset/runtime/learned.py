"""The learned controller: a network answers with the next states, a second one turns each state into a pose.

A state is the latent numbers of a pose and how its ground frame moves. Every `execute` states a character asks the
predictor, from its last states and what it is asked for, for a queue of new ones; only those whose queue is used up
ask, in turns, so that a crowd costs about the same in every step. Between two states it is shown what the decoder
makes of a cubic through them: the next one is always there already, so nothing comes late.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, fields, replace

import numpy as np

from moveset.bundle import Bundle, ControllerSpec
from moveset.errors import MovesetError
from moveset.geometry.quaternion import Array
from moveset.motion.contacts import feet
from moveset.motion.roles import FEET
from moveset.runtime.behaviors import Wish
from moveset.runtime.control_range import ControlRange
from moveset.runtime.controller import Poses, draw
from moveset.runtime.footlock import FootLock
from moveset.runtime.futures import Futures, Wandering, wandering, with_futures
from moveset.runtime.learned_kernels import advance, find_due, write_poses
from moveset.runtime.predictor import Network, Predictor, open_predictor

_AS_GOOD = 0.2
"""Futures that differ by this [m, rad: root of the sum over the looked-ahead times] are as good as each other."""


@dataclass(frozen=True)
class LearnedConfig:
    """How a learned controller behaves."""

    noise: float | None = None
    """Size of the chance in models that take any: 1 as in training, 0 the same way every time; the model's own if
    None."""
    wish_jump: float = 0.3
    """A wish that differs by more than this from the one answered last [m at the furthest time] is answered at once."""
    choices: int = 8
    """A character begins at one of so many best fitting moments."""
    fade_seconds: float = 0.2
    """In which the decoder of one level of detail gives way to another's."""

    def __post_init__(self) -> None:
        for name, low in (("noise", 0.0), ("wish_jump", 0.0), ("choices", 1), ("fade_seconds", 1e-3)):
            value = getattr(self, name)
            if value is not None and not low <= value < math.inf:
                raise MovesetError(f"{name} of a learned controller is {value}", do=f"give at least {low:g}")


@dataclass(frozen=True, eq=False)
class Starts:
    """Moments of the data at which a character may begin."""

    contexts: Array
    """(P, C, S) float32 states."""
    offsets: Array
    """(P, T, 2) where it went then [m]."""
    turns: Array
    """(P, T) where it faced then [rad]."""


@dataclass(eq=False)
class LearnedState:
    """What changes of N characters."""

    context: Array
    """(N, C, S) float32: the last states, the newest being the one that is approached or reached."""
    fractions: Array
    """(N,) how far from the state before the newest to the newest, above 0 to 1."""
    queue: Array
    """(N, K, S) float32: states that follow."""
    taken: np.ndarray
    """(N,) how many of them were used."""
    left: np.ndarray
    """(N,) how many more to use before the predictor is asked again."""
    answered: Array
    """(N, 2) the furthest offset of the wish that was answered last [m]."""
    fresh: np.ndarray
    """(N,) bool: has not moved yet, so the first wish chooses where to begin."""
    lod: np.ndarray
    """(N,) level of detail."""
    faded: np.ndarray
    """(N,) the decoder of the level before, and"""
    fading: Array
    """(N,) how much of it is still shown, 1 to 0."""
    seeds: np.ndarray
    """(N,) uint64."""
    draws: np.ndarray
    """(N,) uint64, how many random numbers were used."""
    wandering: Wandering
    poses: Poses

    def arrays(self) -> dict[str, np.ndarray]:
        """All that the next step depends on, by name."""
        parts = {"wandering": self.wandering, "poses": self.poses}
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in parts}
        return own | {
            f"{n}.{f.name}": getattr(part, f.name) for n, part in parts.items() for f in fields(part)
        }


class LearnedController:
    """A Controller over a bundle of kind "controller"."""

    def __init__(self, bundle: Bundle, lod: int = 0, config: LearnedConfig | None = None) -> None:
        if "controller" not in bundle.manifest:
            raise MovesetError(
                f"is of kind {bundle.kind!r}, no controller", file=bundle.path, do="give a controller"
            )
        spec = ControllerSpec.from_json(bundle.manifest["controller"], bundle.path)
        self.config = config or LearnedConfig()
        self.space = bundle.pose_space
        self.skeleton, self.fps = self.space.skeleton, spec.fps
        self.times = spec.times
        self.range: ControlRange | None = ControlRange.of(spec.control_range)
        self.levels: tuple[str, ...] = tuple(level.name for level in spec.lods)
        self.lod = self._level(lod)
        arrays = bundle.arrays("starts")
        self.starts = Starts(
            np.ascontiguousarray(arrays["contexts"], dtype=np.float32),
            arrays["offsets"].astype(np.float64),
            arrays["turns"].astype(np.float64),
        )
        recorded = arrays.get("recorded", np.ones(len(arrays["turns"]), dtype=bool))
        self.futures = Futures(self.starts.offsets[recorded], self.starts.turns[recorded])
        self.chunk, self.execute = spec.chunk, spec.execute
        if self.starts.contexts.shape[1:] != (spec.context, spec.states):
            raise MovesetError(
                f"its starts hold {self.starts.contexts.shape[1]} states of {self.starts.contexts.shape[2]} numbers, "
                f"its networks take {spec.context} of {spec.states}",
                file=bundle.path,
                do="export the controller again",
            )
        self.wanders = spec.wanders
        noise = spec.noise if self.config.noise is None else self.config.noise
        self._predictors: list[Predictor] = [
            open_predictor(bundle, spec, level, noise) for level in spec.lods
        ]
        files = list(dict.fromkeys(level.decoder for level in spec.lods))
        self._decoders: list[Network] = [bundle.network(file) for file in files]
        self._decoder_of = np.array([files.index(level.decoder) for level in spec.lods])
        self._gain = self._root_gain()
        self._turning, self._moving = self.space.turning.astype(np.int64), self.space.moving.astype(np.int64)
        self._columns = _contact_columns(feet(self.skeleton))
        self.form: Mapping[str, object] = {
            "skeleton": self.skeleton.signature,
            "pose space": (*self._turning.tolist(), -1, *self._moving.tolist()),
            "autoencoder": bundle.latent,
            "kind": "learned",
            "states": (self.fps, self.times, self.chunk, *self.starts.contexts.shape[1:]),
        }

    def _level(self, lod: int) -> int:
        if not isinstance(lod, int | np.integer) or not 0 <= lod < len(self.levels):
            raise MovesetError(
                f"there is no level of detail {lod}",
                do=f"0 to {len(self.levels) - 1}: {', '.join(self.levels)}",
            )
        return lod

    def _root_gain(self) -> Array:
        """(4, 3) how the last three numbers of a state become root velocities: three gains and what is added."""
        probes = np.zeros((4, self.starts.contexts.shape[-1]), dtype=np.float32)
        probes[range(3), range(-3, 0)] = 1.0
        root = self._decoders[0](state=probes)[3].astype(np.float64)
        return np.concatenate((root[:3] - root[3], root[3:]))

    def start(self, seeds: np.ndarray) -> LearnedState:
        """Characters at random starts; one that is asked for something in its first step begins as that asks."""
        count, (moments, _, size) = len(seeds), self.starts.contexts.shape
        draws = np.zeros(count, dtype=np.uint64)
        begun = (draw(seeds, draws) * moments).astype(np.int64)
        return LearnedState(
            context=self.starts.contexts[begun],
            fractions=np.ones(count),
            queue=np.zeros((count, self.chunk, size), dtype=np.float32),
            taken=np.zeros(count, dtype=np.int64),
            left=np.zeros(count, dtype=np.int64),
            answered=np.zeros((count, 2)),
            fresh=np.ones(count, dtype=bool),
            lod=np.full(count, self.lod),
            faded=np.zeros(count, dtype=np.int64),
            fading=np.zeros(count),
            seeds=seeds.copy(),
            draws=draws + np.uint64(1),
            wandering=wandering(self.starts.offsets[begun], self.starts.turns[begun]),
            poses=self._poses(count),
        )

    def _poses(self, count: int) -> Poses:
        """Of N characters, with the joints that never move as they are."""
        return Poses(
            np.tile(self.space.rotations, (count, 1, 1)),
            np.tile(self.space.translations, (count, 1, 1)),
            np.zeros((count, 4), dtype=bool),
            np.zeros((count, 3)),
        )

    def step(self, state: LearnedState, wish: Wish, dt: float) -> Poses:
        """Ask the predictor where it is due, go on to the next states, decode."""
        starting = bool(state.fresh.any())
        if starting:
            self._begin(state, wish, np.flatnonzero(state.fresh & ~wish.free))
        if not self.wanders:
            wish = with_futures(state.wandering, self.futures, wish, dt, lambda who: self._draw(state, who))
        due = find_due(
            wish.offsets,
            wish.free,
            state.answered,
            self.config.wish_jump,
            state.fractions,
            state.left,
            dt * self.fps,
        )
        if len(due):
            self._ask(state, wish, due)
        if starting:
            state.fresh[:] = False
        states = np.empty((len(state.left), state.queue.shape[-1]), dtype=np.float32)
        advance(
            dt * self.fps, state.context, state.queue, state.taken, state.left, self._gain, self.fps,
            state.fractions, state.poses.steps, states,
        )  # fmt: skip
        self._show(state, states, dt)
        return state.poses

    def _begin(self, state: LearnedState, wish: Wish, who: np.ndarray) -> None:
        """Put characters at one of the starts whose future fits best; not all at the same, or they march in step."""
        starts = _paths(self.starts.offsets, self.starts.turns)
        chance = self._draw(state, who)
        for n, path, number in zip(who, _paths(wish.offsets[who], wish.facings[who]), chance):
            gaps = np.square(starts - path).sum(axis=1)
            best = np.argsort(gaps, kind="stable")[: self.config.choices]
            best = best[np.sqrt(gaps[best]) <= np.sqrt(gaps[best[0]]) + _AS_GOOD]
            state.context[n] = self.starts.contexts[best[int(number * len(best))]]

    def _ask(self, state: LearnedState, wish: Wish, due: np.ndarray) -> None:
        """New queues for the characters `due`."""
        for level in np.unique(state.lod[due]):
            who = due[state.lod[due] == level]
            predictor = self._predictors[level]
            unknown = wish.free[who] & self.wanders
            chance = predictor.chance(state.seeds[who], state.draws[who])
            state.draws[who] += np.uint64(predictor.numbers)
            state.queue[who] = predictor.predict(
                state.context[who], wish.offsets[who], wish.facings[who], unknown, chance
            )
        state.taken[due] = 0
        state.answered[due] = wish.offsets[due, -1]
        # at first as many as make characters ask in turns; an early question leaves one's turn as it was
        turn = np.where(state.fresh[due], 1 + due % self.execute, self.execute)
        state.left[due] = np.where(state.left[due] <= 0, turn, state.left[due])

    def _show(self, state: LearnedState, states: Array, dt: float) -> None:
        rotations, translations, contacts = self._decode(states, self._decoder_of[state.lod])
        fading = np.flatnonzero(state.fading > 0)
        if len(fading):
            weight = state.fading[fading]
            weight = (weight * weight * (3 - 2 * weight)).astype(np.float32)
            before = self._decode(states[fading], state.faded[fading])
            for shown, old in zip((rotations, translations, contacts), before):
                shown[fading] += weight.reshape(-1, *[1] * (old.ndim - 1)) * (old - shown[fading])
            state.fading[fading] = np.maximum(state.fading[fading] - dt / self.config.fade_seconds, 0)
        self._write(rotations, translations, contacts, state.poses)

    def _write(self, rotations: Array, translations: Array, contacts: Array, poses: Poses) -> None:
        write_poses(
            rotations, translations, contacts, self._turning, self._moving, self._columns,
            poses.rotations, poses.translations, poses.contacts,
        )  # fmt: skip

    def _decode(self, states: Array, decoders: np.ndarray) -> tuple[Array, Array, Array]:
        """Rotations (N, A, 6), translations (N, M, 3) and contacts (N, K), each by its own decoder."""
        first = decoders[0]
        if len(self._decoders) == 1 or (decoders == first).all():
            return self._decoders[first](state=states)[:3]
        parts = [np.flatnonzero(decoders == k) for k in range(len(self._decoders))]
        found = [self._decoders[k](state=states[who])[:3] for k, who in enumerate(parts) if len(who)]
        order = np.argsort(np.concatenate(parts))
        rotations, translations, contacts = (np.concatenate(blocks)[order] for blocks in zip(*found))
        return rotations, translations, contacts

    def set_lod(self, state: LearnedState, who: np.ndarray, lod: int) -> None:
        """From their next question on, characters `who` (K,) ask the predictor of another level of detail."""
        self._level(lod)
        old, new = self._decoder_of[state.lod[who]], self._decoder_of[lod]
        changed = who[old != new]
        state.faded[changed], state.fading[changed] = old[old != new], 1.0
        state.lod[who] = lod

    def with_networks(self, wrap: Callable[[Network], Network]) -> LearnedController:
        """A copy that calls `wrap` of each network instead: to time them, or to see what they are given."""
        other = copy(self)
        other._predictors = [replace(p, network=wrap(p.network)) for p in self._predictors]
        other._decoders = [wrap(decoder) for decoder in self._decoders]
        return other

    def foot_lock(self) -> FootLock:
        """Foot lock for the poses of the starts."""
        few = self.starts.contexts[:: max(1, len(self.starts.contexts) // 2000), -1]
        rotations, translations, contacts = self._decode(few, np.full(len(few), self._decoder_of[self.lod]))
        poses = self._poses(len(few))
        self._write(rotations, translations, contacts, poses)
        return FootLock(self.skeleton, poses.rotations)

    def snapshot(self, state: LearnedState) -> dict[str, np.ndarray]:
        """Copies of the state's arrays."""
        return {name: array.copy() for name, array in state.arrays().items()}

    def restore(self, state: LearnedState, arrays: Mapping[str, np.ndarray]) -> None:
        """Back to a snapshot."""
        for name, array in state.arrays().items():
            array[...] = arrays[name]

    def _draw(self, state: LearnedState, who: np.ndarray) -> Array:
        numbers = draw(state.seeds[who], state.draws[who])
        state.draws[who] += np.uint64(1)
        return numbers


def _paths(offsets: Array, turns: Array) -> Array:
    """(N, 3 T): places [m], and facings as if a radian were a metre."""
    return np.concatenate((offsets.reshape(len(offsets), 2 * turns.shape[1]), turns), axis=1)


def _contact_columns(roles: tuple[str, ...]) -> np.ndarray:
    """(4,) the decoder's column for each of FEET; a foot without toes lends its own flag to them."""
    return np.array([roles.index(role if role in roles else role.replace("Toes", "Foot")) for role in FEET])
