"""ONNX gives what torch gives, in any batch, from bytes that depend on the module alone."""

from __future__ import annotations

import onnx
import pytest
import torch
from torch import nn

from moveset.bundle import Network
from moveset.errors import MovesetError
from moveset.learn.export import check_onnx, to_onnx


class Model(nn.Module):
    """Most of what controllers are made of."""

    def __init__(self, width=16):
        super().__init__()
        self.first, self.norm = nn.Linear(4 * 5 + 6 + 3, width), nn.LayerNorm(width)
        self.last, self.drop = nn.Linear(width, 40), nn.Dropout(0.5)
        self.register_buffer("low", torch.full((5,), -2.0))

    def forward(self, context, offsets, turns, free):
        control = torch.cat(
            (offsets / torch.tensor([[0.3], [0.6], [1.0]]), torch.sin(turns)[..., None]), dim=-1
        )
        x = torch.cat((context.flatten(1), control.flatten(1)), dim=1)
        x = self.drop(nn.functional.silu(self.norm(self.first(x))))
        states = context[:, -1:] + self.last(x).reshape(-1, 8, 5)
        return torch.maximum(states, self.low), states.square().sum(dim=-1).sqrt()


def inputs(rows, seed=0):
    rng = torch.Generator().manual_seed(seed)
    shapes = {"context": (4, 5), "offsets": (3, 2), "turns": (3,), "free": (1,)}
    return {name: torch.randn(rows, *shape, generator=rng) for name, shape in shapes.items()}


@pytest.fixture
def model():
    torch.manual_seed(0)
    return Model()


def test_onnx_gives_what_torch_gives(model):
    file = to_onnx(model, inputs(1), ["states", "sizes"], {"latent": "abc"})
    assert model.training  # it trains on as it was
    for rows in (1, 7, 64):
        assert check_onnx(file, model, inputs(rows, seed=1)) < 1e-5
    network = Network(file)
    assert [p.name for p in network.inputs] == [
        "context",
        "offsets",
        "turns",
        "free",
    ]  # free though nothing reads it
    assert [(p.name, p.shape) for p in network.outputs] == [("states", ("N", 8, 5)), ("sizes", ("N", 8))]
    assert network.metadata == {"latent": "abc"}


def test_bytes_depend_on_the_module_alone(model):
    first = to_onnx(model, inputs(1), ["states", "sizes"])
    assert to_onnx(model, inputs(5, seed=3), ["states", "sizes"]) == first
    with torch.no_grad():
        model.last.bias[0] += 1
    assert to_onnx(model, inputs(1), ["states", "sizes"]) != first


def test_inputs_go_by_name(model):
    given = inputs(2)
    turned = {name: given[name] for name in reversed(given)}
    assert to_onnx(model, turned, ["states", "sizes"]) == to_onnx(model, given, ["states", "sizes"])
    with pytest.raises(MovesetError, match="forward takes context, offsets, turns, free; given: context"):
        to_onnx(model, {"context": given["context"]}, ["states"])


def test_another_network_is_told_by_its_output(model):
    file = to_onnx(model, inputs(1), ["states", "sizes"])
    with torch.no_grad():
        model.last.bias[0] += 1e-3
    with pytest.raises(MovesetError, match=r"states differs by .* between ONNX and torch"):
        check_onnx(file, model, inputs(4))


def test_graphs_are_small_and_plain(model):
    graph = onnx.load_from_string(to_onnx(model, inputs(1), ["states", "sizes"])).graph
    kinds = {node.op_type for node in graph.node}
    assert "LayerNormalization" in kinds and "Dropout" not in kinds
    assert not kinds & {"Shape", "Loop", "If"}


class Reshaping(nn.Module):
    def forward(self, x, y):
        pairs = x.unflatten(1, (-1, 2)).square().sum(dim=-1)
        return torch.cat((pairs, y.flatten(-2)), dim=1).unflatten(1, (3, -1)), y.reshape(-1, 2)


def test_shapes_are_put_together_once():
    module = Reshaping()
    given = {"x": torch.randn(5, 6), "y": torch.randn(5, 3, 2)}
    file = to_onnx(module, given, ["a", "b"])
    assert not {n.op_type for n in onnx.load_from_string(file).graph.node} & {"Shape", "Mod", "Slice"}
    check_onnx(file, module, given)


