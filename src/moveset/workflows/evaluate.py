"""Bundles to figures: open what is asked for, judge it, write pages."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from moveset.bundle import open_bundle
from moveset.bundle.kinds import AUTOENCODER
from moveset.errors import MovesetError
from moveset.files import make_folder
from moveset.learn.data import open_training_set
from moveset.progress import Track, untracked
from moveset.workflows.evaluation.autoencoder import AutoencoderEvaluation, evaluate_autoencoder
from moveset.workflows.evaluation.autoencoder_report import write_page
from moveset.workflows.evaluation.bundles import evaluate_bundles
from moveset.workflows.evaluation.controller import FULL, Evaluation, Size
from moveset.workflows.evaluation.controller_report import write_evaluation
from moveset.workflows.outputs import refuse_within


def judge_autoencoder(
    bundle: str | os.PathLike[str], on: str | os.PathLike[str], html: str | os.PathLike[str] | None = None
) -> AutoencoderEvaluation:
    """Judge an autoencoder on the held-out clips of the training set `on`; write a page to `html`."""
    if html is not None and Path(html).suffix.lower() not in (".html", ".htm"):
        raise MovesetError("is no name for a page", file=html or "--html", do="end it in .html")
    if html is not None:
        refuse_within(html)
    opened, training = open_bundle(bundle, AUTOENCODER), open_training_set(Path(on))
    found = evaluate_autoencoder(opened, training)
    if html is not None:
        write_page(found, opened, training, Path(html))
    return found


def judge_controllers(
    bundles: Sequence[str],
    output: str | os.PathLike[str],
    against: Sequence[str] = (),
    size: Size = FULL,
    *,
    where: str = "",
    everything: bool = False,
    seed: int = 0,
    track: Track = untracked,
) -> tuple[Evaluation, list[Path]]:
    """Judge controllers beside the real clips of `against`, into the folder `output`; the files written."""
    refuse_within(output)
    folder = make_folder(output)
    found = evaluate_bundles(
        bundles, against, size, where=where, everything=everything, seed=seed, track=track
    )
    return found, write_evaluation(found, folder)
