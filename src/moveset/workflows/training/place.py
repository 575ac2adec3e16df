"""Where a training writes, what it refuses to write over, and what is kept when writing fails."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from moveset.bundle import refuse_other
from moveset.bundle.kinds import AUTOENCODER, CONTROLLER
from moveset.errors import MovesetError
from moveset.workflows.outputs import refuse_within


def work_folder(output: str | os.PathLike[str]) -> Path:
    """Where a training keeps what it goes on from: beside its bundle."""
    target = Path(output)
    return target.with_name(f"{target.name}.training")


def refuse_place(output: str | os.PathLike[str], kind: str) -> None:
    """Raise where a bundle of `kind` would take the place of something else, lie within what is replaced whole, or in no
    folder."""
    above = next((folder for folder in Path(output).parents if folder.exists()), None)
    if above is not None and not above.is_dir():
        raise MovesetError(f"cannot be made: {above} is no folder", file=output, do="give another output")
    refuse_other(output, kind)
    refuse_within(output)


def beside(output: str | os.PathLike[str], suffix: str) -> Path:
    """What is made for a bundle NAME.controller, or only NAME: NAME + `suffix`, e.g. ".autoencoder"."""
    target = Path(output)
    stem = next(
        (
            target.name.removesuffix(f".{kind}")
            for kind in (AUTOENCODER, CONTROLLER)
            if target.suffix == f".{kind}"
        ),
        target.name,
    )
    place = target.with_name(f"{stem}{suffix}")
    if place == target:
        raise MovesetError(
            f"is where what the bundle stands on goes ({suffix})",
            file=target,
            do="name the output NAME.controller",
        )
    return place


@contextmanager
def kept(output: str | os.PathLike[str]) -> Iterator[None]:
    """Writing a bundle after its training: an error says that nothing is lost, and how to go on."""
    on = f"what was trained is kept in {work_folder(output)}: go on with --resume"
    try:
        yield
    except MovesetError as error:
        do = f"{error.do}; {on}" if error.do else on
        raise MovesetError(error.message, file=error.file or output, where=error.where, do=do) from error
    except OSError as error:
        raise MovesetError(
            f"cannot be written: {error.strerror or error}", file=output, do=f"make room for it; {on}"
        ) from error
    except Exception as error:
        raise MovesetError(
            f"Moveset failed to write it: {type(error).__name__}: {error}",
            file=output,
            do=f"report this; {on}",
        ) from error
