"""One control a character and frame: given, consumed by the next step, gone.

What happens when there was none, or a bad one, is decided here and counted in `ControlReport`, never silent:

- forgotten: the last control is kept, aging, for `keep_seconds`; then the character wanders (Uncontrolled)
- not finite (NaN, infinity): refused for the characters concerned, for whom it then counts as forgotten too
- late (for a frame that was already stepped): refused; early: refused as well, nothing is queued
- given twice for one frame: the later one holds
- unknown behavior, unknown value, wrong shape, no such character: a MovesetError where it is given
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import ArrayLike

from moveset.errors import MovesetError
from moveset.runtime.behaviors import BEHAVIORS, Placement, Wish

KEEP_SECONDS = 0.5

Who = slice | int | Sequence[int] | np.ndarray | None


@dataclass(frozen=True)
class Control:
    """A behavior and its values, for one character or with a leading axis for several."""

    behavior: str
    values: Mapping[str, ArrayLike] = field(default_factory=dict)


def uncontrolled() -> Control:
    """Wander."""
    return Control("Uncontrolled")


def velocity_follow(
    velocity: ArrayLike, facing: ArrayLike | None = None, *, relative: bool = False
) -> Control:
    """Move at `velocity` (..., 2) [m/s]: x and z of the world, or side and forward if `relative`."""
    values: dict[str, ArrayLike] = {"velocity": velocity, **({"relative": 1.0} if relative else {})}
    return Control("VelocityFollow", values if facing is None else {**values, "facing": facing})


def trajectory_follow(positions: ArrayLike, facings: ArrayLike | None = None) -> Control:
    """Be at `positions` (..., T, 2), now and at each of the controller's looked-ahead times."""
    values = {"positions": positions}
    return Control("TrajectoryFollow", values if facings is None else {**values, "facings": facings})


def _numbers(behavior: str, name: str, value: ArrayLike) -> np.ndarray:
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise MovesetError(f"{behavior}: {name} is {value!r}, not an array of numbers") from None


@dataclass
class ControlReport:
    """Counts of characters x frames since the crowd began."""

    given: int = 0
    kept: int = 0
    """Forgotten; the last control went on."""
    fallen_back: int = 0
    """Forgotten for longer than it is kept; the character wandered. Not counted before the first control."""
    not_finite: int = 0
    late: int = 0
    overwritten: int = 0


