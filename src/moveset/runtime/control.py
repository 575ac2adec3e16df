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
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from moveset.errors import MovesetError
from moveset.runtime.behaviors import BEHAVIORS, Behavior, Placement, Value, Wish
from moveset.runtime.control_range import ControlRange

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


def idle(facing: ArrayLike | None = None) -> Control:
    """Stand where you are."""
    return Control("Idle", {} if facing is None else {"facing": facing})


def move_to_target(
    position: ArrayLike,
    facing: ArrayLike | None = None,
    speed: ArrayLike | None = None,
    arrival: ArrayLike | None = None,
) -> Control:
    """Go to `position` (..., 2) and stand there."""
    asked = {"position": position, "facing": facing, "speed": speed, "arrival": arrival}
    return Control("MoveToTarget", {name: value for name, value in asked.items() if value is not None})


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
    clamped: int = 0
    """Asked for more than the controller's data held (further, or a wider turn); the most that it held was taken."""


class _Slot(NamedTuple):
    """The place of a behavior's values in the box."""

    number: int
    kind: Behavior
    places: tuple[tuple[Value, np.ndarray], ...]
    """Each value, and its array for all characters."""
    names: frozenset[str]


class Mailbox:
    """The controls of N characters for the next step, and the last ones."""

    def __init__(
        self,
        count: int,
        times: tuple[float, ...],
        keep_seconds: float = KEEP_SECONDS,
        limits: ControlRange | None = None,
    ) -> None:
        self.times = np.asarray(times, dtype=float)
        self.keep_seconds, self.limits = keep_seconds, limits
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
        self._kinds = tuple(BEHAVIORS.values())
        self._slots = {
            kind.name: _Slot(
                number,
                kind,
                tuple((value, self.values[kind.name, value.name]) for value in kind.values),
                frozenset(value.name for value in kind.values),
            )
            for number, kind in enumerate(self._kinds)
        }

    def _shape(self, shape: tuple[int | str, ...]) -> tuple[int, ...]:
        return tuple(len(self.times) + 1 if size == "T" else int(size) for size in shape)

    def give(self, control: Control, who: Who = None, late: bool = False) -> None:
        """Lay a control in for the characters `who` (all if None)."""
        if not isinstance(control, Control):
            raise MovesetError(
                f"{control!r} is no control", do="give velocity_follow(...) or another Control"
            )
        slot = self._slots.get(control.behavior)
        if slot is None:
            raise MovesetError(
                f"there is no behavior {control.behavior!r}; there are: {', '.join(BEHAVIORS)}"
            )
        characters = slice(None) if who is None else self.characters(who)
        count = len(self.age) if isinstance(characters, slice) else len(characters)
        arrays, finite = self._checked(slot, control.values, count)
        if late:
            self.report.late += count
            return
        if not finite.all():
            self.report.not_finite += int(np.sum(~finite))
            characters = self.characters(who)[finite]
            arrays = [
                None if a is None else np.broadcast_to(a, (count, *s.shape[1:]))[finite]
                for a, (_, s) in zip(arrays, slot.places)
            ]
            count = len(characters)
        for array, (_, store) in zip(arrays, slot.places):
            store[characters] = np.nan if array is None else array
        self.report.given += count
        self.report.overwritten += int(np.count_nonzero(self.fresh[characters]))
        self.behavior[characters] = slot.number
        self.fresh[characters] = True

    def _checked(
        self, slot: _Slot, values: Mapping[str, ArrayLike], count: int
    ) -> tuple[list[np.ndarray | None], np.ndarray]:
        """An array for each value (None for one left out), and (count,) or (1,) bool: whether it is finite."""
        kind = slot.kind
        if not values.keys() <= slot.names:
            name = min(values.keys() - slot.names)
            takes = ", ".join(value.name for value in kind.values) or "none"
            raise MovesetError(f"{kind.name} takes no value {name!r}; it takes: {takes}")
        arrays: list[np.ndarray | None] = []
        finite = np.ones(1, dtype=bool)
        for value, store in slot.places:
            if value.name not in values:
                if not value.optional:
                    raise MovesetError(f"{kind.name} needs a value {value.name!r}: {value.about}")
                arrays.append(None)
                continue
            array = _numbers(kind.name, value.name, values[value.name])
            one = store.shape[1:]
            if array.shape != one and array.shape != (count, *one):
                raise MovesetError(
                    f"{kind.name}: {value.name} has shape {array.shape}, expected {(count, *one)} "
                    f"or {one} for all alike"
                )
            known = np.isfinite(array)
            if not known.all():
                whole = np.broadcast_to(known, (count, *one)).reshape(count, -1)
                finite = finite & whole.all(axis=1)
            arrays.append(array)
        return arrays, finite

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
        if self.fresh.all():
            self.age[:] = 0.0
        else:
            self.age[self.fresh] = 0.0
            missing = ~self.fresh
            kept = missing & (self.age <= self.keep_seconds)
            self.report.kept += int(kept.sum())
            self.report.fallen_back += int(np.sum(missing & ~kept & np.isfinite(self.age)))
            self.behavior[missing & ~kept] = 0
        self.fresh[:] = False

    def wish(self, at: Placement, dt: float) -> Wish:
        """What every character is asked for in the next `dt` seconds, after which its control is older by them."""
        first = self.behavior[0]
        if (self.behavior == first).all():
            kind = self._kinds[first]
            values = {value.name: store for value, store in self._slots[kind.name].places}
            asked = kind.ask(values, self.age, at, self.times, dt)
            wish = Wish(np.full(len(self.age), first == 0), *asked)
        else:
            wish = self._mixed_wish(at, dt)
        if self.limits is not None:
            beyond = self.limits.clamp(wish.offsets, wish.facings)
            self.report.clamped += int(np.count_nonzero(beyond & ~wish.free))
        self.age += dt
        return wish

    def _mixed_wish(self, at: Placement, dt: float) -> Wish:
        count, ahead = len(self.age), len(self.times)
        wish = Wish(
            self.behavior == 0, np.zeros((count, ahead, 2)), np.zeros((count, ahead)), np.zeros((count, 2))
        )
        for number in np.unique(self.behavior):
            kind, who = self._kinds[number], np.flatnonzero(self.behavior == number)
            own = Placement(*(getattr(at, f.name)[who] for f in fields(at)))
            values = {value.name: store[who] for value, store in self._slots[kind.name].places}
            wish.offsets[who], wish.facings[who], wish.errors[who] = kind.ask(
                values, self.age[who], own, self.times, dt
            )
            at.wished[who], at.anchors[who] = own.wished, own.anchors
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
