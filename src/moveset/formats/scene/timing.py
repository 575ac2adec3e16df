"""At what rate a clip was keyed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from moveset.conventions import DEFAULT_FPS

COMMON = (DEFAULT_FPS, 24.0, 60.0, 25.0, 50.0, 48.0, 120.0)
OWN_RATES = (10.0, 240.0)
"""Even keys within these rates are frames; slower ones are hand-set keys, to be sampled at a common rate."""

ON_FRAME = 0.02
"""Share of a frame that a key may lie beside it: exporters round key times."""
_SNAP = 5e-4
"""A rate this close to a whole number (relative) is that number; 29.97 stays apart from 30 (1e-3)."""


def choose_rate(
    key_times: Sequence[np.ndarray], start: float, end: float, hint: float | None = None
) -> tuple[float, float]:
    """Frames per second at which every key falls on a frame, and how far the worst lies beside its frame [frames].

    The rate that the densest track was keyed at, if its keys are even; else a common rate that fits all keys;
    else (uneven keys) the common rate nearest to their median.
    """
    candidates = [] if hint is None else [hint]
    densest = max(key_times, key=len, default=np.zeros(0))
    own = _own_rate(densest)
    if own is not None:
        candidates.append(own)
    for rate in (*candidates, *COMMON):
        if _beside(key_times, start, end, rate) <= ON_FRAME:
            return rate, 0.0
    if own is None and len(densest) > 1:
        steps = np.diff(densest)
        median = 1 / max(float(np.median(steps)), 1e-3)
        own = (
            DEFAULT_FPS if median < OWN_RATES[0] else min(COMMON, key=lambda rate: abs(np.log(rate / median)))
        )
    rate = own or DEFAULT_FPS
    return rate, _beside(key_times, start, end, rate)


def _own_rate(times: np.ndarray) -> float | None:
    if len(times) < 3 or times[-1] <= times[0]:
        return None
    rate = (len(times) - 1) / (times[-1] - times[0])
    even = times[0] + np.arange(len(times)) / rate
    if not OWN_RATES[0] <= rate <= OWN_RATES[1] or np.abs(times - even).max() * rate > ON_FRAME:
        return None
    whole = round(rate)
    return float(whole) if abs(rate - whole) < _SNAP * rate else float(rate)


def _beside(key_times: Sequence[np.ndarray], start: float, end: float, rate: float) -> float:
    """How far the worst key lies beside a frame; a last key that cuts its track short may lie anywhere."""
    worst = 0.0
    for times in key_times:
        frames = ((times[:-1] if times[-1] == end else times) - start) * rate
        if not len(frames):
            continue
        worst = max(worst, float(np.abs(frames - np.rint(frames)).max()))
    return worst
