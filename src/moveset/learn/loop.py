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

import hashlib
import json
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
from torch import Tensor, nn

from moveset import __version__
from moveset.errors import MovesetError
from moveset.files import write_whole
from moveset.learn import checkpoint
from moveset.learn.curves import ABOUT, Log, read_log, save_curves
from moveset.learn.distributed import CPU, Ranks, ranks
from moveset.learn.draw import Draw
from moveset.learn.optimizer import WeightAverage, adamw, learning_rate
from moveset.learn.task import Batch, DataFacts, Task, Terms
from moveset.progress import Track, untracked
from moveset.render.encode import save_png

MAY_CHANGE = ("device", "threads", "log_every", "checkpoint_every", "picture_every")
"""Settings that may be others when a run goes on: what it learns is the same up to rounding."""


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """How a model is trained. Its presets stand beside the model."""

    steps: int = 3000
    batch: int = 256
    """Rows a step, over all ranks."""
    learning_rate: float = 1e-3
    """At its highest."""
    warmup: float = 0.05
    """Share of the steps in which the learning rate rises; 0.3 makes it a one-cycle schedule."""
    floor: float = 0.03
    """Where the learning rate ends, as a share of its highest."""
    weight_decay: float = 1e-4
    """Of matrices; biases and scales of normalisations are left alone."""
    clip: float = 1.0
    """Longest gradient."""
    average: float = 0.99
    """How much of the running average of the weights stays at each step. The average is what is exported."""
    seed: int = 0
    device: str = "cpu"
    threads: int = 1
    log_every: int = 10
    checkpoint_every: int = 500
    picture_every: int = 500
    """0 draws none."""

    def __post_init__(self) -> None:
        ranges = {
            "steps": (1, None), "batch": (1, None), "learning_rate": (0, None), "warmup": (0, 1), "floor": (0, 1),
            "weight_decay": (0, None), "clip": (0, None), "average": (0, 1), "seed": (0, None), "threads": (1, None),
            "log_every": (1, None), "checkpoint_every": (1, None), "picture_every": (0, None),
        }  # fmt: skip
        for name, (low, high) in ranges.items():
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= low and (high is None or value <= high)):
                limits = f"at least {low}" if high is None else f"from {low} to {high}"
                raise MovesetError(f"{name} of the training is {value}", do=f"give {limits}")


@dataclass(frozen=True)
class TrainReport:
    """What a training came to."""

    name: str
    folder: Path
    steps: int
    parameters: int
    losses: Mapping[str, float]
    """Total and terms, means over the last steps."""
    seconds: float
    """Of all its parts, if it was stopped and went on."""
    process_seconds: float
    """Of the processor, on the first rank."""
    data: DataFacts

    @property
    def checkpoint(self) -> Path:
        """Where the state is kept."""
        return self.folder / checkpoint.FILE


def adjusted(config: TrainConfig, **settings: object) -> TrainConfig:
    """The config with other settings; those that are None stay as they are."""
    return replace(config, **{name: value for name, value in settings.items() if value is not None})


def refuse_started(folder: Path) -> None:
    """Raise where a training was begun already, in the folder or below it."""
    begun = next(folder.rglob(checkpoint.FILE), None)
    if begun is not None:
        raise MovesetError(
            "holds a training already", file=begun.parent, do="go on with --resume, or name another output"
        )


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
    with ranks(config.device) as us, _threads(config.threads), _stop_signals() as stop_asked:
        if config.batch % us.count:
            raise MovesetError(
                f"{us.count} processes cannot share {config.batch} rows", do="change the batch"
            )
        run = _Run(task, config, Path(folder), us)
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
                say(f"step {run.step:,} of {config.steps:,}: {_text(last_losses(run.folder))}")
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


