"""`moveset demo`: the whole journey once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from moveset.cli.options import Output


@dataclass(frozen=True, kw_only=True)
class DemoOptions:
    """Options of `moveset demo`."""

    output: Output = "out/demo"
    """The folder that takes everything."""
    path: str = "eight:2.5"
    """What one character walks along: line, circle:RADIUS, eight:RADIUS, square:SIDE [m], or a JSON file."""
    speed: float = 1.3
    """[m/s]"""
    seconds: float = 24.0
    """How long it walks; the crowd wanders for a third of that."""
    crowd: int = 32
    """How many wander."""
    steps: int | None = None
    """Training steps, other than those of the preset `tiny`."""


def demo(*sources: str, options: Annotated[DemoOptions | None, Parameter(name="*")] = None) -> None:
    """Clips, audit, library, motion matching, a trained controller, GLB, BVH, GIF, a report: all once, in minutes.

    Example: moveset demo mocap.zip -o out/mocap --path circle:3

    Parameters
    ----------
    sources
        Files, folders, archives with clips of walking and running; without any, clips are synthesized.
    """
    from moveset.workflows.demo import Demo, run_demo

    o = options or DemoOptions()
    run_demo(o.output, Demo(sources, o.path, o.speed, o.seconds, o.crowd, o.steps))
