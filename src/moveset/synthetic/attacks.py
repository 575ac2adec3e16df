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
    footing=Footing(cadence=1.75, stand_width=0.34, stagger=0.34, open=0.6, keep=0.6),
    crouch=0.07, lean=0.05, side_on=-0.30, swing=0.5,
)  # fmt: skip
"""Left foot forward, weapon shoulder back."""
TWO_HANDED = replace(
    ONE_HANDED,
    footing=Footing(cadence=1.6, stand_width=0.38, stagger=0.36, open=0.6, keep=0.6),
    crouch=0.085,
    lean=0.07,
)

GUARD_ONE = Key(Hold((-0.20, -0.22, 0.30), (0.18, 0.75, 0.62), (0.17, -0.20, 0.30), (-0.25, 0.9, 0.35)))
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
    off_aim: acts.Triple = (-0.3, 0.85, 0.45),
) -> Key:
    # the head keeps its eyes on the target and gives way a little to the chest
    head = (0.15 * chest[0], 0.25 * chest[1], 0.3 * chest[2])
    return Key(Hold(grip, aim, off, off_aim), pelvis, chest, head, shift)


ONE = {
    "overhead": Swing(
        _key((-0.24, 0.32, 0.02), (0.15, 0.55, -0.82), (-21, -4, 0), (-39, -9, -5), (-0.02, 0.0, -0.05), (0.16, -0.04, 0.36)),
        _key((-0.14, 0.04, 0.52), (0.05, 0.50, 0.87), (12, 5, 0), (16, 12, 3), (0.01, -0.05, 0.06), (0.26, -0.22, 0.16)),
        _key((0.06, -0.36, 0.34), (0.30, -0.50, 0.80), (21, 9, 0), (34, 24, 5), (0.02, -0.09, 0.09), (0.30, -0.30, 0.02)),
        "from above",
    ),
    "right_to_left": Swing(
        _key((-0.46, -0.02, 0.06), (-0.50, 0.30, -0.81), (-30, -2, 0), (-55, 0, -4), (-0.05, -0.01, -0.04), (0.12, -0.06, 0.38)),
        _key((-0.14, -0.05, 0.52), (-0.35, 0.08, 0.93), (12, 3, 0), (18, 6, 2), (0.02, -0.05, 0.05), (0.28, -0.18, 0.14)),
        _key((0.30, -0.10, 0.26), (0.94, -0.05, 0.20), (30, 4, 0), (57, 8, 4), (0.05, -0.06, 0.07), (0.34, -0.24, -0.02)),
        "from right to left",
    ),
    "left_to_right": Swing(
        _key((0.24, -0.02, 0.22), (0.80, 0.35, -0.48), (24, -1, 0), (47, 2, 4), (0.04, -0.02, -0.03), (0.12, -0.22, 0.30)),
        _key((-0.14, -0.04, 0.53), (0.30, 0.06, 0.95), (-3, 3, 0), (3, 5, 0), (0.0, -0.05, 0.05), (0.26, -0.22, 0.14)),
        _key((-0.50, -0.06, 0.18), (-0.88, 0.05, 0.15), (-24, 2, 0), (-39, 5, -4), (-0.04, -0.05, 0.06), (0.34, -0.20, -0.02)),
        "from left to right",
    ),
    "diagonal_down": Swing(
        _key((-0.40, 0.28, 0.00), (-0.25, 0.68, -0.69), (-27, -4, 0), (-49, -7, -6), (-0.04, 0.0, -0.05), (0.14, -0.04, 0.37)),
        _key((-0.13, -0.01, 0.53), (-0.08, 0.35, 0.93), (12, 5, 0), (18, 11, 4), (0.02, -0.05, 0.06), (0.27, -0.20, 0.15)),
        _key((0.24, -0.34, 0.24), (0.72, -0.58, 0.38), (27, 8, 0), (47, 20, 7), (0.04, -0.09, 0.08), (0.33, -0.28, 0.0)),
        "diagonally down from the right shoulder",
    ),
    "diagonal_up": Swing(
        _key((-0.40, -0.30, 0.14), (-0.42, -0.62, -0.66), (-27, 6, 0), (-47, 14, 5), (-0.04, -0.09, -0.03), (0.14, -0.10, 0.36)),
        _key((-0.13, -0.05, 0.53), (-0.12, 0.05, 0.99), (9, 2, 0), (13, 4, 0), (0.02, -0.04, 0.05), (0.27, -0.22, 0.14)),
        _key((0.18, 0.26, 0.32), (0.55, 0.80, 0.22), (27, -2, 0), (47, -8, -6), (0.04, 0.01, 0.06), (0.33, -0.26, 0.0)),
        "diagonally up from the right hip",
    ),
    "thrust": Swing(
        _key((-0.26, -0.20, 0.12), (0.54, 0.16, 0.82), (-20, 0, 0), (-38, 0, 0), (-0.01, -0.03, -0.07), (0.10, -0.06, 0.42)),
        _key((-0.23, -0.10, 0.34), (0.08, 0.16, 0.98), (-2, 3, 0), (-4, 5, 0), (0.0, -0.06, 0.04), (0.22, -0.18, 0.20)),
        _key((-0.27, -0.02, 0.46), (-0.34, 0.16, 0.92), (13, 6, 0), (24, 11, 0), (0.0, -0.10, 0.15), (0.34, -0.26, -0.04)),
        "straight ahead", "Piercing",
    ),
}  # fmt: skip
TWO = {
    "overhead": Swing(
        _key((-0.08, 0.30, 0.08), (0.05, 0.50, -0.86), (-12, -6, 0), (-18, -13, 0), (0.0, 0.01, -0.07)),
        _key((-0.04, -0.02, 0.44), (0.02, 0.45, 0.89), (6, 8, 0), (5, 14, 0), (0.0, -0.06, 0.07)),
        _key((-0.02, -0.40, 0.34), (0.06, -0.50, 0.86), (12, 14, 0), (13, 32, 0), (0.0, -0.12, 0.10)),
        "from above", "Blunt",
    ),
    "right_to_left": Swing(
        _key((-0.24, -0.06, 0.18), (-0.60, 0.40, -0.69), (-36, -2, 0), (-65, 0, -5), (-0.07, -0.03, -0.05)),
        _key((-0.06, -0.10, 0.42), (-0.30, 0.10, 0.95), (12, 5, 0), (16, 9, 2), (0.02, -0.07, 0.06)),
        _key((0.16, -0.10, 0.30), (0.93, 0.10, 0.20), (39, 6, 0), (68, 11, 5), (0.07, -0.08, 0.08)),
        "from right to left",
    ),
    "left_to_right": Swing(
        _key((0.10, -0.08, 0.24), (0.68, 0.42, -0.60), (30, -2, 0), (60, 0, 5), (0.06, -0.03, -0.04)),
        _key((-0.06, -0.10, 0.42), (0.25, 0.10, 0.96), (-9, 5, 0), (-10, 8, -2), (-0.01, -0.06, 0.06)),
        _key((-0.28, -0.10, 0.26), (-0.90, 0.10, 0.25), (-36, 5, 0), (-62, 9, -5), (-0.06, -0.07, 0.08)),
        "from left to right",
    ),
    "diagonal_down": Swing(
        _key((-0.22, 0.22, 0.10), (-0.30, 0.62, -0.72), (-30, -5, 0), (-55, -9, -6), (-0.05, 0.0, -0.06)),
        _key((-0.06, -0.06, 0.43), (-0.10, 0.40, 0.91), (10, 7, 0), (13, 13, 4), (0.02, -0.07, 0.07)),
        _key((0.10, -0.38, 0.28), (0.62, -0.62, 0.48), (33, 11, 0), (55, 26, 7), (0.06, -0.11, 0.09)),
        "diagonally down from the right shoulder",
    ),
    "diagonal_up": Swing(
        _key((-0.08, -0.30, 0.23), (-0.50, -0.40, -0.74), (-33, 8, 0), (-57, 20, 5), (-0.06, -0.13, -0.03)),
        _key((-0.06, -0.10, 0.43), (-0.15, 0.05, 0.99), (9, 4, 0), (10, 7, 0), (0.02, -0.05, 0.06)),
        _key((0.08, 0.22, 0.32), (0.45, 0.86, 0.22), (30, -3, 0), (49, -10, -5), (0.05, 0.01, 0.07)),
        "diagonally up from the right hip",
    ),
    "thrust": Swing(
        _key((-0.16, -0.18, 0.20), (0.56, 0.18, 0.80), (-22, 0, 0), (-40, 0, 0), (-0.02, -0.04, -0.09)),
        _key((-0.16, -0.12, 0.33), (0.14, 0.16, 0.97), (-4, 3, 0), (-10, 6, 0), (0.0, -0.08, 0.03)),
        _key((-0.15, -0.08, 0.46), (-0.20, 0.16, 0.96), (10, 7, 0), (14, 13, 0), (0.0, -0.13, 0.16)),
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
    ("one", "light"): Timing(0.27, 0.39, 0.66, 1.10, 0.55),
    ("one", "heavy"): Timing(0.48, 0.74, 1.08, 1.70, 0.80, hold=0.12),
    ("two", "light"): Timing(0.36, 0.50, 0.84, 1.40, 0.55),
    ("two", "heavy"): Timing(0.60, 0.96, 1.40, 2.10, 0.85, hold=0.20),
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
        keys.append((begin, _beyond(guard, swing.windup, 1.06)))
    keys += [(timing.hit, swing.hit), (end, swing.follow)]
    keys.append((max(timing.settle, end + 0.15), _beyond(swing.hit, swing.follow, 1.10)))
    return acts.shifted(keys, start)


_EFFORT = {"light": 1.45, "heavy": 2.0}
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


def _beyond(a: Key, b: Key, share: float) -> Key:
    """The key at `share` of the way from a to b."""

    def mix(x: acts.Triple, y: acts.Triple) -> acts.Triple:
        out = [p + share * (q - p) for p, q in zip(x, y, strict=True)]
        return (out[0], out[1], out[2])

    hold = Hold(
        *(mix(getattr(a.hold, part), getattr(b.hold, part)) for part in ("grip", "aim", "off", "off_aim"))
    )
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
    delays = Delays() if strength == "light" else Delays(-0.08, -0.04, 0.012, 0.025, 0.05, -0.09)
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
        ("overhead", "right_to_left", "thrust"),
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
