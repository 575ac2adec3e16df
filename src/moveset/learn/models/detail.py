"""Levels of detail of a controller: smaller networks for characters far away."""

from __future__ import annotations

from dataclasses import dataclass

from moveset.learn.models.small_decoder import SmallDecoderConfig


@dataclass(frozen=True, kw_only=True)
class Detail:
    """A level of detail."""

    width: int = 0
    """Of its network; 0 is that of the model."""
    steps: float = 1.0
    """Of its training, as a share of the model's."""
    decoder: SmallDecoderConfig | None = None
    """A decoder of its own."""
