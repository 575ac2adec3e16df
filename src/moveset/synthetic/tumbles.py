"""Bodies that go to the floor, keyed in the world: the trunk is kept off the floor, feet stand, are carried, land."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Clip, Event, Tags
from moveset.motion.kinematics import forward_kinematics
from moveset.synthetic import arms, clips, curves, feet, paths
from moveset.synthetic.acts import Triple
from moveset.synthetic.figure import SIDES, ArmTrack, Figure, FootTrack, Trunk, about_x, about_y, turned
from moveset.synthetic.recipe import Stage


@dataclass(frozen=True)
class Limbs:
    """Angles of one arm [degrees]: upper arm forward and out, elbow."""

    flexion: float = 4.0
    abduction: float = 10.0
    elbow: float = 18.0


@dataclass(frozen=True)
class Moment:
    """The body at one time: hips in the world for the average adult, angles of turn, forward pitch and lift of the left."""

    time: float
    hips: Triple
    pelvis: Triple = (0.0, 3.0, 0.0)
    chest: Triple = (0.0, 2.0, 0.0)
    head: Triple = (0.0, 3.0, 0.0)
    left: Limbs = Limbs()
    right: Limbs = Limbs()


@dataclass(frozen=True)
class Footfall:
    """A foot that stands, leaves, is carried by the pelvis, and may stand again."""

    place: tuple[float, float]
    """x, z of the ankle at first [m]."""
    roll: tuple[tuple[float, float], ...] = ((0.0, 0.0),)
    """(time, pitch [degrees]) over the toe joint while it stands."""
    leave: float = np.inf
    carried: Triple = (0.0, -0.8, 0.0)
    """Ankle from the hip in the frame of the pelvis while it is carried [m]."""
    pitch: float = 0.0
    """Of the foot against the pelvis while it is carried [degrees]."""
    land: float = np.inf
    landing: tuple[float, float] = (0.0, 0.0)
    ease: float = 0.22
    """Time from standing to carried and back [s]."""


@dataclass(frozen=True)
class Tumble:
    """A whole-body fall or roll."""

    moments: tuple[Moment, ...]
    feet: dict[str, Footfall]
    events: tuple[Event, ...] = ()
    fall: bool = False
    """Whether it ends on the floor."""


_CLEAR = {"hips": 0.10, "spine": 0.10, "chest": 0.10, "upperChest": 0.10, "neck": 0.06, "head": 0.09}
"""How far from the floor a joint is kept by the flesh around it, for the average adult [m]."""
_LIMB = 0.035


def perform(stage: Stage, tumble: Tumble, name: str, tags: Tags) -> Clip:
    """The clip of a tumble."""
    figure, size = stage.figure, stage.figure.size
    seconds = tumble.moments[-1].time
    lead = 0.5
    times = np.arange(round((seconds + 2 * lead) * stage.rate) + 1) / stage.rate - lead
    knots = [moment.time for moment in tumble.moments]

    def keyed(values: list[Triple], delay: float = 0.0) -> Array:
        return curves.through(knots, values, times - delay)

    hips = keyed([m.hips for m in tumble.moments]) * size
    hips[:, 1] += figure.hips_height - _STAND * size
    angles = [
        np.radians(keyed([getattr(m, part) for m in tumble.moments], delay))
        for part, delay in (("pelvis", 0.0), ("chest", 0.02), ("head", 0.04))
    ]
    trunk = Trunk(hips, *(turned(*a.T) for a in angles))
    limp = {side: _arm(side, tumble, knots, times) for side in SIDES}
    tracks = {side: _foot(figure, trunk, tumble.feet[side], side, times, size) for side in SIDES}
    # flesh keeps joints off the floor: where keys would sink one, the trunk is lifted, the planted feet stay
    for _ in range(2):
        rotations, translations = figure.pose(trunk, tracks, limp)
        sunk = _sunk(figure, rotations, translations, size)
        rise = curves.envelope(sunk, 0.03, stage.rate)
        trunk = replace(
            trunk, hips=trunk.hips + np.stack((np.zeros_like(rise), rise, np.zeros_like(rise)), axis=1)
        )
        tracks = {side: _foot(figure, trunk, tumble.feet[side], side, times, size) for side in SIDES}
    tracks = {side: _above_floor(figure, track) for side, track in tracks.items()}
    ground = trunk.hips[:, (0, 2)]
    path = paths.along(
        ground - ground[round(lead * stage.rate)], np.zeros_like(times), rate=stage.rate, lead=lead
    )
    return clips.finish(
        figure,
        path,
        trunk,
        tracks,
        limp,
        fps=stage.fps,
        name=name,
        tags=tags,
        events=(*tumble.events, *_falls(tumble)),
    )


_STAND = 0.9625
"""Hips of the average adult over the floor in the rest pose [m]; keys are written for that body."""


def _falls(tumble: Tumble) -> tuple[Event, ...]:
    return tuple(
        Event(fall.land, "foot_down", f"{side}Foot")
        for side, fall in tumble.feet.items()
        if np.isfinite(fall.land)
    )


def _arm(side: str, tumble: Tumble, knots: list[float], times: Array) -> ArmTrack:
    limbs = [getattr(moment, side) for moment in tumble.moments]

    def keyed(part: str, delay: float) -> Array:
        return np.radians(curves.through(knots, [getattr(limb, part) for limb in limbs], times - delay))

    inward = np.full_like(times, np.radians(12))
    return arms.hanging(
        side,
        keyed("flexion", 0.03),
        keyed("abduction", 0.03),
        keyed("elbow", 0.05),
        inward,
        np.full_like(times, 0.1),
    )


def _foot(figure: Figure, trunk: Trunk, fall: Footfall, side: str, times: Array, size: float) -> FootTrack:
    sign = 1.0 if side == "left" else -1.0
    sole = feet.Sole.of(figure)
    heading = np.full_like(times, sign * 0.13)
    knots, pitches = zip(*fall.roll, strict=True)
    pitch = np.radians(curves.through(knots, pitches, times))
    turn = about_y(heading)

    def standing(place: tuple[float, float], pitch: Array) -> Array:
        home = np.array([place[0] * size, sole.height, place[1] * size])
        return feet.rolled(home, turn, pitch, sole, np.ones(len(times), dtype=bool))

    first, second = standing(fall.place, pitch), standing(fall.landing, np.zeros_like(pitch))
    # a body of other proportions lifts a foot sooner and sets it down later, where its leg does not reach
    hip, longest = figure.hip(trunk, side), 0.99 * (figure.thigh + figure.shank)
    short = times[np.linalg.norm(first - hip, axis=1) > longest]
    leave = min(fall.leave, short[0] - 1 / 60) if len(short) else fall.leave
    short = times[(np.linalg.norm(second - hip, axis=1) > longest) & (times < fall.land + 0.4)]
    land = max(fall.land, short[-1] + 1 / 60) if len(short) and np.isfinite(fall.land) else fall.land
    before = times <= leave
    away = curves.minimum_jerk((times - leave) / fall.ease)
    back = curves.minimum_jerk((times - (land - fall.ease)) / fall.ease)
    # where legs are longer, so is what carries the feet
    offset = np.array(fall.carried) * size * (sign, 1, 1)
    carried = hip + quaternion.rotate(trunk.pelvis, offset)
    carried_turn = quaternion.multiply(trunk.pelvis, about_x(np.full_like(times, np.radians(fall.pitch))))
    ankle = first + away[:, None] * (carried - first)
    ankle = ankle + back[:, None] * (second - ankle)
    rotation = quaternion.slerp(quaternion.multiply(turn, about_x(pitch)), carried_turn, away)
    rotation = quaternion.slerp(rotation, turn, back)
    landed = times >= land
    bend = -pitch * (1 - away)
    level = np.abs(pitch) < 1e-9
    return FootTrack(
        ankle, rotation, bend, (before & level) | landed, before | landed, np.where(before | landed, 0.0, 1.0)
    )


def _sunk(figure: Figure, rotations: Array, translations: Array, size: float) -> Array:
    """(T,) how far the deepest joint of trunk, arms and knees is below where flesh would hold it."""
    _, world = forward_kinematics(rotations, translations, figure.skeleton.parents)
    deepest = np.zeros(len(world))
    for j, role in enumerate(figure.skeleton.names):
        if "Foot" in role or "Toes" in role:
            continue
        deepest = np.maximum(deepest, _CLEAR.get(role, _LIMB) * size - world[:, j, 1])
    return deepest


def _above_floor(figure: Figure, track: FootTrack) -> FootTrack:
    """A carried foot lifted until heel, ball and toe tip clear the floor."""
    sole = feet.Sole.of(figure)
    toes = quaternion.multiply(track.rotation, about_x(track.bend))
    joint = track.ankle + quaternion.rotate(track.rotation, sole.toe)
    tip = joint + quaternion.rotate(toes, np.array([0.0, 0.0, sole.tip]))
    heel = track.ankle + quaternion.rotate(track.rotation, np.array([0.0, -sole.height, -sole.heel]))
    thick = sole.height + sole.toe[1]
    lowest = np.minimum(np.minimum(joint[:, 1], tip[:, 1]) - thick, heel[:, 1])
    lift = np.maximum(-lowest, 0) * track.air
    return replace(
        track, ankle=track.ankle + np.stack((np.zeros_like(lift), lift, np.zeros_like(lift)), axis=1)
    )
