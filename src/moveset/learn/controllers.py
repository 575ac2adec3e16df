"""What every family of controllers hands on: networks, starts and the range of what was asked, as a bundle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from moveset.bundle import AskedRange, Bundle, ControllerSpec, LevelOfDetail, Span, write_bundle
from moveset.bundle.kinds import CONTROLLER, REFERENCE
from moveset.learn.data import TrainingSet
from moveset.learn.export import check_onnx, to_onnx
from moveset.learn.models.autoencoder import PoseDecoder
from moveset.learn.states import ROOT, Motion, StateSpace
from moveset.learn.steering import asked

_STARTS = 512
_RECORDED = ("real", "mirrored")
"""Kinds of clips whose futures a wanderer takes up; half of the starts are theirs."""
_MADE = ("walk", "standing")
"""Kinds in which a character may begin, too; the others are made to be learnt from."""


@dataclass(frozen=True, eq=False)
class Level:
    """A level of detail: the module that predicts, and the decoder of its states, by file name."""

    name: str
    predictor: nn.Module
    decoder: str = "decoder.onnx"
    steps: int = 0
    """Euler steps of a flow, 0 for an answer in one pass."""
    noise: int = 0
    """Random numbers that it takes."""


class StateDecoder(nn.Module):
    """State (N, S) -> local rotations (N, A, 6), translations (N, M, 3), contacts (N, K) 0 to 1, root (N, 3).

    As few layers as say it, the scales of states and poses worked in, and the root in the rows of the last one: alone,
    a character pays for operators, not for numbers.
    """

    @torch.no_grad()
    def __init__(self, space: StateSpace, decoder: PoseDecoder) -> None:
        super().__init__()
        network = deepcopy(decoder.network)
        network.scale_input(space.latent_mean, space.latent_scale)
        mean, scale = decoder.get_buffer("mean"), decoder.get_buffer("scale")
        network.scale_output(-mean / scale, 1 / scale)
        line, last = network.last
        self.widths = [*decoder.widths, ROOT]
        first = _layer(functional.pad(network.first[1].weight, (0, ROOT)), network.first[1].bias)
        self.hidden = nn.Sequential(first, *list(network.network)[1:-1])
        self.last = _layer(
            torch.block_diag(torch.cat((last.weight, line.weight), dim=1), torch.diag(space.root_scale)),
            torch.cat((last.bias + line.bias, space.root_mean)),
        )

    def forward(self, state: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """See above."""
        numbers = self.last(torch.cat((self.hidden(state), state), dim=1))
        rotations, translations, contacts, root = numbers.split(self.widths, dim=1)
        return rotations.unflatten(1, (-1, 6)), translations.unflatten(1, (-1, 3)), contacts.clamp(0, 1), root


def _layer(weight: Tensor, bias: Tensor) -> nn.Linear:
    layer = nn.Linear(weight.shape[1], weight.shape[0])
    layer.weight, layer.bias = nn.Parameter(weight.clone()), nn.Parameter(bias.clone())
    return layer


def starts(
    training: TrainingSet, motion: Motion, context: int, times: Sequence[float]
) -> dict[str, np.ndarray]:
    """Windows at which a character may begin, the futures that it had there, and whether they were recorded.

    Every moment is as likely as any other, of those that were recorded and of the others.
    """
    ahead = [round(time * motion.fps) for time in times]
    rows = training.windows(context + ahead[-1])
    clip = np.searchsorted(training.view.starts, rows, side="right") - 1
    kind = np.array(training.kinds)[clip]
    real, made = (_evenly(rows[np.isin(kind, kinds)], _STARTS // 2) for kinds in (_RECORDED, _MADE))
    rows = np.concatenate((real, made)) if len(real) + len(made) else _evenly(rows, _STARTS)
    window = motion.windows(torch.from_numpy(rows), context, ahead[-1])
    offsets, turns = _futures(window["tracks"], context - 1, ahead)
    return {
        "contexts": window["states"].numpy(),
        "offsets": offsets.numpy(),
        "turns": turns.numpy(),
        "recorded": np.arange(len(rows)) < (len(real) or len(rows)),
    }


def _evenly(rows: np.ndarray, count: int) -> np.ndarray:
    """`count` of rows, or all if they are fewer."""
    return rows[np.linspace(0, len(rows) - 1, min(count, len(rows))).astype(int)]


def asked_range(training: TrainingSet, tracks: Tensor, times: Sequence[float]) -> AskedRange:
    """Lowest and highest offsets (T, 2) and turns (T,) along tracks (B, F, 3)."""
    ahead = [round(time * training.fps) for time in times]
    every = [_futures(tracks, now, ahead) for now in range(0, tracks.shape[1] - ahead[-1], 4)]
    offsets, turns = (torch.cat(values) for values in zip(*every))
    return AskedRange(
        *(Span(values.amin(dim=0).tolist(), values.amax(dim=0).tolist()) for values in (offsets, turns))
    )


def _futures(tracks: Tensor, now: int, ahead: Sequence[int]) -> tuple[Tensor, Tensor]:
    times = torch.zeros(len(ahead))  # no error, no way back
    here = tracks[:, now]
    return asked(here, tracks[:, [now + frames for frames in ahead]], here[:, :2], here[:, 2], times)


def write_controller(
    path: Path,
    levels: Sequence[Level],
    decoders: Mapping[str, StateDecoder],
    training: TrainingSet,
    motion: Motion,
    autoencoder: Bundle,
    tracks: Tensor,
    *,
    family: str,
    wanders: bool,
    chance: float,
    times: Sequence[float],
    context: int,
    chunk: int,
    execute: int,
    config: Mapping[str, object],
    seed: int,
    provenance: Mapping[str, object],
    real: tuple[Mapping[str, object], Mapping[str, np.ndarray]] | None = None,
) -> Bundle:
    """Export, check against torch, write.

    `tracks` (B, F, 3) are windows of what was asked in training; `wanders`: it knows where to go when nobody asks for
    anything; `chance`: its size when it plays; `real` are the measures of the real clips, in the manifest and as
    arrays (runtime/evaluation/reference.py).
    """
    own = starts(training, motion, context, times)
    some = slice(0, 64)
    example = {name: torch.from_numpy(own[name][some]) for name in ("offsets", "turns")}
    example = {"context": torch.from_numpy(own["contexts"][some]), **example}
    example["free"] = (torch.arange(len(example["turns"])) % 8 == 0).float()[:, None]
    networks: dict[str, bytes] = {}
    said: dict[str, Mapping] = {}
    metadata = {"latent": autoencoder.latent}
    for number, level in enumerate(levels):
        name = f"lod{number}.onnx"
        given, ports = example, _PREDICTOR
        if level.noise:
            rows = np.random.default_rng(seed).standard_normal((len(example["free"]), level.noise))
            given = {**example, "noise": torch.from_numpy(rows.astype(np.float32))}
            ports = {**_PREDICTOR, "inputs": {**_PREDICTOR["inputs"], "noise": _NOISE}}
        networks[name] = to_onnx(level.predictor, given, ["states"], metadata)
        check_onnx(networks[name], level.predictor, given)
        said[name] = ports
    for name, decoder in decoders.items():
        states = {"state": example["context"][:, -1]}
        networks[name] = to_onnx(decoder, states, ["rotations", "translations", "contacts", "root"], metadata)
        check_onnx(networks[name], decoder, states)
        said[name] = _DECODER
    manifest = {
        "skeleton": training.space.skeleton,
        "pose_space": training.space,
        "layouts": {"pose": training.space.layout.signature},
        "latent": autoencoder.latent,
        "networks": said,
        "config": config,
        "seeds": {"training": seed},
        "data": {"hash": training.facts.hash, "seconds": training.facts.seconds},
        "stands_on": {autoencoder.kind: autoencoder.reference},
        "license": training.facts.license,
        "provenance": provenance,
        "measures": {},
        "controller": ControllerSpec(
            family=family,
            fps=training.fps,
            times=tuple(times),
            context=context,
            chunk=chunk,
            execute=execute,
            states=motion.space.width,
            control_range=asked_range(training, tracks, times),
            lods=tuple(
                LevelOfDetail(level.name, f"lod{number}.onnx", level.decoder, level.steps, level.noise)
                for number, level in enumerate(levels)
            ),
            wanders=wanders,
            autoencoder=autoencoder.latent,
            noise=chance,
        ),
    }
    arrays: dict[str, Mapping[str, np.ndarray]] = {"starts": own}
    if real is not None:
        manifest[REFERENCE], arrays[REFERENCE] = real
    return write_bundle(path, CONTROLLER, manifest, networks, arrays)


_PREDICTOR = {
    "inputs": {
        "context": {"unit": "", "meaning": "the last states, the newest one last"},
        "offsets": {
            "unit": "m",
            "meaning": "where to be at each time ahead, seen from the ground frame: side, forward",
        },
        "turns": {"unit": "rad", "meaning": "where to face then, against the heading now"},
        "free": {"unit": "", "meaning": "1 where nothing is asked"},
    },
    "outputs": {"states": {"unit": "", "meaning": "the next states, within the range of the data"}},
}
_NOISE = {"unit": "", "meaning": "independent normal numbers, times the size of chance that is wished"}
_DECODER = {
    "inputs": {"state": {"unit": "", "meaning": "one state"}},
    "outputs": {
        "rotations": {
            "unit": "",
            "meaning": "first two columns of local rotation matrices of the turning joints",
        },
        "translations": {"unit": "m", "meaning": "local translations of the moving joints"},
        "contacts": {"unit": "", "meaning": "0 to 1, the foot roles that the skeleton has"},
        "root": {"unit": "m/s m/s rad/s", "meaning": "side, forward, turn of the ground frame"},
    },
}
