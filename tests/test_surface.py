"""What Moveset promises: its public names exist, are documented, and each verb has a function behind it."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import pytest

import moveset
from moveset import cli


def packages():
    yield "moveset"
    yield from (m.name for m in pkgutil.walk_packages(moveset.__path__, "moveset.") if m.ispkg)


def test_the_top_level_is_what_the_readme_uses():
    assert sorted(moveset.__all__) == moveset.__all__ == sorted(
        ["Annotation", "Asset", "Character", "Clip", "Contacts", "Event", "Finding", "Material", "Mesh", "MovesetError", "Skeleton", "Tags", "load", "load_clip", "load_clips", "write"]
    )  # fmt: skip


@pytest.mark.parametrize("package", list(packages()))
def test_exported_names_exist_and_say_what_they_are(package):
    module = importlib.import_module(package)
    assert module.__doc__
    for name in getattr(module, "__all__", ()):
        thing = getattr(module, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert inspect.getdoc(thing), f"{package}.{name} has no docstring"


@pytest.mark.parametrize("verb", list(cli.VERBS))
def test_every_verb_is_one_function_away(verb):
    """`moveset VERB` is cli/VERB.py over workflows/VERB.py, whose functions a script can call and read about."""
    assert callable(getattr(importlib.import_module(f"moveset.cli.{verb}"), verb))
    journey = importlib.import_module(f"moveset.workflows.{verb}")
    functions = [
        f for name, f in inspect.getmembers(journey, inspect.isfunction) if f.__module__ == journey.__name__
    ]
    public = [f for f in functions if not f.__name__.startswith("_")]
    assert public and all(f.__doc__ for f in public)


@pytest.mark.parametrize("verb", list(cli.VERBS))
def test_every_verb_explains_itself_with_an_example(verb, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.app([verb, "--help"], exit_on_error=False)
    assert stop.value.code in (0, None)
    assert f"moveset {verb}" in capsys.readouterr().out.replace("Usage: ", "").split("\n", 1)[1]
