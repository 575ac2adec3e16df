"""How a training is carried out, whatever is trained."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class How:
    """The same for every model."""

    steps: int | None = None
    """Training steps of the largest network, in place of the preset's; others of a controller in proportion.
    An autoencoder that is trained first for a controller keeps those of its preset."""
    seed: int = 0
    """Chance."""
    device: str = "cpu"
    """cpu, cuda, cuda:1, ..."""
    threads: int = 1
    """Of the processor."""
    resume: bool = False
    """Go on where a training of the same output was stopped."""


AS_USUAL = How()
