"""Recipes that leave the floor on both feet: jumps and dodges. The hips fly as a thrown body does."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from moveset.conventions import GRAVITY
from moveset.geometry.quaternion import Array
from moveset.motion import Annotation, Clip, Event, Tags
from moveset.synthetic import arms, clips, curves, gait, paths, steps
from moveset.synthetic.figure import SIDES, ArmTrack
from moveset.synthetic.gait import Overlay, Style
from moveset.synthetic.recipe import Recipe, Stage
from moveset.synthetic.steps import Footing, Stance, Steps


@dataclass(frozen=True)
class Hop:
    """A leap off both feet: moments [s], distances [m] and angles [degrees] for the average adult."""

    dip: float
    """When the hips are lowest before the leap."""
    take_off: float
    land: float
    absorbed: float
    """When the hips are lowest after it."""
    seconds: float
    depth: float
    """How far the hips sink before the leap."""
    soak: float
    """How far they sink after it."""
    ahead: float = 0.0
    left: float = 0.0
    lean: float = 22.0
    """Pitch of the chest at the dip; the flight stretches it."""
    tuck: float = 0.05
    """How much the feet are drawn up in flight [m]."""
    arms: float = 1.0
    """Share of the arm swing of a standing jump."""
    first: str = "left"
    """The foot that leaves and lands first."""
    spread: float = 0.0
    """How much earlier it does [s]."""
    tilt: float = 0.0
    """Lift of the left side of the chest in flight [degrees]."""


def perform(stage: Stage, hop: Hop, style: Style, name: str, tags: Tags) -> Clip:
    """The clip of a hop."""
    figure = stage.figure
    path = _path(stage, hop)
    times = path.times - path.start
    plan = _plan(stage, path, hop, style)
    height, flight = _heights(hop, times)
    knots = [0.0, hop.dip, hop.take_off, 0.5 * (hop.take_off + hop.land), hop.land, hop.absorbed, hop.seconds]

    def keyed(*values: float) -> Array:
        return curves.through(knots, values, times)

    chest_pitch = np.radians(keyed(0, hop.lean, -4, 3, 8, 0.8 * hop.lean, 0))
    tilt = np.radians(keyed(0, 0, 0.6 * hop.tilt, hop.tilt, 0.4 * hop.tilt, 0, 0))
    still = np.zeros_like(times)
    overlay = Overlay(
        pelvis=np.stack((still, 0.75 * chest_pitch, 0.3 * tilt), axis=1),
        chest=np.stack((still, chest_pitch, tilt), axis=1),
        head=np.stack((still, 0.25 * chest_pitch, 0.2 * tilt), axis=1),
        shift=np.stack((still, height - flight, 0.10 * (height - flight)), axis=1),
        flight=flight * figure.size,
    )
    ride = gait.ride(figure, path, style, stage.rng, overlay, plan)
    feet = {side: _tucked(ride.feet[side], hop.tuck * figure.size) for side in SIDES}
    ride = replace(ride, feet=feet)
    swing = hop.arms
    flexion = np.radians(keyed(4, -48 * swing, 70 * swing, 55 * swing, 35 * swing, 10 * swing, 4))
    elbow = np.radians(keyed(18, 24, 42, 40, 48, 34, 18))
    abduction = np.radians(keyed(9, 14, 16 + 14 * swing, 24 + 10 * swing, 26, 18, 9))
    inward = np.full_like(times, np.radians(12))
    wrist = np.radians(keyed(6, 10, -4, 2, 8, 8, 6))
    tracks: dict[str, ArmTrack] = {}
    for side, late in (("left", 0.0), ("right", 0.02)):
        delay = round((0.02 + late) * path.rate)
        tracks[side] = arms.hanging(
            side,
            np.roll(flexion, delay),
            np.roll(abduction, delay),
            np.roll(elbow, 2 * delay),
            inward,
            np.roll(wrist, 3 * delay),
        )
    events = (Event(hop.take_off, "take_off", "hips"), Event(hop.land, "land", "hips"))
    return clips.finish(
        figure,
        path,
        ride.trunk,
        ride.feet,
        tracks,
        fps=stage.fps,
        name=name,
        tags=tags,
        plan=plan,
        events=events,
    )


def _path(stage: Stage, hop: Hop, lead: float = 1.0) -> paths.Path:
    """The root: still, off at the dip, as fast in the air as the leap needs, still again after landing."""
    times = np.arange(round((hop.seconds + 2 * lead) * stage.rate) + 1) / stage.rate - lead
    # the body gathers speed between dip and take-off and keeps it in the air
    speed = curves.minimum_jerk((times - 0.6 * hop.dip) / (hop.take_off - 0.6 * hop.dip))
    speed = speed * (1 - curves.minimum_jerk((times - hop.land) / (hop.absorbed + 0.12 - hop.land)))
    gone = np.cumsum(speed) / np.sum(speed)
    size = stage.figure.size
    return paths.along(
        size * np.stack((hop.left * gone, hop.ahead * gone), axis=1),
        np.zeros_like(times),
        rate=stage.rate,
        lead=lead,
    )


def _plan(stage: Stage, path: paths.Path, hop: Hop, style: Style) -> Steps:
    planner = steps.Planner(path, style.footing, stage.figure.leg, stage.figure.size)
    distance = np.hypot(hop.ahead, hop.left)
    out: dict[str, tuple[Stance, ...]] = {}
    for side in SIDES:
        early = hop.spread if side == hop.first else 0.0
        up, down = path.start + hop.take_off - early, path.start + hop.land - early
        before, heading, _, _ = planner.pose(side, 0.0)
        after, _, _, _ = planner.pose(side, float(path.times[-1]))
        speed = distance / (hop.land - hop.take_off)
        push = np.radians(48.0 if hop.ahead >= 0 else 20.0)
        strike = np.radians(16.0 if hop.ahead < 0.8 else -8.0)
        out[side] = (
            Stance(-np.inf, up, (before[0], before[1]), heading, 0.0, 0.0, 0.0, push=push),
            Stance(down, np.inf, (after[0], after[1]), heading, speed, 0.0, down, strike=strike),
        )
    return out


def _heights(hop: Hop, times: Array) -> tuple[Array, Array]:
    """(T,) rise of the hips and the thrown part of it: dip, push, free fall, soak, stand."""
    air = hop.land - hop.take_off
    speed = 0.5 * GRAVITY * air
    since = np.clip(times - hop.take_off, 0, air)
    flight = 0.5 * GRAVITY * since * (air - since)

    def segment(start: float, end: float, *ends: float) -> Array:
        span = end - start
        a, a_rate, b, b_rate, a_bend, b_bend = ends
        u = np.clip((times - start) / span, 0, 1)
        return curves.quintic(u, a, a_rate * span, b, b_rate * span, a_bend * span**2, b_bend * span**2)

    tall = 0.02
    dip = segment(0.0, hop.dip, 0, 0, -hop.depth, 0, 0, 3.0)
    push = segment(hop.dip, hop.take_off, -hop.depth, 0, tall, speed, 3.0, -GRAVITY)
    soak = segment(hop.land, hop.absorbed, tall, -speed, -hop.soak, 0, 2.0, 4.0)
    stand = segment(hop.absorbed, hop.seconds, -hop.soak, 0, 0, 0, 4.0, 0.0)
    height = np.select(
        [times < hop.dip, times < hop.take_off, times < hop.land, times < hop.absorbed],
        [dip, push, tall + flight, soak],
        stand,
    )
    return height, flight


def _tucked(track: gait.FootTrack, rise: float) -> gait.FootTrack:
    """A foot drawn up in the air."""
    lift = rise * track.air
    return replace(
        track, ankle=track.ankle + np.stack((np.zeros_like(lift), lift, np.zeros_like(lift)), axis=1)
    )


_STYLE = Style(footing=Footing(stand_width=0.24), noise=0.6)
_READY = Style(footing=Footing(stand_width=0.34, stagger=0.10), crouch=0.05, lean=0.08, noise=0.6)

_JUMPS = {
    "jump": (Hop(0.34, 0.56, 1.02, 1.20, 1.80, 0.26, 0.18), "jumps straight up", "In-Place"),
    "jump_high": (Hop(0.42, 0.68, 1.26, 1.46, 2.15, 0.32, 0.24, tuck=0.14), "jumps as high as possible", "In-Place"),
    "jump_forward": (Hop(0.36, 0.58, 1.02, 1.22, 1.85, 0.26, 0.22, ahead=1.3, lean=30, tuck=0.12), "jumps ahead", "Forward"),
    "jump_backward": (Hop(0.30, 0.48, 0.80, 0.98, 1.55, 0.18, 0.18, ahead=-0.7, lean=18, arms=0.6), "jumps back", "Backward"),
    "jump_left": (Hop(0.30, 0.48, 0.82, 1.00, 1.55, 0.20, 0.18, left=0.8, lean=18, arms=0.6, spread=0.04, first="left"),
                  "jumps to the left", "Towards Left"),
    "jump_right": (Hop(0.30, 0.48, 0.82, 1.00, 1.55, 0.20, 0.18, left=-0.8, lean=18, arms=0.6, spread=0.04, first="right"),
                   "jumps to the right", "Towards Right"),
}  # fmt: skip
_DODGES = {
    "dodge_backward": (Hop(0.14, 0.26, 0.47, 0.60, 1.00, 0.14, 0.13, ahead=-1.15, lean=16, arms=0.35, spread=0.05), "Backward"),
    "dodge_forward": (Hop(0.14, 0.27, 0.48, 0.62, 1.00, 0.14, 0.14, ahead=1.25, lean=26, arms=0.35, spread=0.06), "Forward"),
    "dodge_left": (Hop(0.14, 0.26, 0.47, 0.61, 1.00, 0.15, 0.14, left=1.15, lean=18, arms=0.3, spread=0.07, first="left", tilt=-10),
                   "Towards Left"),
    "dodge_right": (Hop(0.14, 0.26, 0.47, 0.61, 1.00, 0.15, 0.14, left=-1.15, lean=18, arms=0.3, spread=0.07, first="right", tilt=10),
                    "Towards Right"),
}  # fmt: skip


def recipes() -> tuple[Recipe, ...]:
    """All of them."""
    out = []
    for name, (hop, verb, direction) in _JUMPS.items():
        annotation = Annotation(
            motion_type=("Movement",), direction=(direction, "Mid-Air"), power=("Powerful",), speed=("First slow then fast",),
            impression=("Accumulating strength", "Instant Burst"),
            posture="The knees bend, the arms swing through and the body stretches into the air.",
        )  # fmt: skip
        out.append(
            _recipe(
                name,
                hop,
                _STYLE,
                annotation,
                f"A person {verb} and lands on both feet.",
                ("jump", *name.split("_")[1:]),
            )
        )
    for name, (hop, direction) in _DODGES.items():
        annotation = Annotation(
            motion_type=("Dodge",), direction=(direction,), power=("Light-Weighted",), speed=("Swift", "Instant Recovery"),
            impression=("Sudden",), posture="The body drops, springs aside and catches itself low.",
        )  # fmt: skip
        side = name.split("_")[1]
        where = side if side in ("forward", "backward") else f"to the {side}"
        out.append(
            _recipe(name, hop, _READY, annotation, f"A fighter springs {where} to dodge.", ("dodge", side))
        )
    return tuple(out)


def _recipe(
    name: str, hop: Hop, style: Style, annotation: Annotation, sentence: str, words: tuple[str, ...]
) -> Recipe:
    def make(stage: Stage, name: str, tags: Tags) -> Clip:
        return perform(stage, hop, style, name, tags)

    return Recipe(name, make, annotation, sentence, words)
