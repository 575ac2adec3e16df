"""Recipes of what is done to a fighter: blocks, hits taken, staggers."""

from __future__ import annotations

from dataclasses import replace

from moveset.motion import Annotation, Clip, Event, Tags
from moveset.synthetic import acts, attacks
from moveset.synthetic.acts import Act, Delays, Hold, Key
from moveset.synthetic.recipe import Recipe, Stage

_LOOSE = Delays(pelvis=0.02, chest=0.0, hand=0.05, weapon=0.07, off=0.06, head=0.045)
"""A blow from outside arrives at the chest: head, hands and weapon are dragged along."""

BLOCK_ONE = Key(
    Hold((-0.06, -0.02, 0.36), (0.78, 0.60, 0.10), (0.24, -0.02, 0.32)),
    (-6, 3, 0), (-10, 6, 0), (0, 5, 0), (0.0, -0.04, -0.03),
)  # fmt: skip
BLOCK_TWO = Key(
    Hold((-0.20, -0.02, 0.36), (0.90, 0.42, 0.12)), (-4, 3, 0), (-6, 6, 0), (0, 5, 0), (0.0, -0.05, -0.03)
)
PARRY = Key(
    Hold((0.16, -0.02, 0.40), (0.50, 0.85, 0.20), (0.24, -0.20, 0.20)),
    (10, 2, 0), (24, 3, 0), (0, 0, 0), (0.02, -0.03, 0.03),
)  # fmt: skip


_LEFT_BEHIND = 0.7
"""How far the hands stay back, as a share of how far a hit throws the hips."""


def _thrown(guard: Key, grip: acts.Triple, off: acts.Triple, aim: acts.Triple) -> Hold:
    """Hands moved from a guard by the jolt of a hit."""

    def moved(place: acts.Triple, by: acts.Triple) -> acts.Triple:
        return (place[0] + by[0], place[1] + by[1], place[2] + by[2])

    return replace(guard.hold, grip=moved(guard.hold.grip, grip), off=moved(guard.hold.off, off), aim=aim)


def _hit(guard: Key, chest: acts.Triple, head: acts.Triple, shift: acts.Triple, strength: float) -> Key:
    """The body at the peak of a hit."""

    def scaled(x: acts.Triple) -> acts.Triple:
        return (strength * x[0], strength * x[1], strength * x[2])

    pelvis = (0.5 * chest[0], 0.35 * chest[1], 0.4 * chest[2])
    # the hands are left behind where the body is thrown, and fly apart
    left, _, ahead = shift
    lag = (-_LEFT_BEHIND * left, -_LEFT_BEHIND * ahead)
    grip, off = (lag[0] - 0.09, 0.01, lag[1]), (lag[0] + 0.12, 0.02, lag[1])
    hold = _thrown(guard, scaled(grip), scaled(off), (0.1, 0.95, 0.2))
    return Key(hold, scaled(pelvis), scaled(chest), scaled(head), scaled(shift))


# where the hit comes from: chest, head, shift of the hips, travel ahead and to the left [m]
_HITS = {
    "front": ((0, -26, 0), (0, -20, 0), (0.0, -0.05, -0.15), (-0.26, 0.0), "Backward"),
    "left": ((-34, 6, -18), (-26, 4, -14), (-0.12, -0.05, -0.03), (-0.06, -0.24), "Towards Right"),
    "right": ((34, 6, 18), (26, 4, 14), (0.12, -0.05, -0.03), (-0.06, 0.24), "Towards Left"),
    "back": ((0, 28, 0), (0, -16, 0), (0.0, -0.06, 0.15), (0.28, 0.0), "Forward"),
    "stomach": ((0, 46, 0), (0, 22, 0), (0.0, -0.11, -0.20), (-0.16, 0.0), "Backward"),
}
_DIRECTION = {"front": "from the front", "left": "from the left", "right": "from the right",
              "back": "in the back", "stomach": "in the stomach"}  # fmt: skip


