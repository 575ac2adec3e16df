"""How a controller is to be run: what stands under `controller` in the manifest of its bundle (docs/bundle.md)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from moveset.errors import MovesetError


@dataclass(frozen=True)
class LevelOfDetail:
    """The networks of a level of detail, by file name."""

    name: str
    predictor: str
    decoder: str
    steps: int = 0
    """Euler steps of a flow that the player takes, 0 for an answer in one pass."""
    noise: int = 0
    """Random numbers that the predictor takes."""


@dataclass(frozen=True)
class Span:
    """Lowest and highest values, nested as deep as what they are of."""

    low: Sequence[Any]
    high: Sequence[Any]


@dataclass(frozen=True)
class AskedRange:
    """What was asked in training, at each of T looked-ahead times."""

    offsets: Span
    """(T, 2) side, forward [m]."""
    turns: Span
    """(T,) [rad]."""


@dataclass(frozen=True, kw_only=True)
class ControllerSpec:
    """What a player has to know."""

    family: str
    """regression, flow, distilled, mean flow."""
    fps: float
    times: tuple[float, ...]
    """(T,) seconds ahead at which it is told where to be."""
    context: int
    """Last states that it looks at."""
    chunk: int
    """States that it answers with ..."""
    execute: int
    """... and those that are played before it is asked again."""
    states: int
    """Numbers of a state."""
    control_range: AskedRange
    lods: tuple[LevelOfDetail, ...]
    wanders: bool
    """Whether it knows where to go when nobody asks for anything; others are asked for futures of their starts."""
    autoencoder: str = ""
    """Signature of the latent numbers in its states."""
    noise: float = 1.0
    """Size of the chance in those that take any."""

    def __post_init__(self) -> None:
        count = len(self.times)
        for span, shape in ((self.control_range.offsets, (count, 2)), (self.control_range.turns, (count,))):
            if np.shape(span.low) != shape or np.shape(span.high) != shape:
                raise ValueError(f"a control range of {np.shape(span.low)} numbers for {count} times")
        if self.context < 2 or not 1 <= self.execute <= self.chunk:
            raise ValueError(
                f"a context of {self.context} states, {self.execute} of {self.chunk} executed: it needs two states or "
                "more, and executes what it has predicted"
            )
        if not self.lods or not self.times or not self.fps > 0:
            raise ValueError("no level of detail, no times or no frame rate")

    def to_json(self) -> dict[str, Any]:
        """As it stands in the manifest."""
        return asdict(self)

    @classmethod
    def from_json(cls, said: Mapping[str, Any], file: str | os.PathLike[str]) -> ControllerSpec:
        """From the manifest of the bundle `file`."""
        try:
            spans = {name: Span(**_known(Span, said["control_range"][name])) for name in ("offsets", "turns")}
            return cls(
                family=str(said["family"]),
                fps=float(said["fps"]),
                times=tuple(map(float, said["times"])),
                context=int(said["context"]),
                chunk=int(said["chunk"]),
                execute=int(said["execute"]),
                states=int(said["states"]),
                control_range=AskedRange(**spans),
                lods=tuple(LevelOfDetail(**_known(LevelOfDetail, level)) for level in said["lods"]),
                wanders=bool(said.get("wanders", said["family"] != "regression")),  # older ones do not say
                autoencoder=str(said.get("autoencoder", "")),
                noise=float(said.get("noise", 1.0)),
            )
        except (KeyError, TypeError, ValueError) as error:
            what = f"does not say {error}" if isinstance(error, KeyError) else str(error)
            raise MovesetError(
                f"tells of a controller that cannot be run: {what}",
                file=file,
                do="export the controller again",
            ) from None


def _known(kind: type, said: Mapping[str, Any]) -> dict[str, Any]:
    """What a later version may say beside it is left out."""
    return {field.name: said[field.name] for field in fields(kind) if field.name in said}
