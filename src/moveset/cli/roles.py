"""`moveset roles`: what each joint of a rig is, as a file to edit."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from moveset.rigs.overrides import as_toml
from moveset.workflows.roles import describe_roles, write_roles


@dataclass(frozen=True, kw_only=True)
class RolesOptions:
    """Options of `moveset roles`."""

    output: Annotated[str | None, Parameter(name=("--output", "-o"))] = None
    """File to write; a `roles.toml` in the folder of the rig is found by every command. Printed if not given."""
    roles: str | None = None
    """A file of roles to start from."""


def roles(path: str, *, options: Annotated[RolesOptions | None, Parameter(name="*")] = None) -> int:
    """Write what each joint of a rig is on the body, with how sure that is and why: a file for a person to edit.

    Parameters
    ----------
    path
        A file with a skeleton; of several the largest is taken.
    """
    options = options or RolesOptions()
    report = describe_roles(path, options.roles)
    for finding in report.findings():
        print(f"{finding.severity} {finding.check}: {finding.message}", file=sys.stderr)
    if options.output is None:
        print(as_toml(report), end="")
        return 0
    write_roles(report, options.output)
    print(
        f"{options.output}: {len(report.roles)} roles of {len(report.skeleton)} joints ({report.convention})"
    )
    return 0
