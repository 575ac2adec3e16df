"""What the training loop costs beside the model: one thread, process time a step.

    python benchmarks/bench_training_loop.py

A network of the size of a controller (1.3 M parameters, batch 96). "bare" is batch, forward and backward alone, what
any loop pays; then come what any training with AdamW, a clipped gradient and an average of the weights pays; the rest
is the loop's own: the learning rate, chance, the log, pictures and checkpoints.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable

import numpy as np
import torch
from torch import nn

from moveset.learn.draw import Draw, seeded
from moveset.learn.loop import TrainConfig, train
from moveset.learn.optimizer import WeightAverage, adamw
from moveset.learn.task import DataFacts

STEPS, ROUNDS, BATCH, WIDTH, INPUTS = 500, 5, 96, 512, 536


class Squares:
    """The least that a task can be."""

    name, settings, data = "squares", {}, DataFacts("none")

    def __init__(self) -> None:
        with seeded(0):
            layers: list[nn.Module] = [nn.Linear(INPUTS, WIDTH)]
            for _ in range(4):
                layers += [nn.LayerNorm(WIDTH), nn.SiLU(), nn.Linear(WIDTH, WIDTH)]
            self.module = nn.Sequential(*layers)

    def batch(self, draw: Draw) -> dict[str, torch.Tensor]:
        """(B, INPUTS) of noise."""
        return {"x": draw.normal(INPUTS)}

    def loss(self, batch: dict[str, torch.Tensor], progress: float):
        """The mean square of what comes out."""
        value = self.module(batch["x"]).square().mean()
        return value, {"value": value}

    def picture(self) -> None:
        """None."""
        return None


def milliseconds(work: Callable[[int], object]) -> float:
    began = time.process_time()
    for step in range(STEPS):
        work(step)
    return 1e3 * (time.process_time() - began) / STEPS


def main() -> None:
    torch.set_num_threads(1)
    task = Squares()
    weights = list(task.module.parameters())
    fused = adamw(weights, 1e-4)
    foreach = torch.optim.AdamW(weights, foreach=True)
    average = WeightAverage(weights, 0.99)

    def bare(step: int) -> None:
        task.module.zero_grad()
        task.loss(task.batch(Draw(step, BATCH)), 0.0)[0].backward()

    def everything(step: int) -> None:
        bare(step)
        nn.utils.clip_grad_norm_(weights, 1.0)
        fused.step()
        average.update(step)

    def loop() -> float:
        with tempfile.TemporaryDirectory() as folder:
            began = time.process_time()
            train(
                task, TrainConfig(steps=STEPS, batch=BATCH, checkpoint_every=STEPS, picture_every=0), folder
            )
            return 1e3 * (time.process_time() - began) / STEPS

    rows = {
        "bare": lambda: milliseconds(bare),
        "AdamW, fused": lambda: milliseconds(lambda step: fused.step()),
        "AdamW, foreach": lambda: milliseconds(lambda step: foreach.step()),
        "clip": lambda: milliseconds(lambda step: nn.utils.clip_grad_norm_(weights, 1.0)),
        "average": lambda: milliseconds(average.update),
        "bare + fused + clip + average": lambda: milliseconds(everything),
        "the loop": loop,
    }
    loop()  # imports and first calls
    found = {name: [] for name in rows}
    for _ in range(ROUNDS):
        for name, work in rows.items():
            found[name].append(work())
    medians = {name: float(np.median(times)) for name, times in found.items()}
    for name, value in medians.items():
        print(f"{name:32} {value:7.2f} ms")
    own = medians["the loop"] - medians["bare + fused + clip + average"]
    print(
        f"{'own':32} {own:7.2f} ms, {100 * own / medians['the loop']:.1f} % of a step, a checkpoint in {STEPS} steps included"
    )


if __name__ == "__main__":
    main()
