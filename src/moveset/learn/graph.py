"""ONNX graphs made smaller before they are written: at one row every operator costs about a microsecond."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper
from torch import Tensor

from moveset.bundle import Network
from moveset.learn.affine import Leaf, Tracer

_LOST = 1e-5
"""Largest error by rounding that folding may add to an output: small next to what networks are checked for."""


def simplify(model: onnx.ModelProto, inputs: Mapping[str, Tensor]) -> None:
    """Fix shapes that depend on the batch alone, fold scales and offsets into the layers beside them where that is exact."""
    _fix_reshapes(model, inputs)
    _prune(model.graph)
    layers = _Layers(model)
    while any(layers.fold_after(node) for node in list(model.graph.node)):
        pass
    while any(_look_behind(model, x) for x in _Layers(model).inputs()):
        pass


def _look_behind(model: onnx.ModelProto, x: str) -> bool:
    """Fold what `x` is made of into the layers that read it, where that makes the graph smaller."""
    folded = copy.deepcopy(model)
    _Layers(folded).look_behind(x)
    _prune(folded.graph)
    if _operators(folded.graph) >= _operators(model.graph):
        return False
    model.CopyFrom(folded)
    return True


def _operators(graph: onnx.GraphProto) -> int:
    return sum(node.op_type != "Constant" for node in graph.node)


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

    def inputs(self) -> list[str]:
        """Tensors that layers read."""
        return list(dict.fromkeys(node.input[0] for node in self.graph.node if self._is_layer(node)))

    def look_behind(self, x: str) -> None:
        """Let the layers that read `x` read what it is made of (see `Affine`)."""
        layers = [user for user in self._users(x) if self._is_layer(user)]
        for offsets in (True, False):
            affine = self._tracer(offsets).trace(x)
            if not any(self._loses(layer, affine.size) for layer in layers):
                break
        nodes, name = _side_by_side(affine.leaves, self.shapes, f"{x}_made_of")
        for layer in layers:
            weight, bias = (self.weights[name].astype(float) for name in layer.input[1:])
            self._set(layer, weight @ affine.matrix, bias + weight @ affine.offset)
            layer.input[0] = name
        at = list(self.graph.node).index(layers[0])
        for node in reversed(nodes):
            self.graph.node.insert(at, node)

    def _tracer(self, offsets: bool) -> Tracer:
        makers = {
            name: node for node in self.graph.node for name in node.output if name not in self.constants
        }

        def goes(name: str) -> bool:
            users = self._users(name)
            return len(users) == 1 or all(map(self._is_layer, users))

        return Tracer(makers, self.constants, self.shapes, goes, offsets)

    def fold_after(self, node: onnx.NodeProto) -> bool:
        """Fold `node` if it is y = x * scale + offset, with constants, after layers that nothing else sees."""
        scale, offset = self._tracer(True).scale(node)
        if scale is None:
            return False
        x = next(name for name in node.input if name not in self.constants)
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
            self._set(maker, weight * scale[:, None], bias * scale + (offset if k == 0 else 0))
        last.output[0] = node.output[0]
        self.graph.node.remove(node)
        return True

    def _loses(self, layer: onnx.NodeProto, size: np.ndarray) -> bool:
        """Whether W x + (b + W c) is less exact than W (x + c) + b: large numbers that cancel are rounded."""
        shifts = self.weights[layer.input[1]].astype(float) * size
        return float(np.finfo(np.float32).eps * np.linalg.norm(shifts, axis=1).max()) > _LOST

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


def _side_by_side(
    leaves: Iterable[Leaf], shapes: Mapping[str, Sequence[int]], name: str
) -> tuple[list[onnx.NodeProto], str]:
    """Nodes, called after `name`, that put leaves side by side, and the tensor that they come to."""
    nodes: list[onnx.NodeProto] = []

    def make(kind: str, given: Sequence[str], **settings: Any) -> str:
        nodes.append(
            helper.make_node(kind, given, [f"{name}_{len(nodes)}"], f"{name}_{len(nodes)}", **settings)
        )
        return nodes[-1].output[0]

    def joined(tensors: Sequence[str]) -> str:
        flat = [make("Flatten", [t], axis=1) if len(shapes.get(t, "NC")) > 2 else t for t in tensors]
        return make("Concat", flat, axis=1) if len(flat) > 1 else flat[0]

    parts = [make("Mul", [joined(leaf[:-1]), leaf[-1]]) if leaf[1:] else joined(leaf) for leaf in leaves]
    return nodes, joined(parts)


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
