"""A training while it runs: what changes in it, and the folder that it is kept in."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import torch
from torch import Tensor, nn

from moveset import __version__
from moveset.errors import MovesetError
from moveset.files import write_whole
from moveset.learn import checkpoint
from moveset.learn.config import MAY_CHANGE, TrainConfig, TrainReport
from moveset.learn.curves import ABOUT, read_log
from moveset.learn.distributed import CPU, Ranks
from moveset.learn.optimizer import WeightAverage, adamw
from moveset.learn.task import Task
from moveset.render.encode import save_png


class Run:
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
            f"({as_text(dict(zip(names, values[row].tolist())))})",
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
        """How many are trained."""
        return sum(weight.numel() for weight in self.weights)

    def report(self) -> TrainReport:
        """What it came to."""
        seconds, process_seconds = self.clocks
        return TrainReport(
            self.task.name, self.folder, self.step, self.parameters, last_losses(self.folder), seconds, process_seconds, self.task.data
        )  # fmt: skip


def refuse_started(folder: Path) -> None:
    """Raise where a training was begun already, in the folder or below it."""
    begun = next(folder.rglob(checkpoint.FILE), None)
    if begun is not None:
        raise MovesetError(
            "holds a training already", file=begun.parent, do="go on with --resume, or name another output"
        )


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


def as_text(values: Mapping[str, float]) -> str:
    """`total 0.12, value 0.1`."""
    return ", ".join(f"{name} {value:.4g}" for name, value in values.items())
