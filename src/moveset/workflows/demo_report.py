"""The demo's report: one page that shows what was made and what was measured."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moveset.workflows.demo import Step

_PAGE = Template("""\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Moveset demo</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; color: #2b3038; background: #fafafb; max-width: 60rem;
         margin: 2rem auto; padding: 0 1rem; }
  h1 { font-weight: 600 } h2 { margin: 2.5rem 0 .3rem; font-size: 1.15rem }
  small { color: #7a828e; font-weight: 400 }
  img { max-width: 100%; border-radius: 6px; margin: .6rem 0 }
  table { border-collapse: collapse; margin: .6rem 0 } th, td { text-align: left; padding: .2rem 1.2rem .2rem 0 }
  th { font-weight: 500; color: #7a828e } td.n { text-align: right; font-variant-numeric: tabular-nums }
  a { color: #1f6fb2 }
</style>
<h1>Moveset: from clips to a character that moves</h1>
$steps
""")

_FIGURES: tuple[tuple[str, str, str | None, float, str], ...] = (
    ("path_distance", "distance to the path, mean", None, 100, "cm"),
    ("path_distance_p95", "distance to the path, 95th percentile", None, 100, "cm"),
    ("path_error", "distance to the asked place", None, 100, "cm"),
    ("heading_error", "heading error", None, math.degrees(1), "degrees"),
    ("foot_skate", "foot skate", "foot_skate_real", 100, "cm/s"),
    ("planted_speed", "speed of planted toes", "planted_speed_real", 100, "cm/s"),
    ("jerk_ratio", "jerk, as a ratio to the clips", None, 1, ""),
    ("pose_ratio", "distance to the nearest real pose, as a ratio to held-out clips", None, 1, ""),
    ("microseconds", "cost of a character and frame on this machine", None, 1, "us"),
)
"""Measure, what it says, the same of the real clips, factor, unit."""


def write_report(steps: Sequence[Step], path: Path) -> None:
    """One HTML page beside the files that the steps made; it refers to them, nothing else."""
    path.write_text(_PAGE.substitute(steps="\n".join(map(_section, steps))), encoding="utf-8")


def _section(step: Step) -> str:
    lines = "" if step.answer else "<br>\n".join(html.escape(line) for line in step.lines)
    pictures = "".join(
        f'<img src="{html.escape(f)}" alt="{html.escape(step.title)}">'
        for f in step.files
        if f.endswith(".gif")
    )
    links = " &middot; ".join(f'<a href="{html.escape(f)}">{html.escape(f)}</a>' for f in step.files)
    return "\n".join(
        part
        for part in (
            f"<h2>{html.escape(step.title)} <small>{step.seconds:.1f} s</small></h2>",
            f"<p>{lines}</p>" if lines else "",
            pictures,
            _measures(step),
            _answer(step),
            f"<p>{links}</p>" if links else "",
        )
        if part
    )


def _measures(step: Step) -> str:
    rows = []
    for name, about, real, factor, unit in _FIGURES:
        value = step.measures.get(name, float("nan"))
        if value == value:
            beside = f"{factor * step.measures[real]:.2f}" if real else ""
            rows.append((about, f"{factor * value:.2f}", beside, unit))
    return _table(("", "here", "in the clips", ""), rows) if rows else ""


def _answer(step: Step) -> str:
    return _table(step.answer.columns, step.answer.rows) if step.answer else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    top = "".join(f"<th>{html.escape(name)}</th>" for name in head)
    body = "".join(
        "<tr>"
        + "".join(f'<td class="{"n" if k else ""}">{html.escape(str(v))}</td>' for k, v in enumerate(row))
        + "</tr>"
        for row in rows
    )
    return f"<table><tr>{top}</tr>{body}</table>"
