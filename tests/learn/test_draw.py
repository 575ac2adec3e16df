"""Chance is a function of seed and step, and ranks share one batch."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from toy_task import ToyTask, network

from moveset.learn.draw import Draw, seeded


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_the_parts_of_the_ranks_are_the_batch_of_one(ranks):
    def numbers(draw):
        rows = draw.mine(draw.rng.integers(0, 100, draw.size))
        return torch.from_numpy(rows), draw.normal(3), draw.uniform(2, 2)

    whole = numbers(Draw(5, 8, seed=1))
    parts = zip(*(numbers(Draw(5, 8, seed=1, rank=r, ranks=ranks)) for r in range(ranks)))
    for one, shared in zip(whole, parts):
        assert one.shape[0] == 8 and shared[0].shape[0] == 8 // ranks
        assert torch.equal(torch.cat(shared), one)


def test_steps_and_seeds_draw_other_numbers_and_the_same_ones_again():
    drawn = {
        (seed, step): Draw(step, 4, seed=seed).normal(2).numpy().tobytes()
        for seed in range(3)
        for step in range(3)
    }
    assert len(set(drawn.values())) == 9
    assert Draw(2, 4, seed=1).normal(2).numpy().tobytes() == drawn[1, 2]


def test_torch_itself_draws_by_seed_step_and_rank():
    def dice(**of):
        Draw(**{"step": 1, "size": 4} | of).seed_torch(torch.device("cpu"))
        return float(torch.rand(()))

    assert len({dice(), dice(step=2), dice(seed=1), dice(rank=1, ranks=2)}) == 4
    assert dice() == dice()


def test_normal_and_uniform_are_what_they_are_called():
    draw = Draw(0, 50_000)
    normal, uniform = draw.normal(2), draw.uniform(2)
    assert abs(normal.mean()) < 0.02 and abs(normal.std() - 1) < 0.02
    assert uniform.min() >= 0 and uniform.max() < 1 and abs(uniform.mean() - 0.5) < 0.01
    assert normal.dtype == uniform.dtype == torch.float32


def test_seeded_weights_do_not_depend_on_what_was_drawn_before():
    def weights():
        return network()[0].weight.detach()

    one = weights()
    torch.rand(7)
    before = torch.random.get_rng_state()
    assert torch.equal(weights(), one)
    assert torch.equal(torch.random.get_rng_state(), before)
    with seeded(4):
        other = torch.nn.Linear(2, 16).weight
    assert not torch.equal(other, one)


def test_the_mean_gradient_of_two_ranks_is_that_of_one():
    """What sharing a run rests on: the mean over equal parts of a mean over rows."""

    def gradients(**ranks):
        task = ToyTask(network(dropout=0))
        task.loss(task.batch(Draw(3, 16, **ranks)), 0.0)[0].backward()
        return np.concatenate([w.grad.numpy().ravel() for w in task.module.parameters()])

    shared = (gradients(rank=0, ranks=2) + gradients(rank=1, ranks=2)) / 2
    np.testing.assert_allclose(shared, gradients(), atol=1e-7)
