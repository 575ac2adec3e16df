"""Recipes of everything that goes on two feet along a path: walking, running, turning, sidestepping."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from moveset.motion import Annotation, Clip, Tags
from moveset.synthetic import acts, attacks, clips, gait
from moveset.synthetic.acts import Act
from moveset.synthetic.gait import Style
from moveset.synthetic.paths import Path, drive, wander
from moveset.synthetic.recipe import Recipe, Stage
from moveset.synthetic.steps import Footing

RELAXED = Style()
BRISK = Style(bounce=1.1, swing=1.15, lean=0.02)
TIRED = Style(
    footing=Footing(cadence=0.88, width=0.14),
    lean=0.20,
    crouch=0.02,
    swing=0.55,
    twist=0.7,
    lift=0.6,
    bounce=0.8,
)
PROUD = Style(footing=Footing(toe_out=0.16), lean=-0.06, swing=1.25, bounce=1.25, twist=1.1)
HEAVY = Style(
    footing=Footing(cadence=0.86, duty=1.05, width=0.20),
    lean=0.06,
    crouch=0.03,
    sway=1.5,
    swing=0.9,
    bounce=0.8,
)
SNEAKING = Style(
    footing=Footing(cadence=0.92, width=0.15), crouch=0.20, lean=0.42, swing=0.45, lift=2.0, bounce=0.5
)
CROUCHED = Style(footing=Footing(width=0.18, stand_width=0.30), crouch=0.24, lean=0.50, swing=0.5, bounce=0.5)

PathOf = Callable[[Stage], Path]


@dataclass(frozen=True)
class Said:
    """The words of a locomotion clip."""

    sentence: str
    direction: str = "Forward"
    power: str = "Steady"
    speed: tuple[str, ...] = ("Uniform Speed",)
    impression: str = "Smooth and Coherent"
    kind: str = "Movement"
    posture: str = "The arms swing against the legs while the weight passes from foot to foot."


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


def recipe(name: str, path: PathOf, said: Said, words: str, style: Style = RELAXED) -> Recipe:
    """A recipe with free arms."""

    def make(stage: Stage, name: str, tags: Tags) -> Clip:
        return perform(stage, path(stage), style, name, tags)

    return Recipe(name, make, annotation(said), said.sentence, tuple(words.split()))


def armed(name: str, path: PathOf, said: Said, words: str, hands: str) -> Recipe:
    """A recipe with a weapon held in guard."""
    guard = attacks.GUARD_ONE if hands == "one" else attacks.GUARD_TWO
    style = attacks.ONE_HANDED if hands == "one" else attacks.TWO_HANDED
    style = replace(style, footing=replace(style.footing, cadence=1.15))

    def make(stage: Stage, name: str, tags: Tags) -> Clip:
        act = Act(0.0, ((0.0, guard),), style, two_handed=hands == "two")
        return acts.on_path(stage, path(stage), act, name, tags)

    weapon = attacks.WEAPON[hands]
    fields = replace(annotation(said), weapon_type=(weapon,))
    return Recipe(name, make, fields, said.sentence, (*words.split(), "armed", f"{hands}-handed"))


def annotation(said: Said) -> Annotation:
    """The eight fields of a clip."""
    return Annotation(
        motion_type=(said.kind,),
        direction=(said.direction,),
        power=(said.power,),
        speed=said.speed,
        impression=(said.impression,),
        posture=said.posture,
    )


def _going(seconds: float, speed: float, turn: float = 0.0, aside: float = 0.0) -> PathOf:
    return lambda stage: drive(seconds, speed * np.sqrt(stage.figure.size), turn, aside, rate=stage.rate)


def _pace(speed: float) -> str:
    return (
        "Slow"
        if speed < 0.8
        else "Relative Slow"
        if speed < 1.7
        else "Relative Fast"
        if speed < 4.5
        else "Swift"
    )


def _steady() -> list[Recipe]:
    out = []
    gaits = [("walk", v) for v in (0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)]
    gaits += [("run", v) for v in (2.4, 2.8, 3.2, 3.6, 4.2, 5.0)] + [("sprint", v) for v in (6.0, 7.0)]
    for gait_name, speed in gaits:
        pace = _pace(speed)
        sentence = f"A person {gait_name}s straight ahead at {speed:.1f} metres a second."
        said = Said(
            sentence, speed=("Uniform Speed", pace), power="Powerful" if gait_name == "sprint" else "Steady"
        )
        name = f"{gait_name}_{round(speed * 100):03d}"
        out.append(recipe(name, _going(5.0, speed), said, gait_name))
    moods = (
        ("tired", TIRED, 0.8, "Sluggish", "Powerless"),
        ("proud", PROUD, 1.3, "Uninhibited", "Steady"),
        ("heavy", HEAVY, 1.1, "Rigid", "Heavy-Weighted"),
        ("brisk", BRISK, 1.6, "Cheerful", "Light-Weighted"),
    )
    for mood, style, speed, impression, power in moods:
        said = Said(
            f"A person walks ahead, {mood}.", power=power, impression=impression, speed=(_pace(speed),)
        )
        out.append(recipe(f"walk_{mood}", _going(5.0, speed), said, f"walk {mood}", style))
    return out


def _curves() -> list[Recipe]:
    out = []
    for gait_name, speed, radii in (("walk", 1.2, (0.8, 1.5, 3.0)), ("run", 3.2, (2.5, 4.0, 8.0))):
        for radius in radii:
            for side, sign in (("left", 1), ("right", -1)):
                said = Said(
                    f"A person {gait_name}s along a curve to the {side} with a radius of {radius:g} metres.",
                    direction=f"{side.title()} Front",
                    posture="The body leans into the curve.",
                )
                name = f"{gait_name}_curve_{side}_{round(radius * 10):02d}"
                turn = sign * speed / radius
                out.append(recipe(name, _going(4.0, speed, turn), said, f"{gait_name} curve turn {side}"))
    return out


def _turns() -> list[Recipe]:
    """Turns on the spot, and while walking or running."""
    out = []
    for degrees in (45, 90, 135, 180):
        for side, sign in (("left", 1), ("right", -1)):
            seconds = 0.7 + degrees / 150
            total = sign * np.radians(degrees)

            def spot(stage: Stage, total: float = total, seconds: float = seconds) -> Path:
                return drive(seconds + 1.0, 0.0, _bump(total, 0.3, seconds), rate=stage.rate)

            said = Said(
                f"A person turns {degrees} degrees to the {side} on the spot.",
                direction="In-Place",
                posture="The head turns first and the feet follow in small steps.",
            )
            out.append(recipe(f"turn_{side}_{degrees:03d}", spot, said, f"turn {side} idle"))
            for gait_name, speed, quick in (("walk", 1.2, 0.7), ("run", 3.0, 0.8)):
                span = quick * (0.4 + degrees / 110)
                slow = speed * (1 - 0.55 * degrees / 180)

                def moving(
                    stage: Stage,
                    total: float = total,
                    span: float = span,
                    speed: float = speed,
                    slow: float = slow,
                ) -> Path:
                    middle = 1.2 + span / 2
                    keys = [(0.7, speed), (middle, slow), (middle + span / 2 + 0.5, speed)]
                    return drive(span + 2.6, keys, _bump(total, 1.2, span), rate=stage.rate)

                said = Said(
                    f"A person {gait_name}s ahead and turns {degrees} degrees to the {side}.",
                    direction=f"{side.title()} Front" if degrees < 90 else f"Towards {side.title()}",
                    speed=("First fast then slow", "Recovery"),
                    posture="The body slows, leans into the turn and speeds up again.",
                )
                out.append(
                    recipe(f"{gait_name}_turn_{side}_{degrees:03d}", moving, said, f"{gait_name} turn {side}")
                )
    return out


def _bump(total: float, start: float, seconds: float) -> list[tuple[float, float]]:
    """Keys of a turn rate that rises and falls once and integrates to `total` [rad]."""
    # a quintic ease up and down over half the time each covers half of peak x seconds
    return [(start, 0.0), (start + seconds / 2, 2 * total / seconds), (start + seconds, 0.0)]


def _changes() -> list[Recipe]:
    """Starts, stops and changes of pace."""
    changes = (
        ("walk_start", [(0.5, 0.0), (1.5, 1.3)], 3.5, "starts to walk", "First slow then fast", "walk start"),
        ("walk_stop", [(1.2, 1.3), (2.2, 0.0)], 3.5, "walks and comes to a stop", "First fast then slow", "walk stop"),
        ("run_start", [(0.5, 0.0), (1.7, 3.4)], 3.5, "breaks into a run from a stand", "First slow then fast", "run start"),
        ("run_stop", [(1.0, 3.4), (2.3, 0.0)], 3.6, "runs and comes to a stop", "First fast then slow", "run stop"),
        ("sprint_start", [(0.5, 0.0), (2.6, 6.2)], 4.0, "sprints off from a stand", "First slow then fast", "sprint start"),
        ("sprint_stop", [(0.8, 6.0), (2.7, 0.0)], 4.2, "sprints and brakes to a stop", "First fast then slow", "sprint stop"),
        ("walk_to_run", [(1.0, 1.3), (2.4, 3.4)], 4.0, "walks and breaks into a run", "First slow then fast", "walk run"),
        ("run_to_walk", [(1.0, 3.4), (2.4, 1.3)], 4.0, "slows from a run to a walk", "First fast then slow", "run walk"),
        ("run_to_sprint", [(1.0, 3.2), (2.4, 6.0)], 4.0, "speeds up from a run to a sprint", "First slow then fast", "run sprint"),
        ("walk_slow_fast", [(1.0, 0.8), (2.2, 1.8)], 4.0, "quickens the walk", "First slow then fast", "walk"),
        ("walk_one_step", [(0.4, 0.0), (0.8, 0.75), (1.2, 0.0)], 2.2, "takes a single step ahead", "Recovery", "walk step start stop"),
    )  # fmt: skip
    return [
        recipe(
            name,
            lambda stage, keys=keys, seconds=seconds: drive(seconds, keys, rate=stage.rate),
            Said(f"A person {verb}.", speed=(speed,), posture="The weight shifts ahead of the feet."),
            words,
        )
        for name, keys, seconds, verb, speed, words in changes
    ]


DIRECTIONS = (
    ("forward", 0, "Forward"), ("left_front", 45, "Left Front"), ("left", 90, "Towards Left"),
    ("left_rear", 135, "Left Rear"), ("backward", 180, "Backward"), ("right_rear", -135, "Right Rear"),
    ("right", -90, "Towards Right"), ("right_front", -45, "Right Front"),
)  # fmt: skip


def _strafes() -> list[Recipe]:
    out = []
    for label, degrees, direction in DIRECTIONS:
        aside = np.radians(degrees)
        spoken = label.replace("_", " ")
        posture = "The chest keeps facing ahead while the feet step aside."
        if degrees:
            kind = "backpedal" if degrees == 180 else "strafe"
            for tempo, speed in (("slow", 0.6), ("fast", 1.1)):
                said = Said(
                    f"A person moves {spoken} at a {tempo} pace, facing ahead.", direction, posture=posture
                )
                name = f"{kind}_{tempo}" if degrees == 180 else f"{kind}_{label}_{tempo}"
                out.append(recipe(name, _going(3.5, speed, aside=aside), said, f"walk {kind} {spoken}"))
        for hands in ("one", "two"):
            said = Said(
                f"A fighter on guard moves {spoken}, weapon in {'both hands' if hands == 'two' else 'hand'}.",
                direction,
                posture=posture,
            )
            name = f"guard_{hands}_walk_{label}"
            out.append(armed(name, _going(3.5, 0.9, aside=aside), said, f"walk guard strafe {spoken}", hands))
    return out


def _low() -> list[Recipe]:
    posture = "The knees stay bent and the back is low."
    said = Said("A person walks crouched.", speed=("Relative Slow",), posture=posture)
    out = [
        recipe("crouch_walk", _going(4.0, 0.9), said, "walk crouch", CROUCHED),
        recipe("crouch_walk_slow", _going(4.0, 0.5), replace(said, speed=("Slow",)), "walk crouch", CROUCHED),
        recipe("sneak", _going(4.0, 0.7), replace(said, sentence="A person sneaks ahead, lifting the feet high.",
               impression="Nervous"), "walk crouch sneak", SNEAKING),
    ]  # fmt: skip
    for label, degrees, direction in DIRECTIONS[1:]:
        spoken = label.replace("_", " ")
        said = Said(f"A person moves {spoken}, crouched.", direction, speed=("Slow",), posture=posture)
        out.append(
            recipe(
                f"crouch_{label}",
                _going(3.0, 0.7, aside=np.radians(degrees)),
                said,
                f"crouch {spoken}",
                CROUCHED,
            )
        )
    for side, sign in (("left", 1), ("right", -1)):
        said = Said(
            f"A person walks crouched along a curve to the {side}.", f"{side.title()} Front", posture=posture
        )
        out.append(
            recipe(
                f"crouch_curve_{side}", _going(4.0, 0.8, sign * 0.6), said, f"walk crouch {side}", CROUCHED
            )
        )
    return out


def _wanders() -> list[Recipe]:
    out = []
    kinds = (
        ("walk", 8, 20.0, (0.7, 1.7), 75, 0.0, RELAXED),
        ("stroll", 3, 20.0, (0.0, 1.4), 90, 0.25, RELAXED),
        ("run", 8, 16.0, (2.4, 4.2), 90, 0.0, RELAXED),
        ("mixed", 6, 20.0, (0.6, 4.2), 80, 0.10, RELAXED),
        ("sprint", 2, 14.0, (3.5, 6.5), 60, 0.0, RELAXED),
        ("crouch", 2, 14.0, (0.4, 1.0), 70, 0.1, CROUCHED),
    )
    for kind, count, seconds, speeds, degrees, pause, style in kinds:
        for number in range(1, count + 1):

            def path(
                stage: Stage,
                seconds: float = seconds,
                speeds: tuple[float, float] = speeds,
                degrees: float = degrees,
                pause: float = pause,
            ) -> Path:
                return wander(seconds, speeds, np.radians(degrees), stage.rng, rate=stage.rate, pause=pause)

            said = Said(
                f"A person wanders about ({kind}), turning left and right and changing pace.",
                speed=("Relative Fast",) if speeds[0] > 2 else ("Relative Slow",),
                posture="The body leans into its turns and the arms swing with the changing pace.",
            )
            words = {"stroll": "walk idle", "mixed": "walk run"}.get(kind, kind)
            out.append(recipe(f"wander_{kind}_{number}", path, said, f"{words} turn wander", style))
    return out


def recipes() -> tuple[Recipe, ...]:
    """All of them."""
    parts = (_steady, _changes, _turns, _curves, _strafes, _low, _wanders)
    return tuple(recipe for part in parts for recipe in part())
