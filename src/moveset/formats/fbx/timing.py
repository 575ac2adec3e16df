"""When the frames of an animation stack lie."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from moveset.formats.scene.timing import ON_FRAME, choose_rate

RATES = (10.0, 240.0)
"""A stated rate within these is the rate of frames; others (1000 fps) are clocks of programs."""


@dataclass(frozen=True)
class Plan:
    """Even frames of one stack, and what was assumed about them."""

    start: float
    end: float
    fps: float
    frames: int
    ranged: bool
    """Whether the stack says when it starts and ends."""
    beside: float
    """How far the worst key lies beside its frame [frames]."""
    keys: tuple[float, float]
    """When the first and last key lie [s]."""

    @property
    def times(self) -> np.ndarray:
        """(F,) in the file's time [s]."""
        return np.minimum(self.start + np.arange(self.frames) / self.fps, max(self.end, self.start))

    @property
    def said(self) -> dict:
        """For the header."""
        return {
            "start": self.start,
            "end": self.end,
            "fps": self.fps,
            "ranged": self.ranged,
            "beside": self.beside,
            "keys": list(self.keys),
        }


def plan_frames(begin: float, end: float, key_times: list[np.ndarray], stated: float) -> Plan:
    """Frames from `begin` to `end` at the rate of the keys within, which is the `stated` one wherever that fits.

    A stack without a range has that of its keys, one without keys a single frame. Where the keys fit no rate at all
    the stated one holds.
    """
    ranged = bool(np.isfinite(begin) and np.isfinite(end) and (end > begin or not key_times))
    first = min((float(t[0]) for t in key_times), default=0.0)
    last = max((float(t[-1]) for t in key_times), default=0.0)
    if not ranged:
        begin, end = first, last
    if not key_times:
        end = begin
    within = [t[(t >= begin) & (t <= end)] for t in key_times]
    hint = stated if RATES[0] <= stated <= RATES[1] else None
    fps, beside = choose_rate([t for t in within if len(t)], begin, end, hint)
    if beside and hint:
        fps = hint
    frames = int(min(max(np.ceil((end - begin) * fps - ON_FRAME), 0), 1 << 40)) + 1
    return Plan(begin, end, fps, frames, ranged, beside, (first, last))
