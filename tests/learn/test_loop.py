"""The loop: it learns, says what it does, keeps what it needs, and refuses what would go wrong."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image
from torch import nn
from toy_task import CONFIG, DATA, ToyTask, network

from moveset.errors import MovesetError
from moveset.learn.curves import read_log
from moveset.learn.loop import TrainConfig, train


def test_it_learns_and_leaves_the_files_of_a_run(tmp_path):
    said = []
    counted = []

    def track(items, total, what):
        counted.append((total, what))
        yield from items

    report = train(ToyTask(), CONFIG, tmp_path, track, said.append)

    log = read_log(tmp_path / "log.csv")
    assert list(log) == ["step", "seconds", "learning_rate", "gradient", "total", "value", "size"]
    assert log["step"].tolist() == list(range(5, 61, 5))
    np.testing.assert_allclose(log["total"], log["value"] + log["size"], rtol=1e-5)
    assert log["value"][-1] < 0.3 * log["value"][0]
    assert report.losses == {name: log[name][-1] for name in ("total", "value", "size")}
    assert report.steps == 60 and report.parameters == 65 and report.process_seconds > 0
    assert counted == [(60, "training toy")]
    assert said[0] == (
        "toy: 65 parameters, 60 steps of 32 on cpu\n"
        "  data abc: 2 clips, 300 frames (real 7 s, bent 3 s)\n"
        "  strictest license: CC0-1.0"
    )
    assert [line.split(":")[0] for line in said[1:]] == [f"step {n} of 60" for n in (20, 40, 60)]
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(
        ["checkpoint.pt", "log.csv", "losses.png", "pictures", "run.json"]
    )
    assert sorted(p.name for p in (tmp_path / "pictures").iterdir()) == ["000030.png", "000060.png"]
    with Image.open(tmp_path / "losses.png") as curves:
        assert curves.size == (960, 400)
    facts = json.loads((tmp_path / "run.json").read_text())
    assert (
        facts["data"]["license"] == "CC0-1.0" and facts["config"]["steps"] == 60 and facts["parameters"] == 65
    )


def test_the_module_ends_with_the_average_of_its_weights(tmp_path):
    """Against the average computed by hand, from the weights after each step."""
    task = ToyTask(network(dropout=0))
    seen = []
    task.at_step = {
        n: lambda batch: seen.append(task.module[0].weight.detach().clone()) for n in range(1, 60)
    }
    train(task, CONFIG, tmp_path)
    state = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
    seen.append(state["module"]["0.weight"])

    expected = network()[0].weight.detach()
    for step, weight in enumerate(seen):
        decay = min(0.9, (1 + step) / (10 + step))
        expected = decay * expected + (1 - decay) * weight
    torch.testing.assert_close(task.module[0].weight.detach(), expected)
    assert not task.module.training
    assert (expected - seen[-1]).abs().max() > 1e-4  # it is not just the last


def test_a_step_is_adamw_on_the_clipped_gradient(tmp_path):
    """Three steps against the textbook: Loshchilov and Hutter, Decoupled weight decay regularization, 2019."""
    config = replace(CONFIG, steps=3, warmup=0, floor=1, weight_decay=0.1, clip=0.05)
    task = ToyTask(network(dropout=0))
    train(task, config, tmp_path)
    got = torch.load(tmp_path / "checkpoint.pt", weights_only=True)["module"]

    from moveset.learn.draw import Draw

    own = ToyTask(network(dropout=0))
    weights = list(own.module.parameters())
    first, second = ([torch.zeros_like(w) for w in weights] for _ in range(2))
    for step in range(3):
        own.module.zero_grad()
        own.loss(own.batch(Draw(step, 32, seed=0)), 0)[0].backward()
        length = torch.sqrt(sum(w.grad.square().sum() for w in weights))
        assert length > 0.05
        for w, m, v in zip(weights, first, second):
            gradient = w.grad * 0.05 / length
            m.lerp_(gradient, 0.1)
            v.lerp_(gradient.square(), 0.001)
            with torch.no_grad():
                if w.ndim > 1:
                    w -= 0.01 * 0.1 * w
                w -= 0.01 * (m / (1 - 0.9 ** (step + 1))) / (torch.sqrt(v / (1 - 0.999 ** (step + 1))) + 1e-8)
    for name, w in own.module.named_parameters():
        torch.testing.assert_close(got[name], w.detach(), atol=1e-6, rtol=1e-5)


def test_frozen_weights_stay(tmp_path):
    task = ToyTask()
    task.module[0].requires_grad_(False)
    before = task.module[0].weight.clone()
    assert train(task, replace(CONFIG, steps=5), tmp_path).parameters == 17
    assert torch.equal(task.module[0].weight, before)


def test_nan_stops_with_the_step_and_the_terms_and_keeps_the_last_checkpoint(tmp_path):
    def spoil(batch):
        batch["x"][0, 0] = float("nan")

    with pytest.raises(MovesetError) as stop:
        train(ToyTask(at_step={32: spoil}), CONFIG, tmp_path)
    text = str(stop.value)
    assert text.startswith(
        f"{tmp_path}, step 33: gradient, total, value not finite any more (gradient nan, total nan"
    )
    assert "the checkpoint of step 20 is kept" in text
    state = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
    assert state["step"] == 20 and all(w.isfinite().all() for w in state["module"].values())


def test_ctrl_c_leaves_a_checkpoint_to_go_on_from(tmp_path):
    handler = signal.getsignal(signal.SIGINT)
    undisturbed = train(ToyTask(), CONFIG, tmp_path / "whole")

    def interrupt(batch):
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(
        KeyboardInterrupt, match=r"stopped at step 34 of 60; its checkpoint is there: go on with --resume"
    ):
        train(ToyTask(at_step={33: interrupt}), CONFIG, tmp_path / "run")
    assert signal.getsignal(signal.SIGINT) is handler
    said = []
    resumed = train(ToyTask(), CONFIG, tmp_path / "run", say=said.append, resume=True)
    assert said[0].endswith("goes on from step 34")
    assert resumed.seconds > read_log(tmp_path / "run" / "log.csv")["seconds"][-1] > 0
    assert resumed.losses == pytest.approx(undisturbed.losses, abs=1e-6)


def test_a_finished_run_that_goes_on_is_finished(tmp_path):
    task, again = ToyTask(), ToyTask()
    first = train(task, replace(CONFIG, steps=10), tmp_path)
    second = train(again, replace(CONFIG, steps=10), tmp_path, resume=True)
    assert second.losses == first.losses
    assert torch.equal(task.module[0].weight, again.module[0].weight)


def test_a_folder_with_a_run_is_not_written_over(tmp_path):
    train(ToyTask(), replace(CONFIG, steps=5), tmp_path)
    with pytest.raises(MovesetError, match="holds a training already"):
        train(ToyTask(), replace(CONFIG, steps=5), tmp_path)


@pytest.mark.parametrize(
    ("task", "config", "text"),
    [
        ({}, {"learning_rate": 0.02}, "config.learning_rate was 0.01, is 0.02"),
        ({"settings": {"hidden": 32}}, {}, "settings.hidden was 16, is 32"),
        ({}, {"seed": 1, "steps": 70}, "config.steps was 60, is 70; config.seed was 0, is 1"),
    ],
)
def test_another_config_is_refused_by_name(tmp_path, task, config, text):
    first = ToyTask(at_step={21: lambda batch: os.kill(os.getpid(), signal.SIGINT)})
    with pytest.raises(KeyboardInterrupt):
        train(first, CONFIG, tmp_path)
    with pytest.raises(MovesetError) as refused:
        train(ToyTask(**task), replace(CONFIG, **config), tmp_path, resume=True)
    assert f"belongs to another training: {text} -- " in str(refused.value)


def test_other_data_are_refused_by_name_and_other_pauses_are_not(tmp_path):
    first = ToyTask(at_step={21: lambda batch: os.kill(os.getpid(), signal.SIGINT)})
    with pytest.raises(KeyboardInterrupt):
        train(first, CONFIG, tmp_path)
    other = ToyTask(data=replace(DATA, hash="def"))
    with pytest.raises(MovesetError, match="data was abc, is def"):
        train(other, CONFIG, tmp_path, resume=True)
    train(ToyTask(), replace(CONFIG, checkpoint_every=7, log_every=3), tmp_path, resume=True)


def test_a_broken_checkpoint_is_told(tmp_path):
    (tmp_path / "checkpoint.pt").write_bytes(b"half a fi")
    with pytest.raises(MovesetError, match="is no checkpoint"):
        train(ToyTask(), CONFIG, tmp_path, resume=True)


def test_terms_that_come_and_go_are_refused(tmp_path):
    class Fickle(ToyTask):
        def loss(self, batch, progress):
            total, terms = super().loss(batch, progress)
            return total, terms if progress < 0.1 else {"value": terms["value"]}

    with pytest.raises(MovesetError, match="terms gradient, total, value after gradient, total, value, size"):
        train(Fickle(), CONFIG, tmp_path)


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"steps": 0}, "steps of the training is 0 -- give at least 1"),
        ({"warmup": 1.5}, "warmup of the training is 1.5 -- give from 0 to 1"),
        ({"learning_rate": float("nan")}, "learning_rate of the training is nan -- give at least 0"),
    ],
)
def test_settings_out_of_range_are_told(wrong, text):
    with pytest.raises(MovesetError) as told:
        TrainConfig(**wrong)
    assert str(told.value) == text


@pytest.mark.parametrize("name", ["cuda:77", "quantum"])
def test_a_device_that_is_not_there_is_told(tmp_path, name):
    with pytest.raises(MovesetError, match=f"cannot use device '{name}'") as told:
        train(ToyTask(), replace(CONFIG, device=name), tmp_path)
    assert "\n" not in str(told.value)


def test_threads_are_set_for_the_training_alone(tmp_path):
    before = torch.get_num_threads()
    seen = []
    task = ToyTask(at_step={0: lambda batch: seen.append(torch.get_num_threads())})
    train(task, replace(CONFIG, steps=1, threads=2), tmp_path)
    assert seen == [2] and torch.get_num_threads() == before


def test_a_module_may_hold_a_frozen_part_that_is_used(tmp_path):
    """As a controller holds its autoencoder: only its own weights are trained, all are saved."""
    task = ToyTask(nn.Sequential(network(dropout=0), nn.Linear(1, 1)))
    task.module[0].requires_grad_(False)
    train(task, replace(CONFIG, steps=5), tmp_path)
    state = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
    assert len(state["average"]) == 2 and len(state["module"]) == 6


def test_another_part_that_stays_is_refused_by_name(tmp_path):
    """A controller does not go on over another autoencoder."""

    class OnAnother(ToyTask):
        below = None

    def task(seed):
        made = OnAnother(at_step={3: lambda batch: os.kill(os.getpid(), signal.SIGINT)})
        torch.manual_seed(seed)
        made.below = nn.Linear(2, 2).requires_grad_(False)
        return made

    with pytest.raises(KeyboardInterrupt):
        train(task(1), CONFIG, tmp_path)
    with pytest.raises(MovesetError, match=r"another training: stands_on was [0-9a-f]+, is [0-9a-f]+ -- "):
        train(task(2), CONFIG, tmp_path, resume=True)
    again = task(1)
    again.at_step.clear()
    train(again, CONFIG, tmp_path, resume=True)
