"""`moveset roles`: what each joint of a rig is, as a file to edit."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from moveset.errors import MovesetError
from moveset.rigs.overrides import as_toml
from moveset.workflows.load import load_reported


@dataclass(frozen=True, kw_only=True)
class RolesOptions:
    """Options of `moveset roles`."""

    output: Annotated[str | None, Parameter(name=("--output", "-o"))] = None
    """File to write; `roles.toml` in the folder of the rig is found there by every command. Printed if not given."""
    roles: str | None = None
    """A file of roles to start from."""


def roles(path: str, *, options: Annotated[RolesOptions | None, Parameter(name="*")] = None) -> int:
    """Write what each joint of a rig is on the body, with how sure that is and why: a file for a person to edit.

    Parameters
    ----------
    path
        A file with a skeleton.
    """
    options = options or RolesOptions()
    asset, reports = load_reported(path, options.roles)
    if not reports:
        raise MovesetError("holds no skeleton", file=path, do="give a file with joints")
    largest = max(reports.values(), key=lambda report: len(report.skeleton))
    text = as_toml(largest)
    for finding in asset.findings:
        if finding.check in ("uncertain_roles", "roles_by_shape"):
            print(f"{finding.severity} {finding.check}: {finding.message}", file=sys.stderr)
    if options.output is None:
        print(text, end="")
        return 0
    try:
        Path(options.output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise MovesetError(
            error.strerror or "cannot be written", file=options.output, do="check the path"
        ) from None
    print(
        f"{options.output}: {len(largest.roles)} roles of {len(largest.skeleton)} joints ({largest.convention})"
    )
    return 0
