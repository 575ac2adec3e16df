"""What is trained where nobody says it: the family that measures best on a library of its kind.

Where clips travel a character is steered, so its future is known, and regression on its own roll-outs is the most
exact and the cheapest. Where they act in place nobody steers and any action may follow: a flow follows one, where
regression answers with the mean of all. docs/bench/controller.md and docs/bench/flow.md have the figures.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from moveset.geometry.quaternion import Array
from moveset.learn.data import TrainingSet
from moveset.learn.models.distill import DistillConfig, DistillPreset
from moveset.learn.models.flow import FlowConfig, FlowPreset
from moveset.learn.models.meanflow import MeanFlowPreset
from moveset.learn.models.regression import RegressionConfig, RegressionPreset
from moveset.library.split import TRAIN

TRAVELS = 0.4
"""Mean speed over a second from which on a body travels [m/s]."""
_MOST = 0.5
_RECORDED = "real"

Config = TypeVar("Config", bound=RegressionConfig)
Preset = TypeVar("Preset", bound=RegressionPreset | FlowPreset | MeanFlowPreset | DistillPreset)


def share_that_travels(data: TrainingSet) -> float:
    """Of the recorded training time; of all training time if nothing was recorded."""
    view = data.view
    root = view.features[:, view.layout.slices["root"]]
    kept = [k for k, side in enumerate(view.splits) if side == TRAIN]
    kept = [k for k in kept if data.kinds[k] == _RECORDED] or kept
    speeds = [_speeds(root[view.starts[k] : view.starts[k + 1], :2], round(view.fps)) for k in kept]
    return float(np.average([(own >= TRAVELS).mean() for own in speeds], weights=np.diff(view.starts)[kept]))


def _speeds(velocities: Array, frames: int) -> Array:
    """(W,) of the mean velocity over a while, from velocities (F, 2): a lunge and its way back are none."""
    frames = min(frames, len(velocities))
    sums = np.cumsum(np.concatenate((np.zeros((1, 2)), velocities)), axis=0)
    return np.hypot(*((sums[frames:] - sums[:-frames]) / frames).T)


def usual_family(travelling: float) -> tuple[str, str]:
    """Family, and why, for a library of which this share of the time travels."""
    if travelling >= _MOST:
        return (
            "regression",
            f"{travelling:.0%} of the recorded time travels: regression follows paths best",
        )
    return (
        "flow",
        f"{1 - travelling:.0%} of the recorded time is in place, where any action may follow: "
        "a flow follows one, regression the mean of all",
    )


def suited(preset: Preset, travelling: float) -> Preset:
    """A preset for a library of which this share of the time travels."""
    return preset if travelling >= _MOST else replace(preset, model=in_place(preset.model))


def in_place(model: Config, **changes: object) -> Config:
    """`model` for windows of which nobody asks anything, with a longer memory of what has begun.

    Noise of 0.1 on the contexts leaves the data, 0.3 finds back to them. Regression wanders by futures of its starts,
    so half of its windows are asked for theirs.
    """
    usual = {"bent": 0.0, "paced": 0.0, "off_path": (0.0, 0.0), "context": 8, "chunk": 8, "noise": 0.3}
    if isinstance(model, FlowConfig):
        usual |= {"free": 1.0, "chance": 1.0, "rounds": (1, 1)}
    elif isinstance(model, DistillConfig):
        usual |= {"free": 1.0, "chance": 1.0, "rounds": (1, 3)}
    else:
        usual |= {"free": 0.5}
    return replace(model, **usual | changes)