def _hit_recipe(place: str, heavy: bool) -> Recipe:
    chest, head, shift, (ahead, left), direction = _HITS[place]
    strength = 1.8 if heavy else 1.0
    guard = attacks.GUARD_ONE
    peak = _hit(guard, chest, head, shift, strength)
    rest = _hit(guard, chest, head, shift, 0.35 * strength)
    slow = 1.5 if heavy else 1.0
    seconds = 0.95 * slow
    keys = ((0.0, guard), (0.05, guard), (0.17, peak), (0.17 + 0.2 * slow, rest), (seconds - 0.05, guard))
    if heavy:
        rebound = _hit(guard, (0.3 * chest[0], 14.0, 0.2 * chest[2]), (0, 6, 0), (0.0, -0.09, 0.0), 1.0)
        keys = (*keys[:3], (0.55, rebound), keys[-1])
    travel = ((0.06, 0.0, 0.0), (0.34 * slow, strength * ahead, strength * left))
    act = Act(
        seconds,
        keys,
        attacks.ONE_HANDED,
        travel=travel,
        events=(Event(0.05, "hit_taken", "chest"),),
        delays=_LOOSE,
    )
    words = ("Heavy Stagger",) if heavy else ("Light Stagger",)
    annotation = Annotation(
        motion_type=("Get Hit",),
        direction=(direction,),
        power=words,
        speed=("Slow Recovery",) if heavy else ("Instant Recovery",),
        impression=("Painful", "Sudden"),
        posture="The chest is thrown, the head and the arms are dragged after it, and a step catches the body.",
    )
    kind = "heavy" if heavy else "light"
    sentence = f"A fighter takes a {kind} hit {_DIRECTION[place]} and recovers the guard."
    return _recipe(f"hit_{kind}_{place}", act, annotation, sentence, ("hit", kind, place))


def _recipe(
    name: str, act: Act, annotation: Annotation, sentence: str, words: tuple[str, ...], loop: bool = False
) -> Recipe:
    def make(stage: Stage, name: str, tags: Tags) -> Clip:
        return acts.perform(stage, act, name, tags, loop=loop)

    return Recipe(name, make, annotation, sentence, words)


def _staggers() -> list[Recipe]:
    guard = attacks.GUARD_ONE
    out = []
    for label, sign, direction in (("back", -1.0, "Backward"), ("ahead", 1.0, "Forward")):
        lean = 15 * sign
        open_hold = Hold((-0.44, 0.06, 0.14), (-0.50, 0.80, 0.30), (0.46, 0.10, 0.10))
        low_hold = Hold((-0.34, -0.20, 0.20), (-0.2, 0.6, 0.75), (0.38, -0.14, 0.22))
        keys = (
            (0.0, guard), (0.05, guard),
            (0.24, Key(open_hold, (-8, 0.4 * lean, 4), (-16, lean, 6), (10, lean * 0.7, 4), (0.0, -0.03, 0.10 * sign))),
            (0.60, Key(low_hold, (8, 0.4 * lean, -5), (14, 0.7 * lean + 8, -7), (-8, 10, -4), (0.0, -0.07, 0.08 * sign))),
            (1.05, Key(replace(low_hold, grip=(-0.28, -0.26, 0.24)), (-4, 6, 3), (-8, 20, 4), (0, 8, 0), (0.0, -0.10, 0.0))),
            (1.75, guard),
        )  # fmt: skip
        travel = ((0.08, 0.0, 0.0), (0.6, 0.75 * sign, 0.06), (1.15, 1.05 * sign, 0.0))
        act = Act(
            1.9,
            keys,
            attacks.ONE_HANDED,
            travel=travel,
            events=(Event(0.05, "hit_taken", "chest"),),
            delays=_LOOSE,
        )
        annotation = Annotation(
            motion_type=("Get Hit",),
            direction=(direction,),
            power=("Stagger",),
            speed=("Slow Recovery", "Sloppy"),
            impression=("Stunned", "Wide Open"),
            posture="The arms fly open and quick steps chase the falling weight.",
        )
        sentence = f"A fighter is knocked off balance and staggers {label} a few steps."
        out.append(_recipe(f"stagger_{label}", act, annotation, sentence, ("hit", "stagger", label)))
    return out