class _Run:
    """What changes in a training, and where it is kept."""

    def __init__(self, task: Task, config: TrainConfig, folder: Path, us: Ranks) -> None:
        self.task, self.config, self.folder = task, config, folder
        self._stands_on = self._digest_of_what_stays()
        self._device = us.device
        self.move(us.device)
        self.module = task.module.train()
        self.weights = [weight for weight in self.module.parameters() if weight.requires_grad]
        self.optimizer = adamw(self.weights, config.weight_decay)
        self.average = WeightAverage(self.weights, config.average)
        self.step, self.saved_step = 0, 0
        self._clocks, self._before = (time.perf_counter(), time.process_time()), (0.0, 0.0)

    @property
    def clocks(self) -> tuple[float, float]:
        """Seconds, and seconds of the processor, with those before it went on."""
        now = time.perf_counter(), time.process_time()
        return now[0] - self._clocks[0] + self._before[0], now[1] - self._clocks[1] + self._before[1]

    @property
    def identity(self) -> dict[str, object]:
        """What has to be the same when it goes on."""
        config = {name: value for name, value in asdict(self.config).items() if name not in MAY_CHANGE}
        settings = dict(self.task.settings)
        return {
            "model": self.task.name, "settings": settings, "config": config, "data": self.task.data.hash,
            "stands_on": self._stands_on,
        }  # fmt: skip

    def move(self, device: torch.device) -> None:
        """Take the modules of the task, also those that are not trained, to a device."""
        for part in self._parts():
            part.to(device)

    def _parts(self) -> list[nn.Module]:
        parts = (self.task.module, *vars(self.task).values())
        return [part for part in parts if isinstance(part, nn.Module)]

    def _digest_of_what_stays(self) -> str:
        """Of buffers and frozen weights, e.g. of the autoencoder under a controller."""
        digest = hashlib.sha256()
        for part in self._parts():
            for tensor in (*part.buffers(), *(w for w in part.parameters() if not w.requires_grad)):
                digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
        return digest.hexdigest()[:16]

    def load(self, resume: bool) -> None:
        """Go on from the checkpoint in the folder, if there is one and that is wished."""
        saved = checkpoint.load(self.folder, self.identity, self._device) if resume else None
        if saved is None:
            refuse_started(self.folder)
            return
        self.module.load_state_dict(saved["module"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.average.load(saved["average"])
        self.step = self.saved_step = saved["step"]
        self._before = saved["clocks"]

    def save(self) -> None:
        """Replace the checkpoint."""
        state = {
            "step": self.step, "clocks": self.clocks, "module": self.module.state_dict(),
            "optimizer": self.optimizer.state_dict(), "average": self.average.mean,
        }  # fmt: skip
        checkpoint.save(self.folder, self.identity, state)
        self.saved_step = self.step

    def draw_picture(self) -> None:
        """What the averaged weights give, drawn on the CPU."""
        with self.average.shown_by(self.module):
            self.move(CPU)
            picture = self.task.picture()
            self.move(self._device)
        if picture is not None:
            save_png(picture, self.folder / "pictures" / f"{self.step:06}.png")

    def refuse_not_finite(self, values: Tensor, names: Sequence[str]) -> None:
        """Raise when the numbers (n, names) of the last n steps hold NaN or infinity, saying where that began."""
        bad = ~values.isfinite()
        if not bad.any():
            return
        row = int(bad.any(dim=1).nonzero()[0])
        step = self.step - len(values) + 1 + row
        kept = f"the checkpoint of step {self.saved_step:,} is kept; " if self.saved_step else ""
        raise MovesetError(
            f"{', '.join(n for n, wrong in zip(names, bad[row].tolist()) if wrong)} not finite any more "
            f"({_text(dict(zip(names, values[row].tolist())))})",
            file=self.folder,
            where=f"step {step:,}",
            do=f"{kept}lower the learning rate or the clip, or look for NaN in the data",
        )

    def write_facts(self) -> None:
        """run.json: what is trained, on what, how."""
        facts = self.identity | {"config": asdict(self.config), "data": asdict(self.task.data)}
        facts |= {
            "parameters": self.parameters,
            "versions": {"moveset": __version__, "torch": torch.__version__},
        }
        write_whole(self.folder / "run.json", json.dumps(facts, indent=1, default=str).encode())

    @property
    def parameters(self) -> int:
        return sum(weight.numel() for weight in self.weights)

    def report(self) -> TrainReport:
        seconds, process_seconds = self.clocks
        return TrainReport(
            self.task.name, self.folder, self.step, self.parameters, last_losses(self.folder), seconds, process_seconds, self.task.data
        )  # fmt: skip


def describe(task: Task, config: TrainConfig) -> str:
    """What is about to be trained, on what."""
    data = task.data
    kinds = ", ".join(f"{kind} {seconds:,.0f} s" for kind, seconds in data.seconds.items())
    parameters = sum(w.numel() for w in task.module.parameters() if w.requires_grad)
    return "\n".join(
        (
            f"{task.name}: {parameters:,} parameters, {config.steps:,} steps of {config.batch:,} on {config.device}",
            f"  data {data.hash}: {data.clips:,} clips, {data.frames:,} frames"
            + (f" ({kinds})" if kinds else ""),
            f"  strictest license: {data.license or 'unknown'}",
        )
    )


def last_losses(folder: Path) -> dict[str, float]:
    """Total and terms in the last row of the log of a training."""
    columns = read_log(folder / "log.csv")
    return {name: float(values[-1]) for name, values in columns.items() if name not in (*ABOUT, "gradient")}


def _text(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.4g}" for name, value in values.items())


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
