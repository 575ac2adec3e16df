"""Recipes of weapon attacks: one- and two-handed, light and heavy, in every direction, alone and chained."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Annotation, Clip, Event, Tags
from moveset.synthetic import acts
from moveset.synthetic.acts import Act, Delays, Hold, Key
from moveset.synthetic.figure import turned
from moveset.synthetic.gait import Style
from moveset.synthetic.recipe import Recipe, Stage
from moveset.synthetic.steps import Footing

ONE_HANDED = Style(
    footing=Footing(cadence=1.75, stand_width=0.34, stagger=0.42, open=0.6, keep=0.6),
    crouch=0.07, lean=0.05, side_on=-0.30, swing=0.5,
)  # fmt: skip
"""Left foot forward, weapon shoulder back."""
TWO_HANDED = replace(
    ONE_HANDED,
    footing=Footing(cadence=1.6, stand_width=0.38, stagger=0.46, open=0.6, keep=0.6),
    crouch=0.085,
    lean=0.07,
)

GUARD_ONE = Key(Hold((-0.20, -0.22, 0.30), (0.18, 0.75, 0.62), (0.17, -0.20, 0.30)))
GUARD_TWO = Key(Hold((-0.05, -0.32, 0.30), (0.10, 0.80, 0.58)))


@dataclass(frozen=True)
class Swing:
    """One blow: the wind-up, the moment of the hit, the follow-through, and where the weapon settles."""

    windup: Key
    hit: Key
    follow: Key
    direction: str
    impression: str = "Slash"


def _key(
    grip: acts.Triple,
    aim: acts.Triple,
    pelvis: acts.Triple,
    chest: acts.Triple,
    shift: acts.Triple,
    off: acts.Triple = (0.20, -0.26, 0.22),
) -> Key:
    # the head keeps its eyes on the target and gives way a little to the chest
    head = (0.15 * chest[0], 0.25 * chest[1], 0.3 * chest[2])
    return Key(Hold(grip, aim, off), pelvis, chest, head, shift)


ONE = {
    "overhead": Swing(
        _key((-0.26, 0.38, -0.06), (0.15, 0.40, -0.90), (-26, -6, 0), (-52, -14, -8), (-0.02, 0.02, -0.07), (0.58, 0.10, 0.32)),
        _key((-0.14, 0.08, 0.58), (0.05, 0.45, 0.89), (12, 7, 0), (16, 14, 5), (0.01, -0.06, 0.08), (0.50, -0.18, 0.08)),
        _key((0.10, -0.38, 0.36), (0.34, -0.50, 0.78), (23, 12, 0), (42, 30, 8), (0.02, -0.12, 0.12), (0.54, -0.18, -0.28)),
        "from above",
    ),
    "right_to_left": Swing(
        _key((-0.54, 0.02, -0.02), (-0.45, 0.35, -0.82), (-32, -2, 0), (-62, -3, -8), (-0.06, -0.04, -0.06), (0.58, 0.02, 0.32)),
        _key((-0.16, -0.03, 0.58), (-0.15, 0.20, 0.97), (12, 6, 0), (18, 13, 5), (0.02, -0.07, 0.06), (0.50, -0.14, 0.08)),
        _key((0.34, -0.06, 0.28), (0.85, 0.10, -0.50), (32, 8, 0), (64, 18, 10), (0.06, -0.10, 0.09), (0.55, -0.14, -0.28)),
        "from right to left",
    ),
    "left_to_right": Swing(
        _key((0.32, 0.02, 0.22), (0.78, 0.38, -0.50), (26, 2, 0), (54, 6, 8), (0.05, -0.06, -0.04), (0.24, -0.34, 0.26)),
        _key((-0.14, -0.02, 0.58), (0.30, 0.06, 0.95), (-5, 6, 0), (-2, 12, 0), (0.0, -0.07, 0.06), (0.48, -0.20, 0.08)),
        _key((-0.60, 0.00, 0.12), (-0.86, 0.10, -0.30), (-28, 6, 0), (-50, 12, -9), (-0.05, -0.08, 0.08), (0.60, -0.06, -0.14)),
        "from left to right",
    ),
    "diagonal_down": Swing(
        _key((-0.46, 0.34, -0.08), (-0.25, 0.60, -0.76), (-30, -6, 0), (-58, -11, -10), (-0.05, 0.01, -0.07), (0.58, 0.08, 0.32)),
        _key((-0.13, 0.02, 0.59), (-0.08, 0.35, 0.93), (12, 6, 0), (18, 13, 6), (0.02, -0.07, 0.08), (0.50, -0.16, 0.08)),
        _key((0.28, -0.38, 0.26), (0.72, -0.58, 0.38), (29, 10, 0), (56, 26, 11), (0.05, -0.12, 0.11), (0.54, -0.16, -0.28)),
        "diagonally down from the right shoulder",
    ),
    "diagonal_up": Swing(
        _key((-0.46, -0.34, 0.06), (-0.85, -0.50, -0.10), (-30, 9, 0), (-56, 20, 8), (-0.05, -0.12, -0.04), (0.57, -0.04, 0.32)),
        _key((-0.13, -0.05, 0.59), (-0.12, 0.05, 0.99), (9, 2, 0), (13, 4, 0), (0.02, -0.05, 0.07), (0.50, -0.20, 0.08)),
        _key((0.18, 0.36, 0.34), (0.50, 0.84, 0.05), (29, -4, 0), (54, -14, -10), (0.05, 0.03, 0.09), (0.52, -0.28, -0.22)),
        "diagonally up from the right hip",
    ),
    "thrust": Swing(
        _key((-0.34, -0.18, 0.02), (0.54, 0.16, 0.82), (-26, 0, 0), (-52, 2, -4), (-0.02, -0.05, -0.09), (0.56, 0.02, 0.38)),
        _key((-0.24, -0.05, 0.49), (-0.04, 0.16, 0.98), (4, 5, 0), (8, 9, 2), (0.0, -0.08, 0.06), (0.50, -0.12, 0.12)),
        _key((-0.26, 0.03, 0.58), (-0.30, 0.16, 0.93), (17, 8, 0), (32, 14, 4), (0.0, -0.12, 0.17), (0.52, -0.20, -0.12)),
        "straight ahead", "Piercing",
    ),
}  # fmt: skip
TWO = {
    "overhead": Swing(
        _key((-0.08, 0.38, 0.05), (0.06, 0.25, -0.96), (-20, -8, 0), (-37, -18, -4), (-0.01, 0.03, -0.09)),
        _key((-0.06, 0.02, 0.50), (0.02, 0.45, 0.89), (8, 9, 0), (8, 15, 2), (0.0, -0.07, 0.08)),
        _key((-0.02, -0.42, 0.36), (0.06, -0.50, 0.86), (16, 16, 0), (22, 36, 4), (0.0, -0.14, 0.12)),
        "from above", "Blunt",
    ),
    "right_to_left": Swing(
        _key((-0.36, 0.00, 0.22), (-0.60, 0.45, -0.66), (-38, -3, 0), (-70, -3, -9), (-0.08, -0.05, -0.06)),
        _key((-0.12, -0.08, 0.54), (-0.15, 0.20, 0.97), (12, 8, 0), (16, 15, 5), (0.02, -0.08, 0.07)),
        _key((0.26, -0.06, 0.30), (0.85, 0.12, -0.45), (40, 10, 0), (72, 21, 10), (0.08, -0.10, 0.10)),
        "from right to left",
    ),
    "left_to_right": Swing(
        _key((0.20, 0.00, 0.24), (0.68, 0.45, -0.58), (32, -2, 0), (64, -2, 9), (0.07, -0.05, -0.05)),
        _key((-0.08, -0.08, 0.48), (0.25, 0.10, 0.96), (-9, 8, 0), (-10, 15, -3), (-0.01, -0.07, 0.07)),
        _key((-0.40, -0.06, 0.26), (-0.90, 0.12, -0.15), (-38, 9, 0), (-68, 20, -10), (-0.07, -0.09, 0.10)),
        "from left to right",
    ),
    "diagonal_down": Swing(
        _key((-0.30, 0.30, 0.06), (-0.30, 0.52, -0.80), (-32, -7, 0), (-62, -13, -10), (-0.06, 0.02, -0.08)),
        _key((-0.07, -0.03, 0.49), (-0.10, 0.40, 0.91), (10, 8, 0), (13, 15, 6), (0.02, -0.08, 0.08)),
        _key((0.16, -0.42, 0.28), (0.66, -0.62, 0.42), (34, 13, 0), (60, 30, 10), (0.07, -0.13, 0.11)),
        "diagonally down from the right shoulder",
    ),
    "diagonal_up": Swing(
        _key((-0.18, -0.36, 0.20), (-0.50, -0.40, -0.74), (-36, 10, 0), (-64, 24, 8), (-0.07, -0.14, -0.04)),
        _key((-0.07, -0.10, 0.49), (-0.15, 0.05, 0.99), (9, 4, 0), (10, 7, 0), (0.02, -0.06, 0.07)),
        _key((0.12, 0.34, 0.30), (0.45, 0.86, 0.05), (32, -5, 0), (58, -15, -9), (0.06, 0.03, 0.09)),
        "diagonally up from the right hip",
    ),
    "thrust": Swing(
        _key((-0.27, -0.18, 0.03), (0.50, 0.18, 0.84), (-28, 0, 0), (-54, 2, -4), (-0.03, -0.06, -0.11)),
        _key((-0.17, -0.08, 0.42), (0.06, 0.16, 0.97), (4, 5, 0), (2, 10, 2), (0.0, -0.09, 0.05)),
        _key((-0.14, -0.03, 0.57), (-0.16, 0.16, 0.97), (16, 8, 0), (24, 16, 3), (0.0, -0.14, 0.19)),
        "straight ahead", "Piercing",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Timing:
    """Moments of a blow [s] and how far the body steps into it [m]."""

    windup: float
    hit: float
    settle: float
    seconds: float
    step: float
    hold: float = 0.0
    """How long the wind-up is held, creeping back."""


TIMINGS = {
    ("one", "light"): Timing(0.27, 0.40, 0.67, 1.10, 0.55),
    ("one", "heavy"): Timing(0.48, 0.75, 1.09, 1.70, 0.80, hold=0.12),
    ("two", "light"): Timing(0.36, 0.50, 0.84, 1.40, 0.55),
    ("two", "heavy"): Timing(0.60, 0.97, 1.40, 2.10, 0.85, hold=0.20),
}


def blow(
    swing: Swing, timing: Timing, guard: Key, effort: float, start: float = 0.0
) -> tuple[tuple[float, Key], ...]:
    """Keys of one blow that begins at `start`: the hit divides its time as it divides the way of the blade."""
    begin = timing.windup + timing.hold
    swing = replace(
        swing, **{part: _with_effort(getattr(swing, part), effort) for part in ("windup", "hit", "follow")}
    )
    before, after = _way(swing.windup, swing.hit), _way(swing.hit, swing.follow)
    end = timing.hit + _FOLLOW * (timing.hit - begin) * after / before
    keys = [(timing.windup, swing.windup)]
    if timing.hold:
        keys.insert(0, (_GATHER * timing.windup, _gathered(guard, swing.windup)))
        keys.append((begin, _beyond(guard, swing.windup, 1.06)))
    keys += [(timing.hit, swing.hit), (end, swing.follow)]
    keys.append((max(timing.settle, end + 0.15), _settled(swing.hit, swing.follow)))
    return acts.shifted(keys, start)


_EFFORT = {"light": 1.5, "heavy": 2.1}
"""Factor on how far hips and trunk bend, sink and reach into a blow."""


def _with_effort(key: Key, effort: float) -> Key:
    """The same key with the whole body in it."""
    left, up, ahead = key.shift
    (chest_turn, chest_pitch, chest_roll), (turn, pitch, roll) = key.chest, key.pelvis
    pitch_effort = 0.5 + 0.5 * effort
    return replace(
        key,
        pelvis=(turn, pitch_effort * pitch, roll),
        chest=(chest_turn, pitch_effort * chest_pitch, pitch_effort * chest_roll),
        shift=(effort * left, effort * up, pitch_effort * ahead),
    )


_GATHER = 0.45
"""When in the wind-up of a heavy blow the body is lowest, as a share of its time."""


def _gathered(guard: Key, windup: Key) -> Key:
    """Knees and trunk bent before a heavy wind-up, so that the weapon is carried up by the legs."""
    key = _beyond(guard, windup, 0.35)
    (left, up, ahead), (turn, pitch, roll) = key.shift, key.chest
    return replace(key, shift=(left, up - 0.11, ahead), chest=(turn, pitch + 13.0, roll))


_FOLLOW = 0.75
"""A blow is stopped in less time than it takes to bring it up to speed."""
_BLADE = 0.7
"""Length of a weapon for the timing of its point [m]."""


def _way(a: Key, b: Key) -> float:
    """How far the point of a weapon goes from one key to another [m]: its arc and the way of the hand."""

    def place(key: Key) -> tuple[Array, Array]:
        turn = turned(*np.radians(key.chest))
        grip, aim = (quaternion.rotate(turn, np.array(part)) for part in (key.hold.grip, key.hold.aim))
        return grip + np.array(key.shift), aim / np.linalg.norm(aim)

    (grip_a, aim_a), (grip_b, aim_b) = place(a), place(b)
    return float(np.linalg.norm(grip_b - grip_a) + _BLADE * np.arccos(np.clip(aim_a @ aim_b, -1, 1)))


def _settled(hit: Key, follow: Key) -> Key:
    """Arms and trunk spring back a little out of the follow-through while the weight goes on into the front foot."""
    left, up, ahead = follow.shift
    return replace(_beyond(hit, follow, 0.92), shift=(left, up - 0.012, ahead + 0.03))


def _beyond(a: Key, b: Key, share: float) -> Key:
    """The key at `share` of the way from a to b."""

    def mix(x: acts.Triple, y: acts.Triple) -> acts.Triple:
        out = [p + share * (q - p) for p, q in zip(x, y, strict=True)]
        return (out[0], out[1], out[2])

    hold = Hold(*(mix(getattr(a.hold, part), getattr(b.hold, part)) for part in ("grip", "aim", "off")))
    return Key(
        hold, *(mix(getattr(a, part), getattr(b, part)) for part in ("pelvis", "chest", "head", "shift"))
    )


def chain(hands: str, strength: str, names: tuple[str, ...]) -> Act:
    """One or several blows from guard to guard, stepping into each."""
    table, guard = (ONE, GUARD_ONE) if hands == "one" else (TWO, GUARD_TWO)
    timing = TIMINGS[hands, strength]
    keys: list[tuple[float, Key]] = [(0.0, guard)]
    travel = [(0.0, 0.0, 0.0)]
    events: list[Event] = []
    start, gone = 0.0, 0.0
    for name in names:
        keys += blow(table[name], timing, guard, _EFFORT[strength], start)
        begin = start + 0.45 * timing.windup
        travel.append((max(begin, travel[-1][0] + 0.01), gone, 0.0))
        gone += timing.step
        travel.append((start + timing.hit + 0.14, gone, 0.0))
        events += [
            Event(start + timing.windup + timing.hold, "swing", "rightHand"),
            Event(start + timing.hit, "hit", "rightHand"),
        ]
        start += timing.hit + 0.90 * (timing.settle - timing.hit) - 0.10 * timing.windup
    # of all but the last blow only the swing counts: the next wind-up begins out of the follow-through
    kept: list[tuple[float, Key]] = []
    for time, key in sorted(keys, key=lambda item: item[0]):
        if kept and time - kept[-1][0] < 0.05:
            continue
        kept.append((time, key))
    last_hit = events[-1].time
    seconds = last_hit + timing.seconds - timing.hit
    kept.append((seconds - 0.02, guard))
    style = ONE_HANDED if hands == "one" else TWO_HANDED
    delays = Delays() if strength == "light" else Delays(-0.08, -0.03, 0.025, 0.035, 0.06, -0.09)
    hits = {event.time for event in events if event.name == "hit"}
    strokes = tuple(k for k, (time, _) in enumerate(kept) if any(abs(time - hit) < 1e-9 for hit in hits))
    return Act(seconds, tuple(kept), style, hands == "two", tuple(travel), tuple(events), strokes, delays)


WEAPON = {"one": "Straight Sword", "two": "Great sword/Colossal sword"}


def _recipe(hands: str, strength: str, names: tuple[str, ...]) -> Recipe:
    act = chain(hands, strength, names)
    table = ONE if hands == "one" else TWO

    def make(stage: Stage, name: str, tags: Tags) -> Clip:
        return acts.perform(stage, act, name, tags)

    heavy = strength == "heavy"
    annotation = Annotation(
        motion_type=("Weapon Attack",),
        weapon_type=(WEAPON[hands],),
        attack_type=(
            "Right-Handed",
            "One-Handed" if hands == "one" else "Two-Handed",
            f"{strength.title()} Attack",
        )
        if hands == "one"
        else ("Two-Handed", f"{strength.title()} Attack"),
        direction=("Forward",),
        power=("Heavy-Weighted", "Powerful") if heavy else ("Light-Weighted",),
        speed=("First slow then fast",) if heavy else ("Swift", "Cleanly"),
        impression=tuple(dict.fromkeys(table[n].impression for n in names)),
        posture="The hips turn first, then the shoulders, and the weapon follows through across the body.",
    )
    kinds = " and then ".join(
        f"a {strength} {'thrust' if n == 'thrust' else 'cut'} {table[n].direction}" for n in names
    )
    hand = "the right hand" if hands == "one" else "both hands"
    title = "_".join(names) if len(names) == 1 else "combo_" + "_".join(n.replace("_", "") for n in names)
    return Recipe(
        f"{hands}_handed_{strength}_{title}",
        make,
        annotation,
        f"A fighter steps forward and strikes with {hand}: {kinds}.",
        ("attack", f"{hands}-handed", strength, *names, *(("combo",) if len(names) > 1 else ())),
    )


COMBOS = {
    "one": (
        ("right_to_left", "left_to_right"),
        ("diagonal_down", "diagonal_up"),
        ("right_to_left", "left_to_right", "overhead"),
        ("diagonal_down", "left_to_right", "thrust"),
    ),
    "two": (
        ("right_to_left", "left_to_right"),
        ("diagonal_down", "left_to_right"),
        ("right_to_left", "left_to_right", "overhead"),
        ("overhead", "diagonal_up", "right_to_left"),
    ),
}


def recipes() -> tuple[Recipe, ...]:
    """All of them."""
    single = [
        _recipe(hands, strength, (name,))
        for hands in ("one", "two")
        for strength in ("light", "heavy")
        for name in ONE
    ]
    combos = [_recipe(hands, "light", names) for hands in COMBOS for names in COMBOS[hands]]
    return (*single, *combos)
