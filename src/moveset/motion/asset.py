"""What a file holds, and what was noticed about it."""

from __future__ import annotations

from dataclasses import dataclass

from moveset.motion.character import Character
from moveset.motion.clip import Clip

SEVERITIES = ("info", "warning", "error")


@dataclass(frozen=True)
class Finding:
    """One thing noticed about a file or a clip, with a number that says how much and advice on what to do."""

    check: str
    """Which check, e.g. `foot_skate`."""
    severity: str
    """info, warning or error."""
    clip: str
    """Clip name; empty when it concerns the whole file."""
    message: str
    """One sentence with the value in it."""
    frames: tuple[int, ...] = ()
    """Frames where it shows, the worst first, at most a handful."""
    joint: str | None = None
    value: float | None = None
    unit: str = ""
    advice: str = ""
    count: int = 1
    """How often it occurred."""


@dataclass(frozen=True, eq=False)
class Source:
    """Where an asset came from. `document` is the parsed file, kept so that writing can patch it."""

    path: str
    format: str
    document: object = None


@dataclass(frozen=True, eq=False)
class Asset:
    """Characters and clips of one file."""

    characters: tuple[Character, ...] = ()
    clips: tuple[Clip, ...] = ()
    findings: tuple[Finding, ...] = ()
    source: Source | None = None
