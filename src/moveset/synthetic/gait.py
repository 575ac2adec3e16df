"""Locomotion along any path: footsteps, feet, a pelvis that rides over them, counter-rotating shoulders, swinging arms.

Magnitudes of pelvis, trunk and arm movement follow Perry and Burnfield, Gait Analysis (2010) for walking and
Novacheck, The biomechanics of running (1998).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from moveset.conventions import GRAVITY
from moveset.geometry import signal
from moveset.geometry.quaternion import Array
from moveset.synthetic import arms, curves, feet, steps
from moveset.synthetic.figure import SIDES, ArmTrack, Figure, FootTrack, Trunk, turned
from moveset.synthetic.paths import Path, forward, leftward
from moveset.synthetic.steps import Footing, Steps


@dataclass(frozen=True)
class Style:
    """How a body carries itself; factors are relative to an average relaxed adult."""

    footing: Footing = field(default_factory=Footing)
    crouch: float = 0.0
    """Lowering of the hips as a share of leg length."""
    lean: float = 0.0
    """Forward lean of the trunk [rad]."""
    bounce: float = 1.0
    """Factor on the rise and fall of the hips."""
    sway: float = 1.0
    """Factor on shifting the weight from foot to foot."""
    twist: float = 1.0
    """Factor on the turning of pelvis and shoulders."""
    swing: float = 1.0
    """Factor on the arm swing."""
    lift: float = 1.0
    """Factor on how high the feet swing."""
    side_on: float = 0.0
    """Turn of the pelvis away from the facing at a standstill [rad], positive puts the left side back."""
    noise: float = 1.0
    """Factor on breathing and small shifts."""
    shift: float = 0.0
    """How far the weight wanders from foot to foot at a standstill [m]."""
    rest: float = 0.0
    """How far to the left of the middle of the feet the weight rests at a standstill [m]."""
    period: float | None = None
    """Breathing and shifts repeat after this time [s], for loops."""


@dataclass(frozen=True)
class Overlay:
    """What an action adds to the trunk that rides along. Angles are turn left, pitch forward, lift of the left side."""

    pelvis: Array
    """(T, 3) angles [rad] added to the pelvis."""
    chest: Array
    """(T, 3) angles [rad] added to the chest."""
    head: Array
    """(T, 3) angles [rad] added to the head, which else keeps looking ahead."""
    shift: Array
    """(T, 3) of the hips to the left, up and forward of the facing, for the average adult [m]."""
    flight: Array
    """(T,) how high the whole body is thrown [m]."""


@dataclass(frozen=True)
class Ride:
    """Everything below the arms, sampled on the clock of the path."""

    path: Path
    plan: Steps
    trunk: Trunk
    feet: Mapping[str, FootTrack]
    cycle: Array
    """(T,) phase [rad]: 0 at the middle of a left stance, pi at the middle of a right one."""
    effort: Array
    """(T,) speed [m/s] for an average adult, signed by travel forwards or backwards in `ahead`."""
    ahead: Array
    """(T,) cosine of travel against facing."""
    run: Array
    """(T,) 0 walking, 1 running."""


def ride(
    figure: Figure,
    path: Path,
    style: Style,
    rng: np.random.Generator,
    overlay: Overlay | None = None,
    plan: Steps | None = None,
) -> Ride:
    """Carry the trunk along a path over footsteps, planned here where no `plan` is given."""
    times, rate = path.times, path.rate
    plan = plan or steps.Planner(path, style.footing, figure.leg, figure.size).plan()
    tracks = {side: feet.track(figure, plan[side], times, style.lift) for side in SIDES}
    velocity = signal.gaussian(path.velocities, 0.16 * rate)
    speed = np.linalg.norm(velocity, axis=1) / np.sqrt(figure.size)
    run = steps.running(speed * np.sqrt(figure.size), figure.size)
    fore, side_ways = forward(path.facing), leftward(path.facing)
    ahead = np.einsum("ti,ti->t", velocity, fore) / np.maximum(np.linalg.norm(velocity, axis=1), 0.2)
    cycle = _cycle(plan, times)
    still = 1 - curves.minimum_jerk(speed / 0.9) * (1 - style.footing.keep)

    place = path.positions + style.sway * _weight_shift(figure, plan, path, run)
    place = place - fore * (0.012 * figure.size)
    height = _height(figure, style, times, cycle, speed, run, rng)

    weight = still * (style.rest + style.shift * curves.noise(times, rng, 0.16, style.period))
    place = place + weight[:, None] * side_ways
    turn_rate = signal.gaussian(curves.rates(path.facing, rate), 0.2 * rate)
    push = signal.gaussian(curves.rates(velocity, rate), 0.1 * rate)
    pitch_in = np.einsum("ti,ti->t", push, fore) / GRAVITY
    bank = np.einsum("ti,ti->t", push, side_ways) / GRAVITY
    drift = [style.noise * curves.noise(times, rng, f, style.period) for f in (0.22, 0.3, 0.17, 0.26)]

    walk_amount = np.clip(speed / 1.35, 0, 1.3)
    yaw = style.twist * np.radians(walk_amount * (5.0 - 1.0 * run) + 2.5 * run) * ahead
    wave, lagged = np.sin(cycle), np.sin(cycle - 0.25)
    side_on = style.side_on * (0.35 + 0.65 * still)
    lateral = np.einsum("ti,ti->t", velocity, side_ways) / np.maximum(np.linalg.norm(velocity, axis=1), 0.5)
    hip_turn = steps.HIP_TURN * lateral * np.tanh(4 * (ahead + 0.25))
    pelvis_heading = path.facing + yaw * wave - side_on + hip_turn + 0.010 * drift[0]
    drop = style.twist * np.radians(5.0 * np.clip(speed / 1.3, 0, 1.2) * (1 - 0.15 * run))
    # the hip of the swinging leg sinks: left stance (cycle 0) lifts the left side after it takes the weight
    tilt = 0.9 * weight / figure.hip_width * 0.25
    pelvis_roll = drop * np.cos(cycle + 0.45) - 0.35 * bank + tilt
    trunk_lean = (
        style.lean
        + np.radians(2.0 + 1.5 * walk_amount * ahead)
        + run * np.radians(curves.blend([6, 10, 14], [2.2, 4.0, 7.5], speed))
    )
    trunk_lean = trunk_lean + np.clip(0.75 * pitch_in, -0.25, 0.35)
    nod = np.radians(0.8 * walk_amount + 1.5 * run) * np.cos(2 * cycle - 0.6)
    pelvis_pitch = np.radians(3.0) + 0.45 * trunk_lean + 0.6 * nod

    breath = style.noise * np.sin(2 * np.pi * breathing(style) * times + rng.uniform(0, 2 * np.pi))
    chest_yaw = style.twist * np.radians(walk_amount * 4.6 + 6.0 * run) * ahead
    lookahead = 0.10 * turn_rate
    chest_heading = (
        path.facing - chest_yaw * lagged - 0.55 * side_on + 0.35 * hip_turn + lookahead + 0.012 * drift[1]
    )
    chest_roll = -0.45 * drop * np.cos(cycle + 0.3) - 0.55 * bank - 0.6 * tilt
    chest_pitch = trunk_lean - 0.3 * nod - 0.016 * breath + 0.006 * drift[2]
    head_heading = path.facing + np.clip(0.28 * turn_rate, -0.7, 0.7) + 0.03 * drift[3]
    head_pitch = np.radians(2.0) + 0.30 * trunk_lean - 0.25 * nod + 0.01 * drift[1]
    pelvis = np.stack((pelvis_heading, pelvis_pitch, pelvis_roll), axis=1)
    chest = np.stack((chest_heading, chest_pitch, chest_roll), axis=1)
    head = np.stack((head_heading, head_pitch, 0.01 * drift[2] - 0.25 * bank), axis=1)
    hips = np.stack((place[:, 0], height, place[:, 1]), axis=1)
    if overlay is not None:
        pelvis, chest, head = pelvis + overlay.pelvis, chest + overlay.chest, head + overlay.head
        left, up, front = (figure.size * overlay.shift).T
        level = left[:, None] * side_ways + front[:, None] * fore
        hips = hips + np.stack((level[:, 0], up + overlay.flight, level[:, 1]), axis=1)
        tracks = {side: _thrown(tracks[side], overlay.flight) for side in SIDES}
    trunk = Trunk(hips, *(turned(*angles.T) for angles in (pelvis, chest, head)))
    trunk = _within_reach(figure, trunk, tracks, rate)
    tracks = {side: _drawn_in(figure, trunk, side, tracks[side]) for side in SIDES}
    return Ride(path, plan, trunk, tracks, cycle, speed, ahead, run)


def swinging_arms(ride: Ride, style: Style, rng: np.random.Generator) -> dict[str, ArmTrack]:
    """Arms that swing against the legs: a little late, the elbow later still; runners carry them bent."""
    times, speed, run, ahead = ride.path.times, ride.effort, ride.run, ride.ahead
    rate = ride.path.rate
    walk = np.radians(curves.blend([0, 9, 17, 26, 30], [0, 0.6, 1.3, 2.0, 2.6], speed))
    fast = np.radians(curves.blend([24, 30, 44, 52], [2.2, 3.0, 5.0, 8.0], speed))
    amount = style.swing * ((1 - run) * walk + run * fast) * np.where(ahead < 0, 0.6 * ahead, ahead)
    amount = signal.gaussian(amount, 0.12 * rate)
    center = np.radians(2.0) * (1 - run) - np.radians(8) * run
    elbow0 = (1 - run) * np.radians(19 + 8 * np.clip(speed, 0, 2)) + run * np.radians(88)
    elbow1 = (1 - run) * np.radians(12) + run * np.radians(18)
    moving = np.clip(speed / 1.2, 0, 1)
    # arms answer the thighs, which lead the passage over the standing foot by more the faster they go
    early = 0.40 + 0.40 * run
    out = {}
    for side, sign in (("left", 1.0), ("right", -1.0)):
        wave = sign * np.sin(ride.cycle + early)
        late = sign * np.sin(ride.cycle + early - 0.4)
        drift = 0.02 * style.noise * curves.noise(times, rng, 0.25, style.period)
        flexion = center + amount * wave + drift
        across = run * np.radians(14) * (0.5 + 0.5 * wave)
        abduction = np.radians(9) + np.radians(7) * run - 0.5 * across + 0.6 * drift
        elbow = (
            elbow0 + elbow1 * late * moving * np.clip(ahead, 0, 1) + 0.8 * np.roll(drift, round(0.3 * rate))
        )
        twist = np.radians(12) + 0.9 * across
        wrist = np.radians(6) + 0.8 * drift + np.radians(5) * moving * np.sin(ride.cycle + early - 0.7) * sign
        out[side] = arms.hanging(side, flexion, abduction, elbow, twist, wrist)
    return out


def breathing(style: Style) -> float:
    """Breaths a second, 16 a minute at rest; whole breaths in a loop."""
    return 0.27 if style.period is None else max(round(0.27 * style.period), 1) / style.period


def _cycle(plan: Steps, times: Array) -> Array:
    """(T,) phase through the middles of the stances; it goes on steadily outside of them."""
    marks = sorted(
        (stance.middle, side) for side in SIDES for stance in plan[side] if np.isfinite(stance.down)
    )
    if not marks:
        return np.zeros_like(times)
    knots, phases = [], []
    for middle, side in marks:
        base = 0.0 if side == "left" else np.pi
        if phases:
            base += 2 * np.pi * np.ceil((phases[-1] - base + 1e-6) / (2 * np.pi))
            if middle - knots[-1] < 0.05:
                continue
        knots.append(middle)
        phases.append(base)
    half = 0.5
    first = (knots[1] - knots[0]) if len(knots) > 1 and knots[1] - knots[0] < 1.0 else half
    last = (knots[-1] - knots[-2]) if len(knots) > 1 and knots[-1] - knots[-2] < 1.0 else half
    for _ in range(8):
        knots = [knots[0] - first, *knots, knots[-1] + last]
        phases = [phases[0] - np.pi, *phases, phases[-1] + np.pi]
    return curves.through(knots, phases, times)


def _weight_shift(figure: Figure, plan: Steps, path: Path, run: Array) -> Array:
    """(T, 2) how the hips leave the path towards the feet that bear, as an inverted pendulum would."""
    times, rate = path.times, path.rate
    total, weights = np.zeros((len(times), 2)), np.zeros(len(times))
    ankle_to_middle = 0.045 * figure.size
    for side in SIDES:
        for stance in plan[side]:
            if stance.up < times[0] or stance.down > times[-1]:
                continue
            ramp = 0.10
            load = np.clip((times - stance.down) / ramp, 0, 1) * np.clip((stance.up - times) / ramp, 0, 1)
            if not np.isfinite(stance.down):
                load = (
                    np.clip((stance.up - times) / ramp, 0, 1)
                    if np.isfinite(stance.up)
                    else np.ones_like(times)
                )
            elif not np.isfinite(stance.up):
                load = np.clip((times - stance.down) / ramp, 0, 1)
            middle = np.array(stance.place) + ankle_to_middle * forward(np.array(stance.heading))
            total += load[:, None] * middle
            weights += load
    bearing = weights > 0.05
    pressure = np.where(bearing[:, None], total / np.maximum(weights, 0.05)[:, None], np.nan)
    for axis in range(2):
        pressure[:, axis] = np.interp(times, times[bearing], pressure[bearing, axis])
    reference = steps.pressure_reference(path, figure.leg)
    ahead = forward(path.facing)
    away = pressure - reference
    shift = curves.pendulum(away, figure.leg, rate)
    # what is along the direction of travel averages out over a step and would only shake the speed of the root
    velocity = signal.gaussian(path.velocities, 0.35 * rate)
    pace = np.linalg.norm(velocity, axis=1)
    direction = np.where(pace[:, None] > 0.02, velocity / np.maximum(pace, 0.02)[:, None], ahead)
    along = np.einsum("ti,ti->t", shift, direction)
    damp = 0.95 * curves.minimum_jerk(pace / 0.3)
    return (shift - (damp * along)[:, None] * direction) * (1.25 + 0.35 * run)[:, None]


def _height(
    figure: Figure,
    style: Style,
    times: Array,
    cycle: Array,
    speed: Array,
    run: Array,
    rng: np.random.Generator,
) -> Array:
    """(T,) height of the hips: highest over the standing leg in a walk, lowest there in a run."""
    cadence = steps.step_rate(speed * np.sqrt(figure.size), figure.size) * style.footing.cadence
    length = speed * np.sqrt(figure.size) / cadence
    leg = figure.leg
    vault = leg - np.sqrt(np.maximum(leg**2 - (length / 2) ** 2, (0.6 * leg) ** 2))
    walk_rise = np.clip(0.33 * vault, 0, 0.032 * leg)
    # in flight the body falls freely: a sinusoid of the step rate whose top has that acceleration
    run_rise = np.minimum(2.0 * GRAVITY / (2 * np.pi * cadence) ** 2, 0.075 * leg)
    rise = style.bounce * ((1 - run) * walk_rise - run * run_rise)
    lowering = (
        0.006 + 0.010 * np.clip(speed / 1.3, 0, 1.5) * (1 - run) + 0.045 * run
    ) * leg + style.crouch * leg
    breath = 0.0015 * style.noise * curves.noise(times, rng, 0.27, style.period)
    return figure.hips_height - lowering + rise * np.cos(2 * cycle) + breath


_SOFT_KNEE = 0.9965
"""Longest hip-ankle distance as a share of the straight leg: the knee keeps about ten degrees."""


def _within_reach(figure: Figure, trunk: Trunk, tracks: Mapping[str, FootTrack], rate: float) -> Trunk:
    """The trunk lowered smoothly wherever a leg would have to stretch beyond a soft knee."""
    limit = _SOFT_KNEE * (figure.thigh + figure.shank)
    excess = np.zeros(len(trunk.hips))
    for side in SIDES:
        gap = figure.hip(trunk, side) - tracks[side].ankle
        level2 = gap[:, 0] ** 2 + gap[:, 2] ** 2
        allowed = np.sqrt(np.maximum(limit**2 - level2, (0.3 * limit) ** 2))
        excess = np.maximum(excess, np.where(tracks[side].air < 0.3, gap[:, 1] - allowed, 0))
    lower = curves.envelope(np.maximum(excess, 0), 0.022, rate)
    hips = trunk.hips - np.stack((np.zeros_like(lower), lower, np.zeros_like(lower)), axis=1)
    return Trunk(hips, trunk.pelvis, trunk.chest, trunk.head)


def _thrown(track: FootTrack, flight: Array) -> FootTrack:
    """A foot that flies with the body while it is off the floor."""
    rise = track.air * flight
    return replace(
        track, ankle=track.ankle + np.stack((np.zeros_like(rise), rise, np.zeros_like(rise)), axis=1)
    )


def _drawn_in(figure: Figure, trunk: Trunk, side: str, track: FootTrack) -> FootTrack:
    """A swinging foot kept within reach: the last of the stretch is approached ever slower, so no knee snaps straight."""
    full = figure.thigh + figure.shank
    bent, longest = 0.92 * full, 1.0 * full
    line = track.ankle - figure.hip(trunk, side)
    length = np.linalg.norm(line, axis=1)
    room = longest - bent
    soft = np.where(length > bent, longest - room * np.exp(-np.maximum(length - bent, 0) / room), length)
    shorter = (length - soft) * track.air
    return replace(track, ankle=track.ankle - line * (shorter / length)[:, None])
