"""Motion is to be as sharp as clips are: no softer, no sharper, number by number."""

from __future__ import annotations

import math

import pytest
import torch

from moveset.learn.sharpness import sharpest, softness


@pytest.fixture
def real() -> torch.Tensor:
    return torch.randn(12, 20, 5, generator=torch.Generator().manual_seed(0))


def test_equal_motion_is_as_sharp(real):
    assert softness(real, real) == 0
    assert softness(-real.flip(1), real) < 1e-9, "when and which way they jolt does not matter"
    assert softness(real + torch.arange(20.0)[:, None], real) < 1e-6, "nor does where the motion goes"


@pytest.mark.parametrize("times", [0.5, 2.0])
def test_half_is_as_far_off_as_double(real, times):
    assert softness(times * real, real).item() == pytest.approx(math.log(2) ** 2, rel=1e-4)


def test_each_number_is_compared_by_itself_and_weighed(real):
    made = real * torch.tensor([2.0, 0.5, 1.0, 1.0, 1.0])
    assert softness(made, real).item() == pytest.approx(0.4 * math.log(2) ** 2, rel=1e-4)
    assert softness(made, real, torch.tensor([0.0, 0.0, 1.0, 1.0, 1.0])) < 1e-9


def test_windows_that_jolt_little_count_as_much(real):
    size = torch.ones(12, 1, 1)
    size[:6] = 100.0
    made = (size * real).clone()
    made[6:] *= 0.5
    # half of the windows have a quarter of the variance: (0.5 + 0.125) / 1 of the whole
    assert softness(made, size * real).item() == pytest.approx(math.log(0.625) ** 2 / 4, rel=0.1)


def test_soft_motion_is_pulled_towards_more_of_itself(real):
    made = (0.5 * real).requires_grad_()
    softness(made, real).backward()
    jolts, pull = (x.diff(n=3, dim=1) for x in (made.detach(), -made.grad))
    assert (jolts * pull).sum() / (jolts.norm() * pull.norm()) > 0.8


def test_the_windows_that_jolt_most_are_found(real):
    size = torch.ones(12)
    size[[2, 7, 9]] = torch.tensor([5.0, 6.0, 7.0])
    motion = real * size[:, None, None]
    none = torch.zeros(12, dtype=torch.bool)
    assert sharpest(motion, 1 / 4, none).tolist() == [9, 7, 2]
    but = none.clone()
    but[9] = True
    assert 9 not in sharpest(motion, 1 / 4, but)
    assert len(sharpest(motion, 0.01, ~none)) == 1
