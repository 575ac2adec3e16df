"""What a layer of an ONNX graph sees, as an affine map of what cannot be folded into the layer.

Scales, offsets, reshapes and joins before a layer y = W x + b come to x = A z + c, with fewer operators for z than for
x; then y = (W A) z + (b + W c). So does a gate, one number g a row that is itself affine in one tensor:
(A z + c) g = A (z g) + c g.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import helper

from moveset.geometry.quaternion import Array

Leaf = tuple[str, ...]
"""A tensor by name, or several side by side and then the gate that multiplies them."""


@dataclass(frozen=True, eq=False)
class Affine:
    """x (N, C) = z A^T + c, where z are the flat `leaves` side by side."""

    leaves: Mapping[Leaf, int]
    """Their widths."""
    matrix: Array
    """A (C, sum of widths)."""
    offset: Array
    """c (C,)"""
    size: Array
    """(C,) of all that was added to come to `offset`: what is large is rounded."""

    def scaled(self, scale: Array, offset: Array) -> Affine:
        """x * scale + offset, both (C,)."""
        size = self.size * np.abs(scale) + np.abs(offset)
        return Affine(self.leaves, self.matrix * scale[:, None], self.offset * scale + offset, size)

    def gated(self, name: str, gate: Affine) -> Affine:
        """x times the tensor `name` (N, 1), which is `gate`."""
        tensors = tuple(tensor for (tensor,) in self.leaves)
        leaves = {(*tensors, name): sum(self.leaves.values()), **gate.leaves}
        matrix = np.concatenate((self.matrix, self.offset[:, None] * gate.matrix), axis=1)
        return Affine(leaves, matrix, self.offset * gate.offset, self.size)

    def over(self, leaves: Mapping[Leaf, int]) -> Array:
        """Its matrix where there are more leaves."""
        begins = dict(zip(leaves, np.cumsum([0, *leaves.values()])))
        matrix, at = np.zeros((len(self.matrix), sum(leaves.values()))), 0
        for leaf, width in self.leaves.items():
            matrix[:, begins[leaf] : begins[leaf] + width] += self.matrix[:, at : at + width]
            at += width
        return matrix


def beside(parts: Sequence[Affine]) -> Affine:
    """Their numbers side by side."""
    leaves = {leaf: width for part in parts for leaf, width in part.leaves.items()}
    offset, size = (np.concatenate([getattr(part, name) for part in parts]) for name in ("offset", "size"))
    return Affine(leaves, np.concatenate([part.over(leaves) for part in parts]), offset, size)


@dataclass(frozen=True, eq=False)
class Tracer:
    """Follows a tensor back through a graph."""

    makers: Mapping[str, onnx.NodeProto]
    """The node that makes a tensor."""
    constants: Mapping[str, np.ndarray]
    shapes: Mapping[str, Sequence[int]]
    """0 for an open length."""
    goes: Callable[[str], bool]
    """Whether a tensor is needed by nothing else once it is folded."""
    offsets: bool = True
    """Whether what is added is folded, too."""

    def trace(self, name: str) -> Affine:
        """Tensor (N, ...) with lengths that are known, flat."""
        node = self.makers.get(name)
        found = self._through(node) if node is not None and self.goes(name) else None
        if found is not None:
            return found
        width = self._width(name)
        return Affine({(name,): width}, np.eye(width), np.zeros(width), np.zeros(width))

    def _through(self, node: onnx.NodeProto) -> Affine | None:
        kind, inputs = node.op_type, [name for name in node.input if name not in self.constants]
        if not all(self._known(name) for name in (*inputs, *node.output)):
            return None
        settings = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        if kind == "Reshape" or (kind == "Flatten" and settings.get("axis", 1) == 1):
            return self.trace(inputs[0]) if self._width(inputs[0]) == self._width(node.output[0]) else None
        if kind == "Concat" and len(inputs) == len(node.input):
            flat = all(len(self.shapes[name]) == 2 for name in inputs) and settings["axis"] in (1, -1)
            return beside([self.trace(name) for name in inputs]) if flat else None
        if len(inputs) == 2 and kind == "Mul":
            return self._gated(*inputs)
        scale, offset = self.scale(node)
        if scale is None or (offset.any() and not self.offsets):
            return None
        return self.trace(inputs[0]).scaled(scale, offset)

    def _known(self, name: str) -> bool:
        shape = self.shapes.get(name, ())
        return len(shape) > 1 and not shape[0] and all(shape[1:])

    def _width(self, name: str) -> int:
        return int(np.prod(self.shapes[name][1:]))

    def _gated(self, x: str, name: str) -> Affine | None:
        if self.shapes[x][1:] == [1]:
            x, name = name, x
        if len(self.shapes[x]) != 2 or self.shapes[name][1:] != [1]:
            return None
        numbers, gate = self.trace(x), self.trace(name)
        alone = len(gate.leaves) == 1 and all(len(leaf) == 1 for leaf in (*numbers.leaves, *gate.leaves))
        return numbers.gated(name, gate) if alone else None

    def scale(self, node: onnx.NodeProto) -> tuple[Array | None, Array]:
        """x * scale + offset, a number of each for every number of a row of x; None if the node is not of that kind."""
        nothing = None, np.zeros(0)
        if node.op_type not in ("Mul", "Add", "Sub", "Div"):
            return nothing
        known = [k for k in (0, 1) if node.input[k] in self.constants]
        if len(known) != 1 or (node.op_type == "Div" and known != [1]):
            return nothing
        value, x = self.constants[node.input[known[0]]].astype(float), node.input[1 - known[0]]
        if not self._known(x) or list(self.shapes[node.output[0]]) != list(self.shapes[x]):
            return nothing
        rows = [1, *self.shapes[x][1:]]
        if value.ndim == len(rows) and len(value) > 1:
            return nothing
        flat = np.broadcast_to(value, rows).ravel()
        if node.op_type in ("Mul", "Div"):
            return (flat if node.op_type == "Mul" else 1 / flat), np.zeros_like(flat)
        sign = -1.0 if node.op_type == "Sub" and known == [0] else 1.0
        return np.full_like(flat, sign), -flat if node.op_type == "Sub" and known == [1] else flat
