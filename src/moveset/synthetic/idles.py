"""Recipes of standing still: breathing, shifting the weight, on guard. They loop."""

from __future__ import annotations

from dataclasses import replace

from moveset.motion import Clip, Tags
from moveset.synthetic import acts, attacks
from moveset.synthetic.acts import Act
from moveset.synthetic.gait import Style
from moveset.synthetic.locomotion import CROUCHED, PROUD, RELAXED, TIRED, Said, annotation, perform
from moveset.synthetic.paths import drive
from moveset.synthetic.recipe import Recipe, Stage
from moveset.synthetic.steps import Footing


def recipes() -> tuple[Recipe, ...]:
    """All of them."""
    seconds = 6.0
    standing = (
        ("relaxed", replace(RELAXED, shift=0.014, rest=0.045, noise=1.5, footing=Footing(stand_width=0.25, stagger=-0.10, toe_out=0.16)),
         "stands relaxed and breathes", "Relaxing", "Light-Weighted"),
        ("shifting", replace(RELAXED, shift=0.045, noise=1.5, footing=Footing(stand_width=0.27, stagger=0.06, toe_out=0.2)),
         "shifts the weight from foot to foot", "Relaxing", "Light-Weighted"),
        ("tired", replace(TIRED, noise=2.0, shift=0.014, rest=-0.03), "stands tired and breathes hard", "Weak", "Powerless"),
        ("proud", replace(PROUD, shift=0.014, rest=0.02, noise=1.5, footing=Footing(stand_width=0.30, stagger=0.08, toe_out=0.22)),
         "stands upright and proud", "Uninhibited", "Steady"),
        ("crouched", replace(CROUCHED, shift=0.018, noise=1.5), "waits crouched", "Nervous", "Steady"),
    )  # fmt: skip
    out = []
    for label, style, verb, impression, power in standing:
        looped = replace(style, period=seconds)

        def make(stage: Stage, name: str, tags: Tags, style: Style = looped) -> Clip:
            return perform(stage, drive(seconds, 0.0, rate=stage.rate), style, name, tags, loop=True)

        said = Said(
            f"A person {verb}.", "In-Place", power, ("Slow",), impression, "Idle",
            "The arms hang at the sides while the chest breathes.",
        )  # fmt: skip
        out.append(Recipe(f"idle_{label}", make, annotation(said), said.sentence, ("idle", label)))
    for hands, verb in (("one", "a weapon in the right hand"), ("two", "a heavy weapon in both hands")):
        style = attacks.ONE_HANDED if hands == "one" else attacks.TWO_HANDED
        looped = replace(style, period=seconds, noise=2.0, shift=0.016)
        guard = attacks.GUARD_ONE if hands == "one" else attacks.GUARD_TWO
        act = Act(seconds, ((0.0, guard),), looped, two_handed=hands == "two", sway=0.012)

        def ready(stage: Stage, name: str, tags: Tags, act: Act = act) -> Clip:
            return acts.perform(stage, act, name, tags, loop=True)

        said = Said(
            f"A fighter stands on guard with {verb}.", "In-Place", "Steady", ("Slow",), "Nervous", "Idle",
            "The knees are bent and the weapon points at the foe.",
        )  # fmt: skip
        fields = replace(annotation(said), weapon_type=(attacks.WEAPON[hands],))
        words = ("idle", "guard", "armed", f"{hands}-handed")
        out.append(Recipe(f"idle_guard_{hands}_handed", ready, fields, said.sentence, words))
    return tuple(out)
