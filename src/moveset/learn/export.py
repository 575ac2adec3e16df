"""Modules as ONNX: one graph of plain operators that gives what the module gives, in any batch.

The bytes depend on the module alone, so a network that was trained again to the same weights is the same file.
"""

from __future__ import annotations

import copy
import inspect
import io
import warnings
from collections.abc import Mapping, Sequence

import numpy as np
import onnx
import torch
from onnx import helper
from torch import Tensor, nn

from moveset.bundle import Network
from moveset.errors import MovesetError
from moveset.learn.graph import simplify

OPSET = 17
"""LayerNormalization is one operator from here on; engines' runtimes know it well."""

TOLERANCE = 1e-4
"""Largest difference between a module and its ONNX, of numbers of size 1: float32 in another order of summation."""

_NOT_PLAIN = {"Loop", "If", "Scan"}


def to_onnx(
    module: nn.Module,
    example_inputs: Mapping[str, Tensor],
    outputs: Sequence[str],
    metadata: Mapping[str, str] | None = None,
) -> bytes:
    """The ONNX file of a module whose forward takes `example_inputs` (N, ...) by name and gives `outputs` (N, ...).

    The first axis of all is "N", of any length. `metadata` goes into the file (see `bundle.Network.metadata`).
    """
    parameters = list(inspect.signature(module.forward).parameters)
    if sorted(parameters) != sorted(example_inputs):
        raise MovesetError(f"forward takes {', '.join(parameters)}; given: {', '.join(example_inputs)}")
    # two rows: a tracer may take an axis of length 1 for one that never grows
    inputs = {name: example_inputs[name][[0, 0]].detach().cpu() for name in parameters}
    model = onnx.load_from_string(_traced(module, inputs, outputs))
    known = {port.name for port in model.graph.input}
    for name, tensor in example_inputs.items():
        if name not in known:  # the tracer drops what nothing depends on; whoever calls gives it all the same
            shape = ["N", *tensor.shape[1:]]
            model.graph.input.append(helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape))
    simplify(model, inputs)
    for node in model.graph.node:
        if node.op_type in _NOT_PLAIN or node.domain:
            raise MovesetError(f"operator {node.domain or node.op_type} of {node.name} is not plain")
        node.doc_string = ""
    for key, value in sorted((metadata or {}).items()):
        model.metadata_props.add(key=key, value=value)
    onnx.checker.check_model(model, full_check=True)
    return model.SerializeToString(deterministic=True)


def check_onnx(model: bytes, module: nn.Module, inputs: Mapping[str, Tensor]) -> float:
    """Largest difference of an ONNX file from its module on `inputs` (N, ...) and on their first row alone.

    Raises when it is above TOLERANCE, in units of the largest number of an output if that is above 1.
    """
    network, twin = Network(model), _at_rest(module)
    worst = 0.0
    for rows in (slice(None), slice(1)):
        given = {name: tensor[rows].detach().cpu() for name, tensor in inputs.items()}
        with torch.no_grad():
            truths = twin(**given)
        found = network(**{name: tensor.numpy() for name, tensor in given.items()})
        for port, truth, array in zip(
            network.outputs, [truths] if isinstance(truths, Tensor) else truths, found, strict=True
        ):
            if tuple(truth.shape) != array.shape:
                raise MovesetError(
                    f"{port.name} has shape {array.shape} in ONNX, {tuple(truth.shape)} in torch"
                )
            apart = np.abs(array - truth.numpy()).max(initial=0) / max(1, np.abs(array).max(initial=0))
            if not apart <= TOLERANCE:
                raise MovesetError(f"{port.name} differs by {apart:.2g} between ONNX and torch")
            worst = max(worst, float(apart))
    return worst


def _traced(module: nn.Module, inputs: Mapping[str, Tensor], outputs: Sequence[str]) -> bytes:
    file = io.BytesIO()
    # recorded, not shown: that this exporter is the old one, which is small and does without onnxscript
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        torch.onnx.export(
            _at_rest(module),
            tuple(inputs.values()),
            file,  # pyright: ignore[reportArgumentType]
            dynamo=False,
            opset_version=OPSET,
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_axes={name: {0: "N"} for name in (*inputs, *outputs)},
        )
    frozen = [
        warning
        for warning in noted
        if warning.category.__name__ == "TracerWarning"
        and not str(warning.message).startswith("torch.tensor results")  # constants, meant as such
    ]
    if frozen:
        raise MovesetError(
            "a number read from a tensor would be frozen at what it is in the example",
            file=frozen[0].filename,
            where=f"line {frozen[0].lineno}",
            do="use shape[0] or -1 for the length of a batch",
        )
    return file.getvalue()


def _at_rest(module: nn.Module) -> nn.Module:
    """A copy on the CPU that does not train."""
    return copy.deepcopy(module).cpu().eval()
