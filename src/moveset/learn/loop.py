"""The one training loop: every model of Moveset is trained by it.

    folder/run.json         what is trained, on what, how
    folder/log.csv          a row every few steps: learning rate, length of the gradient, total, each term
    folder/losses.png       the same as curves
    folder/pictures/        prediction beside truth
    folder/checkpoint.pt    everything that is needed to go on

A step is a pure function of the state and of its number (draw.py). So a run that was killed and goes on from its
checkpoint, and one that several processes share, give what an undisturbed one gives.

Left out: mixed precision and gradient accumulation, which networks of a few million weights do not need; a limit in
minutes, which would make the result depend on the machine.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import torch
from torch import Tensor, nn

from moveset.errors import MovesetError
from moveset.files import alone_in
from moveset.learn.config import TrainConfig, TrainReport
from moveset.learn.curves import Log, save_curves
from moveset.learn.distributed import CPU, ranks
from moveset.learn.draw import Draw
from moveset.learn.optimizer import learning_rate
from moveset.learn.run import Run, as_text, describe, last_losses
from moveset.learn.task import Batch, Task, Terms
from moveset.progress import Track, untracked


def train(
    task: Task,
    config: TrainConfig,
    folder: str | Path,
    track: Track = untracked,
    say: Callable[[str], object] = lambda text: None,
    resume: bool = False,
) -> TrainReport:
    """Train `task.module`; afterwards it holds the averaged weights, in eval mode and on the CPU.

    With `resume` it goes on from the checkpoint in `folder`, if there is one. Under `torchrun` every process calls
    this, and the first alone writes and speaks. Ctrl-C saves a checkpoint and raises a KeyboardInterrupt that says
    so.
    """
    with (
        ranks(config.device) as us,
        alone_in(Path(folder)) if us.first else nullcontext(),
        _threads(config.threads),
        _stop_signals() as stop_asked,
    ):
        if config.batch % us.count:
            raise MovesetError(
                f"{us.count} processes cannot share {config.batch} rows", do="change the batch"
            )
        run = Run(task, config, Path(folder), us)
        run.load(resume)
        loss = us.share(_Loss(task))
        log = Log(run.folder / "log.csv" if us.first else None, upto=run.step)
        if us.first:
            run.write_facts()
            say(describe(task, config) + (f"\ngoes on from step {run.step:,}" if run.step else ""))

        steps = range(run.step, config.steps)
        for step in track(steps, len(steps), f"training {task.name}") if us.first else steps:
            progress = step / config.steps
            draw = Draw(step, config.batch, progress, config.seed, us.rank, us.count)
            draw.seed_torch(us.device)
            rate = learning_rate(step, config.steps, config.learning_rate, config.warmup, config.floor)
            for group in run.optimizer.param_groups:
                group["lr"] = rate

            batch = {name: rows.to(us.device) for name, rows in task.batch(draw).items()}
            total, terms = loss(batch, progress)
            run.optimizer.zero_grad()
            total.backward()
            gradient = nn.utils.clip_grad_norm_(run.weights, config.clip)
            run.optimizer.step()
            run.average.update(step)
            log.note({"gradient": gradient, "total": total, **terms})
            run.step += 1

            logs = run.step % config.log_every == 0
            # ranks have to stop at the same step: they ask each other, which is too slow for every step
            stops = us.any(stop_asked()) if logs or us.count == 1 else False
            ends = stops or run.step == config.steps
            saves = ends or run.step % config.checkpoint_every == 0
            draws = config.picture_every and (ends or run.step % config.picture_every == 0)
            if logs or saves or draws:
                values = us.mean(log.take()).cpu()  # (steps since the last time, names)
                run.refuse_not_finite(values, log.names)
                log.write(run.step, run.clocks[0], rate, values.mean(dim=0).tolist())
            if saves and us.first:
                run.save()
                save_curves(run.folder / "log.csv", run.folder / "losses.png")
                say(f"step {run.step:,} of {config.steps:,}: {as_text(last_losses(run.folder))}")
            if draws and us.first:
                run.draw_picture()
            if stops and run.step < config.steps:
                raise KeyboardInterrupt(
                    f"{run.folder}: stopped at step {run.step:,} of {config.steps:,}; "
                    "its checkpoint is there: go on with --resume"
                )
        us.wait()
        run.average.swap()
        run.module.eval()
        run.move(CPU)
        return run.report()


class _Loss(nn.Module):
    """The loss of a task as a module, which is what the sharing of gradients wraps."""

    def __init__(self, task: Task) -> None:
        super().__init__()
        self.task, self.module = task, task.module

    def forward(self, batch: Batch, progress: float) -> tuple[Tensor, Terms]:
        return self.task.loss(batch, progress)


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """Inside, torch computes with that many threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def _stop_signals() -> Iterator[Callable[[], bool]]:
    """Whether someone asked to stop (Ctrl-C, or the end of a job): a step is not torn. Asking twice stops at once."""
    asked = []

    def note(number: int, frame: object) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False  # signals reach the main thread alone
        return
    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
