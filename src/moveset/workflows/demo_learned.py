"""The demo's second half: a small controller learns from the library, and moves beside motion matching."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from moveset.bundle import Bundle
from moveset.errors import MovesetError
from moveset.workflows.demo_report import Step, Table, following
from moveset.workflows.play import Play, Played, play_bundle, walked_path, write_played
from moveset.workflows.play_picture import draw_beside

PRESET = "tiny"
_PICTURE_EVERY = 500
"""Steps of the autoencoder between pictures of what it makes of poses."""
_FILM = 8.0
"""[s]"""


def not_taught() -> str:
    """Why nothing can be trained here and what to do about it; empty if it can."""
    try:
        import moveset.learn  # noqa: F401
    except MovesetError as error:
        return str(error)
    return ""


def teach(library: Path, steps: int | None, this: Step, say: Callable[[str], object]) -> Bundle:
    """An autoencoder and a controller from the library, as bundles beside it, measured and shown."""
    from moveset.learn.config import adjusted
    from moveset.learn.models.autoencoder import PRESETS
    from moveset.workflows.train import train_autoencoder, train_controller
    from moveset.workflows.training.how import How
    from moveset.workflows.training.place import work_folder
    from moveset.workflows.training.sources import training_set_of

    targets = [library.with_suffix(suffix) for suffix in (".autoencoder", ".controller")]
    for target in targets:  # of an earlier demo
        shutil.rmtree(work_folder(target), ignore_errors=True)
    training = training_set_of([str(library)], library.with_suffix(".set"), PRESET, say=say)
    drawn = adjusted(PRESETS[PRESET][1], picture_every=_PICTURE_EVERY)
    how = How(steps=steps)
    below = train_autoencoder(training, targets[0], PRESET, how=how, settings=drawn, say=say)
    bundle = train_controller(training, targets[1], PRESET, how=how, autoencoder=below, say=say)

    made = bundle.manifest["data"]["seconds"]
    this.lines.append("trained on " + ", ".join(f"{seconds:,.0f} s {kind}" for kind, seconds in made.items()))
    held_out = below.manifest["measures"].get("held_out")
    if held_out:
        own = held_out["autoencoder"]
        this.lines.append(
            f"autoencoder: a pose in {own['latents']} numbers, joints {1000 * own['mean']:.1f} mm off on "
            f"held-out clips, at most {1000 * own['p99']:.0f} mm in 99 % of them"
        )
    (training_of,) = bundle.manifest["provenance"].values()
    this.lines.append(
        f"controller: {training_of['parameters']:,} weights, {training_of['steps']:,} steps, "
        f"{training_of['process_seconds']:.0f} s of one core"
    )
    this.table = Table(("file", "kB", "us alone", "us in 64"), [*_files(below), *_files(bundle)])
    for kind in ("losses.png", "pictures/*.png"):
        pictures = [picture for target in targets for picture in sorted(work_folder(target).rglob(kind))]
        this.shown += [str(picture.relative_to(library.parent)) for picture in pictures]
    this.files += [target.name for target in targets]
    return bundle


def _files(bundle: Bundle) -> list[tuple[str, str, str, str]]:
    """A row a file: its size and, of a network, what a character costs."""
    rows = []
    for file in sorted(bundle.path.iterdir()):
        costs = ("", "")
        if file.name in bundle.manifest["networks"]:
            network = bundle.network(file.name)
            costs = tuple(f"{network.microseconds(n) / n:.1f}" for n in (1, 64))
        rows.append((f"{bundle.path.name}/{file.name}", f"{file.stat().st_size / 1000:,.0f}", *costs))
    return rows


def walk_beside(bundle: Bundle, walk: Play, matched: Played, library: Path, this: Step) -> None:
    """The controller walks what motion matching walked, judged by the same clips."""
    learned = play_bundle(str(bundle.path), replace(walk, against=str(library)))
    both = {"motion matching": matched, "learned": learned}
    this.lines += [f"{name}: {following(played.measures)}" for name, played in both.items()]
    this.measures = {name: played.measures for name, played in both.items()}
    folder = library.parent
    draw_beside(
        {name: played.run.clips[0] for name, played in both.items()},
        walked_path(matched), str(folder / "beside.gif"), _FILM,
    )  # fmt: skip
    write_played(learned, str(folder / "learned.glb"))
    this.files += ["beside.gif", "learned.glb"]


def crowd_of(bundle: Bundle, wander: Play, matched: Played, library: Path, this: Step) -> None:
    """As many learned characters wander as motion matching moved."""
    crowd = play_bundle(str(bundle.path), replace(wander, against=str(library)))
    this.measures = {"motion matching": matched.measures, "learned": crowd.measures}
    this.lines.append(
        f"cost: {crowd.measures['microseconds']:.0f} us a character and frame, "
        f"motion matching {matched.measures['microseconds']:.0f} us"
    )
    write_played(crowd, str(library.parent / "learned_crowd.gif"))
    this.files.append("learned_crowd.gif")