class Scaled(nn.Module):
    """Scales and offsets before layers, after one, after the sum of two; and those that have to stay."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(4, 5), nn.Linear(4, 5), nn.Linear(5, 3)
        self.one, self.wide = nn.Linear(4, 1), torch.rand(6)
        self.mean, self.scale = torch.randn(5), torch.rand(5) + 0.5

    def forward(self, x):
        inner = (x[:, :4] * self.scale[:4] + self.mean[:4]) / 2
        both = (self.a(inner) + self.b(inner)) * self.scale - self.mean
        last = 3 * (self.c(nn.functional.silu(both)) + 1)
        return last, self.one(inner) * self.wide, x[:, 4:] * self.scale


@pytest.mark.parametrize("seed", range(3))
def test_scales_and_offsets_go_into_the_layers(seed):
    torch.manual_seed(seed)
    module, given = Scaled(), {"x": torch.randn(7, 9)}
    file = to_onnx(module, given, ["last", "wide", "plain"])
    assert check_onnx(file, module, given) < 1e-6
    kinds = [node.op_type for node in onnx.load_from_string(file).graph.node]
    assert (
        kinds.count("Gemm") == 4 and kinds.count("Add") == 1 and kinds.count("Sub") == kinds.count("Div") == 0
    )
    assert kinds.count("Mul") == 3  # SiLU, wide, plain


class Standardised(nn.Module):
    """Numbers that hardly differ from their mean, as of a quiet library."""

    def __init__(self, quiet):
        super().__init__()
        self.layer, self.mean, self.scale = nn.Linear(40, 3), torch.rand(40) + 0.5, quiet

    def forward(self, x):
        return self.layer((x - self.mean) / self.scale)


@pytest.mark.parametrize(("quiet", "folded"), [(1.0, True), (0.1, True), (1e-3, False), (1e-5, False)])
def test_offsets_stay_where_folding_would_cancel(quiet, folded):
    torch.manual_seed(0)
    module = Standardised(quiet)
    given = {"x": module.mean + quiet * torch.randn(64, 40)}
    file = to_onnx(module, given, ["y"])
    assert check_onnx(file, module, given) < 2e-5
    kinds = {node.op_type for node in onnx.load_from_string(file).graph.node}
    assert ("Sub" in kinds) != folded and "Div" not in kinds


class Steered(nn.Module):
    """What is asked as a controller hears it: seen on its scales, hushed by `free`, beside the motion."""

    def __init__(self):
        super().__init__()
        self.layer, self.mean, self.times = (
            nn.Linear(20 + 12 + 1, 5),
            torch.tensor((0.0, 1.5)),
            torch.rand(3, 1) + 0.2,
        )

    def forward(self, context, offsets, turns, free):
        velocities = ((offsets / self.times - self.mean) / 0.4).flatten(1)
        asked = torch.cat((velocities, 2 * torch.cat((turns.sin(), 1 - turns.cos()), dim=1)), dim=1)
        return self.layer(torch.cat((context.flatten(1), asked * (1 - free), free), dim=1))


def test_scales_behind_a_gate_go_into_the_layer():
    torch.manual_seed(0)
    module, given = Steered(), inputs(7)
    given["free"] = torch.tensor([0.0, 1.0, 0.25, 0.0, 1.0, 0.0, 0.5])[:, None]
    file = to_onnx(module, given, ["y"])
    assert check_onnx(file, module, given) < 2e-6
    kinds = [node.op_type for node in onnx.load_from_string(file).graph.node]
    assert sorted(set(kinds)) == ["Concat", "Constant", "Cos", "Flatten", "Gemm", "Mul", "Sin", "Sub"]
    assert kinds.count("Mul") == kinds.count("Sub") == 1  # the gate; and 1 - free


class Shared(nn.Module):
    """An offset that others see, too, and a shape that mixes rows: neither can go."""

    def __init__(self):
        super().__init__()
        self.layer, self.pairs = nn.Linear(4, 4), nn.Linear(2, 2)

    def forward(self, x):
        moved = x + 1
        return self.layer(moved) * moved, self.pairs((2 * x).reshape(-1, 2)).reshape(-1, 4)


def test_what_others_see_stays():
    torch.manual_seed(0)
    module, given = Shared(), {"x": torch.randn(6, 4)}
    file = to_onnx(module, given, ["y", "z"])
    assert check_onnx(file, module, given) < 1e-6
    kinds = [node.op_type for node in onnx.load_from_string(file).graph.node]
    assert kinds.count("Add") == 1 and kinds.count("Mul") == 2


class Frozen(nn.Module):
    def forward(self, x):
        return x.reshape(len(x), -1)


class Looping(nn.Module):
    def forward(self, x):
        return torch.jit.script(looped)(x)


def looped(x: torch.Tensor):
    for _ in range(x.shape[0]):
        x = x * 1.5
    return x


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
def test_what_would_not_play_elsewhere_is_refused():
    with pytest.raises(MovesetError, match=r"test_export.py, line .* would be frozen"):
        to_onnx(Frozen(), {"x": torch.zeros(2, 3, 2)}, ["y"])
    with pytest.raises(MovesetError, match=r"operator Loop of .* is not plain"):
        to_onnx(Looping(), {"x": torch.zeros(2, 3)}, ["y"])