def _blocks() -> list[Recipe]:
    out = []
    for hands, guard, block, style in (
        ("one", attacks.GUARD_ONE, BLOCK_ONE, attacks.ONE_HANDED),
        ("two", attacks.GUARD_TWO, BLOCK_TWO, attacks.TWO_HANDED),
    ):
        two = hands == "two"
        jolt = Key(
            replace(block.hold, grip=(block.hold.grip[0], block.hold.grip[1] - 0.03, block.hold.grip[2] - 0.12)),
            (-8, -2, 0), (-14, -6, 0), (0, 2, 0), (0.0, -0.08, -0.10),
        )  # fmt: skip
        annotation = Annotation(
            motion_type=("Block/Guard",),
            weapon_type=(attacks.WEAPON[hands],),
            attack_type=("Two-Handed",) if two else ("Right-Handed", "One-Handed"),
            direction=("In-Place",),
            power=("Steady",),
            speed=("Cleanly",),
            impression=("Rigid",),
            posture="The weapon is held across the body and the knees give way behind it.",
        )
        where = "in both hands" if two else "in the right hand"
        raised = Act(0.9, ((0.0, guard), (0.10, guard), (0.34, block), (0.9, block)), style, two)
        out.append(_recipe(f"block_raise_{hands}_handed", raised, annotation,
                           f"A fighter raises the weapon {where} to block.", ("block", "guard", f"{hands}-handed")))  # fmt: skip
        held = Act(4.0, ((0.0, block),), replace(style, period=4.0, noise=1.5, shift=0.008), two, sway=0.008)
        out.append(_recipe(f"block_hold_{hands}_handed", held, annotation,
                           f"A fighter holds a block with the weapon {where}.", ("block", "idle", f"{hands}-handed"), True))  # fmt: skip
        struck = Act(
            1.0, ((0.0, block), (0.06, block), (0.16, jolt), (0.62, block), (1.0, block)), style, two,
            travel=((0.06, 0.0, 0.0), (0.34, -0.16, 0.0)), events=(Event(0.06, "hit_blocked", "rightProp"),), delays=_LOOSE,
        )  # fmt: skip
        out.append(_recipe(f"block_hit_{hands}_handed", struck, replace(annotation, direction=("Backward",), power=("Light Stagger",)),
                           f"A fighter blocks a blow with the weapon {where} and is pushed back.", ("block", "hit", f"{hands}-handed")))  # fmt: skip
    parry = Act(
        0.95, ((0.0, attacks.GUARD_ONE), (0.10, BLOCK_ONE), (0.26, PARRY), (0.42, PARRY), (0.92, attacks.GUARD_ONE)),
        attacks.ONE_HANDED, events=(Event(0.24, "parry", "rightProp"),),
    )  # fmt: skip
    annotation = Annotation(
        motion_type=("Block/Guard",), weapon_type=(attacks.WEAPON["one"],), attack_type=("Right-Handed", "One-Handed"),
        direction=("In-Place",), power=("Light-Weighted",), speed=("Swift", "Cleanly"), impression=("Instant Burst",),
        posture="The weapon beats sideways across the body and returns.",
    )  # fmt: skip
    out.append(
        _recipe(
            "parry_one_handed",
            parry,
            annotation,
            "A fighter beats a blow aside with the weapon.",
            ("block", "parry"),
        )
    )
    return out


def recipes() -> tuple[Recipe, ...]:
    """All of them."""
    hits = [_hit_recipe(place, heavy) for heavy in (False, True) for place in _HITS]
    return (*_blocks(), *hits, *_staggers())