class Mailbox:
    """The controls of N characters for the next step, and the last ones."""

    def __init__(self, count: int, times: tuple[float, ...], keep_seconds: float = KEEP_SECONDS) -> None:
        self.times = np.asarray(times, dtype=float)
        self.keep_seconds = keep_seconds
        self.report = ControlReport()
        self.behavior = np.zeros(count, dtype=np.int64)
        """(N,) number in BEHAVIORS of the last control."""
        self.age = np.full(count, np.inf)
        """(N,) seconds since the step that it was given for began; infinity before the first."""
        self.fresh = np.zeros(count, dtype=bool)
        """(N,) given since the last step."""
        self.values = {
            (kind.name, value.name): np.full((count, *self._shape(value.shape)), np.nan)
            for kind in BEHAVIORS.values()
            for value in kind.values
        }

    def _shape(self, shape: tuple[int | str, ...]) -> tuple[int, ...]:
        return tuple(len(self.times) + 1 if size == "T" else int(size) for size in shape)

    def give(self, control: Control, who: Who = None, late: bool = False) -> None:
        """Lay a control in for the characters `who` (all if None)."""
        kind = BEHAVIORS.get(control.behavior)
        if kind is None:
            raise MovesetError(
                f"there is no behavior {control.behavior!r}; there are: {', '.join(BEHAVIORS)}"
            )
        characters = self.characters(who)
        arrays = {name: _numbers(kind.name, name, value) for name, value in control.values.items()}
        known = {value.name: value for value in kind.values}
        for name in arrays.keys() - known.keys():
            raise MovesetError(f"{kind.name} takes no value {name!r}; it takes: {', '.join(known) or 'none'}")
        finite = np.ones(len(characters), dtype=bool)
        for name, value in known.items():
            if name not in arrays:
                if not value.optional:
                    raise MovesetError(f"{kind.name} needs a value {name!r}: {value.about}")
                continue
            expected = (len(characters), *self._shape(value.shape))
            if arrays[name].shape not in (expected, expected[1:]):
                raise MovesetError(
                    f"{kind.name}: {name} has shape {arrays[name].shape}, expected {expected} "
                    f"or {expected[1:]} for all alike"
                )
            arrays[name] = np.broadcast_to(arrays[name], expected)
            finite &= np.isfinite(arrays[name]).reshape(len(characters), -1).all(axis=1)
        if late:
            self.report.late += len(characters)
            return
        if not finite.all():
            self.report.not_finite += int(np.sum(~finite))
            characters = characters[finite]
            arrays = {name: array[finite] for name, array in arrays.items()}
        self.report.given += len(characters)
        self.report.overwritten += int(np.sum(self.fresh[characters]))
        for name in known:
            self.values[kind.name, name][characters] = arrays.get(name, np.nan)
        self.behavior[characters] = list(BEHAVIORS).index(kind.name)
        self.fresh[characters] = True

    def characters(self, who: Who) -> np.ndarray:
        """Numbers of the characters meant by `who`."""
        everyone = np.arange(len(self.behavior))
        if who is None:
            return everyone
        try:
            return np.atleast_1d(everyone[who if isinstance(who, slice) else np.asarray(who)])
        except IndexError:
            raise MovesetError(
                f"characters {who} were asked for, the crowd has {len(everyone)}: 0 to {len(everyone) - 1}"
            ) from None

    def open(self) -> None:
        """Take the controls for the step that begins; the box is empty afterwards."""
        self.age[self.fresh] = 0.0
        missing = ~self.fresh
        kept = missing & (self.age <= self.keep_seconds)
        self.report.kept += int(kept.sum())
        self.report.fallen_back += int(np.sum(missing & ~kept & np.isfinite(self.age)))
        self.behavior[missing & ~kept] = 0
        self.fresh[:] = False

    def wish(self, at: Placement, dt: float) -> Wish:
        """What every character is asked for in the next `dt` seconds, after which its control is older by them."""
        count, ahead = len(self.age), len(self.times)
        wish = Wish(
            self.behavior == 0, np.zeros((count, ahead, 2)), np.zeros((count, ahead)), np.zeros((count, 2))
        )
        for number, kind in enumerate(BEHAVIORS.values()):
            chosen = self.behavior == number
            if not chosen.any():
                continue
            who = slice(None) if chosen.all() else np.flatnonzero(chosen)
            own = Placement(at.positions[who], at.headings[who], at.velocities[who], at.wished[who])
            values = {value.name: self.values[kind.name, value.name][who] for value in kind.values}
            wish.offsets[who], wish.facings[who], wish.errors[who] = kind.ask(
                values, self.age[who], own, self.times, dt
            )
            at.wished[who] = own.wished
        self.age += dt
        return wish

    def snapshot(self) -> dict[str, np.ndarray]:
        """Everything that the next step depends on."""
        counts = np.array([getattr(self.report, f.name) for f in fields(self.report)])
        arrays = {"behavior": self.behavior, "age": self.age, "fresh": self.fresh, "counts": counts}
        arrays |= {f"{kind}.{name}": value for (kind, name), value in self.values.items()}
        return {name: array.copy() for name, array in arrays.items()}

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Back to a `snapshot`."""
        self.behavior[:], self.age[:], self.fresh[:] = arrays["behavior"], arrays["age"], arrays["fresh"]
        for (kind, name), value in self.values.items():
            value[:] = arrays[f"{kind}.{name}"]
        self.report = ControlReport(*(int(n) for n in arrays["counts"]))
