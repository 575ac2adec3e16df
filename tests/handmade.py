"""A controller made by hand behind the interface of a bundle: it walks one cycle of a clip, faster or slower, and
turns to where it is asked; what it answers is known exactly."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from moveset.features.pose import PoseSpace, pose_space
from moveset.synthetic.corpus import synthesize

TIMES = (1 / 6, 1 / 3, 2 / 3, 1.0)
FPS, CONTEXT, CHUNK, EXECUTE = 30.0, 4, 8, 4
MEAN, SCALE = np.array([0.0, 1.3, 0.0]), np.array([0.15, 0.35, 0.25])
"""Of the root velocities in a state: side and forward [m/s], turn [rad/s]."""
HARMONICS = 6


@dataclass(frozen=True, eq=False)
class Walk:
    """One cycle as Fourier series of its phase."""

    space: PoseSpace
    frames: float
    """Of a cycle."""
    rows: np.ndarray
    """(1 + 2 HARMONICS, D) coefficients of the pose vector."""

    def vectors(self, phase):
        return _waves(phase) @ self.rows


def _waves(phase):
    k = np.arange(1, HARMONICS + 1) * phase[..., None]
    return np.concatenate((np.ones((*phase.shape, 1)), np.cos(k), np.sin(k)), axis=-1)


def fit_walk(clip) -> Walk:
    space = pose_space([clip])
    vectors = space.vectors(clip)[10:-10]
    best = None
    for frames in np.arange(20, 50, 0.1):
        waves = _waves(2 * np.pi * np.arange(len(vectors)) / frames)
        rows, *_ = np.linalg.lstsq(waves, vectors, rcond=None)
        error = np.abs(waves @ rows - vectors).mean()
        if best is None or error < best[0]:
            best = error, frames, rows
    return Walk(space, best[1], best[2])


@dataclass(frozen=True, eq=False)
class Handmade:
    """What LearnedController asks of a Bundle. A state is cos and sin of the phase, and the root."""

    walk: Walk
    family: str = "regression"
    latent: str = "handmade"
    stiffness: float = 0.25
    """How fast the root takes up what is asked; levels of detail differ in it."""
    small_decoder: float = 0.0
    """By how much LOD1's own decoder shifts the hips [m]; 0: it shares that of LOD0."""
    chunk: int = CHUNK
    asked: list[int] = field(default_factory=list)
    """Rows of each call of a predictor."""
    path: str = "handmade.controller"

    @property
    def pose_space(self):
        return self.walk.space

    @cached_property
    def manifest(self) -> dict[str, Any]:
        shared = {"predictor": "lod0.onnx", "decoder": "decoder.onnx", "steps": 0}
        own = "small.onnx" if self.small_decoder else "decoder.onnx"
        flow = {"steps": 2} if self.family == "flow" else {}
        return {
            "pose_space": self.pose_space,
            "controller": {
                "fps": FPS, "times": list(TIMES), "context": CONTEXT, "chunk": self.chunk, "execute": EXECUTE,
                "family": self.family,
                "states": 5,
                "lods": [
                    {"name": "LOD0", **shared, **flow},
                    {"name": "LOD1", "predictor": "lod1.onnx", "decoder": own, "steps": 0},
                ],
                "control_range": {
                    "offsets": {"low": [[-t, -0.2] for t in TIMES], "high": [[t, 2 * t] for t in TIMES]},
                    "turns": {"low": [-2 * t for t in TIMES], "high": [2 * t for t in TIMES]},
                },
            },
        }  # fmt: skip

    def arrays(self, name):
        assert name == "starts"
        rng = np.random.default_rng(3)
        speeds, turns = rng.uniform(0.6, 1.6, 40), rng.uniform(-1.0, 1.0, 40)
        phases = rng.uniform(0, 2 * np.pi, 40)
        before = np.arange(1 - CONTEXT, 1)
        root = np.stack((np.zeros(40), speeds, turns), axis=-1)
        phase = phases[:, None] + before * self._rate(speeds)[:, None]
        contexts = self._state(phase, np.repeat(root[:, None], CONTEXT, axis=1))
        times = np.array(TIMES)
        angle = turns[:, None] * times
        # along the arc of constant speed and turn
        arc = speeds[:, None] / turns[:, None]
        offsets = np.stack((arc * (1 - np.cos(angle)), arc * np.sin(angle)), axis=-1)
        return {"contexts": contexts, "offsets": offsets, "turns": angle}

    def network(self, name, threads=1):
        return {
            "lod0.onnx": self._flow if self.family == "flow" else self._predictor(self.stiffness),
            "lod1.onnx": self._predictor(self.stiffness / 2),
            "decoder.onnx": self._decoder(0.0),
            "small.onnx": self._decoder(self.small_decoder),
        }[name]

    def _rate(self, speed):
        return 2 * np.pi / self.walk.frames * speed / 1.2

    def _state(self, phase, root):
        rest = (root - MEAN) / SCALE
        return np.concatenate((np.cos(phase)[..., None], np.sin(phase)[..., None], rest), axis=-1).astype(
            np.float32
        )

    def _predictor(self, stiffness):
        def predict(context, offsets, turns, free):
            self.asked.append(len(context))
            last = context[:, -1].astype(np.float64)
            phase, root = np.arctan2(last[:, 1], last[:, 0]), last[:, 2:] * SCALE + MEAN
            goal = np.concatenate((offsets[:, 1], turns[:, 1:2]), axis=1) / TIMES[1]
            goal = np.where(free > 0, root, goal)
            states = []
            for _ in range(self.chunk):
                root = root + stiffness * (goal - root)
                phase = phase + self._rate(root[:, 1])
                states.append(self._state(phase, root))
            return (np.stack(states, axis=1),)

        return predict

    def _flow(self, context, offsets, turns, free, sample, time):
        """Straight from the sample to the answer, but for a tenth of the sample that stays."""
        answer = self._predictor(self.stiffness)(context, offsets, turns, free)[0].reshape(len(context), -1)
        goal = answer + 0.1 * self._origin(sample, answer, time)
        return ((goal - sample) / (1 - time),)

    @staticmethod
    def _origin(sample, answer, time):
        """The sample at time 0 of a straight way through `sample` that ends at answer + 0.1 of it."""
        return (sample - time * answer) / (1 - 0.9 * time)

    def _decoder(self, shift):
        blocks = self.walk.space.layout

        def decode(state):
            phase = np.arctan2(state[:, 1].astype(np.float64), state[:, 0])
            found = blocks.unpack(self.walk.vectors(phase))
            return tuple(
                array.astype(np.float32)
                for array in (
                    found["rotations"],
                    found["translations"] + np.array([0.0, shift, 0.0]),
                    found["contacts"],
                    state[:, 2:] * SCALE + MEAN,
                )
            )

        return decode


def handmade(**changes) -> Handmade:
    """One that walks."""
    return replace(_WALKS[0] if _WALKS else _first(), **changes, asked=[])


_WALKS: list[Handmade] = []


def _first() -> Handmade:
    _WALKS.append(Handmade(fit_walk(synthesize("walk_120"))))
    return _WALKS[0]
