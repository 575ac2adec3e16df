"""What each joint of a rig is on the body, as a report and as a file that a person edits."""

from __future__ import annotations

from pathlib import Path

from moveset.errors import MovesetError
from moveset.rigs.overrides import as_toml
from moveset.rigs.report import RoleReport
from moveset.workflows.load import load_reported


def describe_roles(path: str, roles: str | None = None) -> RoleReport:
    """What is known about the roles of the largest rig of a file; `roles` is a file of roles to start from."""
    reports = load_reported(path, roles)[1].values()
    if not reports:
        raise MovesetError("holds no skeleton", file=path, do="give a file with joints")
    return max(reports, key=lambda report: len(report.skeleton))


def write_roles(report: RoleReport, file: str) -> None:
    """Write a report as a file of roles (rigs/overrides.py), to be edited."""
    try:
        Path(file).write_text(as_toml(report), encoding="utf-8")
    except OSError as error:
        raise MovesetError(error.strerror or "cannot be written", file=file, do="check the path") from None
