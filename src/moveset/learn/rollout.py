"""A controller that goes on from its own answers: what it was given and said, and where that took it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from moveset.learn.states import StateSpace
from moveset.learn.steering import asked, walked
from moveset.learn.task import Batch

Given = tuple[Tensor, Tensor, Tensor, Tensor]
"""Context, offsets, turns, free, as a predictor takes them."""


@dataclass(frozen=True, eq=False)
class Chunk:
    """One answer of K frames, the first of which is frame `first` of its window."""

    first: int
    given: Given
    answer: Tensor
    """(B, K, S) as it came."""
    states: Tensor
    """(B, K, S) within the range of the data."""
    places: Tensor
    """(B, K, 2) [m] and ..."""
    headings: Tensor
    """(B, K) [rad] after each of these states."""


@dataclass(frozen=True, eq=False)
class Rollout:
    """How a controller is asked, as at run time."""

    space: StateSpace
    context: int
    execute: int
    """Of the states of an answer, so many are played before it is asked again."""
    times: Sequence[float]
    """Seconds ahead at which it is told where to be."""
    fps: float

    @property
    def ahead(self) -> list[int]:
        """The same in frames."""
        return [round(time * self.fps) for time in self.times]

    def run(self, answer: Callable[[int, Given], Tensor], batch: Batch, rounds: int) -> list[Chunk]:
        """`answer` (number of the chunk, what is given -> states before they are clamped) is asked `rounds` times, from
        the noisy beginning of the windows of `batch` on and then from where it got to."""
        tracks, free = batch["tracks"], batch["free"]
        context = batch["states"][:, : self.context] + batch["noise"]
        begin = tracks[:, self.context - 1]
        position, heading = begin[:, :2] + batch["place"], begin[:, 2] + batch["turn"]
        times, chunks = tracks.new_tensor(self.times), []
        for number in range(rounds):
            now = self.context - 1 + number * self.execute
            ahead = tracks[:, [now + frames for frames in self.ahead]]
            given = (context, *asked(tracks[:, now], ahead, position, heading, times), free)
            said = answer(number, given)
            states = self.space.clamp(said)
            places, headings = walked(self.space.root_of(states) / self.fps, position, heading)
            chunks.append(Chunk(now + 1, given, said, states, places, headings))
            position, heading = places[:, self.execute - 1], headings[:, self.execute - 1]
            context = torch.cat((context, states[:, : self.execute]), dim=1)[:, -self.context :]
        return chunks

    def played(self, chunks: Sequence[Chunk]) -> tuple[Tensor, Tensor, Tensor]:
        """States (B, F, S), places (B, F, 2) and headings (B, F) of the frames that were played."""
        each = slice(self.execute)
        return (
            torch.cat([chunk.states[:, each] for chunk in chunks], dim=1),
            torch.cat([chunk.places[:, each] for chunk in chunks], dim=1),
            torch.cat([chunk.headings[:, each] for chunk in chunks], dim=1),
        )
