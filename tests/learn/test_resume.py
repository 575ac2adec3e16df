"""A run that was killed goes on as if nothing had been."""

from __future__ import annotations

import signal
import subprocess
import sys

import numpy as np
import pytest
import torch
import toy_task
from toy_task import CONFIG, ToyTask

from moveset.learn.curves import read_log
from moveset.learn.loop import train


@pytest.mark.parametrize(
    ("how", "kept"), [("kill-at-step", 40), pytest.param("kill-at-rename", 20, marks=pytest.mark.slow)]
)
def test_a_killed_run_goes_on_to_the_same_losses(tmp_path, how, kept):
    """Killed with signal 9, in the middle of a step and in the middle of writing a checkpoint."""
    killed = subprocess.run([sys.executable, toy_task.__file__, tmp_path / "run", how], capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    assert torch.load(tmp_path / "run" / "checkpoint.pt", weights_only=True)["step"] == kept
    assert read_log(tmp_path / "run" / "log.csv")["step"][-1] >= kept

    whole, resumed = ToyTask(), ToyTask()
    train(whole, CONFIG, tmp_path / "whole")
    train(resumed, CONFIG, tmp_path / "run", resume=True)
    one, other = (read_log(tmp_path / name / "log.csv") for name in ("whole", "run"))
    assert other["step"].tolist() == one["step"].tolist()
    for name in ("learning_rate", "gradient", "total", "value", "size"):
        np.testing.assert_allclose(other[name], one[name], rtol=0, atol=1e-6)
    for a, b in zip(whole.module.parameters(), resumed.module.parameters()):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-6)
    assert [p.name for p in (tmp_path / "run").glob(".*")] == []
