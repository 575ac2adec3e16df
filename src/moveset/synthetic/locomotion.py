"""Recipes of everything that goes on two feet along a path: standing, walking, running, turning, sidestepping."""

from __future__ import annotations

import numpy as np

from moveset.motion import Annotation, Clip, Tags
from moveset.synthetic import clips, gait
from moveset.synthetic.gait import Style
from moveset.synthetic.paths import Path, drive, wander
from moveset.synthetic.recipe import Recipe, Stage

RELAXED = Style()


def perform(stage: Stage, path: Path, style: Style, name: str, tags: Tags, *, loop: bool = False) -> Clip:
    """Walk a path with free arms."""
    figure, rng = stage.figure, stage.rng
    ride = gait.ride(figure, path, style, rng)
    arms = gait.swinging_arms(ride, style, rng)
    return clips.finish(
        figure,
        path,
        ride.trunk,
        ride.feet,
        arms,
        fps=stage.fps,
        name=name,
        tags=tags,
        plan=ride.plan,
        loop=loop,
    )


def _steady(
    name: str, speed: float, seconds: float, words: tuple[str, ...], pace: str, sentence: str
) -> Recipe:
    def make(stage: Stage, name: str, tags: Tags) -> Clip:
        path = drive(seconds, speed, rate=stage.rate)
        return perform(stage, path, RELAXED, name, tags)

    annotation = Annotation(
        motion_type=("Movement",),
        direction=("Forward",),
        power=("Steady",),
        speed=("Uniform Speed", pace),
        impression=("Smooth and Coherent",),
        posture="The arms swing against the legs and the weight passes from foot to foot.",
    )
    return Recipe(name, make, annotation, sentence, words)


def _idle(name: str) -> Recipe:
    def make(stage: Stage, name: str, tags: Tags) -> Clip:
        return perform(stage, drive(4.0, 0.0, rate=stage.rate), RELAXED, name, tags)

    annotation = Annotation(
        motion_type=("Idle",),
        direction=("In-Place",),
        power=("Light-Weighted",),
        speed=("Slow",),
        impression=("Relaxing",),
        posture="The arms hang at the sides while the chest breathes.",
    )
    return Recipe(name, make, annotation, "A person stands relaxed and breathes.", ("idle",))


def _wandering(name: str, seconds: float, speeds: tuple[float, float], words: tuple[str, ...]) -> Recipe:
    def make(stage: Stage, name: str, tags: Tags) -> Clip:
        path = wander(seconds, speeds, np.radians(80), stage.rng, rate=stage.rate)
        return perform(stage, path, RELAXED, name, tags)

    annotation = Annotation(
        motion_type=("Movement",),
        direction=("Forward",),
        power=("Steady",),
        speed=("Relative Slow",),
        impression=("Smooth and Coherent",),
        posture="The body leans into its turns and the arms swing with the changing pace.",
    )
    return Recipe(name, make, annotation, "A person wanders about, turning and changing pace.", words)


def recipes() -> tuple[Recipe, ...]:
    """All of them."""
    return (
        _idle("idle_relaxed"),
        _steady("walk", 1.3, 4.0, ("walk",), "Relative Slow", "A person walks forward at an even pace."),
        _steady("run", 3.5, 4.0, ("run",), "Relative Fast", "A person runs forward at an even pace."),
        _wandering("wander_walk_1", 20.0, (0.8, 1.6), ("walk", "turn")),
        _wandering("wander_run_1", 20.0, (2.6, 4.5), ("run", "turn")),
    )
