"""An evaluation of controllers as one HTML page that opens from disk, with pictures inside."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Sequence
from pathlib import Path

from moveset.files import write_whole
from moveset.runtime.evaluation.wander import WATCHED
from moveset.workflows.evaluation.controller import Column, Evaluation, summary
from moveset.workflows.evaluation.controller_figures import as_json
from moveset.workflows.evaluation.controller_picture import films, from_above, save_sheet
from moveset.workflows.page import page, picture, section, table

_DEGREES = math.degrees(1)

_SUMMARY = (
    ("path_distance", "distance to the path", "cm", 100, 1),
    ("path_error", "distance to the asked place", "cm", 100, 1),
    ("heading_error", "heading error", "degrees", _DEGREES, 1),
    ("skate_ratio", "foot skate", "x real", 1, 2),
    ("planted_ratio", "speed of planted toes", "x real", 1, 2),
    ("planted_speed", "speed of planted toes", "cm/s", 100, 1),
    ("jerk_ratio", "jerk", "x real", 1, 2),
    ("pose_ratio", "pose distance", "x real", 1, 2),
)
"""Figure, what it is, unit, factor, decimals."""

_UNLOCKED = tuple(
    row for row in _SUMMARY if row[0] in ("skate_ratio", "planted_ratio", "planted_speed", "jerk_ratio")
)

_FIGURES = {
    **{key: (about, unit, factor, digits) for key, about, unit, factor, digits in _SUMMARY},
    "path_distance_p95": ("distance to the path, p95", "cm", 100, 1),
    "foot_skate": ("foot skate", "cm/s", 100, 1),
    "pose_ratio_p99": ("pose distance, p99", "x real", 1, 2),
    "left_after_0.5": ("left after 0.5 s", "cm", 100, 0),
    "left_after_1": ("left after 1 s", "cm", 100, 0),
    "left_after_2": ("left after 2 s", "cm", 100, 0),
    "velocity_error": ("velocity error", "m/s", 1, 2),
    "response_seconds": ("90 % of a change after", "s", 1, 2),
    "reached": ("changes reached", "%", 100, 0),
    "start_seconds": ("90 % of a start after", "s", 1, 2),
    "stop_seconds": ("stands after", "s", 1, 2),
    "stop_distance": ("stops within", "m", 1, 2),
    "stopped": ("stops made", "%", 100, 0),
    "standing_drift": ("creep while standing", "cm/s", 100, 1),
    "arrived": ("within 10 cm in the end", "%", 100, 1),
    "distance_in_the_end": ("distance in the end", "cm", 100, 1),
    "arrival_seconds": ("within 10 cm after", "s", 1, 2),
    "facing_error": ("facing error", "degrees", _DEGREES, 1),
}
_MOTION = ("foot_skate", "planted_speed", "jerk_ratio", "pose_ratio")
_REAL = {"foot_skate": "foot_skate_real", "planted_speed": "planted_speed_real"}
_ONE = ("skate_ratio", "planted_ratio", "jerk_ratio", "pose_ratio", "pose_ratio_p99", "diversity_ratio")
"""Ratios to the real clips, which are 1 for those themselves."""

_STEADY = {True: "yes", False: "<b>no</b>", None: "too short to tell"}

_STYLE = """\
.row { display:grid; grid-template-columns:repeat(auto-fill, minmax(170px, 1fr)); gap:10px; }
.row figure { margin:0; padding:8px; } .row figcaption { text-align:center; }
svg { display:block; width:100%; aspect-ratio:1; }
.asked { fill:none; stroke:var(--line); stroke-linejoin:round; } .walked { fill:none; stroke:var(--ink); }"""
"""Of paths seen from above."""


def write_evaluation(evaluation: Evaluation, folder: str | Path, pictures: bool = True) -> list[Path]:
    """report.json, report.html and, if there is something to show, sheet.gif in `folder`; the files written."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written = [folder / "report.json"]
    write_whole(written[0], json.dumps(as_json(evaluation), indent=1, allow_nan=False).encode())
    shown = films(evaluation.columns) if pictures else {}
    if shown:
        written.append(folder / "sheet.gif")
        save_sheet(shown, str(written[-1]))
    written.append(folder / "report.html")
    sheet = written[1].read_bytes() if shown else b""
    write_whole(written[-1], _page(evaluation, sheet))
    return written


def _page(evaluation: Evaluation, sheet: bytes) -> bytes:
    size = evaluation.size
    intro = (
        f"<p>Every column ran the same trials: {size.seconds:.0f} s each, the first two not judged; feet are locked "
        "where nothing else is said. Ratios are to held-out real clips of the same gait. Read path, feet, jerk and pose "
        "together: a statue that glides along its path has no path error. A pose distance far under 1 is motion played "
        "from clips, not a virtue.</p>" + "".join(f"<p>{html.escape(note)}</p>" for note in evaluation.notes)
    )
    columns = evaluation.columns
    parts = [
        section("What they are", table(_head(columns), _abouts(columns))),
        *(_gait(evaluation, gait) for gait in evaluation.real.gaits),
        _uncontrolled(evaluation),
        section("Cost, us of one thread a character and frame", table(_head(columns), _cost(columns))),
    ]
    if sheet:
        parts.append(section("Side by side", picture(sheet, "gif", "Controllers side by side")))
    parts += [*_plots(evaluation), _every_trial(evaluation)]
    return page("controllers beside real clips", [intro, *parts], _STYLE)


