"""`moveset evaluate autoencoder|controller`: how good trained bundles are, as text, JSON and pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from cyclopts import App, Parameter

from moveset.cli.options import Flag, Names, Output
from moveset.cli.printing import print_json
from moveset.cli.progress import track

evaluate = App(name="evaluate")


@dataclass(frozen=True, kw_only=True)
class AutoencoderOptions:
    """Options of `moveset evaluate autoencoder`."""

    on: str
    """Training set whose held-out clips are coded; best the one it was trained on."""
    html: str | None = None
    """Write a page with pictures of the worst clips to this file; it needs no network."""
    json: Flag = False
    """Print JSON: metres and radians, every joint."""


@evaluate.command
def autoencoder(bundle: str, *, options: Annotated[AutoencoderOptions, Parameter(name="*")]) -> None:
    """Poses through an autoencoder and back: millimetres and degrees on held-out clips.

    Beside it: principal components with as many numbers.

    Example: `moveset evaluate autoencoder walks.autoencoder --on walks.set --html report.html`

    Parameters
    ----------
    bundle
        What `moveset train autoencoder` wrote.
    """
    from moveset.workflows.evaluate import judge_autoencoder
    from moveset.workflows.evaluation.autoencoder_report import as_json, as_text

    found = judge_autoencoder(bundle, options.on, options.html)
    if options.json:
        print_json(as_json(found))
    else:
        print(as_text(found))
        if options.html:
            print(f"wrote {options.html}")


@dataclass(frozen=True, kw_only=True)
class ControllerOptions:
    """Options of `moveset evaluate controller`."""

    output: Output
    """Folder for report.json, report.html and the GIF."""
    against: Names = ()
    """Library or clips that stand beside it, as they are and by motion matching; else what the bundle knows of them."""
    where: str = ""
    """Only clips of the library for which this SQL condition holds."""
    everything: Flag = False
    """All clips, not only those whose names and tags speak of walking, running, standing."""
    quick: Flag = False
    """A few short trials: a minute, and rough figures."""
    seed: int = 0
    """Another one draws other targets and velocities."""
    json: Flag = False
    """Print JSON."""


@evaluate.command
def controller(*bundles: str, options: Annotated[ControllerOptions, Parameter(name="*")]) -> None:
    """Characters on paths, at asked velocities, to targets, and half an hour on their own, beside the real clips.

    Example: `moveset evaluate controller walks.controller --against my.library -o report`

    Parameters
    ----------
    bundles
        What `moveset train controller` wrote; each level of detail becomes a column.
    """
    from moveset.workflows.evaluate import judge_controllers
    from moveset.workflows.evaluation.controller import FULL, QUICK
    from moveset.workflows.evaluation.controller_figures import as_json, as_text

    found, written = judge_controllers(
        bundles,
        options.output,
        options.against,
        QUICK if options.quick else FULL,
        where=options.where,
        everything=options.everything,
        seed=options.seed,
        track=track,
    )
    if options.json:
        print_json(as_json(found))
    else:
        print(as_text(found), *found.notes, *(f"wrote {path}" for path in written), sep="\n")
