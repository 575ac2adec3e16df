"""The mannequin's body: shells over dark joints, built on a T-pose that faces +Z.

Lengths come from the skeleton, girths from the size of its trunk and legs. All numbers below are shares of the
stature, for the proportions of motion/canonical.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from moveset.conventions import FORWARD, UP
from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Skeleton
from moveset.rigs.loft import Figure, Frame, Ring, Weights, aim, blend, loft
from moveset.rigs.palette import JOINT, LEFT, RIGHT, SHELL

FINGER_PARTS = ("Metacarpal", "Proximal", "Intermediate", "Distal")


@dataclass(frozen=True, eq=False)
class _Body:
    """The skeleton on its T-pose, with what the parts ask of it."""

    figure: Figure
    skeleton: Skeleton
    positions: Array
    rotations: Array
    stance: tuple[Array, Array]
    """World rotations and positions of a pose that stands on its soles."""
    size: float
    """Stature [m] that the girths go with."""

    def has(self, role: str) -> bool:
        return role in self.skeleton.by_role

    def joint(self, *roles: str) -> int:
        """The first of `roles` that the skeleton has."""
        return next(self.skeleton.by_role[r] for r in roles if self.has(r))

    def at(self, *roles: str) -> Array:
        return self.positions[self.joint(*roles)]

    def rings(self, *rows: tuple[float, ...]) -> list[Ring]:
        """Rings of (t, side, front, shift to the front) in shares of the stature."""
        return [Ring(t, *(self.size * np.array(rest))) for t, *rest in rows]

    @property
    def neck(self) -> Array:
        return self.at("neck") if self.has("neck") else self.at("head") - 0.048 * self.size * UP


def add_humanoid(
    figure: Figure, skeleton: Skeleton, t_pose: tuple[Array, Array], stance: tuple[Array, Array]
) -> None:
    """Add all parts of a body on a T-pose, world rotations (J, 4) and positions (J, 3).

    `stance` is a pose that stands on its soles: a T-pose stretches the legs, which may tilt the feet.
    """
    rotations, positions = t_pose
    at = {role: positions[j] for role, j in skeleton.by_role.items()}
    trunk = float(np.linalg.norm(at["head"] - at["hips"])) / 0.330
    legs = np.mean(
        [
            np.linalg.norm(at[s + "LowerLeg"] - at[s + "UpperLeg"])
            + np.linalg.norm(at[s + "Foot"] - at[s + "LowerLeg"])
            for s in ("left", "right")
        ]
    )
    body = _Body(figure, skeleton, positions, rotations, stance, 0.7 * trunk + 0.3 * float(legs) / 0.475)
    _trunk(body)
    _head(body)
    for side in ("left", "right"):
        _arm(body, side)
        _hand(body, side)
        _leg(body, side)
        _foot(body, side)


def _trunk(body: _Body) -> None:
    hips, neck = body.at("hips"), body.neck
    length = float(np.linalg.norm(neck - hips))
    frame = aim(hips, neck - hips, FORWARD)
    chain = [r for r in ("hips", "spine", "chest", "upperChest") if body.has(r)]
    heights = [float((body.at(r) - hips) @ frame.along) / length for r in chain] + [1.0]
    # each bone owns the middle of its stretch, the skin passes over in between
    weights = [((a + b) / 2, {body.joint(r): 1.0}) for r, (a, b) in zip(chain, pairwise(heights))]
    reach_arm = abs(float((body.at("leftUpperArm") - hips) @ frame.side)) / body.size
    reach_leg = abs(float((body.at("leftUpperLeg") - hips) @ frame.side)) / body.size
    chest, pelvis = reach_arm - 0.022, reach_leg + 0.038
    hold = [(0.0, {body.joint("hips"): 1.0}), *weights[1:2]]
    body.figure.tube(
        SHELL, frame, length,
        body.rings((-0.38, 0.026, 0.036), (-0.26, 0.46 * pelvis, 0.054, -0.006), (-0.10, 0.80 * pelvis, 0.062, -0.008),
                   (0.08, 0.97 * pelvis, 0.056, -0.004), (0.27, 0.72 * pelvis, 0.042)),
        hold, columns=20, rows=11, square=2.4,
    )  # fmt: skip
    body.figure.tube(
        JOINT, frame, length,
        body.rings((0.04, 0.056, 0.040), (0.30, 0.058, 0.043), (0.62, 0.060, 0.046)),
        weights, columns=16, rows=7, square=2.3,
    )  # fmt: skip
    points, triangles, t = loft(
        frame, length,
        body.rings((0.34, 0.58 * chest, 0.040, 0.002), (0.46, 0.76 * chest, 0.056, 0.006),
                   (0.64, 0.92 * chest, 0.069, 0.008), (0.80, 1.04 * chest, 0.068, 0.004),
                   (0.92, 0.94 * chest, 0.054, -0.002), (1.02, 0.52 * chest, 0.040, -0.004),
                   (1.07, 0.36 * chest, 0.034, -0.004)),
        columns=22, rows=12, square=2.5,
    )  # fmt: skip
    body.figure.add(SHELL, points, triangles, _chest_weights(body, points, t, frame, weights, chest))


def _chest_weights(
    body: _Body, points: Array, t: Array, frame: Frame, weights: Weights, half: float
) -> Array:
    """Weights of the spine, and of the collar bones towards the shoulders."""
    out = blend(weights, t, body.figure.joints)
    across = ((points - frame.origin) @ frame.side) / (half * body.size)
    for side, sign in (("left", 1), ("right", -1)):
        if not body.has(side + "Shoulder"):
            continue
        share = 0.6 * np.clip((sign * across - 0.35) / 0.65, 0, 1) * np.clip((t - 0.62) / 0.25, 0, 1)
        out *= (1 - share)[:, None]
        out[:, body.joint(side + "Shoulder")] += share
    return out


def _head(body: _Body) -> None:
    neck, head, size = body.neck, body.at("head"), body.size
    below, joint = body.joint("upperChest", "chest", "spine"), body.joint("head")
    middle = body.joint("neck", "head")
    throat = aim(neck, head + 0.012 * size * UP - neck, FORWARD)
    body.figure.tube(
        JOINT, throat, float(np.linalg.norm(head + 0.012 * size * UP - neck)),
        body.rings((-0.45, 0.036, 0.036), (0.2, 0.031, 0.032), (1.4, 0.030, 0.034, 0.004)),
        [(-0.3, {below: 1.0}), (0.25, {middle: 1.0}), (0.75, {middle: 1.0}), (1.1, {joint: 1.0})],
        columns=12, rows=5,
    )  # fmt: skip
    skull = aim(head - 0.018 * size * UP, UP, FORWARD)
    hold: Weights = [(0.0, {joint: 1.0})]
    body.figure.tube(
        SHELL, skull, 0.136 * size,
        body.rings((0.0, 0.024, 0.030, 0.020), (0.22, 0.034, 0.047, 0.012), (0.55, 0.043, 0.056, 0.006),
                   (0.80, 0.042, 0.054, 0.002), (1.0, 0.034, 0.042, 0.0)),
        hold, columns=16, rows=11, square=2.1,
    )  # fmt: skip
    # a dark visor shows where the face is; its walls run ahead, so they meet the skull at a clear edge
    body.figure.tube(
        JOINT, aim(head + size * (0.024 * UP + 0.030 * FORWARD), UP, FORWARD), 0.052 * size,
        body.rings((0.0, 0.0290, 0.0350), (0.3, 0.0340, 0.0380), (0.7, 0.0350, 0.0380), (1.0, 0.0320, 0.0340)),
        hold, columns=18, rows=7, square=3.2, tightness=5.0,
    )  # fmt: skip


def _arm(body: _Body, side: str) -> None:
    upper, lower, hand = (body.joint(side + p) for p in ("UpperArm", "LowerArm", "Hand"))
    collar = body.joint(side + "Shoulder", "upperChest", "chest", "spine")
    shoulder, elbow, wrist = (body.positions[j] for j in (upper, lower, hand))
    size, figure = body.size, body.figure
    # the collar: a shell from the chest to just inside of the shoulder
    inner = shoulder + (body.neck - shoulder) * np.array((0.72, 0.25, 0.4))
    outer = shoulder + 0.22 * (inner - shoulder)
    figure.tube(
        SHELL, aim(inner, outer - inner, FORWARD), float(np.linalg.norm(outer - inner)),
        body.rings((0.0, 0.030, 0.036), (0.6, 0.031, 0.036), (1.0, 0.027, 0.031)),
        [(0.0, {collar: 1.0})], columns=12, rows=6,
    )  # fmt: skip
    figure.ball(JOINT, shoulder, 0.029 * size, {collar: 0.5, upper: 0.5})
    figure.tube(
        SHELL, aim(shoulder, elbow - shoulder, FORWARD), float(np.linalg.norm(elbow - shoulder)),
        body.rings((-0.20, 0.030, 0.030), (0.02, 0.039, 0.038), (0.32, 0.033, 0.034), (0.66, 0.028, 0.030),
                   (0.93, 0.022, 0.024)),
        [(-0.15, {collar: 0.3, upper: 0.7}), (0.12, {upper: 1.0}), (0.88, {upper: 1.0}), (1.1, {lower: 1.0})],
        columns=12, rows=8,
    )  # fmt: skip
    figure.ball(JOINT, elbow, 0.0235 * size, {upper: 0.5, lower: 0.5})
    figure.tube(
        SHELL, aim(elbow, wrist - elbow, FORWARD), float(np.linalg.norm(wrist - elbow)),
        body.rings((0.06, 0.023, 0.025), (0.28, 0.026, 0.029), (0.65, 0.020, 0.023), (0.97, 0.015, 0.018)),
        [(0.0, {upper: 0.3, lower: 0.7}), (0.15, {lower: 1.0}), (0.9, {lower: 1.0}), (1.1, {hand: 1.0})],
        columns=12, rows=8,
    )  # fmt: skip
    figure.ball(JOINT, wrist, 0.0165 * size, {lower: 0.5, hand: 0.5}, columns=12, rows=6)


def _hand(body: _Body, side: str) -> None:
    hand, size, figure = body.joint(side + "Hand"), body.size, body.figure
    color = LEFT if side == "left" else RIGHT
    wrist, elbow = body.positions[hand], body.at(side + "LowerArm")
    fingers = {
        name: [r for part in FINGER_PARTS if body.has(r := f"{side}{name}{part}")]
        for name in ("Thumb", "Index", "Middle", "Ring", "Little")
    }
    knuckle = next((body.at(fingers[n][0]) for n in ("Middle", "Index", "Ring") if fingers[n]), None)
    along = wrist - elbow if knuckle is None or np.linalg.norm(knuckle - wrist) < 1e-4 else knuckle - wrist
    thumb = FORWARD if not fingers["Thumb"] else body.at(fingers["Thumb"][-1]) - wrist
    frame = aim(wrist, along, thumb)
    palm = (
        0.052 * size
        if knuckle is None
        else float(np.clip(np.linalg.norm(knuckle - wrist), 0.03 * size, 0.08 * size))
    )
    # palm down on a T-pose; the frame's side points down on the left hand and up on the right one
    down = 1.0 if frame.side @ UP < 0 else -1.0
    hold: Weights = [(0.0, {hand: 1.0})]
    figure.tube(
        color, frame, palm,
        body.rings((0.05, 0.0125, 0.0165), (0.5, 0.0125, 0.0235), (1.12, 0.0105, 0.0225)),
        hold, columns=12, rows=6, square=2.6,
    )  # fmt: skip
    for name, chain in fingers.items():
        for role, end in pairwise([*chain, None]) if chain else ():
            if role is None:
                continue
            joint = body.joint(role)
            start = body.positions[joint]
            if end is not None:
                bone = body.at(end) - start
            else:
                above = body.at(chain[-2]) if len(chain) > 1 else wrist
                bone = 0.85 * (start - above)
            length = float(np.linalg.norm(bone))
            if length < 1e-4 or length > 0.06 * size:
                continue
            thick = 0.0085 if name == "Thumb" else 0.0072
            rings = body.rings((-0.12, thick, thick), (1.1, 0.88 * thick, 0.88 * thick))
            figure.tube(
                color, aim(start, bone, FORWARD), length, rings, [(0.0, {joint: 1.0})], columns=8, rows=5
            )
    if knuckle is None:
        curl = 0.010 * down
        figure.tube(
            color, frame, 0.108 * size,
            [Ring(r.t, r.side, r.front, r.shift_front, s * size) for r, s in zip(
                body.rings((0.42, 0.0110, 0.0205), (0.75, 0.0095, 0.0195), (1.0, 0.0070, 0.0140)),
                (0.0, 0.3 * curl, curl))],
            hold, columns=12, rows=7, square=2.8,
        )  # fmt: skip
    if not fingers["Thumb"]:
        root = frame.place(size * np.array((0.002 * down, 0.010, 0.016)))
        direction = 0.72 * frame.along + 0.66 * frame.front + 0.2 * down * frame.side
        figure.tube(
            color, aim(root, direction, frame.side), 0.046 * size,
            body.rings((0.0, 0.0105, 0.0105), (0.6, 0.0090, 0.0090), (1.0, 0.0070, 0.0075)),
            hold, columns=8, rows=6,
        )  # fmt: skip


def _leg(body: _Body, side: str) -> None:
    hips = body.joint("hips")
    upper, lower, foot = (body.joint(side + p) for p in ("UpperLeg", "LowerLeg", "Foot"))
    hip, knee, ankle = (body.positions[j] for j in (upper, lower, foot))
    size, figure = body.size, body.figure
    figure.ball(JOINT, hip, 0.047 * size, {hips: 0.5, upper: 0.5}, rows=7)
    figure.tube(
        SHELL, aim(hip, knee - hip, FORWARD), float(np.linalg.norm(knee - hip)),
        body.rings((0.02, 0.044, 0.050), (0.20, 0.050, 0.054), (0.50, 0.043, 0.047, 0.002), (0.80, 0.034, 0.037),
                   (0.95, 0.030, 0.033)),
        [(0.0, {hips: 0.35, upper: 0.65}), (0.22, {upper: 1.0}), (0.88, {upper: 1.0}), (1.1, {lower: 1.0})],
        columns=12, rows=8,
    )  # fmt: skip
    figure.ball(JOINT, knee, 0.0335 * size, {upper: 0.5, lower: 0.5}, columns=12, rows=7)
    figure.tube(
        SHELL, aim(knee, ankle - knee, FORWARD), float(np.linalg.norm(ankle - knee)),
        body.rings((0.05, 0.030, 0.034), (0.28, 0.0345, 0.0385, -0.006), (0.62, 0.025, 0.028, -0.003),
                   (0.97, 0.0195, 0.0215)),
        [(0.0, {upper: 0.3, lower: 0.7}), (0.14, {lower: 1.0}), (0.92, {lower: 1.0}), (1.1, {foot: 1.0})],
        columns=12, rows=8,
    )  # fmt: skip
    figure.ball(JOINT, ankle, 0.0235 * size, {lower: 0.5, foot: 0.5}, columns=12, rows=6)


def _foot(body: _Body, side: str) -> None:
    foot, size = body.joint(side + "Foot"), body.size
    color = LEFT if side == "left" else RIGHT
    rotations, positions = body.stance
    to_t_pose = quaternion.multiply(body.rotations[foot], quaternion.conjugate(rotations[foot]))
    ahead = quaternion.inverse_rotate(to_t_pose, FORWARD)
    ankle, toes = positions[foot], body.joint(side + "Toes", side + "Foot")
    ball = positions[toes] if toes != foot else ankle + size * (0.078 * ahead - 0.030 * UP)
    sole = _sole(body, ankle, ball)
    forward = (ball - ankle) * (1, 0, 1)
    length = float(np.linalg.norm(forward))
    if length < 0.02 * size:
        forward, length = ahead, 0.078 * size
    frame = aim(np.array((ankle[0], sole, ankle[2])), forward, UP)
    rise = max(float(ankle[1] - sole) / size, 0.02)
    heel, tip = -0.036 * size / length, 1 + 0.040 * size / length
    shoe = [
        # place along the foot, height of the upper, half width
        (heel, 0.62 * rise, 0.019), (heel * 0.45, 1.12 * rise, 0.0245), (0.15, 1.12 * rise, 0.026),
        (0.55, min(0.85 * rise, 0.045), 0.029), (1.0, 0.030, 0.0315), (0.45 + 0.55 * tip, 0.026, 0.029),
        (tip, 0.018, 0.019),
    ]  # fmt: skip
    rings = [Ring(t, half * size, 0.58 * top * size, 0.42 * top * size) for t, top, half in shoe]
    points, triangles, t = loft(frame, length, rings, columns=12, rows=12, square=2.5)
    points[:, 1] = np.maximum(points[:, 1], sole)
    points = body.positions[foot] + quaternion.rotate(to_t_pose, points - ankle)
    weights: Weights = [(0.75, {foot: 1.0}), (1.2, {toes: 1.0})]
    body.figure.add(color, points, triangles, blend(weights, t, body.figure.joints))


def _sole(body: _Body, ankle: Array, ball: Array) -> float:
    """Height of the sole in the stance: the floor where it stands on it, else below the ankle."""
    guess = min(ankle[1] - 0.045 * body.size, ball[1] - 0.008 * body.size)
    return 0.0 if abs(guess) < 0.03 * body.size else float(guess)
