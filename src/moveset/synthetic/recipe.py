"""What a synthetic clip is made from, and the words that come with it."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from moveset.motion import Annotation, Clip, Tags
from moveset.synthetic import clips
from moveset.synthetic.figure import Figure

LICENSE = "CC0-1.0"
SOURCE = "moveset.synthetic"


@dataclass(frozen=True)
class Stage:
    """Where a recipe is performed: by which body, at which rate, with which luck."""

    figure: Figure
    fps: float
    rng: np.random.Generator

    @property
    def rate(self) -> float:
        """Samples a second of the motion underneath."""
        return clips.clock(self.fps)


@dataclass(frozen=True)
class Recipe:
    """A named clip that any body can perform."""

    name: str
    perform: Callable[[Stage, str, Tags], Clip]
    """(stage, name, tags) -> clip."""
    annotation: Annotation
    sentence: str
    words: tuple[str, ...] = ()
    mirrorable: bool = True

    def make(self, figure: Figure, fps: float, seed: int) -> Clip:
        """The clip. Each recipe draws from a stream of its own, so one clip does not change when others do."""
        rng = np.random.default_rng([seed, zlib.crc32(self.name.encode())])
        tags = Tags(
            words=("synthetic", *self.words),
            annotation=self.annotation,
            sentence=self.sentence,
            license=LICENSE,
            source=f"{SOURCE}#{self.name}",
            mirrorable=self.mirrorable,
        )
        return self.perform(Stage(figure, fps, rng), self.name, tags)
