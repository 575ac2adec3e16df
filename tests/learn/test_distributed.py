"""Two processes under torchrun train what one trains."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
import torch
import toy_task
from toy_task import CONFIG, ToyTask, network

from moveset.errors import MovesetError
from moveset.learn.curves import read_log
from moveset.learn.distributed import Ranks
from moveset.learn.loop import train


@pytest.mark.slow
def test_two_processes_give_what_one_gives(tmp_path):
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    run = subprocess.run(
        [*torchrun, toy_task.__file__, tmp_path / "two", "ranks"],
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("65 parameters") == 1 and run.stdout.count("step 60 of 60") == 1  # one speaks

    task = ToyTask(network(dropout=0))
    train(task, CONFIG, tmp_path / "one")
    one, two = (read_log(tmp_path / name / "log.csv") for name in ("one", "two"))
    for name in ("step", "gradient", "total", "value", "size"):
        np.testing.assert_allclose(two[name], one[name], rtol=1e-4, atol=1e-6)
    weights = torch.load(tmp_path / "two" / "weights-1.pt", weights_only=True)
    for name, weight in task.module.state_dict().items():
        torch.testing.assert_close(weights[name], weight, rtol=1e-4, atol=1e-5)


def test_one_alone_shares_nothing():
    alone = Ranks()
    assert alone.first and alone.any(True) and not alone.any(False)
    assert alone.mean(torch.tensor([1.0, 2.0])).tolist() == [1, 2]
    module = network()
    assert alone.share(module) is module


def test_a_batch_that_cannot_be_shared_is_told(tmp_path, monkeypatch):
    from moveset.learn import loop

    monkeypatch.setattr(loop, "ranks", lambda device: _three())
    with pytest.raises(MovesetError, match="3 processes cannot share 32 rows -- change the batch"):
        train(ToyTask(), CONFIG, tmp_path)


class _three:
    def __enter__(self):
        return Ranks(count=3)

    def __exit__(self, *_):
        return None
