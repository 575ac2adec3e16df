"""`moveset doctor`: is this machine fit?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Annotated

from cyclopts import Parameter

from moveset.cli.options import Flag
from moveset.cli.printing import print_json
from moveset.workflows.doctor import OK, Outcome, examine_machine, is_fit

_MARK = {"ok": "ok", "missing": "--", "broken": "!!"}


@dataclass(frozen=True, kw_only=True)
class DoctorOptions:
    """Options of `moveset doctor`."""

    json: Flag = False
    """Print JSON."""


def doctor(*, options: Annotated[DoctorOptions | None, Parameter(name="*")] = None) -> int:
    """Print versions, run a real operation on every engine and device found, and say what is missing for what.

    Exit status 2 when something that Moveset needs is broken.
    """
    options = options or DoctorOptions()
    if options.json:
        outcomes = list(examine_machine())
        said = {"fit": is_fit(outcomes), "outcomes": [asdict(outcome) for outcome in outcomes]}
        print_json(said)
        return 0 if said["fit"] else 2
    outcomes = []
    for line in as_lines(_kept(examine_machine(), outcomes)):
        print(line, flush=True)
    broken = [outcome for outcome in outcomes if outcome.state not in (OK, "missing")]
    print("all is well" if not broken else f"{len(broken)} broken: {', '.join(o.name for o in broken)}")
    return 0 if is_fit(outcomes) else 2


def as_lines(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """A heading a topic and a line an outcome, as they come."""
    topic = ""
    for outcome in outcomes:
        if outcome.topic != topic:
            topic = outcome.topic
            yield topic
        advice = f" -- {outcome.do}" if outcome.do else ""
        yield f"  {_MARK[outcome.state]}  {outcome.name:<16}  {outcome.said}{advice}"


def _kept(outcomes: Iterable[Outcome], into: list[Outcome]) -> Iterator[Outcome]:
    for outcome in outcomes:
        into.append(outcome)
        yield outcome