def _head(columns: Sequence[Column]) -> list[str]:
    return ["", *(column.name for column in columns)]


def _abouts(columns: Sequence[Column]) -> list[list[str]]:
    beyond = [_number(column.beyond, 100, 1) if column.wander else "" for column in columns]
    return [
        ["", *(html.escape(column.about) for column in columns)],
        ["asked beyond its data <small>%</small>", *beyond],
    ]


def _gait(evaluation: Evaluation, gait: str) -> str:
    columns, real = evaluation.columns, evaluation.real.of(gait)
    beside = dict.fromkeys(_ONE, 1.0) | {"planted_speed": real.planted_speed}
    locked = [summary(column.trials, gait) if column.wander else beside for column in columns]
    free = [summary(column.unlocked, gait) if column.wander else beside for column in columns]
    rows = [
        [f"{about}{told} <small>{unit}</small>", *(_number(own.get(key), factor, digits) for own in figures)]
        for figures, told, keys in ((locked, "", _SUMMARY), (free, " without foot lock", _UNLOCKED))
        for key, about, unit, factor, digits in keys
    ]
    title = f"{gait.capitalize()}: line, circle and eight of 2 m"
    about = f"<p>Judged beside {real.seconds:.0f} s of real clips.</p>"
    return section(title, about + table(_head(columns), rows))


def _number(value: float | None, factor: float = 1.0, digits: int = 2) -> str:
    if value is None or math.isnan(value):
        return "&ndash;"
    return f"{factor * value:.{digits}f}" if math.isfinite(value) else "never"


def _uncontrolled(evaluation: Evaluation) -> str:
    columns = evaluation.columns
    wanders = [column.wander for column in columns]
    rows = [
        [
            "diversity <small>x real</small>",
            *("1.00" if w is None else f"{w.diversity_ratio:.2f}" for w in wanders),
        ]
    ]
    for figure in WATCHED:
        about, unit, factor, digits = _FIGURES[figure]
        real = evaluation.real.everything
        beside = {"foot_skate": real.foot_skate, "planted_speed": real.planted_speed}.get(figure, 1.0)
        shown = [beside if w is None else w.mean(figure) for w in wanders]
        rows.append([f"{about} <small>{unit}</small>", *(_number(v, factor, digits) for v in shown)])
        changes = ["" if w is None else _percent(*w.change(figure)) for w in wanders]
        rows.append(["<small>change from first to last</small>", *(f"<small>{c}</small>" for c in changes)])
    rows.append(["steady", *(_STEADY[w.steady] if w else "" for w in wanders)])
    size = evaluation.size
    title = f"Uncontrolled for {size.minutes:g} minutes, {size.wanderers} characters"
    return section(title, table(_head(columns), rows))


def _percent(change: float, error: float) -> str:
    return "&ndash;" if math.isnan(change) else f"{100 * change:+.0f} &plusmn; {200 * error:.0f} %"


def _cost(columns: Sequence[Column]) -> list[list[str]]:
    keys = dict.fromkeys(key for column in columns for key in column.cost)
    words = {
        "all": "everything",
        "beside": "all beside its networks",
        "controller": "the controller",
        "networks": "its networks",
    }

    def label(key: str) -> str:
        kind, count = key.rsplit("_", 1)
        return f"{words[kind]}, in a crowd of {count}" if count != "1" else f"{words[kind]}, alone"

    return [[label(key), *(_number(column.cost.get(key), 1, 1) for column in columns)] for key in keys]


def _every_trial(evaluation: Evaluation) -> str:
    columns = evaluation.columns
    rows = []
    for trial in evaluation.trials:
        rows.append([f"<b>{html.escape(trial.name)}</b>", *("" for _ in columns)])
        first = columns[1].trials[trial.name]
        task = [key for key in first if key in _FIGURES and key not in (*_MOTION, "pose_ratio_p99")]
        for key in (*task, *_MOTION):
            about, unit, factor, digits = _FIGURES[key]
            beside = first.get(_REAL.get(key, ""), 1.0 if key in _ONE else None)
            cells = [
                _number(beside if column.wander is None else column.trials[trial.name][key], factor, digits)
                for column in columns
            ]
            rows.append([f"{about} <small>{unit}</small>", *cells])
    return section("Every trial", table(_head(columns), rows)) if rows else ""


def _plots(evaluation: Evaluation) -> list[str]:
    """A row of paths seen from above for each trial that has a line."""
    made = []
    for trial in evaluation.trials:
        walks = {c.name: c.walks[trial.name] for c in evaluation.columns if trial.name in c.walks}
        if trial.line is None or not walks:
            continue
        drawn = (
            f'<figure class="card">{from_above(trial.line, walk, f"{name} on {trial.name}")}'
            f"<figcaption>{html.escape(name)}</figcaption></figure>"
            for name, walk in walks.items()
        )
        made.append(section(trial.name, f'<div class="row">{"".join(drawn)}</div>'))
    legend = "Grey: asked. Dark: walked. Dots: where the left (blue) and right (red) toes stood."
    return [section("From above", f"<p>{legend}</p>"), *made] if made else []
