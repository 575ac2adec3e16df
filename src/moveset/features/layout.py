"""A layout names the numbers of a feature vector, so that no code counts columns."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from moveset.errors import MovesetError
from moveset.geometry.quaternion import Array


@dataclass(frozen=True)
class Field:
    """One named block of numbers."""

    name: str
    shape: tuple[int, ...]
    unit: str = ""
    weight: float = 1.0
    """How much a deviation of this block counts, where blocks are compared."""

    @property
    def width(self) -> int:
        """Numbers in the block."""
        return math.prod(self.shape)


@dataclass(frozen=True)
class Layout:
    """Blocks in the order in which they lie in a vector of D numbers."""

    name: str
    fields: tuple[Field, ...]

    @cached_property
    def width(self) -> int:
        """D."""
        return sum(field.width for field in self.fields)

    @cached_property
    def slices(self) -> Mapping[str, slice]:
        """Where each block lies."""
        ends = np.cumsum([field.width for field in self.fields])
        return {f.name: slice(int(end) - f.width, int(end)) for f, end in zip(self.fields, ends)}

    @cached_property
    def weights(self) -> Array:
        """(D,) the weight of each number's block."""
        return np.repeat([field.weight for field in self.fields], [field.width for field in self.fields])

    @cached_property
    def signature(self) -> str:
        """Hash of names, shapes and units: equal for layouts whose vectors mean the same."""
        text = ";".join(f"{f.name}{f.shape}[{f.unit}]" for f in self.fields)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def pack(self, blocks: Mapping[str, Array]) -> Array:
        """Vectors (..., D) of named blocks (..., *shape)."""
        missing = [f.name for f in self.fields if f.name not in blocks]
        if missing or len(blocks) != len(self.fields):
            raise MovesetError(
                f"layout {self.name!r} holds {', '.join(self.slices)}; given: {', '.join(blocks)}",
                do="give exactly the blocks of the layout",
            )
        first = self.fields[0]
        leading = np.shape(blocks[first.name])[: np.ndim(blocks[first.name]) - len(first.shape)]
        parts = []
        for field in self.fields:
            block = np.asarray(blocks[field.name])
            if block.shape != (*leading, *field.shape):
                raise MovesetError(
                    f"layout {self.name!r}: {field.name} has shape {block.shape}, "
                    f"expected {(*leading, *field.shape)}"
                )
            parts.append(block.reshape((*leading, field.width)))
        return np.concatenate(parts, axis=-1)

    def unpack(self, vectors: Array) -> dict[str, Array]:
        """Named blocks (..., *shape) of vectors (..., D): views, the inverse of `pack`."""
        if vectors.shape[-1] != self.width:
            raise MovesetError(
                f"layout {self.name!r} has {self.width} numbers, the vectors have {vectors.shape[-1]}"
            )
        leading = vectors.shape[:-1]
        return {f.name: vectors[..., self.slices[f.name]].reshape((*leading, *f.shape)) for f in self.fields}
