"""The demo's report: one page that shows what was made and what was measured."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

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
  a { color: #1f6fb2 } img.losses { max-width: 49%; vertical-align: top }
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


@dataclass
class Step:
    """One part of the journey."""

    title: str
    seconds: float = 0.0
    lines: list[str] = field(default_factory=list)
    """What was found, in sentences."""
    files: list[str] = field(default_factory=list)
    """What was made, relative to the demo's folder."""
    shown: list[str] = field(default_factory=list)
    """Pictures of how it went."""
    measures: dict[str, Mapping[str, float]] = field(default_factory=dict)
    """Of each who moved."""
    table: Table | None = None


@dataclass(frozen=True)
class Table:
    """Rows under a head."""

    head: Sequence[str]
    rows: Sequence[Sequence[object]]


def following(m: Mapping[str, float]) -> str:
    """How a path was followed, in a line."""
    ratios = {
        "skate": m["foot_skate"] / m["foot_skate_real"],
        "jerk": m["jerk_ratio"],
        "pose distance": m["pose_ratio"],  # unknown where no clip was held out
    }
    beside = ", ".join(f"{name} {value:.2f} x" for name, value in ratios.items() if math.isfinite(value))
    return (
        f"{100 * m['path_distance']:.1f} cm off the path, {math.degrees(m['heading_error']):.1f} degrees off its "
        f"heading; {beside} that of the clips; {m['microseconds']:.0f} us a frame"
    )


def write_report(steps: Sequence[Step], path: Path) -> None:
    """One HTML page beside the files that the steps made; it refers to them, nothing else."""
    path.write_text(_PAGE.substitute(steps="\n".join(map(_section, steps))), encoding="utf-8")


def _section(step: Step) -> str:
    lines = "<br>\n".join(map(html.escape, step.lines))
    films = "".join(_picture(f, "film", step.title) for f in step.files if f.endswith(".gif"))
    shown = "\n".join(_picture(f, Path(f).stem, step.title) for f in step.shown)
    links = " &middot; ".join(f'<a href="{html.escape(f)}">{html.escape(f)}</a>' for f in step.files)
    return "\n".join(
        part
        for part in (
            f"<h2>{html.escape(step.title)} <small>{step.seconds:.1f} s</small></h2>",
            f"<p>{lines}</p>" if lines else "",
            films,
            shown,
            _measures(step.measures),
            _table(step.table) if step.table else "",
            f"<p>{links}</p>" if links else "",
        )
        if part
    )


def _picture(file: str, kind: str, title: str) -> str:
    return f'<img src="{html.escape(file)}" alt="{html.escape(title)}" class="{kind}">'


def _measures(measures: Mapping[str, Mapping[str, float]]) -> str:
    """Who moved side by side, the real clips last."""
    rows = []
    for name, about, real, factor, unit in _FIGURES:
        values = [of.get(name, math.nan) for of in measures.values()]
        if not all(map(math.isnan, values)):
            beside = [next(iter(measures.values()))[real]] if real else []
            texts = [f"{factor * value:.2f}" for value in (*values, *beside)]
            rows.append((about, *texts, *([] if real else [""]), unit))
    return _table(Table(("", *measures, "in the clips", ""), rows)) if rows else ""


def _table(table: Table) -> str:
    top = "".join(f"<th>{html.escape(name)}</th>" for name in table.head)
    body = "".join(
        "<tr>"
        + "".join(f'<td class="{"n" if k else ""}">{html.escape(str(v))}</td>' for k, v in enumerate(row))
        + "</tr>"
        for row in table.rows
    )
    return f"<table><tr>{top}</tr>{body}</table>"
