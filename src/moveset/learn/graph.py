"""ONNX graphs made smaller before they are written: at one row every operator costs about a microsecond."""

from __future__ import annotations

import copy
from collections.abc import Mapping

import numpy as np
import onnx
from onnx import helper, numpy_helper
from torch import Tensor

from moveset.bundle import Network

_LOST = 1e-5
"""Largest error by rounding that folding may add to an output: small next to what networks are checked for."""


def simplify(model: onnx.ModelProto, inputs: Mapping[str, Tensor]) -> None:
    """Fix shapes that depend on the batch alone, fold scales and offsets into the layers beside them where that is exact."""
    _fix_reshapes(model, inputs)
    layers = _Layers(model)
    while any(layers.fold(node) for node in list(model.graph.node)):
        pass
    _prune(model.graph)


def _fix_reshapes(model: onnx.ModelProto, inputs: Mapping[str, Tensor]) -> None:
    """Where only the batch is open, a shape that is put together in every call (`flatten`, `unflatten`) stands fixed.

    What it comes to is seen by running the graph with two batches.
    """
    graph = model.graph
    fixed = {node.output[0] for node in graph.node if node.op_type == "Constant"}
    fixed |= {array.name for array in graph.initializer}
    loose = [node for node in graph.node if node.op_type == "Reshape" and node.input[1] not in fixed]
    if not loose:
        return
    watched = copy.deepcopy(model)
    del watched.graph.output[:]
    watched.graph.output.extend(helper.make_empty_tensor_value_info(node.output[0]) for node in loose)
    network = Network(watched.SerializeToString())
    shapes = [
        [array.shape for array in network(**{name: t[[0] * rows].numpy() for name, t in inputs.items()})]
        for rows in (2, 3)
    ]
    for node, two, three in zip(loose, *shapes):
        if two[1:] == three[1:] and 3 * two[0] == 2 * three[0]:
            shape = numpy_helper.from_array(np.array([-1, *two[1:]], np.int64), f"{node.output[0]}_shape")
            graph.initializer.append(shape)
            node.input[1] = shape.name


class _Layers:
    """The linear layers (Gemm) of a graph, and what may be folded into them."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.graph = model.graph
        self.weights = {array.name: numpy_helper.to_array(array) for array in self.graph.initializer}
        self.constants = self.weights | {
            node.output[0]: numpy_helper.to_array(node.attribute[0].t)
            for node in self.graph.node
            if node.op_type == "Constant" and node.attribute[0].name == "value"
        }
        inferred = onnx.shape_inference.infer_shapes(model).graph
        self.shapes = {
            port.name: [length.dim_value for length in port.type.tensor_type.shape.dim]
            for port in (*inferred.input, *inferred.value_info, *inferred.output)
        }
        """0 for an open length."""

    def fold(self, node: onnx.NodeProto) -> bool:
        """Fold `node` if it is y = x * scale + offset, with constants, before or after layers that see nothing else."""
        found = self._affine(node)
        if found is None:
            return False
        x, scale, offset = found
        after = self._users(node.output[0])
        if after and all(self._is_layer(user) for user in after):
            if any(self._loses(user, offset) for user in after):
                return False
            for user in after:
                weight, bias = (self.weights[name] for name in user.input[1:])
                shift = weight.astype(float) @ np.broadcast_to(offset, weight.shape[1])
                self._set(user, weight * scale, bias + shift)
                user.input[0] = x
            self.graph.node.remove(node)
            return True
        makers = [maker for maker in self.graph.node if x in maker.output and len(self._users(x)) == 1]
        if makers and makers[0].op_type == "Add":  # the sum of two layers, as of a skip connection
            last = makers[0]
            makers = [
                m for m in self.graph.node if m.output[0] in last.input and len(self._users(m.output[0])) == 1
            ]
            if len(makers) != 2:
                return False
        else:
            last = makers[0] if makers else None
        if last is None or not all(map(self._is_layer, makers)):
            return False
        for k, maker in enumerate(makers):
            weight, bias = (self.weights[name] for name in maker.input[1:])
            rows = np.broadcast_to(scale, bias.shape)
            self._set(maker, weight * rows[:, None], bias * rows + (offset if k == 0 else 0))
        last.output[0] = node.output[0]
        self.graph.node.remove(node)
        return True

    def _loses(self, layer: onnx.NodeProto, offset: np.ndarray) -> bool:
        """Whether W x + (b + W offset) is less exact than W (x + offset) + b: large numbers that cancel are rounded."""
        shifts = self.weights[layer.input[1]].astype(float) * offset
        return float(np.finfo(np.float32).eps * np.linalg.norm(shifts, axis=1).max()) > _LOST

    def _affine(self, node: onnx.NodeProto) -> tuple[str, np.ndarray, np.ndarray] | None:
        """x (N, C), scale and offset (C,) or (1,) in double precision."""
        if node.op_type not in ("Mul", "Add", "Sub", "Div"):
            return None
        known = [k for k in (0, 1) if node.input[k] in self.constants]
        if len(known) != 1 or (node.op_type in ("Sub", "Div") and known != [1]):
            return None
        x, value = node.input[1 - known[0]], self.constants[node.input[known[0]]].astype(float)
        shape = self.shapes.get(x, [])
        if len(shape) != 2 or not shape[1] or value.ndim > 2 or value.size not in (1, shape[1]):
            return None
        if value.ndim == 2 and value.shape[0] != 1:
            return None
        value = value.reshape(-1)
        if node.op_type in ("Mul", "Div"):
            return x, value if node.op_type == "Mul" else 1 / value, np.zeros_like(value)
        return x, np.ones_like(value), value if node.op_type == "Add" else -value

    def _is_layer(self, node: onnx.NodeProto) -> bool:
        """x W^T + b with constants that no other node reads."""
        settings = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        return (
            node.op_type == "Gemm"
            and len(node.input) == 3
            and settings.pop("transB", 0) == 1
            and all(value == 1 for value in settings.values())
            and all(name in self.weights and len(self._users(name)) == 1 for name in node.input[1:])
        )

    def _users(self, name: str) -> list[onnx.NodeProto]:
        """Nodes that read `name`; a graph's own output counts as read by one that is no layer."""
        users = [node for node in self.graph.node for given in node.input if given == name]
        return users + [onnx.NodeProto()] * (name in {port.name for port in self.graph.output})

    def _set(self, layer: onnx.NodeProto, weight: np.ndarray, bias: np.ndarray) -> None:
        for name, array in zip(layer.input[1:], (weight, bias)):
            self.weights[name] = array.astype(np.float32)
            kept = next(old for old in self.graph.initializer if old.name == name)
            kept.CopyFrom(numpy_helper.from_array(self.weights[name], name))


def _prune(graph: onnx.GraphProto) -> None:
    """Drop nodes and constants that nothing needs any more."""
    needed = {port.name for port in graph.output}
    for node in reversed(list(graph.node)):
        if needed.isdisjoint(node.output):
            graph.node.remove(node)
        else:
            needed.update(node.input)
    for array in list(graph.initializer):
        if array.name not in needed:
            graph.initializer.remove(array)
