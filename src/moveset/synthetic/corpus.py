"""The recipes by name, and all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from moveset.conventions import DEFAULT_FPS
from moveset.errors import MovesetError
from moveset.motion import Clip
from moveset.motion.canonical import Body
from moveset.synthetic import airborne, attacks, falls, idles, locomotion, reactions
from moveset.synthetic.figure import Figure
from moveset.synthetic.recipe import Recipe


@cache
def _recipes() -> dict[str, Recipe]:
    modules = (idles, locomotion, attacks, reactions, airborne, falls)
    return {recipe.name: recipe for module in modules for recipe in module.recipes()}


def names() -> tuple[str, ...]:
    """Names of all clips that can be synthesized."""
    return tuple(_recipes())


def synthesize(name: str, body: Body | None = None, fps: float = DEFAULT_FPS, seed: int = 0) -> Clip:
    """One clip of `names()` on a body."""
    try:
        recipe = _recipes()[name]
    except KeyError:
        raise MovesetError(
            f"no synthetic clip is called {name!r}", do=f"choose one of: {', '.join(names())}"
        ) from None
    return recipe.make(Figure(body), fps, seed)


def corpus(seed: int = 0, bodies: Sequence[Body | None] = (None,), fps: float = DEFAULT_FPS) -> list[Clip]:
    """Every clip on every body, in the order of `names()`."""
    figures = [Figure(body) for body in bodies]
    return [recipe.make(figure, fps, seed) for figure in figures for recipe in _recipes().values()]
