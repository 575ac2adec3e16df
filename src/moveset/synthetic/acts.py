"""Actions from key poses: anticipation, strike, follow-through and recovery, the hips first and the weapon last.

A key says where trunk, hands and weapon are at a moment. Each part reads the keys with a delay of its own, so that a
blow runs from the hips through shoulders and arms to the blade (Putnam 1993, proximal-to-distal sequencing), and
parts never stop together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Clip, Event, Tags
from moveset.synthetic import arms, clips, curves, gait, paths
from moveset.synthetic.figure import ArmTrack, Figure, Trunk, about_y
from moveset.synthetic.gait import Overlay, Ride, Style
from moveset.synthetic.paths import Path
from moveset.synthetic.recipe import Stage

Triple = tuple[float, float, float]
_ARM = 0.5355
"""Arm length of the average adult [m], in which hands are placed."""
SHAFT = 0.19
"""Between the hands on a two-handed weapon [m]."""

ROLL = 0.058
"""How long a forearm takes to roll the hand over, as the sigma of a Gaussian [s]."""


@dataclass(frozen=True)
class Hold:
    """Hands and weapon relative to the chest: x left, y up, z ahead of the middle between the shoulders [m]."""

    grip: Triple
    """Palm of the right hand."""
    aim: Triple
    """Where the weapon (the thumb side of the right hand) points."""
    off: Triple = (0.20, -0.28, 0.26)
    """Palm of the left hand where it is free."""


@dataclass(frozen=True)
class Key:
    """The body at one moment of an action. Angles in degrees: turn left, pitch forward, lift of the left side."""

    hold: Hold
    pelvis: Triple = (0.0, 0.0, 0.0)
    chest: Triple = (0.0, 0.0, 0.0)
    head: Triple = (0.0, 0.0, 0.0)
    shift: Triple = (0.0, 0.0, 0.0)
    """Hips to the left, up, forward [m]."""


@dataclass(frozen=True)
class Delays:
    """How much later than the keys each part moves [s]; negative leads."""

    pelvis: float = -0.05
    chest: float = -0.025
    hand: float = 0.025
    weapon: float = 0.03
    off: float = 0.04
    head: float = -0.06


@dataclass(frozen=True)
class Act:
    """Key poses over time on a path, performed in a style."""

    seconds: float
    keys: tuple[tuple[float, Key], ...]
    style: Style
    two_handed: bool = False
    travel: tuple[tuple[float, float, float], ...] = ((0.0, 0.0, 0.0),)
    """(time, forward, left) of the root [m]."""
    events: tuple[Event, ...] = ()
    strokes: tuple[int, ...] = ()
    """Numbers of the keys that are hits: there the weapon is fastest."""
    delays: Delays = field(default_factory=Delays)
    sway: float = 0.0
    """How far hands and weapon drift by themselves [m]."""


def perform(stage: Stage, act: Act, name: str, tags: Tags, *, loop: bool = False) -> Clip:
    """The clip of an act."""
    path = travel_path(act, stage)
    return on_path(stage, path, act, name, tags, loop=loop)


def on_path(stage: Stage, path: Path, act: Act, name: str, tags: Tags, *, loop: bool = False) -> Clip:
    """The clip of an act while the body follows a path."""
    figure = stage.figure
    times = path.times - path.start
    ride = gait.ride(figure, path, act.style, stage.rng, trunk_overlay(act, times))
    tracks = weapon_arms(figure, ride, act, times, stage.rng)
    return clips.finish(
        figure, path, ride.trunk, ride.feet, tracks,
        fps=stage.fps, name=name, tags=tags, plan=ride.plan, events=act.events, loop=loop,
    )  # fmt: skip


def trunk_overlay(act: Act, times: Array) -> Overlay:
    """What the keys of an act ask of the trunk."""
    delays = act.delays
    return Overlay(
        *(
            np.radians(_read(act, part, times, delay))
            for part, delay in (("pelvis", delays.pelvis), ("chest", delays.chest), ("head", delays.head))
        ),
        shift=_read(act, "shift", times, delays.pelvis),
        flight=np.zeros_like(times),
    )


def travel_path(act: Act, stage: Stage, lead: float = 1.0) -> Path:
    """The path of the root that an act asks for; a body facing +Z all the way."""
    times = np.arange(round((act.seconds + 2 * lead) * stage.rate) + 1) / stage.rate - lead
    knots, ahead, left = np.array(act.travel).T
    size = stage.figure.size
    places = np.stack((curves.through(knots, left, times), curves.through(knots, ahead, times)), axis=1)
    return paths.along(size * places, np.zeros_like(times), rate=stage.rate, lead=lead)


def _read(act: Act, part: str, times: Array, delay: float) -> Array:
    knots = [time for time, _ in act.keys]
    return curves.through(knots, [getattr(key, part) for _, key in act.keys], times - delay, act.strokes)


def _read_hold(act: Act, part: str, times: Array, delay: float) -> Array:
    knots = [time for time, _ in act.keys]
    return curves.through(knots, [getattr(key.hold, part) for _, key in act.keys], times - delay, act.strokes)


def _read_aim(act: Act, part: str, times: Array, delay: float) -> Array:
    knots = [time for time, _ in act.keys]
    return curves.aim_through(
        knots, [getattr(key.hold, part) for _, key in act.keys], times - delay, act.strokes
    )


def weapon_arms(
    figure: Figure, ride: Ride, act: Act, times: Array, rng: np.random.Generator
) -> dict[str, ArmTrack]:
    """Both arms reaching for grip and weapon; the left hand joins the shaft of a two-handed weapon."""
    scale, rate = figure.arm / _ARM, ride.path.rate
    chest = ride.trunk.chest
    # steps jolt what the hands carry, a little later than the hips
    jolt = np.stack(
        (np.zeros_like(times), 0.012 * np.cos(2 * ride.cycle - 1.2), np.zeros_like(times)), axis=1
    )
    jolt = jolt * np.clip(ride.effort / 1.3, 0, 1.5)[:, None]
    period = act.style.period
    drift = act.sway * np.stack([curves.noise(times, rng, 0.3, period) for _ in range(6)], axis=1)
    jolt = jolt + drift[:, :3]
    delays = act.delays
    grip = _read_hold(act, "grip", times, delays.hand) * scale + jolt
    aim = quaternion.rotate(chest, _read_aim(act, "aim", times, delays.weapon) + 3 * drift[:, 3:])
    origin = arms.chest_place(figure, ride.trunk)
    palm = origin + quaternion.rotate(chest, grip)
    aim = _off_the_floor(aim, palm[:, 1], figure.size)
    if act.two_handed:
        return _both_hands(figure, ride.trunk, palm, aim, SHAFT * scale, rate)
    off = _read_hold(act, "off", times, delays.off) * scale + jolt
    return {
        "left": free_hand(figure, ride.trunk, "left", origin + quaternion.rotate(chest, off), ROLL * rate),
        "right": grasp(figure, ride.trunk, "right", palm, aim, ROLL * rate),
    }


def _both_hands(
    figure: Figure, trunk: Trunk, palm: Array, aim: Array, shaft: float, rate: float
) -> dict[str, ArmTrack]:
    """Arms on one weapon: the left palm goes where the right hand really holds the shaft, `shaft` [m] behind it.

    Where the left arm is too short for that, both hands come nearer to its shoulder.
    """
    shoulder = arms.shoulder_place(figure, trunk, "left")
    for _ in range(_PULLS):
        right = grasp(figure, trunk, "right", palm, aim, ROLL * rate)
        rotation, held = _palm(figure, trunk, "right", right)
        real_aim = quaternion.rotate(rotation, np.array([0.0, 0, 1]))
        wanted = held - shaft * real_aim
        left = grasp(figure, trunk, "left", wanted, real_aim, 1.8 * ROLL * rate)
        short = np.linalg.norm(_palm(figure, trunk, "left", left)[1] - wanted, axis=1)
        if short.max() < 1e-4:
            break
        line = shoulder - wanted
        pull = curves.envelope(1.1 * short, 0.03, rate) / np.linalg.norm(line, axis=1)
        palm = palm + pull[:, None] * line
    return {"left": left, "right": right}


_PULLS = 4
"""How often hands are drawn in at most; each time leaves a small part of what was missing."""


_REACH = 1.05
"""Length of a weapon that keeps its point off the floor [m]."""


def _off_the_floor(aim: Array, height: Array, size: float) -> Array:
    """Weapon directions (F, 3) raised where the point of a weapon held at `height` (F,) would go into the floor."""
    aim = aim / np.linalg.norm(aim, axis=1, keepdims=True)
    lowest = np.clip((0.05 * size - height) / (_REACH * size), -1, 0.9)
    rise = np.minimum(curves.soft_maximum(aim[:, 1], lowest, 0.15), 1.0)
    level = np.linalg.norm(aim[:, ::2], axis=1)
    share = np.sqrt(1 - rise**2) / np.maximum(level, 1e-3)
    return np.stack((aim[:, 0] * share, rise, aim[:, 2] * share), axis=1)


def grasp(figure: Figure, trunk: Trunk, side: str, palm: Array, aim: Array, lag: float) -> ArmTrack:
    """An arm whose palm, not wrist, is at `palm`. A first guess of the forearm settles how the hand is turned.

    `lag`: samples that the hand takes to roll over.
    """
    sign = 1.0 if side == "left" else -1.0
    elbow = quaternion.rotate(trunk.chest, _elbow(figure, trunk, palm, sign))
    offset = figure.offset[f"{side}Prop"]
    line = palm - arms.shoulder_place(figure, trunk, side)
    guess = palm - line * (abs(offset[0]) / np.maximum(np.linalg.norm(line, axis=1, keepdims=True), 0.1))
    forearm = arms.reach(figure, trunk, side, guess, elbow, lag)[2]
    hand = arms.grip_rotation(quaternion.rotate(forearm, np.array([sign, 0.0, 0.0])), aim, sign, trunk, lag)
    wrist = palm - quaternion.rotate(hand, offset)
    return arms.reaching(figure, trunk, side, wrist, hand, elbow, lag)


def free_hand(figure: Figure, trunk: Trunk, side: str, palm: Array, lag: float) -> ArmTrack:
    """An arm whose empty hand is near `palm` and lies along the forearm, a little bent."""
    sign = 1.0 if side == "left" else -1.0
    line = palm - arms.shoulder_place(figure, trunk, side)
    along = abs(figure.offset[f"{side}Prop"][0]) / np.maximum(
        np.linalg.norm(line, axis=1, keepdims=True), 0.1
    )
    elbow = quaternion.rotate(trunk.chest, _elbow(figure, trunk, palm, sign))
    shoulder, upper, _, lower = arms.reach(figure, trunk, side, palm - along * line, elbow, lag)
    collar = quaternion.multiply(trunk.chest, shoulder)
    hand = np.broadcast_to(about_y(np.array(-sign * _RELAXED)), lower.shape)
    return ArmTrack(shoulder, quaternion.inverse_multiply(collar, upper), lower, hand)


_RELAXED = 0.25
"""Bend of the wrist of an empty hand [rad]."""


def _elbow(figure: Figure, trunk: Trunk, palm: Array, sign: float) -> Array:
    """Where the elbow falls, in the chest: down and back, inwards when the hand is behind, out when it is high."""
    local = quaternion.inverse_rotate(trunk.chest, palm - arms.chest_place(figure, trunk)) / figure.arm
    high = curves.minimum_jerk((local[:, 1] + 0.1) / 0.7)[:, None]
    behind = curves.minimum_jerk((0.2 - local[:, 2]) / 0.6)[:, None]
    low = (1 - behind) * np.array([sign * 0.55, -0.65, -0.55]) + behind * np.array([-sign * 0.3, -0.3, -0.9])
    return (1 - high) * low + high * np.array([sign * 0.75, -0.25, 0.55])


def _palm(figure: Figure, trunk: Trunk, side: str, track: ArmTrack) -> tuple[Array, Array]:
    """World rotation (F, 4) of the hand that an arm's angles give, and position (F, 3) of its palm."""
    rotation = trunk.chest
    position = figure.upper_chest(trunk)
    for role, local in (
        ("Shoulder", track.shoulder), ("UpperArm", track.upper), ("LowerArm", track.lower), ("Hand", track.hand),
    ):  # fmt: skip
        position = position + quaternion.rotate(rotation, figure.offset[f"{side}{role}"])
        rotation = quaternion.multiply(rotation, local)
    return rotation, position + quaternion.rotate(rotation, figure.offset[f"{side}Prop"])


def shifted(keys: Sequence[tuple[float, Key]], seconds: float) -> tuple[tuple[float, Key], ...]:
    """The same keys, later."""
    return tuple((time + seconds, key) for time, key in keys)
