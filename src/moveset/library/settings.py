"""library.toml: where the clips come from, the policy, and what a person knows better. Moveset keeps its text."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from moveset.errors import MovesetError
from moveset.library.policy import Policy, policy_from

FILE = "library.toml"
OVERRIDE_FIELDS = (
    "drop",
    "split",
    "license",
    "tags",
    "sentence",
    "loop",
    "additive",
    "mirrorable",
    "annotation",
)

_HEAD = """\
# What this library is built from, and how. Edit it, then `moveset build -o {name}` builds it again.

# Files, folders and .zip archives; relative paths start at the folder that holds the library.
sources = {sources}

"""

_POLICY = """\
[policy]
fps = {fps}  # every clip is resampled to this rate; 0 keeps each clip's own
held_out = {held_out}  # share of motions kept away from training
split = "{split}"  # hash, or sidecar: as a table beside the files says
license = {license}  # of clips about which nobody says one

# drop, repair or keep, by check; checks that are not named keep the clip
[policy.actions]
{actions}

"""

_TAIL = """\
# What you know better than files and names. `file` is a pattern over the column file, `clip` one over clip names.
# [[overrides]]
# file = "*/walk_*.bvh"
# clip = "*"
# drop = false
# tags = ["walk"]
# license = "CC0-1.0"
# split = "held-out"
"""

_POLICY_SECTION = re.compile(r"^\[policy\].*?(?=^\[\[|^\[(?!policy)|^# What you know|\Z)", re.M | re.S)


@dataclass(frozen=True)
class Settings:
    """The content of library.toml."""

    sources: tuple[str, ...]
    policy: Policy
    overrides: tuple[Mapping[str, Any], ...] = ()
    text: str = field(default="", compare=False)
    """The file as it is written."""

    def overrides_of(self, file: str) -> tuple[Mapping[str, Any], ...]:
        """Overrides that speak of a file."""
        return tuple(o for o in self.overrides if fnmatchcase(file, o["file"]))


def new_settings(name: str, sources: Sequence[str], policy: Policy) -> Settings:
    """Settings of a library that is built for the first time."""
    head = _HEAD.format(name=name, sources=_listed(sources))
    return Settings(tuple(sources), policy, (), head + _policy_text(policy) + _TAIL)


def read_settings(file: Path) -> Settings:
    """Settings from a library.toml."""
    text = file.read_text(encoding="utf-8")
    try:
        said = tomllib.loads(text)
        policy = policy_from(said.get("policy", {}))
    except tomllib.TOMLDecodeError as error:
        raise MovesetError(f"not TOML: {error}", file=file, do="mend the file") from None
    except MovesetError as error:
        raise error.within(file) from None
    overrides = tuple(said.get("overrides", ()))
    for override in overrides:
        unknown = sorted(set(override) - {"file", "clip", *OVERRIDE_FIELDS})
        if "file" not in override or unknown:
            raise MovesetError(
                f"an override has unknown field {unknown[0]!r}" if unknown else "an override names no file",
                file=file,
                do=f"give file, clip, and any of {', '.join(OVERRIDE_FIELDS)}",
            )
    return Settings(tuple(said.get("sources", ())), policy, overrides, text)


def with_sources(settings: Settings, sources: Sequence[str]) -> Settings:
    """The same settings with other sources; comments and all else in the text stay."""
    if tuple(sources) == settings.sources:
        return settings
    line = f"sources = {_listed(sources)}"
    text, count = re.subn(
        r"^sources\s*=\s*\[.*?\]", lambda _: line, settings.text, count=1, flags=re.M | re.S
    )
    return Settings(
        tuple(sources), settings.policy, settings.overrides, text if count else f"{line}\n{settings.text}"
    )


def with_policy(settings: Settings, policy: Policy) -> Settings:
    """The same settings with another policy; the rest of the text stays."""
    if policy == settings.policy:
        return settings
    section = _policy_text(policy)
    text, count = _POLICY_SECTION.subn(lambda _: section, settings.text, count=1)
    return Settings(settings.sources, policy, settings.overrides, text if count else f"{text}\n{section}")


def _policy_text(policy: Policy) -> str:
    width = max(map(len, policy.actions), default=0)
    return _POLICY.format(
        fps=policy.fps,
        held_out=policy.held_out,
        split=policy.split,
        license=json.dumps(policy.license),
        actions="\n".join(f'{check:{width}} = "{action}"' for check, action in policy.actions.items()),
    )


def _listed(values: Sequence[str]) -> str:
    return (
        "[" + "".join(f"\n    {json.dumps(value, ensure_ascii=False)}," for value in values) + "\n]"
        if values
        else "[]"
    )
