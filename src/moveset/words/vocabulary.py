"""The vocabulary of the annotation fields, and whether an annotation keeps to it."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources

from moveset.errors import MovesetError
from moveset.motion import Annotation


@dataclass(frozen=True)
class Field:
    """One annotation field."""

    name: str
    about: str
    words: tuple[str, ...]
    """What may be said; empty for a free sentence."""


@cache
def vocabulary() -> Mapping[str, Field]:
    """The eight fields by name, in the order in which animators describe a clip."""
    text = resources.files("moveset.words").joinpath("taxonomy.toml").read_text(encoding="utf-8")
    return {
        name: Field(name, entry["about"], tuple(entry["words"]))
        for name, entry in tomllib.loads(text).items()
    }


def problems(annotation: Annotation) -> list[str]:
    """One sentence for each word that the vocabulary does not have, with the nearest that it has."""
    found = []
    for field in fields(Annotation):
        known = vocabulary()[field.name].words
        value = getattr(annotation, field.name)
        if not known:
            continue
        for word in value:
            if word not in known:
                near = difflib.get_close_matches(word, known, n=1, cutoff=0.0)
                found.append(f"{field.name} has no word {word!r}; the nearest is {near[0]!r}")
    return found


def check(annotation: Annotation) -> Annotation:
    """The annotation, or a MovesetError that names its first unknown word."""
    found = problems(annotation)
    if found:
        raise MovesetError(found[0], do="use the words of moveset/words/taxonomy.toml")
    return annotation
