"""The learning rate over time, weight decay, the average."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from moveset.learn.optimizer import WeightAverage, adamw, learning_rate


@given(
    steps=st.integers(1, 5000), warmup=st.floats(0, 1), floor=st.floats(0, 1), highest=st.floats(1e-6, 1), data=st.data()
)  # fmt: skip
def test_the_rate_rises_then_falls_between_its_limits(steps, warmup, floor, highest, data):
    def rate(step):
        return learning_rate(step, steps, highest, warmup, floor)

    step = data.draw(st.integers(0, steps - 1))
    assert 0 < rate(step) <= highest * (1 + 1e-9) or floor == 0
    if step + 1 < warmup * steps:
        assert rate(step + 1) >= rate(step)
    elif step + 1 < steps and step >= warmup * steps:
        assert rate(step + 1) <= rate(step) * (1 + 1e-9)


def test_the_rate_at_known_places():
    rates = [learning_rate(step, 101, 2.0, 0.0, 0.1) for step in range(101)]
    assert rates[0] == 2.0 and rates[50] == pytest.approx(1.1) and rates[100] == pytest.approx(0.2)
    risen = [learning_rate(step, 100, 2.0, 0.3, 0.1) for step in range(100)]
    assert risen[0] < 0.01 and max(risen) == risen[30] == 2.0 and risen[-1] == pytest.approx(0.2)


def test_only_matrices_decay():
    layer = nn.Sequential(nn.Linear(2, 3), nn.LayerNorm(3))
    decays = {id(w): group["weight_decay"] for group in adamw(list(layer.parameters()), 0.1).param_groups for w in group["params"]}  # fmt: skip
    assert [decays[id(w)] for w in layer.parameters()] == [0.1, 0, 0, 0]


def test_the_average_is_shown_and_taken_away_again():
    layer = nn.Linear(1, 1, bias=False)
    nn.init.constant_(layer.weight, 1.0)
    average = WeightAverage(list(layer.parameters()), 0.5)
    with torch.no_grad():
        layer.weight += 1
    average.update(step=1000)
    with average.shown_by(layer):
        assert layer.weight.item() == 1.5 and not layer.training
    assert layer.weight.item() == 2 and layer.training and average.mean[0].item() == 1.5
