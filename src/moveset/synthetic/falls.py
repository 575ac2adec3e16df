"""Recipes in which the body goes to the floor: rolls and deaths."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from moveset.motion import Annotation, Clip, Event, Tags
from moveset.synthetic.recipe import Recipe, Stage
from moveset.synthetic.tumbles import Footfall, Limbs, Moment, Tumble, perform

_READY = Moment(0.0, (0.0, 0.93, 0.0))
_TUCKED = Limbs(70, 18, 95)
_REACH = Limbs(95, 14, 35)
_LOOSE = Limbs(-14, 34, 20)


def _roll_forward(heading: float = 0.0) -> Tumble:
    """A roll over the shoulders; for a roll aside the body turns to where it rolls, and back."""
    c, s = np.cos(np.radians(heading)), np.sin(np.radians(heading))
    left_place, right_place = (0.11, 0.04), (-0.11, -0.04)
    way = 2.05

    def at(
        time: float,
        height: float,
        ahead: float,
        pelvis: float,
        chest: float,
        head: float,
        limb: Limbs,
        turn: float,
    ) -> Moment:
        yaw = turn * heading
        return Moment(
            time,
            (s * ahead, height, c * ahead),
            (yaw, pelvis, 0),
            (yaw, chest, 0),
            (yaw, head, 0),
            limb,
            limb,
        )

    moments = (
        replace(_READY, hips=(0.0, 0.92, 0.0)),
        at(0.17, 0.60, 0.16, 34, 68, 78, _REACH, 0.7),
        at(0.31, 0.52, 0.52, 98, 146, 176, _REACH, 1.0),
        at(0.46, 0.44, 0.96, 185, 240, 272, _TUCKED, 1.0),
        at(0.60, 0.22, 1.34, 268, 312, 332, _TUCKED, 1.0),
        at(0.76, 0.36, 1.66, 334, 384, 388, _TUCKED, 0.9),
        at(0.94, 0.64, 1.90, 366, 392, 378, Limbs(20, 18, 50), 0.5),
        at(1.30, 0.92, way, 363, 362, 363, Limbs(), 0.0),
    )  # fmt: skip

    def foot(place: tuple[float, float], leave: float, land: float, landing: tuple[float, float]) -> Footfall:
        roll = ((0.12, 0.0), (leave, 52.0))
        return Footfall(place, roll, leave, (0.02, -0.40, 0.30), 24.0, land, landing, 0.20)

    def placed(x: float, ahead: float) -> tuple[float, float]:
        return (x + s * ahead, c * ahead)

    return Tumble(
        moments,
        {
            "left": foot(
                left_place, *((0.28, 0.88) if heading < 0 else (0.34, 0.80)), placed(0.12, way + 0.02)
            ),
            "right": foot(
                right_place, *((0.34, 0.80) if heading < 0 else (0.28, 0.88)), placed(-0.12, way - 0.02)
            ),
        },
        (Event(0.30, "roll", "hips"),),
    )


def _roll_backward() -> Tumble:
    def at(
        time: float, height: float, ahead: float, pelvis: float, chest: float, head: float, limb: Limbs
    ) -> Moment:
        return Moment(time, (0.0, height, ahead), (0, pelvis, 0), (0, chest, 0), (0, head, 0), limb, limb)

    moments = (
        replace(_READY, hips=(0.0, 0.92, 0.0)),
        at(0.20, 0.52, -0.14, -8, 30, 30, Limbs(40, 16, 50)),
        at(0.36, 0.20, -0.46, -66, -24, 10, Limbs(110, 20, 90)),
        at(0.52, 0.36, -0.86, -160, -112, -80, Limbs(140, 20, 100)),
        at(0.68, 0.52, -1.22, -248, -214, -190, Limbs(130, 20, 70)),
        at(0.86, 0.56, -1.44, -326, -300, -310, Limbs(60, 16, 40)),
        at(1.30, 0.92, -1.56, -357, -358, -357, Limbs()),
    )  # fmt: skip

    def foot(place: tuple[float, float], leave: float, land: float, landing: tuple[float, float]) -> Footfall:
        return Footfall(place, ((0.0, 0.0),), leave, (0.02, -0.40, 0.32), 10.0, land, landing, 0.20)

    return Tumble(
        moments,
        {"left": foot((0.11, 0.04), 0.30, 0.80, (0.12, -1.50)), "right": foot((-0.11, -0.04), 0.27, 0.86, (-0.12, -1.62))},
        (Event(0.36, "roll", "hips"),),
    )  # fmt: skip


def _death_back() -> Tumble:
    moments = (
        _READY,
        Moment(0.12, (0.0, 0.90, -0.05), (-4, -6, 2), (-10, -20, 4), (-6, -30, 2), Limbs(24, 26, 30), Limbs(20, 30, 34)),
        Moment(0.42, (0.02, 0.66, -0.24), (4, -18, -3), (6, -30, -4), (4, -8, -2), Limbs(42, 42, 34), Limbs(30, 46, 40)),
        Moment(0.70, (0.03, 0.24, -0.50), (6, -58, -3), (8, -62, -5), (6, -36, -2), Limbs(50, 50, 26), Limbs(36, 54, 30)),
        Moment(0.88, (0.03, 0.12, -0.58), (6, -84, -2), (6, -92, -3), (8, -98, 4), Limbs(4, 52, 24), Limbs(-2, 56, 28)),
        Moment(1.00, (0.03, 0.13, -0.58), (6, -80, -2), (6, -85, -3), (12, -84, 5), Limbs(12, 52, 30), Limbs(8, 56, 34)),
        Moment(1.20, (0.03, 0.115, -0.58), (6, -86, -2), (6, -88, -3), (16, -92, 6), Limbs(-2, 50, 22), Limbs(-4, 54, 24)),
        Moment(1.80, (0.03, 0.115, -0.58), (6, -86, -2), (6, -88, -3), (22, -92, 8), Limbs(-2, 50, 20), Limbs(-4, 54, 22)),
    )  # fmt: skip
    left = Footfall((0.12, 0.06))
    right = Footfall((-0.12, -0.06), ((0.30, 0.0), (0.5, 6.0)), 0.5, (0.07, -0.80, -0.03), 22.0, ease=0.45)
    return Tumble(
        moments,
        {"left": left, "right": right},
        (Event(0.05, "hit_taken", "chest"), Event(0.86, "body_down", "hips")),
        True,
    )


def _death_front() -> Tumble:
    moments = (
        _READY,
        Moment(0.14, (0.0, 0.90, 0.02), (4, 8, 0), (8, 16, -3), (4, 4, 0), Limbs(2, 14, 30), Limbs(0, 14, 26)),
        Moment(0.50, (0.0, 0.62, 0.32), (0, -4, 0), (2, 10, 2), (0, 30, 0), Limbs(10, 18, 30), Limbs(8, 18, 26)),
        Moment(0.66, (0.0, 0.50, 0.46), (0, 2, 0), (0, 24, 2), (0, 50, 0), Limbs(20, 14, 22), Limbs(14, 14, 20)),
        Moment(0.86, (0.0, 0.48, 0.52), (0, 14, 0), (-3, 38, 2), (0, 52, 2), Limbs(24, 14, 22), Limbs(18, 14, 20)),
        Moment(1.18, (0.0, 0.24, 0.80), (2, 66, 2), (4, 78, 3), (10, 66, 4), Limbs(22, 34, 40), Limbs(14, 26, 30)),
        Moment(1.34, (0.0, 0.125, 0.88), (2, 88, 2), (4, 92, 2), (24, 86, 6), Limbs(-6, 62, 22), Limbs(-7, 30, 14)),
        Moment(1.46, (0.0, 0.135, 0.88), (2, 84, 2), (4, 86, 2), (30, 80, 8), Limbs(-4, 62, 20), Limbs(-5, 30, 14)),
        Moment(1.62, (0.0, 0.120, 0.88), (2, 88, 2), (4, 90, 2), (34, 88, 8), Limbs(-7, 62, 18), Limbs(-8, 30, 12)),
        Moment(2.20, (0.0, 0.120, 0.88), (2, 88, 2), (4, 90, 2), (40, 88, 8), Limbs(-7, 62, 18), Limbs(-8, 30, 12)),
    )  # fmt: skip

    def foot(place: tuple[float, float], leave: float) -> Footfall:
        return Footfall(place, ((0.12, 0.0), (0.62, 78.0)), leave, (0.02, -0.81, 0.06), 66.0, ease=0.40)

    return Tumble(
        moments,
        {"left": foot((0.11, 0.0), 0.90), "right": foot((-0.11, 0.0), 0.94)},
        (
            Event(0.05, "hit_taken", "spine"),
            Event(0.64, "knees_down", "leftLowerLeg"),
            Event(1.33, "body_down", "hips"),
        ),
        True,
    )


def recipes() -> tuple[Recipe, ...]:
    """All of them."""
    rolls = (
        ("roll_forward", _roll_forward(), "Forward", "rolls ahead over the shoulders"),
        ("roll_left", _roll_forward(90), "Towards Left", "turns left and rolls over the shoulders"),
        ("roll_right", _roll_forward(-90), "Towards Right", "turns right and rolls over the shoulders"),
        ("roll_backward", _roll_backward(), "Backward", "drops and rolls backward"),
    )
    out = []
    for name, tumble, direction, verb in rolls:
        annotation = Annotation(
            motion_type=("Dodge",), direction=(direction,), power=("Light-Weighted",), speed=("Swift", "Recovery"),
            impression=("Roundabout", "Somersaulted"),
            posture="The head is tucked in, the back is round and the feet come over last.",
        )  # fmt: skip
        out.append(
            _recipe(
                name,
                tumble,
                annotation,
                f"A fighter {verb} and stands up again.",
                ("dodge", "roll", name.split("_")[1]),
            )
        )
    deaths = (
        ("death_back", _death_back(), "Backward", "is struck down, falls on the back and lies still"),
        ("death_front", _death_front(), "Forward", "sinks to the knees, falls on the face and lies still"),
    )
    for name, tumble, direction, verb in deaths:
        annotation = Annotation(
            motion_type=("Death",), direction=(direction, "Knocked Down"), power=("Powerless",), speed=("First slow then fast",),
            impression=("Weak", "Painful"), posture="The legs give way, the arms are loose and the head falls last.",
        )  # fmt: skip
        out.append(_recipe(name, tumble, annotation, f"A fighter {verb}.", ("death", name.split("_")[1])))
    return tuple(out)


def _recipe(
    name: str, tumble: Tumble, annotation: Annotation, sentence: str, words: tuple[str, ...]
) -> Recipe:
    def make(stage: Stage, name: str, tags: Tags) -> Clip:
        return perform(stage, tumble, name, tags)

    return Recipe(name, make, annotation, sentence, words, mirrorable=not tumble.fall)
