"""Controllers in pictures: paths from above as inline SVG, and figures side by side as a GIF."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

import numpy as np

from moveset.geometry.quaternion import Array
from moveset.motion import Clip
from moveset.render import Actor, Look, contact_sheet, render_actors, save_gif
from moveset.render.model import Picture
from moveset.rigs.mannequin import mannequin
from moveset.workflows.evaluation.controller import Column, Walk

_ROLES = {"left": "#2f6fde", "right": "#d0562b"}
_MARGIN = 0.4  # [m]
_CELL = (184, 200)
_FPS = 10.0
_LOOK = Look(floor=(236, 238, 241), lines=(196, 201, 208), reach=5.0)
"""A floor without shades, which a GIF would pay for dearly; its lines show whether feet slide."""
_BLANK = np.zeros((1, 1, 4), dtype=np.uint8)


def from_above(line: Array, walk: Walk, label: str) -> str:
    """An SVG of the asked line (grey), the walked path (dark) and where the feet stood; +Z is up, +X to the left."""
    path, steps = walk.path, walk.steps
    seen = np.concatenate((line, path))
    low, high = seen.min(axis=0) - _MARGIN, seen.max(axis=0) + _MARGIN
    middle, reach = (low + high) / 2, float(max((high - low).max(), 3.0)) / 2
    dots = "".join(
        f'<circle cx="{-x:.2f}" cy="{-z:.2f}" r="{reach / 70:.3f}" fill="{_ROLES["left" if "left" in role else "right"]}"/>'
        for role, places in steps.items()
        for x, z in places
    )
    view = f"{-middle[0] - reach:.2f} {-middle[1] - reach:.2f} {2 * reach:.2f} {2 * reach:.2f}"
    return (
        f'<svg viewBox="{view}" role="img" aria-label="{html.escape(label)}">'
        f'<polyline points="{_points(line)}" class="asked" stroke-width="{reach / 14:.3f}"/>'
        f'<polyline points="{_points(path)}" class="walked" stroke-width="{reach / 90:.3f}"/>{dots}</svg>'
    )


def _points(places: Array) -> str:
    return " ".join(f"{-x:.2f},{-z:.2f}" for x, z in places)


def films(columns: Sequence[Column]) -> dict[str, list[tuple[str, Clip]]]:
    """Clips to be shown side by side, by trial: those of all columns that have one."""
    trials = dict.fromkeys(name for column in columns for name in column.clips)
    return {
        trial: [(column.name, column.clips[trial]) for column in columns if trial in column.clips]
        for trial in trials
    }


def save_sheet(shown: Mapping[str, Sequence[tuple[str, Clip]]], path: str) -> None:
    """All films in one GIF: a row a trial, a figure a column, each with its name and gait."""
    columns = max(len(row) for row in shown.values())
    rows = [[film(clip) for _, clip in row] + [[_BLANK]] * (columns - len(row)) for row in shown.values()]
    labels = [
        label
        for trial, row in shown.items()
        for label in [f"{name}: {trial.split()[0]}" for name, _ in row] + [""] * (columns - len(row))
    ]
    length = max(len(film) for row in rows for film in row)
    pages = (
        contact_sheet([film[k % len(film)] for row in rows for film in row], columns, labels)
        for k in range(length)
    )
    save_gif(pages, path, _FPS)


def film(clip: Clip) -> list[Picture]:
    """The clip on the mannequin; the camera goes along."""
    frames = range(0, len(clip), max(1, round(clip.fps / _FPS)))
    actor = Actor(clip, mannequin(clip.skeleton, clip))
    return list(render_actors([actor], size=_CELL, frames=frames, look=_LOOK))
