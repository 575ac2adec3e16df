"""A crowd: N characters moved by one controller, batched in arrays, a step at a time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

from moveset.conventions import UP
from moveset.errors import MovesetError
from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Clip, Contacts
from moveset.motion.roles import FEET
from moveset.runtime.behaviors import Placement
from moveset.runtime.control import KEEP_SECONDS, Control, ControlReport, Mailbox, Who
from moveset.runtime.controller import Controller, Poses, character_seeds
from moveset.runtime.footlock import FootLock, FootLockState


@dataclass(frozen=True)
class CrowdConfig:
    """What is done beside the controller."""

    keep_seconds: float = KEEP_SECONDS
    """How long the last control holds when none is given."""
    foot_lock: bool = True
    nudge: float = 0.0
    """Share of each step by which a character is moved straight towards the asked place. Not the controller's
    doing: measures of a nudged crowd say so."""


@dataclass
class CrowdReport:
    """What happened since the crowd began."""

    steps: int = 0
    """Of the controller; a long `dt` takes several."""
    seconds: float = 0.0
    controls: ControlReport = field(default_factory=ControlReport)
    nudged: float = 0.0
    """Sum over characters of how far nudges moved them [m]."""
    let_go: int = 0
    """Frames in which a bearing foot could not be held within reach."""


class Crowd:
    """`control` the characters, `step`, read `poses`, `positions`, `headings`; or `record` and take `clips`.

    Characters start at the origin facing +Z unless placed. The arrays are the crowd's own and change with the
    next step: copy what is to be kept.
    """

    def __init__(
        self,
        controller: Controller,
        count: int = 1,
        seed: int = 0,
        config: CrowdConfig | None = None,
    ) -> None:
        if not isinstance(count, int | np.integer) or count < 1:
            raise MovesetError(f"a crowd of {count!r} characters", do="ask for a whole number, at least one")
        self.controller, self.config, self.count = controller, config or CrowdConfig(), count
        self.skeleton = controller.skeleton
        self.positions = np.zeros((count, 2))
        """(N, 2) x z of the ground frames in the world [m]."""
        self.headings = np.zeros(count)
        """(N,) of the ground frames [rad], not wrapped."""
        self.velocities = np.zeros((count, 2))
        """(N, 2) of the ground frames in the world [m/s]."""
        self._wished = np.zeros((count, 2, 2))
        self._anchors = np.full((count, 3), np.nan)
        self.mailbox = Mailbox(count, controller.times, self.config.keep_seconds, controller.range)
        self._state = controller.start(character_seeds(seed, count))
        self._lock: tuple[FootLock, FootLockState] | None = None
        if self.config.foot_lock:
            lock = controller.foot_lock()
            self._lock = lock, lock.start(count)
        self._report = CrowdReport()
        self._poses: Poses | None = None
        self._track: list[tuple[Array, ...]] | None = None

    @property
    def poses(self) -> Poses:
        """Local poses in each character's ground frame, after the last step."""
        if self._poses is None:
            raise MovesetError("the crowd has not moved yet", do="call step(dt) first")
        return self._poses

    @property
    def report(self) -> CrowdReport:
        """Counts since the start."""
        self._report.controls = self.mailbox.report
        if self._lock:
            self._report.let_go = int(self._lock[1].refused.sum())
        return self._report

    def place(self, positions: ArrayLike, headings: ArrayLike, who: Who = None) -> None:
        """Put characters at `positions` (K, 2) facing `headings` (K,); held feet are let go."""
        chosen = self.mailbox.characters(who)
        try:
            places = np.broadcast_to(np.asarray(positions, dtype=float), (len(chosen), 2))
            turned = np.broadcast_to(np.asarray(headings, dtype=float), len(chosen))
        except (TypeError, ValueError):
            raise MovesetError(
                f"positions and headings do not fit {len(chosen)} characters",
                do=f"give ({len(chosen)}, 2) and ({len(chosen)},) numbers",
            ) from None
        if not (np.isfinite(places).all() and np.isfinite(turned).all()):
            raise MovesetError("a place that is not finite", do="give positions and headings in numbers")
        self.positions[chosen], self.headings[chosen] = places, turned
        self.velocities[chosen] = 0
        self._anchors[chosen] = np.nan
        if self._lock:
            self._lock[1].held[chosen] = False
            self._lock[1].offsets[chosen] = 0
            self._lock[1].rates[chosen] = 0

    def control(self, control: Control, who: Who = None, frame: int | None = None) -> None:
        """Ask characters `who` (all if None) for something in the next step.

        `frame`: the step that the control was made for, counted from 0; one made for another step is refused.
        """
        self.mailbox.give(control, who, late=frame is not None and frame != self._report.steps)

    def set_lod(self, lod: int, who: Who = None) -> None:
        """Give characters `who` (all if None) another level of detail of the controller, without a jump."""
        self.controller.set_lod(self._state, self.mailbox.characters(who), lod)

    def replace_controller(self, controller: Controller) -> None:
        """Go on with another controller, as when a bundle was trained further: refused unless it can take over."""
        for name, held in self.controller.form.items():
            if controller.form.get(name) != held:
                raise MovesetError(
                    f"the crowd cannot go on with this controller: its {name} is another",
                    do="make a new crowd for it",
                )
        self.controller = controller
        if self._lock:
            self._lock = controller.foot_lock(), self._lock[1]
        self.mailbox.limits = controller.range

    def step(self, dt: float) -> Poses:
        """Move all characters by `dt` seconds."""
        if not (isinstance(dt, Real) and math.isfinite(dt) and dt > 0):
            raise MovesetError(f"a step of {dt} seconds", do="give a positive number of seconds")
        parts = max(1, int(np.ceil(dt * self.controller.fps - 1e-6)))
        self.mailbox.open()
        for _ in range(parts):
            self._step(dt / parts)
        if self._track is not None:
            self._track.append(self._frame())
        return self.poses

    def _step(self, dt: float) -> None:
        at = Placement(self.positions, self.headings, self.velocities, self._wished, self._anchors)
        wish = self.mailbox.wish(at, dt)
        poses = self.controller.step(self._state, wish, dt)
        self._report.nudged += _move(
            poses.steps, wish.errors, self.config.nudge, dt, self.positions, self.headings, self.velocities
        )
        if self._lock:
            lock, state = self._lock
            lock.apply(state, poses, self.positions, self.headings, dt)
        self._poses = poses
        self._report.steps += 1
        self._report.seconds += dt

    def world_poses(self) -> tuple[Array, Array]:
        """Local rotations (N, J, 4) and translations (N, J, 3) with the joints without a parent in the world."""
        rotations, translations = self.poses.rotations.copy(), self.poses.translations.copy()
        roots = list(self.skeleton.roots)
        yaw = quaternion.from_axis_angle(UP, self.headings)[:, None]
        rotations[:, roots] = quaternion.multiply(yaw, rotations[:, roots])
        translations[:, roots] = quaternion.rotate(yaw, translations[:, roots])
        translations[:, roots, 0] += self.positions[:, None, 0]
        translations[:, roots, 2] += self.positions[:, None, 1]
        return rotations, translations

    def record(self) -> None:
        """Keep every step from now on, for `clips`."""
        self._track = []

    def _frame(self) -> tuple[Array, ...]:
        rotations, translations = self.world_poses()
        return (
            rotations.astype(np.float32),
            translations.astype(np.float32),
            self.poses.contacts.copy(),
            self.positions.copy(),
            self.headings.copy(),
        )

    def recorded_ground(self) -> tuple[Array, Array]:
        """Positions (F, N, 2) and headings (F, N) of the recorded steps."""
        track = self._recording()
        return np.array([frame[3] for frame in track]), np.array([frame[4] for frame in track])

    def clips(self, fps: float, name: str = "crowd") -> list[Clip]:
        """The recorded steps, a clip a character; `fps` is 1 / dt of the steps."""
        track = self._recording()
        rotations, translations, contacts = (np.array([frame[k] for frame in track]) for k in range(3))
        return [
            Clip(
                self.skeleton,
                quaternion.unroll(rotations[:, n].astype(np.float64)),
                translations[:, n].astype(np.float64),
                fps,
                f"{name}-{n + 1:02d}" if self.count > 1 else name,
                contacts=Contacts(FEET, contacts[:, n]),
            )
            for n in range(self.count)
        ]

    def _recording(self) -> list[tuple[Array, ...]]:
        if not self._track:
            raise MovesetError("nothing was recorded", do="call record() before the first step")
        return self._track

    def snapshot(self) -> dict[str, np.ndarray]:
        """All that the future depends on, as named arrays (np.savez takes them); replay from it is bit-exact."""
        own = {
            "clock": np.array([self._report.steps, self._report.seconds]),
            "positions": self.positions,
            "headings": self.headings,
            "velocities": self.velocities,
            "wished": self._wished,
            "anchors": self._anchors,
        }
        parts = {
            "crowd": {name: array.copy() for name, array in own.items()},
            "mailbox": self.mailbox.snapshot(),
            "controller": self.controller.snapshot(self._state),
        }
        if self._lock:
            parts["lock"] = self._lock[0].snapshot(self._lock[1])
        return {f"{part}/{name}": array for part, arrays in parts.items() for name, array in arrays.items()}

    def restore(self, snapshot: Mapping[str, np.ndarray]) -> None:
        """Back to a `snapshot` of a crowd of this size and controller; another one changes nothing."""
        own = self.snapshot()
        if "crowd/positions" not in snapshot or snapshot["crowd/positions"].shape != self.positions.shape:
            raise MovesetError(
                f"the snapshot is not of a crowd of {self.count}", do="restore into a crowd of the same size"
            )
        for name, array in own.items():
            if name not in snapshot or np.shape(snapshot[name]) != array.shape:
                raise MovesetError(
                    f"the snapshot is not of a crowd like this: {name} "
                    + ("has another shape" if name in snapshot else "is not in it"),
                    do="restore into a crowd of the same controller and configuration",
                )

        def part(name: str) -> dict[str, np.ndarray]:
            return {
                key.removeprefix(f"{name}/"): array
                for key, array in snapshot.items()
                if key.startswith(f"{name}/")
            }

        own = part("crowd")
        self._report.steps, self._report.seconds = int(own["clock"][0]), float(own["clock"][1])
        self.positions[:], self.headings[:] = own["positions"], own["headings"]
        self.velocities[:], self._wished[:] = own["velocities"], own["wished"]
        self._anchors[:] = own["anchors"]
        self.mailbox.restore(part("mailbox"))
        self.controller.restore(self._state, part("controller"))
        if self._lock:
            self._lock[0].restore(self._lock[1], part("lock"))


@njit(cache=True, nogil=True)
def _move(steps, errors, nudge, dt, positions, headings, velocities) -> float:
    """Take the `steps` (N, 3) of the ground frames, and up to a `nudge` of each towards where `errors` (N, 2) point.

    Returns the sum of the nudges [m].
    """
    nudged = 0.0
    for n in range(len(steps)):
        sine, cosine = math.sin(headings[n]), math.cos(headings[n])
        x = steps[n, 0] * cosine + steps[n, 1] * sine
        z = steps[n, 1] * cosine - steps[n, 0] * sine
        missing = math.sqrt(errors[n, 0] ** 2 + errors[n, 1] ** 2)
        if nudge > 0 and missing > 0:
            size = min(missing, nudge * math.sqrt(x * x + z * z))
            x, z = x + errors[n, 0] * size / missing, z + errors[n, 1] * size / missing
            nudged += size
        positions[n, 0] += x
        positions[n, 1] += z
        headings[n] += steps[n, 2]
        velocities[n, 0], velocities[n, 1] = x / dt, z / dt
    return nudged
