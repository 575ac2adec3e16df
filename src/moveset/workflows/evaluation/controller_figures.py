"""An evaluation of controllers as JSON for machines and as a few lines for a terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from moveset import __version__
from moveset.runtime.evaluation.wander import WATCHED, Wander
from moveset.workflows.evaluation.controller import COUNTS, Column, Evaluation, summary

VERSION = 1
"""Of the JSON."""
_RATIOS = ("skate_ratio", "planted_ratio", "jerk_ratio", "pose_ratio")


def as_text(evaluation: Evaluation) -> str:
    """The summary in a few lines, for a terminal; ratios are to the real clips."""
    names = [column.name for column in evaluation.columns[1:]]
    width = max(map(len, names), default=0)
    lines = []
    for gait in evaluation.real.gaits:
        lines.append(f"{gait:<{width}}  off path  heading   skate  planted    jerk    pose")
        for column in evaluation.columns[1:]:
            made = summary(column.trials, gait)
            cells = (
                f"{100 * made['path_distance']:6.1f} cm {math.degrees(made['heading_error']):5.1f} deg",
                *map(_ratio, (made[key] for key in _RATIOS)),
            )
            lines.append(f"{column.name:<{width}}  {' '.join(cells)}")
    size = evaluation.size
    lines.append(f"{f'{size.minutes:g} min alone':<{width}}  diversity  steady  cost alone, in {COUNTS[-1]}")
    for column in evaluation.columns[1:]:
        if column.wander:
            steady = {True: "yes", False: "no", None: "?"}[column.wander.steady]
            costs = ", ".join(f"{column.cost[f'all_{count}']:.0f} us" for count in COUNTS)
            lines.append(
                f"{column.name:<{width}}  {_ratio(column.wander.diversity_ratio):>9}  {steady:>6}  {costs}"
            )
    return "\n".join(lines)


def _ratio(value: float) -> str:
    return f"{value:6.2f}x" if math.isfinite(value) else f"{'-':>7}"


def as_json(evaluation: Evaluation) -> dict[str, Any]:
    """All figures in metres, seconds and radians; null where there is none."""
    real = evaluation.real
    return _finite(
        {
            "version": VERSION,
            "moveset": __version__,
            "size": asdict(evaluation.size),
            "processor_seconds": evaluation.seconds,
            "notes": evaluation.notes,
            "real": {
                name: {
                    key: getattr(one, key)
                    for key in (
                        "foot_skate",
                        "planted_speed",
                        "jerk",
                        "pose_distance",
                        "diversity",
                        "seconds",
                    )
                }
                for name, one in {"everything": real.everything, **real.gaits}.items()
            },
            "columns": [_column(column, evaluation) for column in evaluation.columns],
        }
    )


def _column(column: Column, evaluation: Evaluation) -> dict[str, Any]:
    return {
        "name": column.name,
        "about": column.about,
        "summary": {gait: made for gait in evaluation.real.gaits if (made := summary(column.trials, gait))},
        "summary_without_foot_lock": {
            gait: made for gait in evaluation.real.gaits if (made := summary(column.unlocked, gait))
        },
        "trials": column.trials,
        "trials_without_foot_lock": column.unlocked,
        "uncontrolled": _wander(column.wander) if column.wander else None,
        "asked_beyond_the_data": column.beyond,
        "cost": column.cost,
    }


def _wander(wander: Wander) -> dict[str, Any]:
    changes = {figure: wander.change(figure) for figure in WATCHED}
    return {
        "minutes": wander.minutes,
        "characters": wander.characters,
        "diversity": wander.diversity,
        "diversity_ratio": wander.diversity_ratio,
        "steady": wander.steady,
        "mean": {figure: wander.mean(figure) for figure in WATCHED},
        "change": {figure: {"share": by, "standard_error": error} for figure, (by, error) in changes.items()},
        "parts": wander.parts,
    }


def _finite(value: Any) -> Any:
    """JSON has no number that is none."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(part) for key, part in value.items()}
    return [_finite(part) for part in value] if isinstance(value, list | tuple) else value
