"""The same loop on several processes: data parallel under `torchrun`, which says in the environment who is who."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import torch
from torch import Tensor, nn
from torch import distributed as dist
from torch.nn.parallel import DistributedDataParallel

from moveset.errors import MovesetError

CPU = torch.device("cpu")
T = TypeVar("T")


@dataclass(frozen=True)
class Ranks:
    """This process among those that train together."""

    device: torch.device = CPU
    rank: int = 0
    count: int = 1

    @property
    def first(self) -> bool:
        """Whether this is the one that writes and speaks."""
        return self.rank == 0

    def share(self, module: nn.Module) -> nn.Module:
        """The module whose gradients are the mean over the ranks; its weights become those of the first."""
        return module if self.count == 1 else DistributedDataParallel(module)

    def mean(self, values: Tensor) -> Tensor:
        """Mean over the ranks."""
        if self.count > 1:
            dist.all_reduce(values)
            values /= self.count
        return values

    def any(self, said: bool) -> bool:
        """Whether one of the ranks says so."""
        return said if self.count == 1 else bool(self.mean(torch.tensor(float(said), device=self.device)) > 0)

    def once(self, work: Callable[[], T], then: Callable[[], T]) -> T:
        """`work` of the first rank, e.g. writing a file, and `then` of the others, e.g. reading it."""
        done = work() if self.first else None
        self.wait()
        return then() if done is None else done

    def wait(self) -> None:
        """Until all ranks are here."""
        if self.count > 1:
            dist.barrier()


@contextmanager
def ranks(device: str = "cpu") -> Iterator[Ranks]:
    """This process among its ranks; one alone unless `torchrun` started it. Inside another `ranks`, the same."""
    count, rank = int(os.environ.get("WORLD_SIZE", 1)), int(os.environ.get("RANK", 0))
    if count > 1 and device == "cuda":
        device = f"cuda:{os.environ.get('LOCAL_RANK', 0)}"
    mine = Ranks(usable_device(device), rank, count)
    if count == 1 or dist.is_initialized():
        yield mine
        return
    dist.init_process_group("nccl" if mine.device.type == "cuda" else "gloo")
    try:
        yield mine
    finally:
        dist.destroy_process_group()


def usable_device(name: str) -> torch.device:
    """The device of that name, tried with a real operation: that a driver is there proves nothing."""
    try:
        device = torch.device(name)
        torch.ones(1, device=device).add_(1).item()
    except Exception as error:  # which one depends on the device and on how torch was built
        reason = str(error).strip().split("\n", 1)[0]
        raise MovesetError(
            f"torch {torch.__version__} cannot use device {name!r}: {reason}",
            do="train with --device cpu, or see `moveset doctor`",
        ) from None
    return device
